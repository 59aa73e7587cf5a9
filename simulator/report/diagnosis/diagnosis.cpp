#include "simulator/report/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/base/core/format.hpp"
#include "simulator/report/diagnosis/diagnosed_run.hpp"

namespace factosim {

namespace {

constexpr double noticeable = 0.1;  // share of the makespan
constexpr double full = 0.6;        // share of the makespan in which a resource is in use

enum class Limit : std::uint8_t {
  between_nodes,
  within_node,
  network,
  bus,
  gpu_memory,
  critical_path,
  submission,
  scheduling,
  too_few_tasks,
  none
};
constexpr std::array limit_names{
    "balance-between-nodes", "balance-within-node", "network",    "bus",           "gpu-memory",
    "critical-path",         "submission",          "scheduling", "too-few-tasks", "none"};

std::string seconds(double s) { return format_duration(Seconds{s}); }
std::string bytes(double b) { return format_bytes(Bytes{static_cast<std::int64_t>(b)}); }

/// The makespan, in seconds, along the chain of tasks that its end waited for; the parts add up to it.
///
/// The chain is followed backwards from the task that ended last. A task waited for the task before it on its
/// worker, or for what made it ready: its submission, a task of its node, a message. What came last decides; its
/// wait counts from the later of the worker's previous task and the task that it goes back to, with which the
/// chain continues. So a part is what the chain would lose if that kind of wait took no time (up to 1e-7 of each
/// wait, which are single precision).
struct ChainTimes {
  double kernels = 0;
  double messages = 0;    // from the output's arrival in RAM to the delivery on the other node
  double copies = 0;      // of operands before a kernel, and of outputs to RAM before a message
  double submission = 0;  // tasks were not submitted yet
  double runtime = 0;     // tasks were ready and their worker idle, where nothing is copied
  std::size_t tasks = 0;
  double longest_task = 0;
  std::vector<double> by_kernel;  // [kernels] parts of `kernels`
};

class ChainWalk {
 public:
  explicit ChainWalk(DiagnosedRun const& run)
      : run_(run), dates_(run.outcome.dates), copies_(run.outcome.transfers > run.outcome.tiles_sent) {
    out_.by_kernel.resize(run.graph.kernels.size(), 0);
  }

  /// O(tasks).
  ChainTimes times() {
    auto const last = std::ranges::max_element(dates_, {}, &TaskDates::end_s);
    if (last == dates_.end()) return out_;
    now_ = last->end_s;
    auto task = static_cast<std::uint32_t>(last - dates_.begin());
    while (task != TaskDates::none && out_.tasks < dates_.size()) {
      add_kernel(task);
      task = before(task);
    }
    spend_until(0, out_.submission);
    return out_;
  }

 private:
  void spend_until(double date, double& part) {
    double const until = std::min(now_, std::max(date, 0.0));
    part += now_ - until;
    now_ = until;
  }

  void add_kernel(std::uint32_t task) {
    double const before = out_.kernels;
    spend_until(dates_[task].start_s, out_.kernels);
    double const seconds = out_.kernels - before;
    out_.by_kernel[run_.graph.kernel[task]] += seconds;
    out_.longest_task = std::max(out_.longest_task, seconds);
    ++out_.tasks;
  }

  [[nodiscard]] double end_of(std::uint32_t task) const {
    return task == TaskDates::none ? 0 : dates_[task].end_s;
  }

  /// Adds the waits before a task. Returns the task with which the chain continues.
  std::uint32_t before(std::uint32_t task) {
    TaskDates const& d = dates_[task];
    NodeId const node = run_.plan.node_of(TaskId{task});
    Machine::Type const& type = run_.machine.type(node);
    double const worker_free = end_of(d.previous);
    bool const waits_for_copies = copies_ && type.rams + type.gpu_memories > 1;
    spend_until(std::max(d.ready_s(), worker_free), waits_for_copies ? out_.copies : out_.runtime);
    if (worker_free >= d.ready_s()) return d.previous;
    std::uint32_t const released_by = d.released_by;
    double const released = std::min(end_of(released_by), now_);
    bool const by_worker = d.previous != TaskDates::none && worker_free >= released;
    double const since = by_worker ? worker_free : released;
    if (d.by_submission != 0) {
      spend_until(since, out_.submission);
    } else if (released_by != TaskDates::none && !run_.plan.runs_on(TaskId{released_by}, node)) {
      double const in_ram =
          dates_[released_by].end_s + static_cast<double>(dates_[released_by].output_delay_s);
      // A message is posted when its reader is submitted.
      double const submitted =
          run_.submission_cost.value * (1.0 + run_.graph.submission_number(TaskId{task}));
      spend_until(std::max({in_ram, since, submitted}), out_.messages);
      spend_until(std::max(in_ram, since), out_.submission);
      spend_until(since, out_.copies);
    } else {
      spend_until(since, out_.runtime);
    }
    return by_worker ? d.previous : released_by;
  }

