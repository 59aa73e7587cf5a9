// The Python module _factosim. The package factosim around it documents all that users call.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <filesystem>

#include "factosim/error.hpp"
#include "factosim/network_model.hpp"
#include "factosim/report.hpp"
#include "factosim/run_control.hpp"
#include "factosim/scheduler.hpp"
#include "factosim/version.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/front/python/bindings.hpp"

namespace factosim::python {

namespace {

void raise(char const* exception, std::string const& message) {
  PyErr_SetObject(py::module_::import("factosim._errors").attr(exception).ptr(), py::str(message).ptr());
}

void translate(std::exception_ptr const& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (InputError const& e) {
    raise("InputError", e.what());
  } catch (InfeasibleError const& e) {
    raise("InfeasibleError", e.what());
  } catch (ContractError const& e) {
    raise("ContractError", e.what());
  } catch (RunStopped const& e) {
    raise("RunStopped", e.what());
  } catch (std::filesystem::filesystem_error const&) {
    raise("InputError", current_failure().message);
  }
}

void bind_reports(py::module_& m) {
  using Paths = std::vector<std::string>;
  auto const paths = [](Paths const& runs) {
    return std::vector<std::filesystem::path>(runs.begin(), runs.end());
  };
  m.def(
      "write_report_page",
      [paths](Paths const& runs, std::string const& page) { write_report_page(paths(runs), page); },
      py::arg("runs"), py::arg("page"), py::call_guard<py::gil_scoped_release>(), "Writes the page of runs.");
  m.def(
      "figure_json",
      [paths](Paths const& runs, std::vector<std::string> const& panels) {
        return figure_json(paths(runs), panels);
      },
      py::arg("runs"), py::arg("panels"), py::call_guard<py::gil_scoped_release>(),
      "Returns the content of a figure of runs as JSON.");
  m.def("figure_panels", &figure_panels, "Returns the names of the panels of figures.");
}

}  // namespace

}  // namespace factosim::python

PYBIND11_MODULE(_factosim, m) {
  using namespace factosim;
  py::register_exception_translator([](std::exception_ptr error) { python::translate(error); });
  m.def("version", &version, "Returns the version of factosim.");
  m.def("git_revision", &git_revision, "Returns the commit that factosim was built from.");
  m.def("scheduler_names", &scheduler_names, "Returns the names of the built-in policies.");
  m.def("network_model_names", &network_model_names, "Returns the names of the network models.");
  m.def(
      "die_with_parent", [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); },
      "Ends this process when its parent ends.");
  python::bind_reports(m);
  python::bind_scenarios(m);
  python::bind_graphs(m);
  python::bind_policies(m);
}
