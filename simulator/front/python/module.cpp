// The Python module _factosim. The package factosim around it documents all that users call.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sys/prctl.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/network_model.hpp"
#include "factosim/report.hpp"
#include "factosim/run_control.hpp"
#include "factosim/scenario_document.hpp"
#include "factosim/scheduler.hpp"
#include "factosim/version.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/front/python/bindings.hpp"
#include "simulator/report/analysis/result_file.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/traces/programs/task_program.hpp"

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

/// Returns the document in `file`, or `text` as if it were there, changed by settings. `graph`: that of its application.
ScenarioDocument document_of(std::optional<std::string> const& text, std::string const& file,
                             std::vector<std::string> const& settings,
                             std::shared_ptr<TaskProgram> const& graph) {
  ScenarioDocument document = text ? ScenarioDocument{.file = file, .json = nlohmann::json::parse(*text)}
                                   : read_scenario_document(file);
  change(document, settings);
  document.graph = graph;
  return document;
}

py::array_t<std::int32_t> array_of(TileMap const& map) {
  py::array_t<std::int32_t> out({map.mt, map.nt});
  auto rows = out.mutable_unchecked<2>();
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < map.nt; ++n)
      rows(m, n) = map.at(m, n).valid() ? static_cast<std::int32_t>(map.at(m, n).value()) : -1;
  return out;
}

void bind_scenarios(py::module_& m) {
  m.def(
      "simulate_scenario",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings, std::shared_ptr<TaskProgram> const& graph,
         py::dict const& control) {
        std::string summary;
        RunControl run = control_of(control);
        run.on_summary = [&](std::string const& printed) { summary = printed; };
        without_lock(run, [&] { simulate(document_of(text, file, settings, graph), run); });
        return summary;
      },
      py::arg("text"), py::arg("file"), py::arg("settings"), py::arg("graph"), py::arg("control"));
  m.def(
      "sealed_result",
      [](std::string const& original, std::string const& text, std::string const& folder) {
        auto const altered = compare_files(original, nlohmann::json::parse(read_input(original))).altered;
        if (!altered.empty()) throw InputError(original + "#", altered.front());
        nlohmann::ordered_json result = nlohmann::ordered_json::parse(text);
        std::vector<std::string> files;
        for (auto const& [name, hash] : result["simulation"]["files"].items()) files.push_back(name);
        result["simulation"].erase("checksum");
        return result_text(std::move(result), folder, files);
      },
      py::arg("original"), py::arg("text"), py::arg("folder"));
  m.def(
      "whole_settings",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings) {
        ScenarioDocument const document = document_of(text, file, settings, nullptr);
        return std::pair(document.settings, document.json.dump());
      },
      py::arg("text"), py::arg("file"), py::arg("settings"));
  m.def(
      "bounds",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings, std::shared_ptr<TaskProgram> const& graph) {
        return bounds_json(bounds_of(document_of(text, file, settings, graph))).dump();
      },
      py::arg("text"), py::arg("file"), py::arg("settings"), py::arg("graph"),
      py::call_guard<py::gil_scoped_release>());
  m.def(
      "distribute",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings, std::shared_ptr<TaskProgram> const& graph) {
        TileMap const map = [&] {
          py::gil_scoped_release const release;
          return distribute(document_of(text, file, settings, graph));
        }();
        return array_of(map);
      },
      py::arg("text"), py::arg("file"), py::arg("settings"), py::arg("graph"));
}

}  // namespace

RunControl control_of(py::dict const& control) {
  RunControl out;
  out.out = control["out"].cast<std::string>();
  out.force = control["force"].cast<bool>();
  out.replicas = control["replicas"].cast<int>();
  out.perturbed = control["perturbed"].cast<int>();
  out.interval = control["interval"].cast<double>();
  out.jobs = control["jobs"].cast<int>();
  out.trace = control["trace"].cast<std::optional<bool>>();
  out.series_points = control["series_points"].cast<std::optional<std::size_t>>();
  if (py::object const policy = control["scheduler"]; !policy.is_none()) {
    out.scheduler = policy_maker(policy);
    out.scheduler_name = name_of_policy(policy);
    for (auto const& [name, value] : py::dict(control["scheduler_values"]))
      out.scheduler_values.emplace_back(name.cast<std::string>(), value.cast<OptionValue>());
  }
  py::handle const progress = py::object(control["progress"]);  // held by `control`
  out.on_progress = [progress](std::uint64_t done, std::uint64_t total) {
    py::gil_scoped_acquire const acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (progress.is_none()) return true;
    py::object const answer = progress(done, total);
    return !answer.is(py::handle(Py_False));
  };
  return out;
}

}  // namespace factosim::python

PYBIND11_MODULE(_factosim, m) {
  using namespace factosim;
  py::register_exception_translator([](std::exception_ptr error) { python::translate(error); });
  m.def("version", &version, "Returns the version of factosim.");
  m.def("git_revision", &git_revision, "Returns the commit that factosim was built from.");
  m.def("scheduler_names", &scheduler_names, "Returns the names of the built-in policies.");
  m.def("network_model_names", &network_model_names, "Returns the names of the network models.");
  m.def("figure_panels", &figure_panels, "Returns the names of the panels of figures.");
  m.def(
      "die_with_parent", [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); },
      "Ends this process when its parent ends.");
  python::bind_scenarios(m);
  python::bind_graphs(m);
  python::bind_policies(m);
}
