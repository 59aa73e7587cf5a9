#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "factosim/task_graph.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// The key of timings in the kernel models.
struct TimingKey {
  std::string application;  // "lu", "cholesky"
  Precision precision = Precision::double_;
  int nb = 0;
};

/// The workers of a cluster and the duration of each kernel on them. Workers of a node are its GPUs, then
/// the cores that compute (StarPU's numbering).
struct Machine {
  /// How kernels on the cores of a node slow each other down.
  struct Contention {
    std::vector<std::uint32_t> socket;  // [workers of a node]; of no meaning for GPUs
    std::size_t socket_size = 0;        // cores of the largest socket
    std::vector<double> factors;        // [kernels][socket_size] of durations while 1, 2, ... cores are busy

    [[nodiscard]] double factor(std::size_t kernel, std::size_t busy_cores) const {
      return factors[kernel * socket_size + busy_cores - 1];
    }
    [[nodiscard]] double lowest_factor(std::size_t kernel) const;
  };
  /// The core of a worker on which the communication thread runs as well.
  struct SharedCore {
    LocalWorker worker;
    double worker_share;  // see CommunicationThread
  };

  struct Type {
    std::vector<NodeView::Worker> workers;     // [workers of a node]
    std::vector<std::string> worker_names;     // [workers of a node] "cuda0", "cpu0"
    std::set<std::size_t> findings;            // in the kernel file, about it or timings in use
    std::vector<double> durations;             // [kernels][workers of a node] seconds; infinity: cannot run
    std::vector<double> deviations;            // [kernels][workers of a node] standard deviation, seconds
    std::vector<std::vector<double>> samples;  // [kernels][workers of a node] durations, seconds
    std::vector<std::vector<double>> first_samples{};  // [kernels][workers of a node] of first executions
    std::optional<Variability> variability{};          // as calibrated
    /// [kernels][workers of a node] watts above idle; empty: those of the workers.
    std::vector<double> busy_powers{};
    /// [kernels][workers of a node] part of its GPU that a kernel uses alone; empty: all of it.
    std::vector<double> gpu_parts{};
    std::size_t rams = 1;             // the RAM or its NUMA nodes: memory nodes 0..; those of GPUs follow
    std::size_t gpus = 0;             // workers of GPUs, the first ones
    std::size_t workers_per_gpu = 1;  // whose kernels share its speed
    std::size_t gpu_memories = 0;     // memory nodes of GPUs: none where they compute in the RAM
    std::optional<Contention> contention;   // none: no kernel is slowed down
    std::optional<SharedCore> shared_core;  // none: the communication thread takes no time of a worker

    /// Returns whether the worker is not the first one of its GPU: it adds no speed.
    [[nodiscard]] bool shares_gpu(std::size_t worker) const {
      return worker < gpus && worker % workers_per_gpu != 0;
    }
    /// Returns the name of the worker in kernel models.
    [[nodiscard]] std::string timing_name(std::size_t worker) const {
      return workers[worker].gpu ? worker_names[worker - worker % workers_per_gpu] : "cpu";
    }
    /// Returns the power of a worker that runs the kernel, in watts above idle.
    [[nodiscard]] double busy_power(std::size_t kernel, std::size_t worker) const {
      return busy_powers.empty() ? workers[worker].busy_power : busy_powers[kernel * workers.size() + worker];
    }
    [[nodiscard]] double gpu_part(std::size_t kernel, std::size_t worker) const {
      return gpu_parts.empty() ? 1 : gpu_parts[kernel * workers.size() + worker];
    }
    /// Durations of a kernel, [workers of a node].
    [[nodiscard]] std::span<double const> durations_of(std::size_t kernel) const {
      return {durations.data() + kernel * workers.size(), workers.size()};
    }
    /// Returns the duration of a kernel on a worker, in seconds, where contention slows it down least.
    [[nodiscard]] double shortest_duration(std::size_t kernel, std::size_t worker) const {
      double const mean = durations[kernel * workers.size() + worker];
      return contention && !workers[worker].gpu ? mean * contention->lowest_factor(kernel) : mean;
    }
    /// Returns how much time of the worker's core or GPU a kernel takes at least: kernels of other workers may run beside it.
    [[nodiscard]] double device_time(std::size_t kernel, std::size_t worker) const {
      return shortest_duration(kernel, worker) * gpu_part(kernel, worker);
    }
    /// Returns the shortest duration of a task with that weight, on the fastest worker of the node.
    [[nodiscard]] double shortest_duration(std::size_t kernel, TaskWeight weight) const {
      double shortest = std::numeric_limits<double>::infinity();
      for (std::size_t w = 0; w < workers.size(); ++w)
        shortest =
            std::min(shortest, shortest_duration(kernel, w) * (workers[w].gpu ? weight.gpu : weight.core));
      return shortest;
    }
    /// Returns the shortest duration on the fastest worker of the node.
    [[nodiscard]] double shortest_duration(std::size_t kernel) const {
      double shortest = std::numeric_limits<double>::infinity();
      for (std::size_t w = 0; w < workers.size(); ++w)
        shortest = std::min(shortest, shortest_duration(kernel, w));
      return shortest;
    }
  };

  std::vector<Type> types;                  // as in the platform
  std::vector<std::uint32_t> type_of;       // [nodes]
  std::vector<std::uint32_t> first_worker;  // [nodes + 1] global number of each node's first worker

  [[nodiscard]] Type const& type(NodeId node) const { return types[type_of[node.index()]]; }
  [[nodiscard]] std::size_t node_count() const { return type_of.size(); }
  [[nodiscard]] std::size_t worker_count() const { return first_worker.back(); }
  [[nodiscard]] std::span<double const> durations(NodeId node, std::size_t kernel) const {
    return type(node).durations_of(kernel);
  }
};

/// Builds the machine from a kernel model per platform type. A kernel without a timing cannot run on that
/// worker. Throws InfeasibleError if a node has no worker left.
Machine build_machine(Platform const& platform, std::span<KernelModel const> models,
                      std::span<Kernel const> kernels, TimingKey const& key, RuntimeOptions const& options);

/// Returns the name under which the power of a kernel stands: that of its timings, if it has a power, else its own.
[[nodiscard]] std::string const& power_name(PowerSpec const& power, Kernel const& kernel);

/// Sets the powers of the type's workers by kernel, [kernels] by the names of their powers.
void set_powers(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels);

/// Makes the kernels of GPUs last as long as their caps make them, [kernels] by the same names.
void slow_down_capped(Machine::Type& type, NodeType const& node, std::span<std::string const> kernels);

/// A kernel on a GPU under a power cap.
struct CappedKernel {
  double slowdown = 1;    // of its duration without the cap
  double busy_power = 0;  // watts above idle
};

/// Returns what a cap does to a kernel. A kernel whose GPU draws no more than the cap is as it was. Of the others, each draws
/// the cap; the clock at which it does is taken to be that at which the kernels of `gpu_speeds` draw as much in proportion
/// to their power without a cap.
[[nodiscard]] CappedKernel under_cap(PowerSpec const& power, std::string const& kernel, double cap);

}  // namespace factosim
