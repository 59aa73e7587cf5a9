#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factosim/quantity.hpp"
#include "factosim/spread.hpp"

namespace factosim {

/// Lower bounds of the makespan, for mean durations. Those of the problem hold for any placement of the tasks
/// on these nodes, any order, and free transfers; those of the distribution for the owners of this run.
struct Bounds {
  // The problem on these nodes. More nodes never raise these bounds.
  Seconds abe;                    // area bound of all workers together
  Seconds problem_path;           // longest chain, each task on the fastest worker of all nodes
  Seconds problem_area_and_path;  // area bound of the tasks before a chain, then this chain
  // This distribution.
  std::vector<Seconds> abe_per_node;  // [nodes] area bound of the tasks that the distribution gives each node
  Seconds critical_path;              // each task on the fastest worker of its node, transfers free
  Seconds critical_path_with_comm;    // and each tile between nodes at full bandwidth
  Seconds load_and_path;              // tasks of one node before a chain with messages, then this chain
  Seconds link;                       // the messages of the most loaded link at its full bandwidth
  std::string link_name;              // empty: no link is known to limit the messages

  /// Area bound of the most loaded node.
  [[nodiscard]] Seconds most_loaded_node() const {
    return abe_per_node.empty() ? abe : *std::max_element(abe_per_node.begin(), abe_per_node.end());
  }
  /// The tightest bound of the problem on these nodes.
  [[nodiscard]] Seconds problem() const { return std::max({abe, problem_path, problem_area_and_path}); }
  /// The tightest bound of this distribution.
  [[nodiscard]] Seconds distribution() const {
    return std::max(
        {problem(), most_loaded_node(), critical_path, critical_path_with_comm, load_and_path, link});
  }
};

/// Makespans of one scenario with several seeds.
struct Replicas {
  std::vector<std::uint64_t> seeds;
  Spread makespan_s, gflops;
  double interval = 0.95;  // probability that a prediction interval holds the value of one real run
};

/// How far the makespan moves where ties between tasks, workers or messages fall otherwise and the costs of the runtime
/// system differ within what they are known to.
struct Sensitivity {
  double duration_precision = 0, overhead_precision = 0;  // relative half-widths of the perturbations
  double interval = 0.95;  // probability that the prediction interval holds the makespan of one further run
  Spread makespan_s;       // of perturbed runs with the scenario's seed
  double relative = 0;  // from the makespan to the farther end of the prediction interval, over the makespan
};

/// The result of one simulation, which `result.json` contains.
struct Result {
  struct Energy {
    Joules total;                    // with every node on until the makespan: idle and busy
    Joules idle, busy;               // of nodes that are on; of kernels, above that
    Joules total_with_power_off;     // with nodes off after their last task or message
    bool powered_off_nodes = false;  // some node is off before the makespan
    std::optional<double> co2{};     // grams, of the total of all nodes
  };
  struct DiskUse {
    Bytes read, written;
  };
  struct Node {
    std::uint32_t id = 0;
    std::string type;
    std::uint64_t workers = 0;
    Seconds busy{};                     // summed over the workers
    std::optional<Seconds> gpu_busy{};  // over those of GPUs; empty without any
    std::uint64_t gpu_workers = 0;
    Seconds first_task{}, last_task{};
    std::uint64_t tasks = 0;
    std::vector<std::pair<std::string, std::uint64_t>> tasks_by_worker;  // each GPU, and all cores as "cpu"
    std::uint64_t tiles_sent = 0, tiles_received = 0;
    std::int64_t peak_memory_bytes = 0, over_memory_bytes = 0;
    std::optional<DiskUse> disk{};   // of a node that computes out of core
    Seconds activity{};              // from its first to its last task
    std::optional<Energy> energy{};  // as in the total
  };
  /// What limits the run: the constraint whose removal would save most of the makespan.
  struct Diagnosis {
    struct Limit {
      std::string name;        // "network", ...
      double share = 0;        // of the makespan that its removal alone would save
      bool simulated = false;  // else estimated, at best
    };
    std::string limit;  // the first name below; "none": no removal saves a tenth
    double share = 0;
    std::string text;             // a sentence with the numbers behind it
    std::vector<Limit> limits{};  // that save a twentieth or were simulated; the largest share first
  };
  struct Messages {  // of one kind of data between two phases of the application
    std::string from, to, data;
    std::uint64_t count = 0;
    Bytes bytes;
  };
  /// How the makespan was estimated, where not every task was simulated.
  struct Detail {
    struct Window {  // iterations [first, end) that were simulated alone
      int first = 0, end = 0;
      std::uint64_t tasks = 0;
      Seconds makespan{}, bound{};  // the tightest bound for their distribution
    };
    std::string type;           // as in the scenario
    double error_relative = 0;  // of the makespan, estimated; 0: all tasks were simulated
    std::string error_text;     // where it comes from
    std::uint64_t tasks_simulated = 0;
    std::vector<Window> windows{};  // in the order of their simulation
  };
  struct Cost {  // of the simulation itself: differs from run to run
    double cpu_s = 0, wall_s = 0, tasks_per_s = 0;
    std::int64_t peak_rss_bytes = 0;
  };
  /// What an application without a task graph (a ring, a data-parallel loop) has instead of bounds and dates.
  struct Experiment {
    nlohmann::ordered_json metrics;   // numbers by name: columns of a sweep's table
    nlohmann::ordered_json sections;  // "nodes" and its own
  };
  struct Provenance {  // null: not known
    std::string program, revision;
    std::optional<std::string> simgrid{}, scenario{};
    std::optional<std::vector<std::string>> settings{};
    std::uint64_t seed = 0;
    std::optional<std::string> platform{};
    nlohmann::ordered_json options{};  // effective options, by key
    nlohmann::ordered_json network_settings{}, timings{}, network{};
  };

  std::string name;
  bool estimate = false;              // some timings or networks are estimates, not measurements
  std::vector<std::string> findings;  // oddities and omissions of the data that the result depends on
  Seconds makespan;
  double gflops = 0;
  std::uint64_t tasks = 0;
  std::vector<std::pair<std::string, std::uint64_t>> tasks_by_kernel;
  std::uint64_t tiles_sent = 0;
  Bytes bytes_sent;
  std::vector<Messages> messages;  // parts of tiles_sent, for applications with phases
  Bounds bounds;
  Diagnosis diagnosis;
  double utilization = 0, utilization_first_90 = 0;
  Seconds activity{};            // summed over the nodes
  std::optional<Energy> energy;  // if all nodes have a power
  std::vector<Node> nodes;
  Bytes host_to_device, device_to_host, device_to_device;
  Bytes host_to_host;                // between NUMA nodes
  std::optional<Detail> detail{};    // of an estimate: without what nodes did, transfers and energy
  std::optional<Replicas> replicas;  // of which all else is the first
  std::optional<Sensitivity> sensitivity;
  Cost cost;
  std::optional<Experiment> experiment{};  // whose results have no other values than those of all results
  Provenance provenance;
};

}  // namespace factosim
