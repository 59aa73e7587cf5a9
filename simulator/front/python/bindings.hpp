#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "factosim/run_control.hpp"

namespace py = pybind11;

namespace factosim::python {

/// The parts of the module.
void bind_scenarios(py::module_& m);
void bind_graphs(py::module_& m);
void bind_policies(py::module_& m);

/// What Python asks of a simulation: see factosim.run.
struct Request {
  std::string out;
  bool force = false;
  std::optional<bool> trace;
  std::optional<std::size_t> series_points;
  py::object scheduler;  // a policy's class, or None
  py::object progress;   // called with (done, total), or None
};
[[nodiscard]] Request request_of(py::dict const& control);

/// Returns the control of a simulation. Signals are handled at each step of its progress. Holds references to
/// Python objects: to be destroyed with the interpreter's lock.
[[nodiscard]] RunControl control_of(Request const& request);

/// Calls `simulate` without the interpreter's lock, unless a policy in Python would need it for every task.
template <class Simulate>
void without_lock(Request const& request, Simulate const& simulate) {
  if (!request.scheduler.is_none()) return simulate();
  py::gil_scoped_release const release;
  simulate();
}

/// Returns the name of a class or function that makes policies.
[[nodiscard]] std::string name_of_policy(py::object const& type);

/// Returns the maker of policies in Python.
[[nodiscard]] SchedulerMaker policy_maker(py::object const& type);

}  // namespace factosim::python
