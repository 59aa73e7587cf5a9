#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/scenario_document.hpp"
#include "simulator/front/python/bindings.hpp"
#include "simulator/report/json/result_json.hpp"

namespace factosim::python {

namespace {

/// Returns the document in `file`, or `text` as if it were there, changed by settings.
ScenarioDocument document_of(std::optional<std::string> const& text, std::string const& file,
                             std::vector<std::string> const& settings) {
  if (!text) return read_scenario_document(file, settings);
  ScenarioDocument document{.file = file, .json = nlohmann::json::parse(*text)};
  change(document, settings);
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

}  // namespace

RunControl control_of(py::dict const& control) {
  RunControl out;
  out.out = control["out"].cast<std::string>();
  out.force = control["force"].cast<bool>();
  out.trace = control["trace"].cast<std::optional<bool>>();
  out.series_points = control["series_points"].cast<std::optional<std::size_t>>();
  if (py::object const policy = control["scheduler"]; !policy.is_none()) {
    out.scheduler = policy_maker(policy);
    out.scheduler_name = name_of_policy(policy);
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

void bind_scenarios(py::module_& m) {
  m.def(
      "simulate_scenario",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings, py::dict const& control) {
        RunControl const run = control_of(control);
        without_lock(run, [&] { simulate(document_of(text, file, settings), run); });
      },
      py::arg("text"), py::arg("file"), py::arg("settings"), py::arg("control"));
  m.def(
      "bounds",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings) {
        return bounds_json(bounds_of(document_of(text, file, settings))).dump();
      },
      py::arg("text"), py::arg("file"), py::arg("settings"), py::call_guard<py::gil_scoped_release>());
  m.def(
      "distribute",
      [](std::optional<std::string> const& text, std::string const& file,
         std::vector<std::string> const& settings) {
        TileMap const map = [&] {
          py::gil_scoped_release const release;
          return distribute(document_of(text, file, settings));
        }();
        return array_of(map);
      },
      py::arg("text"), py::arg("file"), py::arg("settings"));
}

}  // namespace factosim::python
