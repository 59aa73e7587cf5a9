#include "tests/fuzz/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "distributions/map_file.hpp"
#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_history.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/studies/sweep/sweep_folder.hpp"
#include "simulator/studies/sweep/sweep_report.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/import/starpu_timings.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/trace/native_columns.hpp"

namespace factosim::testing {

namespace {

namespace fs = std::filesystem;

fs::path write(fs::path const& file, std::string_view text) {
  fs::remove(file);  // ext4 waits for the disk when a file is closed that was truncated, not when it is new
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

/// Writes the files of the sections and removes those of the previous input.
void write_sections(fs::path const& folder, std::string_view input) {
  for (auto const& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
  constexpr std::string_view mark = "=== ";
  while (input.starts_with(mark)) {
    input.remove_prefix(mark.size());
    std::size_t const line = std::min(input.find('\n'), input.size());
    std::string name(input.substr(0, line));
    input.remove_prefix(std::min(line + 1, input.size()));
    std::size_t end = input.find("\n=== ");
    end = end == std::string_view::npos ? input.size() : end + 1;
    if (name.find_first_of(std::string_view("/\0", 2)) == std::string::npos && name.size() < 64 &&
        name != "." && name != ".." && !name.empty())
      write(folder / name, input.substr(0, end));
    input.remove_prefix(end);
  }
}

/// Files that the scenarios of the inputs can name.
constexpr char const* small_kernels =
    R"({"format": "factosim-kernels", "version": 1, "machine": "m", "provenance": "made up", "estimate": true,
 "kernels": {"getrf": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "potrf": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "trsm": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "syrk": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "trsm_ll": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "trsm_ru": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}],
 "gemm": [{"precision": "double", "worker": "cpu", "flops_per_second": 1e9}]}})";
constexpr char const* small_platform =
    R"({"format": "factosim-platform", "version": 1, "node_types": {"m": {"cores": 2, "ram_bytes": 1e9,
 "kernels": "k.json", "nic": {"bandwidth_Bps": 1e9, "latency_s": 1e-6}}}, "network": {},
 "nodes": [{"type": "m", "count": 4}]})";
constexpr char const* small_scenario =
    R"({"format": "factosim-scenario", "version": 1, "platform": "p.json",
 "application": {"type": "lu", "nt": 3, "nb": 100}, "distribution": {"type": "1d1d", "speeds": [1, 2, 3, 4]}})";

void write_surroundings(fs::path const& folder) {
  if (fs::exists(folder / "k.json")) return;
  write(folder / "k.json", small_kernels);
  write(folder / "p.json", small_platform);
}

/// Limits sizes, which tests/simulation/size_limit_test.cpp covers and which would only take time here.
void make_small(nlohmann::json& document) {
  static nlohmann::json::json_pointer const nt("/application/nt");
  constexpr int maximum = 24;
  if (document.is_object() && document.contains("application") && document["application"].is_object() &&
      document.contains(nt) && document[nt].is_number() && document[nt] > maximum)
    document[nt] = maximum;
}

void scenario(fs::path const& folder, std::string_view input) {
  write_surroundings(folder);
  fs::path const file = write(folder / "scenario.json", input);
  nlohmann::json document = parse_json_file(file);
  make_small(document);
  (void)plan_simulation(scenario_of(document, file.string()), {.memory_bytes = 45'000'000});
}

void platform(fs::path const& folder, std::string_view input) {
  Platform const p = read_platform(write(folder / "platform.json", input));
  (void)platform_json(p, folder);
}

void kernels(fs::path const& folder, std::string_view input) {
  (void)kernel_model_json(read_kernel_model(write(folder / "kernels.json", input)));
}

void sweep(fs::path const& folder, std::string_view input) {
  write_surroundings(folder);
  write(folder / "scenario.json", small_scenario);
  (void)read_sweep(write(folder / "sweep.json", input), {}, {.max_points = 100, .check_values = false});
}

/// Tables of a sweep, with its page and its figures.
void sweep_results(fs::path const& folder, std::string_view input) {
  write_sections(folder, input);
  SweepRecord const record = read_sweep_folder(folder);
  write_sweep_report(folder / "page.html", folder, record, {});
  (void)sweep_figures(record, "sweep.json#");
  draw_sweep_figure(folder / "figure.csv", record, "makespan_s,speedup", {});
}

void perfmodel(fs::path const& folder, std::string_view input) {
  write(folder / "starpu_dlu_lu_model_gemm.host", input);
  StarpuImport const read =
      read_starpu_models({folder}, {.host = "host", .machine = "m", .provenance = "made up", .devices = {}});
  (void)kernel_model_json(read.model);
}

