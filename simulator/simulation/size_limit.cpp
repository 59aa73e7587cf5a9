#include "simulator/simulation/size_limit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/simulation/memory_budget.hpp"

namespace factosim {

namespace {

// Measured on 2026-11-21 (tests/robustness.md) and rounded up: forcing a refused run costs less than losing a
// run that is killed.
constexpr double program_bytes = 40e6;
constexpr double bytes_per_task = 125;         // 92 to 125, from 21 million tasks to 74 thousand
constexpr double bytes_per_traced_task = 110;  // while records are kept
constexpr double bytes_per_tile = 24;          // one or two maps, a handle
constexpr double bytes_per_node = 7e3;
constexpr double bytes_per_level = 144;  // of a series, per node and point
constexpr double bytes_per_core = 260;
constexpr double bytes_per_gpu = 6.5e3;
constexpr double seconds_per_task = 6e-6;  // SimGrid, 22 nodes; 3e-6 without sharing, 10e-6 with 184 nodes
constexpr double seconds_per_node = 25e-6;

/// Accesses, three a task at most, are counted in 32 bits.
constexpr double max_numbered = 1.4e9;

/// Formats the value in the first unit that it reaches, or returns `otherwise`.
std::string rounded(double value, std::initializer_list<std::pair<double, char const*>> units,
                    std::string const& otherwise) {
  for (auto const& [unit, name] : units)
    if (value >= unit) return fmt::format("{:.3g} {}", value / unit, name);
  return otherwise;
}

std::string format_bytes(double bytes) {
  return rounded(bytes, {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}},
                 fmt::format("{:.0f} bytes", bytes));
}
std::string format_tasks(double tasks) {
  return rounded(tasks, {{1e9, "thousand million"}, {1e6, "million"}}, fmt::format("{:.0f}", tasks));
}
std::string format_seconds(double seconds) {
  return rounded(seconds, {{86400, "days"}, {3600, "hours"}, {60, "minutes"}},
                 fmt::format("{:.3g} s", seconds));
}

double bytes_of_nodes(Platform const& platform) {
  double bytes = 0;
  for (std::uint32_t const type : platform.nodes)
    bytes += bytes_per_node + bytes_per_core * platform.types[type].cores +
             bytes_per_gpu * static_cast<double>(platform.types[type].gpus.size());
  return bytes;
}

double bytes_of_series(OutputOptions const& outputs, Platform const& platform) {
  return bytes_per_level * static_cast<double>(outputs.series_points) *
         static_cast<double>(platform.nodes.size());
}

bool keeps_trace(OutputOptions const& outputs, double tasks) {
  return !outputs.traces.empty() &&
         (!outputs.trace_by_default || tasks <= static_cast<double>(max_tasks_traced_by_default));
}

SizeEstimate size_of_graph(double tasks, int nt) {
  return {.tasks = tasks,
          .memory_bytes = program_bytes + bytes_per_task * tasks + bytes_per_tile * std::pow(nt, 2),
          .cpu_s = seconds_per_task * tasks};
}

/// `of_tasks`, `of_memory`: locations of the input that decides these; `fewer`: the items to reduce.
void check(SizeEstimate const& size, SizeLimit const& limit, std::string const& of_tasks,
           std::string const& of_memory, std::string_view fewer) {
  if (size.tasks > max_numbered)
    throw InputError(of_tasks,
                     fmt::format("makes {} tasks (more than {} cannot be numbered). Use fewer tiles",
                                 format_tasks(size.tasks), format_tasks(max_numbered)));
  auto const available =
      static_cast<double>(limit.memory_bytes ? *limit.memory_bytes : available_memory_bytes());
  if (limit.forced || size.memory_bytes <= available) return;
  throw InputError(
      of_memory,
      fmt::format("would take {} ({} are there for it). Use fewer {}, a machine with more memory, or "
                  "--force-large",
                  size.description(), format_bytes(available), fewer));
}

}  // namespace

bool SizeEstimate::large() const { return cpu_s > 20 || memory_bytes > 1e9; }

std::string SizeEstimate::description() const {
  return fmt::format("about {} tasks, {} of memory and {}", format_tasks(tasks), format_bytes(memory_bytes),
                     format_seconds(cpu_s));
}

namespace {

/// The parts of a task graph's scenario that decide its size.
struct TaskGraphSize {
  double tasks;
  int nt;
  Platform const& platform;
  char const* pointer;  // to the key that decides the number of tasks
};

/// Returns nothing for applications without a task graph.
std::optional<TaskGraphSize> size_of(Scenario const& s) {
  if (auto const* const tiled = std::get_if<TiledScenario>(&s.application))
    return TaskGraphSize{tiled->application.definition->max_tasks(tiled->application.parameters),
                         tiled->application.parameters.nt, tiled->cluster.platform, "#/application/nt"};
  if (auto const* const replay = std::get_if<ReplayScenario>(&s.application))
    return TaskGraphSize{static_cast<double>(replay->application.trace->task_count()), 0,
                         replay->cluster.platform, "#/application/file"};
  return {};
}

SizeEstimate estimate(TaskGraphSize const& size, OutputOptions const& outputs) {
  SizeEstimate out = size_of_graph(size.tasks, size.nt);
  if (keeps_trace(outputs, size.tasks)) out.memory_bytes += bytes_per_traced_task * size.tasks;
  out.memory_bytes += bytes_of_nodes(size.platform) + bytes_of_series(outputs, size.platform);
  out.cpu_s += seconds_per_node * static_cast<double>(size.platform.nodes.size());
  return out;
}

}  // namespace

SizeEstimate estimate_size(Scenario const& s) {
  auto const size = size_of(s);
  return size ? estimate(*size, s.outputs) : SizeEstimate{};
}

void check_size(Scenario const& s, SizeLimit const& limit) {
  auto const size = size_of(s);
  if (!size) return;
  std::string const tasks = s.file + size->pointer;
  bool const by_nodes = bytes_of_nodes(size->platform) + bytes_of_series(s.outputs, size->platform) >
                        bytes_per_task * size->tasks;
  check(estimate(*size, s.outputs), limit, tasks, by_nodes ? s.file + "#/platform" : tasks,
        by_nodes ? "nodes" : "tiles");
}

void check_size(Application const& application, ApplicationParameters const& parameters,
                SizeLimit const& limit, std::string const& file) {
  std::string const where = file + "#/application/nt";
  check(size_of_graph(application.max_tasks(parameters), parameters.nt), limit, where, where, "tiles");
}

}  // namespace factosim
