#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"
#include "simulator/audit/reference/reference_flow.hpp"
#include "simulator/audit/reference/reference_map.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim::audit {

/// A violation: an impossible event, or a number of the result that does not follow from the run.
struct Finding {
  std::string what;      // "starts before its input came"
  std::string where;     // "task 12 gemm on 0:cuda1", "node 3", "/makespan_s"
  std::string expected;  // "not before 1.25 s"
  TaskId task{};         // the task concerned, in submission order, if it is one
  double time_s = std::numeric_limits<double>::quiet_NaN();  // date, if it has one
};

/// One rule, the number of times it was checked, and its violations.
struct Check {
  std::string name;     // "inputs"
  std::string rule;     // the rule as a sentence
  std::string skipped;  // reason for skipping the check; empty: it was made
  std::uint64_t cases = 0;
  std::uint64_t broken = 0;
  std::vector<Finding> findings{};  // the first findings

  static constexpr std::size_t max_findings = 20;  // stored per check; all are counted

  void add(Finding finding) {
    if (++broken <= max_findings) findings.push_back(std::move(finding));
  }
  void skip(std::string why) {
    if (skipped.empty()) skipped = std::move(why);
  }
};

/// All checks of one run, in order of execution.
class AuditReport {
 public:
  /// Returns the check of that name, which must have a rule, and creates it at the first call. References
  /// stay valid.
  Check& check(std::string_view name);
  /// Marks all checks that need a trace as skipped.
  void skip_trace_checks(std::string const& why);
  [[nodiscard]] std::deque<Check> const& checks() const { return checks_; }
  [[nodiscard]] std::uint64_t broken() const {
    std::uint64_t sum = 0;
    for (Check const& c : checks_) sum += c.broken;
    return sum;
  }

 private:
  std::deque<Check> checks_;
};

/// Permitted deviations of durations from their means.
struct NoiseModel {
  enum class Kind { none, normal, lognormal, empirical };
  Kind kind = Kind::none;
  double scale = 1;                   // factor of the standard deviation
  double first_execution_factor = 1;  // of the first execution of a kernel on a worker
  bool speed_factors = false;         // a factor is drawn for each worker, or for the run
  double precision = 0;               // relative, of every execution, above all that is drawn for it
};

/// Parameters of the runtime system that a run can violate.
struct RuntimeModel {
  int communication_cores = 0, reserved_cores = 0, cores_per_gpu = 1, oversubscribed_workers = 0;
  int workers_per_gpu = 1;
  bool parts_by_rate =
      false;  // kernels have no larger part of a GPU than their rates alone say; else equal ones
  double gpu_memory_fraction = 1;
  int max_sends_per_node = 0;      // 0: no limit
  int max_sends = 0;               // between all nodes; 0: no limit
  bool rounded_means = false;      // a replay: durations and submissions come from a recorded run
  bool recorded_messages = false;  // durations of messages come from a recorded run

  /// How the links divide their bandwidth.
  enum class Sharing {
    none,  // each transfer has the full bandwidth
    fair,  // max-min; within a node in proportion to 1 / latency, between nodes alike
  };
  Sharing sharing = Sharing::fair;
  bool crosstraffic = false;  // a transfer also takes 5 % of its rate on the links of the way back

  /// Tasks of the flow that a node unrolls, at one submission cost each.
  enum class Unrolled { all, concerned, own };
  Unrolled unrolled = Unrolled::all;
  bool has_window = false;  // the number of submitted tasks of a node is limited
  int gpu_pipeline = 0;
  double submission_cost_s = 0, push_cost_s = 0, fetch_cost_s = 0, gpu_queue_cost_s = 0;
};

/// The map of the application's tiles, and what the run records about it.
struct AuditedMap {
  TileMap const& main;
  TileMap const* generation = nullptr;  // of the phase of generation; null: the main map
  MapDescription description{};
};

/// A run and its scenario. Only the trace and the result come from the simulator. The references must outlive
/// the audit.
struct AuditedRun {
  Trace const* trace = nullptr;  // null: the run has no trace
  nlohmann::json const& result;
  TaskGraph const& graph;  // the application's tasks in submission order; its edges are not used
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  std::string application;              // key of the timings
  Precision precision = Precision::double_;
  int nb = 0;
  std::vector<std::vector<NodeId>> owners;  // [placements][handles]
  std::vector<NodeId> node_of_task{};       // [tasks] of a replay or a graph file; empty: owner computes
  /// The tasks of a graph file as it states them: nodes have no copies of initial data yet. Null: another application.
  TaskGraph const* stated = nullptr;
  /// Dependencies beside those of the accesses, of a graph file. Between nodes only those that data of 0 bytes carry count.
  std::vector<std::pair<TaskId, TaskId>> explicit_edges{};
  RuntimeModel runtime{};
  NoiseModel noise{};
  std::string name;
  std::uint64_t seed = 0;                     // of the scenario
  std::optional<Flops> total_flops{};         // numerator of GFlop/s
  std::optional<ReferenceProblem> problem{};  // of a tiled application
  std::optional<AuditedMap> map{};            // of a tiled application
};

/// Checks a run against its scenario, and its result against the run, by all rules of
/// simulator/audit/rules/README.md. Shares no code with the simulator. O((tasks + accesses + transfers) log).
[[nodiscard]] AuditReport audit(AuditedRun const& run);

}  // namespace factosim::audit
