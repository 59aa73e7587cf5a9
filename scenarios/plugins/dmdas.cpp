// A policy as a plug-in: dmdas of StarPU, without its weight of energy. A ready task goes at once to the worker that
// ends it earliest, as far as the policy knows; each worker takes its tasks by priority, and among equals those whose
// data are there. Build:
//   g++ -std=c++20 -O2 -shared -fPIC -I PREFIX/include scenarios/plugins/dmdas.cpp -o dmdas.so
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "factosim/plugin.hpp"

namespace {

using namespace factosim;

/// The tasks given to one worker, and when it will have run them, in seconds.
struct Worker {
  struct Task {
    TaskId id;
    int priority;
    double transfer, kernel;
  };
  std::vector<Task> waiting;   // the next one last: by priority, then in the order in which they came
  std::vector<Task> taken;     // popped and not finished
  double start = 0;            // of the first waiting task
  double work = 0, begun = 0;  // of waiting tasks and of those that have not started; of taken tasks

  [[nodiscard]] double end(double now) const { return std::max(start, now) + work; }

  void push(Task task, double now) {
    start = std::max(start, now);
    task.transfer = std::max(0.0, now + task.transfer - (start + work));  // what does not overlap with work
    work += task.transfer + task.kernel;
    auto const place = std::lower_bound(waiting.begin(), waiting.end(), task.priority,
                                        [](Task const& t, int p) { return t.priority < p; });
    waiting.insert(place, task);
  }

  TaskId pop(double now, NodeView const& node, LocalMemory memory) {
    start = std::max(start, now);
    if (waiting.empty()) return {};
    auto const chosen = most_ready(node, memory);
    Task const task = *chosen;
    waiting.erase(chosen);
    taken.push_back(task);
    work -= task.transfer;
    begun += task.transfer;
    start = now + begun;
    return task.id;
  }

  /// Of the tasks of the highest priority, the one with the fewest bytes missing.
  std::vector<Task>::iterator most_ready(NodeView const& node, LocalMemory memory) {
    auto best = waiting.end() - 1;
    std::optional<Readiness> least;
    for (auto task = waiting.end(); task != waiting.begin();) {
      if ((--task)->priority < waiting.back().priority) break;
      Readiness const r = node.readiness(task->id, memory);
      if (least && !fewer(r, *least)) continue;
      best = task;
      least = r;
      if (r.missing == 0 && r.not_allocated == 0) break;
    }
    return best;
  }

  static bool fewer(Readiness const& a, Readiness const& b) {
    return std::tie(a.missing, a.not_loading, a.not_allocated) <
           std::tie(b.missing, b.not_loading, b.not_allocated);
  }

  void started(TaskId id, double now) {
    Task const& task = *find(id);
    begun += task.kernel - task.transfer;
    work -= task.kernel;
    start = now + begun;
  }

  void finished(TaskId id, double now) {
    auto const task = find(id);
    begun -= task->kernel;
    taken.erase(task);
    start = std::max(now + begun, start);
  }

  std::vector<Task>::iterator find(TaskId id) {
    return std::find_if(taken.begin(), taken.end(), [&](Task const& t) { return t.id == id; });
  }
};

class Dmdas final : public Scheduler {
 public:
  static constexpr char const* description = "dmdas of StarPU, as an example of a plug-in";
  static constexpr std::array keys{plugin::number("alpha", "weight of the expected end", 1, 0, 1e30),
                                   plugin::number("beta", "weight of the predicted transfers", 1, 0, 1e30)};

  Dmdas(plugin::Values const& values, NodeView const& node)
      : alpha_(values.number("alpha")),
        beta_(values.number("beta")),
        node_(node),
        queues_(node.workers().size()),
        ends_(node.workers().size()),
        transfers_(node.memory_node_count()) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    auto const workers = node_.workers();
    auto const durations = node_.durations(task);
    double const now = node_.now().value;
    node_.predict_transfers(task, transfers_);
    for (std::size_t w = 0; w < workers.size(); ++w)
      ends_[w] = std::max(queues_[w].end(now), now + transfer_to(w)) + durations[w];
    double const earliest = *std::min_element(ends_.begin(), ends_.end());
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t w = 0; w < workers.size(); ++w) {
      double const cost = alpha_ * (ends_[w] - earliest) + beta_ * transfer_to(w);
      if (cost < least) std::tie(best, least) = std::pair(w, cost);
    }
    queues_[best].push({task, node_.priority(task), transfer_to(best), durations[best]}, now);
    return to_worker(LocalWorker{best});
  }
  TaskId pop(LocalWorker worker) override {
    return queues_[worker.index()].pop(node_.now().value, node_, node_.workers()[worker.index()].memory);
  }
  void started(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].started(task, node_.now().value);
  }
  void finished(LocalWorker worker, TaskId task) override {
    queues_[worker.index()].finished(task, node_.now().value);
  }
  [[nodiscard]] bool prefetches() const override { return true; }
  [[nodiscard]] bool shares_tasks() const override { return false; }
  [[nodiscard]] bool knows_priorities() const override { return true; }

 private:
  [[nodiscard]] double transfer_to(std::size_t worker) const {
    return transfers_[node_.workers()[worker].memory.index()];
  }

  double alpha_, beta_;
  NodeView const& node_;
  std::vector<Worker> queues_;     // [workers]
  std::vector<double> ends_;       // [workers]
  std::vector<double> transfers_;  // [memory nodes]
};

}  // namespace

FACTOSIM_POLICY(Dmdas);
