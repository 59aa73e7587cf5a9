#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/plugin.h"
#include "factosim/scheduler.hpp"

/// Plug-ins in C++: a class derived from `Scheduler`, or a class that makes a map, and one line with the macro
/// FACTOSIM_POLICY or FACTOSIM_DISTRIBUTION. Nothing of factosim needs to be linked.
namespace factosim {

namespace plugin {

// ---- the table of keys ----

[[nodiscard]] constexpr factosim_key boolean(char const* name, char const* meaning, bool by_default) {
  return {name, meaning, FACTOSIM_BOOLEAN, by_default ? 1.0 : 0.0, 0, 0, nullptr};
}
[[nodiscard]] constexpr factosim_key integer(char const* name, char const* meaning, double by_default,
                                             double minimum, double maximum) {
  return {name, meaning, FACTOSIM_INTEGER, by_default, minimum, maximum, nullptr};
}
[[nodiscard]] constexpr factosim_key number(char const* name, char const* meaning, double by_default,
                                            double minimum, double maximum) {
  return {name, meaning, FACTOSIM_NUMBER, by_default, minimum, maximum, nullptr};
}
[[nodiscard]] constexpr factosim_key text(char const* name, char const* meaning, char const* by_default) {
  return {name, meaning, FACTOSIM_TEXT, 0, 0, 0, by_default};
}
[[nodiscard]] constexpr factosim_key numbers(char const* name, char const* meaning, double minimum,
                                             double maximum) {
  return {name, meaning, FACTOSIM_NUMBERS, 0, minimum, maximum, nullptr};
}

/// The values of the keys. All functions throw std::out_of_range for a name that is not in the table.
class Values {
 public:
  Values(std::span<factosim_key const> keys, factosim_value const* values) : keys_(keys), values_(values) {}

  [[nodiscard]] double number(std::string_view name) const { return value(name).number; }
  [[nodiscard]] std::int64_t integer(std::string_view name) const {
    return static_cast<std::int64_t>(value(name).number);
  }
  [[nodiscard]] bool boolean(std::string_view name) const { return value(name).number != 0; }
  [[nodiscard]] std::string_view text(std::string_view name) const { return value(name).text; }
  [[nodiscard]] std::span<double const> numbers(std::string_view name) const {
    return {value(name).numbers, value(name).count};
  }

 private:
  [[nodiscard]] factosim_value const& value(std::string_view name) const {
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (name == keys_[k].name) return values_[k];
    throw std::out_of_range("no key " + std::string(name));
  }

  std::span<factosim_key const> keys_;
  factosim_value const* values_;
};

// ---- what the macros need ----

namespace detail {

/// The node of factosim behind the interface that policies have.
class Node final : public NodeView {
 public:
  explicit Node(factosim_node const& node) : node_(node) {
    for (std::uint32_t w = 0; w < node.worker_count; ++w)
      workers_.push_back({.memory = LocalMemory{node.workers[w].memory},
                          .gpu = node.workers[w].is_gpu != 0,
                          .busy_power = node.workers[w].busy_power_W});
  }