  DiagnosedRun const& run_;
  std::span<TaskDates const> dates_;
  bool copies_;     // the run has copied data within nodes
  double now_ = 0;  // what comes later is accounted for
  ChainTimes out_;
};

/// Work of the most loaded worker of a cluster and the mean of the workers of its node, in seconds.
struct WorkerLoad {
  std::size_t node = 0, worker = 0;
  double most = 0, mean = 0;
};

WorkerLoad most_loaded_worker(DiagnosedRun const& run) {
  WorkerLoad out;
  for (std::size_t n = 0; n < run.outcome.nodes.size(); ++n) {
    SimulationOutcome::Node const& node = run.outcome.nodes[n];
    auto const most = std::ranges::max_element(node.busy_by_worker);
    if (most == node.busy_by_worker.end() || *most <= out.most) continue;
    auto const workers = static_cast<double>(run.machine.types[run.machine.type_of[n]].workers.size());
    out = {n, static_cast<std::size_t>(most - node.busy_by_worker.begin()), *most, node.busy.value / workers};
  }
  return out;
}

/// A link, and the share of the makespan for which its bytes need its full bandwidth.
struct FullLink {
  std::size_t link = 0;
  double share = 0;
};

/// Returns the fullest link of the buses, or of the network.
FullLink fullest_link(DiagnosedRun const& run, bool of_bus) {
  auto const links = run.topology.links();
  std::vector<bool> on_bus(links.size(), false);
  for (std::uint32_t const link : run.topology.bus_links()) on_bus[link] = true;
  FullLink out;
  for (std::size_t l = 0; l < links.size(); ++l) {
    double const share =
        run.outcome.link_bytes[l] / links[l].rate.bandwidth.value / run.outcome.makespan.value;
    if (on_bus[l] == of_bus && share > out.share) out = {l, share};
  }
  return out;
}

class Diagnoser {
 public:
  explicit Diagnoser(DiagnosedRun const& run)
      : run_(run),
        chain_(ChainWalk(run).times()),
        worker_(most_loaded_worker(run)),
        network_(fullest_link(run, false)),
        bus_(fullest_link(run, true)),
        makespan_(run.outcome.makespan.value),
        area_(possible(run.bounds.abe)),
        node_(possible(run.bounds.most_loaded_node())),
        path_(possible(run.bounds.critical_path)),
        floor_(std::max({node_, path_, possible(run.bounds.problem())})) {
    if (makespan_ - floor_ < noticeable * makespan_ || bus_.share >= full) return;
    if (auto const demand = bus_demand_of_idle_gpus(run); demand && demand->copy_seconds >= full * floor_)
      avoided_ = demand;
  }

  Result::Diagnosis diagnosis() {
    if (makespan_ <= 0) return {.limit = "none", .share = 0, .text = "No task takes time"};
    for (auto const& [limit, without] : removals()) {
      double const share = 1 - without / makespan_;
      if (share >= noticeable && share > share_)
        std::tie(limit_, share_, without_) = std::tuple(limit, share, without);
      largest_ = std::max(largest_, share);
    }
    return {.limit = limit_names[static_cast<std::size_t>(limit_)],
            .share = limit_ == Limit::none ? std::max(0.0, largest_) : share_,
            .text = text()};
  }

 private:
  using Removal = std::pair<Limit, double>;  // the constraint, and the makespan without it

