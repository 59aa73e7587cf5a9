#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "factosim/run_control.hpp"

namespace py = pybind11;

namespace factosim::python {

/// The parts of the module.
void bind_graphs(py::module_& m);
void bind_policies(py::module_& m);

/// Returns what Python asks of a simulation: see factosim.run. `control` has `out`, `force`, `trace`, `series_points`, `jobs`,
/// `replicas`, `perturbed`, `interval`, `scheduler`, a policy's class or None, `scheduler_values`, its options, and `progress`, called with
/// (done, total), or None; it outlives what is returned. Signals are handled at each step of the progress. Holds references
/// to Python objects: to be destroyed with the interpreter's lock.
[[nodiscard]] RunControl control_of(py::dict const& control);

/// Calls `simulate` without the interpreter's lock, unless a policy in Python would need it for every task.
template <class Simulate>
void without_lock(RunControl const& control, Simulate const& simulate) {
  if (control.scheduler) return simulate();
  py::gil_scoped_release const release;
  simulate();
}

/// Converts an argument: whole numbers to floats, but with `exactly` nothing to whole numbers. What pybind11 converts
/// after `*args` depends on its version.
template <class T>
T converted(py::handle value, bool exactly) {
  py::detail::make_caster<T> caster;
  if (!caster.load(value, !exactly)) throw py::type_error("is of another kind");
  return py::detail::cast_op<T&&>(std::move(caster));
}

/// Returns the name of a class or function that makes policies.
[[nodiscard]] std::string name_of_policy(py::object const& type);

/// Returns the maker of policies in Python.
[[nodiscard]] SchedulerMaker policy_maker(py::object const& type);

}  // namespace factosim::python
