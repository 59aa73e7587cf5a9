#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim::audit {

/// How durations may differ from the means.
struct NoiseModel {
  enum class Kind { none, normal, lognormal, empirical };
  Kind kind = Kind::none;
  double scale = 1;                   // of the deviation
  double first_execution_factor = 1;  // of the first execution of a kernel on a worker
  double worker_speed_deviation = 0;  // of a factor drawn for each worker
};

/// What the scenario says of the runtime system, as far as a run can break it.
struct RuntimeModel {
  int communication_cores = 0, reserved_cores = 0, cores_per_gpu = 1, oversubscribed_workers = 0;
  double gpu_memory_fraction = 1;
  bool out_of_core = false;        // tiles may exceed the RAM
  int max_sends_per_node = 0;      // 0: no limit
  int max_sends = 0;               // between all nodes; 0: no limit
  bool shares_links = true;        // messages and copies share the bandwidth of links
  bool rounded_means = false;      // kernels last what a recorded run says: no model to hold them against
  bool recorded_messages = false;  // likewise messages and copies
};

/// A run, and what its scenario asked for. Nothing here was made by the engine, the runtime system or a
/// scheduler, but for the trace and the result. The references must outlive the audit.
struct AuditedRun {
  Trace const* trace = nullptr;  // null: the run kept none
  nlohmann::json const& result;
  TaskGraph const& graph;  // the application's flow in submission order; its edges are not looked at
  Platform const& platform;
  std::span<KernelModel const> models;  // [platform types]
  std::string application;              // by which timings are looked up
  Precision precision = Precision::double_;
  int nb = 0;
  std::vector<std::vector<NodeId>> owners;  // [placements][handles]
  std::vector<NodeId> node_of_task{};       // [tasks] of a replay; empty: owner computes
  RuntimeModel runtime{};
  NoiseModel noise{};
  std::string name;
  std::optional<Flops> total_flops{};  // what GFlop/s are counted with
};

/// Dates that are closer are the same: the simulator rounds them to the picosecond, and SimGrid works with a
/// precision of a nanosecond.
inline constexpr double tie_s = 2e-9;

}  // namespace factosim::audit