  /// Returns the bound in seconds. Those of mean durations may be above a run whose durations are drawn.
  [[nodiscard]] double possible(Seconds bound) const { return std::min(bound.value, makespan_); }
  [[nodiscard]] double without_delay(double delay) const { return std::max(makespan_ - delay, floor_); }
  [[nodiscard]] double tasks_per_worker() const {
    return static_cast<double>(run_.graph.task_count()) / static_cast<double>(run_.machine.worker_count());
  }
  /// Share of the copies into GPUs that bring back what was evicted.
  [[nodiscard]] double evicted_share() const {
    auto const copied =
        static_cast<double>((run_.outcome.host_to_device + run_.outcome.device_to_device).value);
    return copied > 0 ? std::min(1.0, static_cast<double>(run_.outcome.reallocated.value) / copied) : 0;
  }

  [[nodiscard]] std::vector<Removal> removals() const {
    double const evicted = evicted_share();
    double const bare = without_delay(chain_.messages + chain_.copies + chain_.submission);
    double lost = bare - floor_;
    // Policies react to a full resource: what they lose then is due to it.
    auto const with_reaction = [&](double delay, bool is_full) {
      return without_delay(delay + (is_full ? std::exchange(lost, 0) : 0));
    };
    double const submission = with_reaction(chain_.submission, last_submission() >= full * makespan_);
    double const network = with_reaction(chain_.messages, network_.share >= full);
    bool const bus_is_full = bus_.share >= full || avoided_, by_eviction = evicted >= 0.5;
    double const memory =
        with_reaction(by_eviction ? chain_.copies : evicted * chain_.copies, bus_is_full && by_eviction);
    double const bus = with_reaction((1 - evicted) * chain_.copies, bus_is_full);
    bool const few = lost <= chain_.longest_task && tasks_per_worker() < 16;
    double const within = std::clamp(worker_.most - std::max(worker_.mean, floor_), 0.0, lost);
    return {{Limit::network, network},
            {Limit::gpu_memory, memory},
            {Limit::bus, bus},
            {Limit::submission, submission},
            {Limit::between_nodes,
             makespan_ - (floor_ - std::max({area_, path_, possible(run_.bounds.problem())}))},
            {tasks_per_worker() < 4 ? Limit::too_few_tasks : Limit::critical_path,
             makespan_ - (floor_ - std::max(area_, node_))},
            {few ? Limit::too_few_tasks : Limit::within_node, makespan_ - (few ? lost : within)},
            {few ? Limit::too_few_tasks : Limit::scheduling, makespan_ - (few ? lost : lost - within)}};
  }

  /// Date of the last task that only its submission made ready.
  [[nodiscard]] double last_submission() const {
    double last = 0;
    for (TaskDates const& d : run_.outcome.dates)
      if (d.by_submission != 0) last = std::max(last, d.ready_s());
    return last;
  }

  // ---- text ----

  [[nodiscard]] std::string node_name(std::size_t n) const {
    return fmt::format("node {} ({})", n, run_.node_types[n]);
  }

  [[nodiscard]] std::string full_link(FullLink const& link) const {
    if (link.share == 0) return {};
    return fmt::format("; the fullest link, {}, carries {}, {:.0f} % of what it could",
                       run_.topology.links()[link.link].name, bytes(run_.outcome.link_bytes[link.link]),
                       100 * link.share);
  }

