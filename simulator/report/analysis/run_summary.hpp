#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/causes.hpp"

namespace factosim {

/// A kernel, by our name of it if known, and the resource that runs it: "cpu", "gpu"; or "chetemi cpu" if types of
/// nodes are distinguished.
struct KernelOn {
  std::string kernel, resource;

  auto operator<=>(KernelOn const&) const = default;
  [[nodiscard]] std::string text() const { return kernel + " on " + resource; }
};

/// The totals of a run by which two runs are compared. Dates are seconds since the origin: the start of a
/// simulation; the start of the first task of a real run, which excludes its initialisation. NaN: unknown.
struct RunSummary {
  struct Node {
    std::string name, type;
    std::size_t workers = 0, tasks = 0;
    double busy_s = 0, idle_s = 0;  // summed over its workers; idle until the makespan
    double first_task_s = 0, last_task_s = 0;
    double abe_s = 0;  // area bound of its tasks, with its own mean durations

    /// "0 chetemi": name and type, where they differ.
    [[nodiscard]] std::string label() const {
      return type.empty() || type == name ? name : name + " " + type;
    }
  };
  struct Iteration {  // of the factorization; dates of its kernels, the first start NaN in a series
    std::int32_t k = 0;
    std::size_t tasks = 0;
    double first_start_s = 0, first_end_s = 0, median_end_s = 0, last_end_s = 0;
  };
  struct Link {  // between two nodes, or a kind of copy inside nodes
    std::string name;
    std::uint64_t transfers = 0;
    std::int64_t bytes = 0;
    double in_use_s = 0;    // time with at least one transfer in flight
    double duration_s = 0;  // of the transfers, summed
    /// Bytes over the time in use.
    [[nodiscard]] double bandwidth_Bps() const {
      return in_use_s > 0 ? static_cast<double>(bytes) / in_use_s : 0;
    }
  };

  std::string source, format;
  std::vector<std::string> findings;  // about the run's data
  bool by_type = false;               // resources include the type of node
  double origin_s = 0;                // start of the run in the time of the trace
  double makespan_s = 0;              // from the origin to the end of the last task
  std::size_t tasks = 0, workers = 0;
  std::map<KernelOn, SampleSummary> kernels;  // seconds
  std::vector<Node> nodes;
  std::vector<Iteration> iterations;  // ascending; empty: unknown
  std::vector<Link> messages;         // pairs of nodes with messages, by sender, then receiver
  std::vector<Link> copies;           // those of h2d, d2h, d2d, h2h with copies
  double abe_s = 0;                   // area bound of all workers, with each resource's mean durations
  double critical_path_s = 0;         // longest chain of tasks with their own durations; NaN: no dependencies
  std::size_t critical_path_tasks = 0;
  /// Mean number of tasks ready and not started, in 50 equal intervals of the makespan; empty: unknown.
  std::vector<double> ready_tasks;
  double ready_mean = 0, ready_most = 0;  // of these

  [[nodiscard]] double busy_s() const;
  /// Returns the sum of a member over links.
  template <class Value>
  [[nodiscard]] static double total(std::vector<Link> const& links, Value Link::*member) {
    double sum = 0;
    for (Link const& l : links) sum += static_cast<double>(l.*member);
    return sum;
  }
  /// Returns the mean duration of the transfers of all these links; 0 without transfers.
  [[nodiscard]] static double mean_transfer_s(std::vector<Link> const& links);
};

/// Returns the resource of each worker, as in KernelOn; [workers].
[[nodiscard]] std::vector<std::string> resources_of(Trace const& trace, bool by_type);

/// The instant from which a run is measured.
enum class RunStart : std::uint8_t {
  own,         // the start of a simulation; the start of the first task of a real run
  first_task,  // of any run
};

/// Throws InputError if no task of the trace has a worker and both dates. O(n log n).
[[nodiscard]] RunSummary summarize_run(Causes const& causes, bool by_type = false,
                                       RunStart start = RunStart::own);

}  // namespace factosim