  [[nodiscard]] std::span<Worker const> workers() const override { return workers_; }
  [[nodiscard]] std::size_t memory_node_count() const override { return node_.memory_count; }
  [[nodiscard]] Seconds now() const override { return Seconds{node_.now_s(node_.self)}; }
  [[nodiscard]] int priority(TaskId task) const override { return node_.priority(node_.self, task.value()); }
  [[nodiscard]] std::span<double const> durations(TaskId task) const override {
    return {node_.durations_s(node_.self, task.value()), node_.worker_count};
  }
  void predict_transfers(TaskId task, std::span<double> seconds) const override {
    node_.predict_transfers_s(node_.self, task.value(), seconds.data());
  }
  [[nodiscard]] Readiness readiness(TaskId task, LocalMemory memory) const override {
    factosim_readiness const r = node_.readiness(node_.self, task.value(), memory.value());
    return {.missing = r.missing, .not_loading = r.not_loading, .not_allocated = r.not_allocated};
  }
  /// A copy of tasks, edges, kernels and handles, made at the first call.
  [[nodiscard]] TaskGraph const& graph() const override {
    if (!graph_) graph_ = copy_of(*node_.graph(node_.self));
    return *graph_;
  }
  [[nodiscard]] bool runs_here(TaskId task) const override {
    return node_.runs_here(node_.self, task.value()) != 0;
  }
  [[nodiscard]] Seconds copy_time(LocalMemory from, LocalMemory to, Bytes size) const override {
    return Seconds{node_.copy_time_s(node_.self, from.value(), to.value(), size.value)};
  }
  [[nodiscard]] std::size_t replica_count() const override { return with_data().replica_count(node_.self); }
  [[nodiscard]] LocalReplica replica(TaskId task, std::size_t operand) const override {
    return LocalReplica{with_data().replica(node_.self, task.value(), static_cast<std::uint32_t>(operand))};
  }
  [[nodiscard]] bool present(LocalReplica replica, LocalMemory memory) const override {
    return with_data().is_present(node_.self, replica.value(), memory.value()) != 0;
  }
  [[nodiscard]] Seconds transfer_time(LocalReplica replica, LocalMemory memory) const override {
    return Seconds{with_data().transfer_s(node_.self, replica.value(), memory.value())};
  }

 private:
  [[nodiscard]] factosim_node const& with_data() const {
    if (node_.size < offsetof(factosim_node, transfer_s) + sizeof node_.transfer_s)
      throw std::runtime_error("this factosim is too old: its nodes do not show single data");
    return node_;
  }
  static TaskGraph copy_of(factosim_graph const& g) {
    TaskGraph out;
    for (std::uint32_t k = 0; k < g.kernels; ++k)
      out.kernels.push_back({.name = g.kernel_name[k], .flops = {}});
    for (std::uint32_t h = 0; h < g.handles; ++h) out.handles.push_back({.size = Bytes{g.handle_bytes[h]}});
    out.kernel.assign(g.kernel, g.kernel + g.tasks);
    out.priority.assign(g.priority, g.priority + g.tasks);
    out.indices.resize(g.tasks);
    out.access_begin.assign(g.access_begin, g.access_begin + g.tasks + 1);
    for (std::uint32_t a = 0; a < g.access_begin[g.tasks]; ++a)
      out.accesses.emplace_back(HandleId{g.access[a] >> 2U}, static_cast<Access>(g.access[a] & 3U));
    out.successor_begin.assign(g.successor_begin, g.successor_begin + g.tasks + 1);
    for (std::uint32_t e = 0; e < g.successor_begin[g.tasks]; ++e)
      out.successors.emplace_back(g.successor[e]);
    out.predecessors.assign(g.predecessors, g.predecessors + g.tasks);
    return out;
  }

  factosim_node const& node_;
  std::vector<Worker> workers_;
  mutable std::optional<TaskGraph> graph_;
};

inline void describe(factosim_problem& problem, char const* what) {
  problem.key = -1;
  std::size_t const length = std::min(std::strlen(what), sizeof problem.text - 1);
  std::memcpy(problem.text, what, length);
  problem.text[length] = 0;
}

/// The functions of a policy of class `P` as C has them.
template <class P>
struct PolicyFunctions {
  struct Instance {
    Instance(factosim_node const& n, factosim_value const* values)
        : node(n), policy(Values(P::keys, values), node) {}
    Node node;
    P policy;
  };

