#include "simulator/report/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/base/core/quantity_text.hpp"

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
        chain_(chain_times(run)),
        worker_(most_loaded_worker(run)),
        network_(fullest_link(run, false)),
        bus_(fullest_link(run, true)),
        makespan_(run.outcome.makespan.value),
        area_(possible(run.bounds.abe)),
        node_(possible(run.bounds.most_loaded_node())),
        path_(possible(run.bounds.critical_path)),
        floor_(std::max({node_, path_, possible(run.bounds.problem())})),
        with_messages_(std::max(floor_, possible(run.bounds.distribution()))) {}

  Result::Diagnosis diagnosis() {
    if (makespan_ <= 0) return {.limit = "none", .share = 0, .text = "No task takes time"};
    std::vector<Removal> all = removals();
    std::ranges::stable_sort(all, {}, &Removal::without);
    prefer_memory(all);
    Result::Diagnosis out;
    for (Removal const& r : all) {
      double const share = 1 - r.without / makespan_;
      if (share >= noticeable && removal_.limit == Limit::none) removal_ = r;
      std::string const name = name_of(r.limit);
      bool const listed = std::ranges::any_of(out.limits, [&](auto const& l) { return l.name == name; });
      if (!listed && (share >= noticeable / 2 || r.simulated))
        out.limits.push_back({name, std::max(0.0, share), r.simulated});
    }
    bool const none = removal_.limit == Limit::none;
    out.limit = name_of(removal_.limit);
    out.share = none ? std::max(0.0, 1 - all.front().without / makespan_) : 1 - removal_.without / makespan_;
    out.text = text() + (none ? "" : others(out.limits));
    return out;
  }

 private:
  struct Removal {
    Limit limit;
    double without;          // the makespan without the constraint
    bool simulated = false;  // else estimated
  };

  /// Moves the memory before the bus if most copies bring back what was evicted, and it saves nearly as much: with
  /// a free bus these copies cost nothing either.
  void prefer_memory(std::vector<Removal>& all) const {
    constexpr double nearly = 0.8;
    auto const bus = std::ranges::find(all, Limit::bus, &Removal::limit),
               memory = std::ranges::find(all, Limit::gpu_memory, &Removal::limit);
    if (bus < memory && evicted_share() >= 0.5 &&
        makespan_ - memory->without >= nearly * (makespan_ - bus->without))
      std::rotate(bus, memory, memory + 1);
  }

  static std::string name_of(Limit limit) { return limit_names[static_cast<std::size_t>(limit)]; }

  /// Returns the bound in seconds. Those of mean durations may be above a run whose durations are drawn.
  [[nodiscard]] double possible(Seconds bound) const { return std::min(bound.value, makespan_); }
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
    double const bare = std::max(makespan_ - chain_.messages - chain_.copies - chain_.submission, floor_);
    double lost = std::max(0.0, bare - with_messages_);
    std::vector<Removal> out;
    // Policies react to a limit: what they lose is due to it. Without a simulation, a full resource causes all of that.
    auto const add = [&](Limit limit, DelayLimit kind, double delay, bool is_full, bool in_use) {
      double const floor = limit == Limit::network ? floor_ : with_messages_;
      Removal r{limit, std::max(makespan_ - delay - (is_full ? lost : 0), floor)};
      bool const promising =
          r.without <= (1 - noticeable / 2) * makespan_ || (in_use && lost >= noticeable * makespan_);
      if (auto const s = promising && run_.simulated_without ? run_.simulated_without(kind) : std::nullopt)
        r = {limit, s->value, true};
      lost = std::clamp(lost - (makespan_ - r.without - delay), 0.0, lost);
      out.push_back(r);
    };
    bool const bus_is_full = bus_.share >= full, by_eviction = evicted >= 0.5;
    add(Limit::submission, DelayLimit::submission, chain_.submission, last_submission() >= full * makespan_,
        false);
    add(Limit::network, DelayLimit::network, chain_.messages, network_.share >= full, network_.share > 0);
    add(Limit::gpu_memory, DelayLimit::gpu_memory, by_eviction ? chain_.copies : evicted * chain_.copies,
        bus_is_full && by_eviction, evicted > 0);
    add(Limit::bus, DelayLimit::bus, (1 - evicted) * chain_.copies, bus_is_full,
        !run_.topology.bus_links().empty());
    bool const few = lost <= chain_.longest_task && tasks_per_worker() < 16;
    double const within = std::clamp(worker_.most - std::max(worker_.mean, floor_), 0.0, lost);
    double const even = std::max({area_, path_, possible(run_.bounds.problem())});
    out.push_back({Limit::between_nodes, makespan_ - (floor_ - even)});
    out.push_back({tasks_per_worker() < 4 ? Limit::too_few_tasks : Limit::critical_path,
                   makespan_ - (floor_ - std::max(area_, node_))});
    out.push_back({few ? Limit::too_few_tasks : Limit::within_node, makespan_ - (few ? lost : within)});
    out.push_back({few ? Limit::too_few_tasks : Limit::scheduling, makespan_ - (few ? lost : lost - within)});
    return out;
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

  /// `waits`: seconds that the text has named. Policies react to a limit, so that it may cost more.
  [[nodiscard]] std::string estimate(std::string_view what, double waits) const {
    bool const more = makespan_ - removal_.without - waits > noticeable / 2 * makespan_;
    return fmt::format(". {} it would take {} ({}{})", what,
                       (removal_.simulated ? "" : "at best ") + seconds(removal_.without),
                       removal_.simulated ? "simulated" : "estimated from the critical chain and bounds",
                       more ? ": the policy reacts to the limit, which costs more than these waits" : "");
  }
  /// The next limits by what their removal alone saves.
  [[nodiscard]] static std::string others(std::vector<Result::Diagnosis::Limit> const& limits) {
    std::string out;
    for (std::size_t i = 1; i < std::min<std::size_t>(limits.size(), 3); ++i)
      if (limits[i].share >= noticeable / 2)
        out += fmt::format("{} {} {:.0f} % ({})", out.empty() ? ". Other limits alone:" : ",", limits[i].name,
                           100 * limits[i].share, limits[i].simulated ? "simulated" : "at best");
    return out;
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
    switch (removal_.limit) {
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
            estimate("With even work", worker_.most - worker_.mean));
      case Limit::network:
        return fmt::format(
            "Limited by the network: the critical chain waits {} for messages, {:.0f} % of the "
            "makespan{}{}",
            seconds(chain_.messages), 100 * chain_.messages / makespan_, full_link(network_),
            estimate("With a network without limits", chain_.messages));
      case Limit::bus:
        return fmt::format(
            "Limited by the bus: the critical chain waits {} for copies, {:.0f} % of the makespan{}{}",
            seconds(chain_.copies), 100 * chain_.copies / makespan_, full_link(bus_),
            estimate("With a bus without limits", chain_.copies));
      case Limit::gpu_memory:
        return fmt::format(
            "Limited by GPU memory: {} of copies into GPUs bring back what was evicted, {:.0f} % of all; the "
            "critical chain waits {} for copies{}",
            bytes(static_cast<double>(run_.outcome.reallocated.value)), 100 * evicted_share(),
            seconds(chain_.copies), estimate("With enough memory", chain_.copies));
      case Limit::critical_path:
        return fmt::format(
            "Limited by the critical path: the longest chain of tasks takes {}; the chain of this run: {}{}",
            seconds(path_), kernels_of_chain(), bound("With shorter chains", std::max(area_, node_)));
      case Limit::submission:
        return fmt::format(
            "Limited by submission: the critical chain waits {} for tasks to be submitted, {:.0f} % of the "
            "makespan{}",
            seconds(chain_.submission), 100 * chain_.submission / makespan_,
            estimate("With free submission", chain_.submission));
      case Limit::scheduling:
        return fmt::format(
            "Limited by scheduling: no bound and no wait for data explains {}, {:.0f} % of the makespan: "
            "ready tasks run late, or on workers on which they take longer{}",
            seconds(makespan_ - removal_.without), 100 * (1 - removal_.without / makespan_),
            bound("Under the best policy", with_messages_));
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
  double makespan_, area_, node_, path_;
  double floor_;          // what the kernels alone take at least with these owners
  double with_messages_;  // the same with their messages
  Removal removal_{Limit::none, 0};
};

}  // namespace

Result::Diagnosis diagnose(DiagnosedRun const& run) { return Diagnoser(run).diagnosis(); }

}  // namespace factosim
