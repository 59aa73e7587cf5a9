#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factosim/tile_map.hpp"
#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/analysis/trace_levels.hpp"

namespace factosim {

/// All tasks of a run, for a page that shows each of them. Struct of arrays, about 20 bytes per task and 4
/// per dependency. Dates are in ticks since the run's origin.
struct TaskColumns {
  static constexpr std::uint32_t none = 0xffffffff;

  double tick_s = 0;                     // a nanosecond, or more if the makespan needs more than 32 bits
  std::vector<std::uint32_t> number;     // [tasks] in the trace; empty: the index here
  std::vector<std::uint8_t> kernel;      // [tasks] index into the kernels of the report
  std::vector<std::uint16_t> worker;     // [tasks]
  std::vector<std::uint32_t> start;      // [tasks]
  std::vector<std::uint32_t> duration;   // [tasks]
  std::vector<std::uint16_t> k, m, n;    // [tasks] 65535: none; empty: unknown
  std::vector<std::uint8_t> waited_for;  // [tasks] Cause::Kind of its last cause; 255: unknown
  /// [tasks] distance to the task of that cause, plus 2^31: the predecessor, the sender of the message, or
  /// the previous task of the worker; `none`: unknown
  std::vector<std::uint32_t> waited_task;
  std::vector<std::uint32_t> ready;        // [tasks] ticks between the cause and the start
  std::vector<std::uint8_t> predecessors;  // [tasks] their number, at most 255
  std::vector<std::uint32_t> predecessor;  // distance of each to the task
  std::vector<std::uint32_t> chain;        // critical chain, last task first
};

/// Everything that a report shows of one run, computed once for pages and figures. Dates are seconds since
/// the run's origin (RunSummary). Members without data are empty.
struct RunView {
  struct Worker {
    std::string name;
    std::uint32_t node = 0;
    bool gpu = false;
    double busy_s = 0;
  };
  /// Workers of one kind on one node.
  struct Occupation {
    std::uint32_t node = 0;
    bool gpu = false;
    std::size_t workers = 0;
    std::vector<std::vector<float>> share;  // [kernels][intervals] of the workers' time
    double busy_share = 0;                  // of the workers' time until the makespan, in any kernel
  };

  std::string name;                    // of the scenario; the path of a trace
  nlohmann::ordered_json result;       // result.json; null: none
  std::string scenario_text;           // current content of the scenario file; may be empty
  ComparedRun run;                     // totals, iterations, critical chain, time breakdowns
  std::optional<TaskColumns> tasks{};  // of a page; none: too many, or no trace

  std::vector<NamedColor> kernels;
  std::vector<std::uint8_t> kernel_number;  // [kernels of the trace] index into kernels
  std::vector<Worker> workers;
  std::vector<Trace::MemoryNode> memories;
  std::vector<NamedColor> states;  // of workers that run no kernel
  bool own_states = false;         // the states are those that the trace names

  double interval_s = 0;  // of all levels and occupations
  std::vector<LevelRows> levels;
  std::vector<Occupation> occupation;  // node after node, cores before GPUs

  CellRows worker_cells;       // [workers] by kernel
  CellRows iteration_cells;    // [iterations] by kernel; the fullest cell is whole
  CellRows state_cells;        // [workers] by state
  std::vector<IdleTime> idle;  // by worker, then time

  TileMap map;                            // owners of tiles; empty: unknown
  std::vector<std::uint64_t> node_tiles;  // [nodes]
  NodeColors node_colors;

  [[nodiscard]] double makespan_s() const { return run.summary.makespan_s; }
  [[nodiscard]] std::size_t intervals() const;
  [[nodiscard]] LevelRows const* find(std::string const& level) const;
};

/// Computes the view of a run from its trace. Throws InputError if no task ran. O(n log n) in tasks, accesses
/// and transfers.
[[nodiscard]] RunView view_of_trace(Causes const& causes, ComparedRun run);

/// Returns the view of a run without a trace: totals of its result, levels and iterations of its series
/// (null: it has none). Throws InputError if `series` is not a valid file of series.
[[nodiscard]] RunView view_of_result(ComparedRun run, std::filesystem::path const* series);

}  // namespace factosim
