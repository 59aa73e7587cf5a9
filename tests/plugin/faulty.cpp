// A policy and a distribution that misbehave as their key `fault` says, for plugin_test.py.
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "factosim/plugin.hpp"

namespace {

using namespace factosim;

constexpr factosim_key fault_key = plugin::text("fault", "what goes wrong", "");

// NOLINTNEXTLINE(misc-no-recursion): to exhaust the stack
int deep(int volatile* from) {
  int volatile here[1000];
  here[0] = *from + 1;
  return deep(here) + here[0];
}

/// Ends or breaks the program as `fault` says, if it is one of these.
void crash(std::string_view fault) {
  int volatile zero = 0;
  if (fault == "invalid memory") *reinterpret_cast<int volatile*>(8) = 1;
  if (fault == "division") zero = 7 / zero;
  if (fault == "abort") std::abort();
  if (fault == "exit") std::exit(0);
  if (fault == "exit at once") ::_exit(0);
  if (fault == "quick exit") std::quick_exit(0);
  if (fault == "rounding") std::fesetround(FE_UPWARD);
  if (fault == "stack") zero = deep(&zero);
  if (fault == "exception") throw std::runtime_error("no idea what to do");
  if (fault == "odd exception") throw 7;
  if (fault == "signal") std::raise(SIGILL);
}

/// All tasks in one queue, last in, first out.
class Faulty final : public Scheduler {
 public:
  static constexpr char const* description = "a policy that misbehaves";
  static constexpr std::array keys{fault_key, plugin::integer("after", "tasks before the fault", 20, 0, 1e6)};

  Faulty(plugin::Values const& values, NodeView const& node)
      : fault_(values.text("fault")), after_(values.integer("after")), node_(node) {
    if (fault_ == "refuse") throw std::invalid_argument("knows no such machine (it has GPUs). Remove them");
    if (fault_ == "graph" && node.graph().edge_count() < node.graph().task_count() / 2)
      throw std::logic_error("the graph has too few edges");
  }

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    ready_.push_back(task);
    if (++pushed_ <= after_) return to_all_workers();
    crash(fault_);
    if (fault_ == "unknown worker") return to_worker(LocalWorker{node_.workers().size() + 3});
    if (fault_ == "no worker") return to_worker(LocalWorker{});
    return to_all_workers();
  }
  TaskId pop(LocalWorker worker) override {
    bool const late = pushed_ > after_;
    if (late && fault_ == "unknown task") return TaskId{123'456'789};
    if (late && fault_ == "unready task") return TaskId{node_.graph().task_count() - 1};
    if (late && fault_ == "task twice") return last_;
    if (late && fault_ == "keep") return {};
    if (ready_.empty() || std::isinf(node_.durations(ready_.back())[worker.index()])) return {};
    last_ = ready_.back();
    ready_.pop_back();
    return last_;
  }
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  std::string fault_;
  std::int64_t after_, pushed_ = 0;
  NodeView const& node_;
  std::vector<TaskId> ready_;
  TaskId last_;
};

struct FaultyMap {
  static constexpr char const* description = "a distribution that misbehaves";
  static constexpr std::array keys{fault_key};

  static std::vector<std::int32_t> owners(factosim_matrix const& matrix, plugin::Values const& values) {
    crash(values.text("fault"));
    std::vector<std::int32_t> map(static_cast<std::size_t>(matrix.rows) *
                                  static_cast<std::size_t>(matrix.columns));
    if (values.text("fault") == "unknown node") map[matrix.columns * 2 + 1] = matrix.nodes;
    if (values.text("fault") == "short map") map.pop_back();
    if (values.text("fault") == "speeds" && (matrix.speeds == nullptr || !(matrix.speeds[0] > 0)))
      throw std::runtime_error("has no speeds (they should be there). Give them");
    return map;
  }
};

}  // namespace

FACTOSIM_POLICY(Faulty);
FACTOSIM_DISTRIBUTION(FaultyMap);