void bus(fs::path const& folder, std::string_view input) {
  write_sections(folder, input);
  StarpuBusImport read = read_starpu_bus(folder, "host");
  Platform p;
  p.types.push_back(std::move(read.type));
  p.nodes = {0};
  (void)platform_json(p, folder);
}

void trace_folder(fs::path const& folder, std::string_view input) {
  write_sections(folder, input);
  (void)read_trace(folder);
}

void paje(fs::path const& folder, std::string_view input) {
  (void)read_trace(write(folder / "paje.trace", input));
}

void chrome(fs::path const& folder, std::string_view input) {
  (void)read_trace(write(folder / "run.json", input));
}

/// A program of tasks: the first line is the name of its file, which tells the format.
void graph(fs::path const& folder, std::string_view input) {
  std::string_view const name = input.substr(0, input.find('\n'));
  for (std::string_view const known : {"g.jsonl", "a.stg", "a.dot", "w.json", "tasks.rec"})
    if (name == known)
      (void)read_graph(write(folder / known, input.substr(std::min(name.size() + 1, input.size()))), {}, {});
}

void csv(fs::path const& folder, std::string_view input) {
  (void)read_trace(write(folder / "tasks.csv", input));
}

/// Reads the input unchanged, and with the correct checksum to get past it.
void run_trace(fs::path const& folder, std::string_view input) {
  std::string text(input);
  try {
    (void)read_trace(write(folder / "run.trace", text));
    return;
  } catch (InputError const&) {  // most likely because of its checksum
  }
  std::array<char, 4> bytes{};
  if (text.size() >= bytes.size()) {
    text.resize(text.size() - bytes.size());
    std::uint32_t const sum = native::checksum_with(0, text.data(), text.size());
    std::memcpy(bytes.data(), &sum, bytes.size());
    text.append(bytes.data(), bytes.size());
  }
  (void)read_trace(write(folder / "run.trace", text));
}

void platform_rec(fs::path const& folder, std::string_view input) {
  (void)kernel_model_json(
      read_starpu_timings(write(folder / "platform_file.rec", input),
                          {.host = "m", .machine = "m", .provenance = "made up", .devices = {}})
          .model);
}

void simgrid_xml(fs::path const& folder, std::string_view input) {
  write(folder / "net.xml", input);
  nlohmann::json const json = {{"file", "net.xml"}};
  (void)read_simgrid_xml(JsonReader(json, (folder / "scenario.json").string()), 2);
}

void map(fs::path const& folder, std::string_view input) { (void)read_map(write(folder / "map.txt", input)); }

/// One setting per line.
void settings(fs::path const& /*folder*/, std::string_view input) {
  std::vector<std::string> lines;
  while (!input.empty()) {
    std::size_t const end = std::min(input.find('\n'), input.size());
    lines.emplace_back(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  nlohmann::json document = nlohmann::json::parse(small_scenario);
  apply_settings(document, lines);
  (void)json_text(document);
}

/// A static schedule of any format, for LU of 2 x 2 tiles on a node of two cores.
void schedule(fs::path const& folder, std::string_view input) {
  write_surroundings(folder);
  write(folder / "schedule", input);
  nlohmann::json const document = {
      {"platform", {{"file", "p.json"}, {"nodes", {{{"type", "m"}, {"count", 1}}}}}},
      {"application", {{"type", "lu"}, {"nt", 2}, {"nb", 100}}},
      {"scheduler", {{"type", "static"}, {"file", "schedule"}}}};
  (void)plan_simulation(scenario_of(document, (folder / "scenario.json").string()));
}

constexpr std::array targets{FuzzTarget{"scenario", scenario},
                             FuzzTarget{"platform", platform},
                             FuzzTarget{"kernels", kernels},
                             FuzzTarget{"sweep", sweep},
                             FuzzTarget{"perfmodel", perfmodel},
                             FuzzTarget{"bus", bus},
                             FuzzTarget{"tasks_rec", trace_folder},
                             FuzzTarget{"paje", paje},
                             FuzzTarget{"starvz", trace_folder},
                             FuzzTarget{"csv", csv},
                             FuzzTarget{"run_trace", run_trace},
                             FuzzTarget{"platform_rec", platform_rec},
                             FuzzTarget{"simgrid_xml", simgrid_xml},
                             FuzzTarget{"map", map},
                             FuzzTarget{"settings", settings},
                             FuzzTarget{"sweep_results", sweep_results},
                             FuzzTarget{"schedule", schedule},
                             FuzzTarget{"chrome", chrome},
                             FuzzTarget{"graph", graph}};

}  // namespace

std::span<FuzzTarget const> fuzz_targets() { return targets; }

void try_input(FuzzTarget const& target, fs::path const& folder, std::string_view input) {
  try {
    target.read(folder, input);
  } catch (InputError const&) {  // both have messages with a remedy
  } catch (InfeasibleError const&) {
  }
}

}  // namespace factosim::testing