  /// The kernels with the largest shares of the chain.
  [[nodiscard]] std::string kernels_of_chain() const {
    std::vector<std::size_t> order(chain_.by_kernel.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return chain_.by_kernel[k]; });
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i)
      if (double const share = chain_.by_kernel[order[i]] / makespan_; share > 0.01)
        out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", run_.graph.kernels[order[i]].name,
                           100 * share);
    return out;
  }

  [[nodiscard]] std::string estimate(std::string_view what) const {
    return fmt::format(". {} it would take about {} (estimated from the critical chain and bounds)", what,
                       seconds(without_));
  }
  [[nodiscard]] std::string bound(std::string_view what, double at_least) const {
    return fmt::format(". {} it would take at least {} (a bound)", what, seconds(at_least));
  }

  [[nodiscard]] std::string with_other_distribution() const {
    if (!run_.other_distribution) return {};
    auto const other = run_.other_distribution();
    if (!other) return {};
    if (other->at_least >= run_.bounds.distribution())
      return fmt::format(". {} is no better: at least {} (a bound)", other->name,
                         seconds(other->at_least.value));
    return bound("With " + other->name, other->at_least.value);
  }

  [[nodiscard]] std::string text() const {
    auto const& per_node = run_.bounds.abe_per_node;
    auto const tasks = grouped(run_.graph.task_count()), workers = grouped(run_.machine.worker_count());
    switch (limit_) {
      case Limit::between_nodes: {
        auto const most = static_cast<std::size_t>(std::ranges::max_element(per_node) - per_node.begin());
        double sum = 0;
        for (Seconds const s : per_node) sum += s.value;
        return fmt::format("Limited by load balance between nodes: {} has {} of work, the mean is {}{}{}",
                           node_name(most), seconds(node_),
                           seconds(sum / static_cast<double>(per_node.size())),
                           bound("With even loads", std::max(area_, run_.bounds.problem().value)),
                           with_other_distribution());
      }
      case Limit::within_node:
        return fmt::format(
            "Limited by load balance within a node: {} of {} works for {}, the workers of that node for {} "
            "on average{}",
            run_.machine.types[run_.machine.type_of[worker_.node]].worker_names[worker_.worker],
            node_name(worker_.node), seconds(worker_.most), seconds(worker_.mean),
            estimate("With even work"));
      case Limit::network:
        return fmt::format(
            "Limited by the network: the critical chain waits {} for messages, {:.0f} % of the "
            "makespan{}{}{}",
            seconds(chain_.messages), 100 * chain_.messages / makespan_, full_link(network_),
            estimate("Without these waits"),
            bound("With 10 times the bandwidth", std::max(floor_, run_.bounds.link.value / 10)));
      case Limit::bus:
        if (avoided_)
          return fmt::format(
              "Limited by the bus: the GPUs of {} work for {} instead of {}, because their tasks wait for "
              "copies or run on cores; to copy the data of these tasks once takes {}{}",
              node_name(avoided_->node), seconds(avoided_->gpu_work), seconds(avoided_->possible_work),
              seconds(avoided_->copy_seconds), estimate("Without these copies"));
        return fmt::format(
            "Limited by the bus: the critical chain waits {} for copies, {:.0f} % of the makespan{}{}",
            seconds(chain_.copies), 100 * chain_.copies / makespan_, full_link(bus_),
            estimate("Without these waits"));
      case Limit::gpu_memory:
        return fmt::format(
            "Limited by GPU memory: {} of copies into GPUs bring back what was evicted, {:.0f} % of all; the "
            "critical chain waits {} for copies{}",
            bytes(static_cast<double>(run_.outcome.reallocated.value)), 100 * evicted_share(),
            seconds(chain_.copies), estimate("With enough memory"));
      case Limit::critical_path:
        return fmt::format(
            "Limited by the critical path: the longest chain of tasks takes {}; the chain of this run: {}{}",
            seconds(path_), kernels_of_chain(), bound("With shorter chains", std::max(area_, node_)));
      case Limit::submission:
        return fmt::format(
            "Limited by submission: the critical chain waits {} for tasks to be submitted, {:.0f} % of the "
            "makespan{}",
            seconds(chain_.submission), 100 * chain_.submission / makespan_,
            estimate("With free submission"));
      case Limit::scheduling:
        return fmt::format(
            "Limited by scheduling: no bound and no wait for data explains {}, {:.0f} % of the makespan: "
            "ready tasks run late, or on workers on which they take longer{}",
            seconds(makespan_ - without_), 100 * share_, bound("Under the best policy", floor_));
      case Limit::too_few_tasks:
        return fmt::format("Limited by too few tasks: {} tasks for {} workers; the longest chain takes {}{}",
                           tasks, workers, seconds(path_), bound("With smaller tasks", area_));
      case Limit::none:
        break;
    }
    return fmt::format(
        "No single limit: the makespan is {:.0f} % above the bound of the problem and {:.0f} % above that of "
        "this distribution, and no single change saves a tenth",
        100 * (makespan_ / run_.bounds.problem().value - 1),
        100 * (makespan_ / run_.bounds.distribution().value - 1));
  }

  DiagnosedRun const& run_;
  ChainTimes chain_;
  WorkerLoad worker_;
  FullLink network_, bus_;
  std::optional<BusDemand> avoided_;  // copies that the run avoids by leaving GPUs without work
  double makespan_, area_, node_, path_;
  double floor_;  // what the kernels alone take at least with these owners
  Limit limit_ = Limit::none;
  double share_ = 0, without_ = 0, largest_ = 0;
};

}  // namespace

Result::Diagnosis diagnose(DiagnosedRun const& run) { return Diagnoser(run).diagnosis(); }

}  // namespace factosim