  static void* create(factosim_node const* node, factosim_value const* values, factosim_problem* problem) {
    try {
      return new Instance(*node, values);
    } catch (std::exception const& error) {
      describe(*problem, error.what());
      return nullptr;
    }
  }
  static void destroy(void* policy) { delete static_cast<Instance*>(policy); }
  static std::uint32_t traits(void* policy) {
    P const& p = of(policy);
    return (p.prefetches() ? FACTOSIM_PREFETCHES : 0U) | (p.shares_tasks() ? FACTOSIM_SHARES_TASKS : 0U) |
           (p.knows_priorities() ? FACTOSIM_KNOWS_PRIORITIES : 0U);
  }
  static std::int32_t push(void* policy, std::uint32_t task, std::int32_t pusher) {
    using To = Scheduler::Assignment::To;
    Scheduler::Assignment const a =
        of(policy).push(TaskId{task}, pusher < 0 ? LocalWorker{} : LocalWorker{pusher});
    if (a.to == To::first_idle) return FACTOSIM_FIRST_IDLE;
    if (a.to == To::all_workers) return FACTOSIM_ALL_IDLE;
    // An invalid worker becomes a number that no worker has.
    return a.worker.valid() ? static_cast<std::int32_t>(a.worker.value())
                            : std::numeric_limits<std::int32_t>::max();
  }
  static std::int64_t pop(void* policy, std::uint32_t worker) {
    TaskId const task = of(policy).pop(LocalWorker{worker});
    return task.valid() ? static_cast<std::int64_t>(task.value()) : FACTOSIM_NO_TASK;
  }
  static void started(void* policy, std::uint32_t worker, std::uint32_t task) {
    of(policy).started(LocalWorker{worker}, TaskId{task});
  }
  static void finished(void* policy, std::uint32_t worker, std::uint32_t task) {
    of(policy).finished(LocalWorker{worker}, TaskId{task});
  }

 private:
  static P& of(void* policy) { return static_cast<Instance*>(policy)->policy; }
};

/// The functions of a distribution of class `D` as C has them.
template <class D>
struct DistributionFunctions {
  static std::int32_t owners(factosim_matrix const* matrix, factosim_value const* values, std::int32_t* owner,
                             factosim_problem* problem) {
    try {
      std::vector<std::int32_t> const map = D::owners(*matrix, Values(D::keys, values));
      if (map.size() != static_cast<std::size_t>(matrix->rows) * static_cast<std::size_t>(matrix->columns))
        throw std::length_error("returned " + std::to_string(map.size()) +
                                " owners (there is one for each tile). Return [rows][columns] numbers");
      std::copy(map.begin(), map.end(), owner);
      return 0;
    } catch (std::exception const& error) {
      describe(*problem, error.what());
      return 1;
    }
  }
};

}  // namespace detail

}  // namespace plugin

}  // namespace factosim

/// Makes the policy of a library. `Class` is derived from `Scheduler` and has the static members `description`, a
/// text, and `keys`, a std::array of factosim_key, and a constructor (plugin::Values const&, NodeView const&), whose
/// exceptions become messages. The values live as long as the policy.
#define FACTOSIM_POLICY(Class)                                           \
  extern "C" FACTOSIM_EXPORT factosim_policy const factosim_policy_1 = { \
      sizeof(factosim_policy),                                           \
      Class::description,                                                \
      Class::keys.data(),                                                \
      Class::keys.size(),                                                \
      nullptr,                                                           \
      factosim::plugin::detail::PolicyFunctions<Class>::create,          \
      factosim::plugin::detail::PolicyFunctions<Class>::destroy,         \
      factosim::plugin::detail::PolicyFunctions<Class>::traits,          \
      factosim::plugin::detail::PolicyFunctions<Class>::push,            \
      factosim::plugin::detail::PolicyFunctions<Class>::pop,             \
      factosim::plugin::detail::PolicyFunctions<Class>::started,         \
      factosim::plugin::detail::PolicyFunctions<Class>::finished}

/// Makes the distribution of a library. `Class` has the static members `description` and `keys` as a policy, and
/// `owners(factosim_matrix const&, plugin::Values const&)`, which returns [rows][columns] node numbers from 0.
#define FACTOSIM_DISTRIBUTION(Class)                                                 \
  extern "C" FACTOSIM_EXPORT factosim_distribution const factosim_distribution_1 = { \
      sizeof(factosim_distribution),                                                 \
      Class::description,                                                            \
      Class::keys.data(),                                                            \
      Class::keys.size(),                                                            \
      nullptr,                                                                       \
      factosim::plugin::detail::DistributionFunctions<Class>::owners}
