#include "simulator/tasks/bounds/task_figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "simulator/tasks/bounds/flow_analysis.hpp"
#include "simulator/tasks/bounds/graph_chains.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"

namespace factosim {

namespace {

/// The tasks of a graph as amounts of few kinds of work, which area bounds distinguish. Without weights each kernel
/// is a kind and each task an amount of 1.
struct TaskWork {
  std::vector<std::uint16_t> const* kernel =
      nullptr;  // [tasks] of the graph; the kinds if there are no others
  std::size_t kinds = 0;
  Machine machine;                      // durations, in ticks, of an amount of 1: [kinds][workers of a node]
  std::vector<std::uint16_t> kinds_{};  // [tasks] with weights
  std::vector<double> amounts_{};       // [tasks] with weights

  [[nodiscard]] bool weighted() const { return !kinds_.empty(); }
  [[nodiscard]] std::size_t kind(std::size_t task) const {
    return kinds_.empty() ? (*kernel)[task] : kinds_[task];
  }
  [[nodiscard]] double amount(std::size_t task) const { return amounts_.empty() ? 1 : amounts_[task]; }
};

/// Most ratios of one row of durations that are kinds of their own. More are rounded down to a power of
/// 2^(1/4), within 2^-16 and 2^16.
constexpr std::size_t max_ratios = 16;

/// Makes the kinds of tasks with weights: pairs of a row of durations, which several kernels may share, and a ratio of
/// the weights on GPUs and cores.
class WeightedWork {
 public:
  WeightedWork(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid)
      : graph_(graph), machine_(machine), grid_(grid), has_gpus_(has_gpus(machine)) {
    for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
      std::vector<double> row;
      for (Machine::Type const& type : machine.types)
        for (std::size_t w = 0; w < type.workers.size(); ++w)
          row.insert(row.end(), {type.shortest_duration(k, w), type.gpu_part(k, w)});
      auto const place = rows_.try_emplace(std::move(row), static_cast<std::uint32_t>(rows_.size())).first;
      row_of_kernel_.push_back(place->second);
    }
    for (std::size_t t = 0; t < graph.task_count(); ++t)
      if (auto& of_row = ratios_[row(t)]; of_row.size() <= max_ratios) of_row.insert(ratio(t));
  }

  TaskWork work() {
    TaskWork out{.kernel = &graph_.kernel, .kinds = 0, .machine = machine_};
    for (std::size_t t = 0; t < graph_.task_count(); ++t) {
      double const at_least = rounded(t);
      auto const [place, is_new] = kinds_.try_emplace({row(t), at_least}, kinds_.size());
      if (is_new) examples_.emplace_back(graph_.kernel[t], at_least);
      out.kinds_.push_back(static_cast<std::uint16_t>(place->second));
      // Beyond the range of ratios the GPU may be faster than the kind says: then there is less of it.
      out.amounts_.push_back(graph_.weights[t].core * std::min(1.0, ratio(t) / at_least));
    }
    out.kinds = kinds_.size();
    for (std::size_t i = 0; i < machine_.types.size(); ++i)
      set_durations(machine_.types[i], out.machine.types[i]);
    return out;
  }

 private:
  static bool has_gpus(Machine const& machine) {
    return std::ranges::any_of(machine.types, [](Machine::Type const& type) { return type.gpus > 0; });
  }
  [[nodiscard]] std::uint32_t row(std::size_t task) const { return row_of_kernel_[graph_.kernel[task]]; }
  [[nodiscard]] double ratio(std::size_t task) const {
    return has_gpus_ ? graph_.weights[task].gpu / graph_.weights[task].core : 1;
  }
  [[nodiscard]] double rounded(std::size_t task) const {
    double const exact = ratio(task);
    if (ratios_.at(row(task)).size() <= max_ratios) return exact;
    return std::exp2(std::clamp(std::floor(std::log2(exact) * 4) / 4, -16.0, 16.0));
  }

  void set_durations(Machine::Type const& from, Machine::Type& to) const {
    std::size_t const workers = from.workers.size();
    to.durations.clear();
    to.gpu_parts.clear();
    for (auto const& [kernel, gpu] : examples_)
      for (std::size_t w = 0; w < workers; ++w) {
        to.durations.push_back(from.shortest_duration(kernel, w) * (from.workers[w].gpu ? gpu : 1) /
                               grid_.tick().value);
        to.gpu_parts.push_back(from.gpu_part(kernel, w));
      }
    to.contention.reset();
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  TimeGrid grid_;
  bool has_gpus_;
  std::map<std::vector<double>, std::uint32_t> rows_;
  std::vector<std::uint32_t> row_of_kernel_;
  std::map<std::uint32_t, std::set<double>> ratios_;  // by row
  std::map<std::pair<std::uint32_t, double>, std::size_t> kinds_;
  std::vector<std::pair<std::uint16_t, double>> examples_;  // [kinds] kernel, ratio
};

/// Returns the machine with the shortest durations in whole ticks: sums of them are exact.
Machine machine_in_ticks(Machine machine, TimeGrid const& grid) {
  for (Machine::Type& type : machine.types) {
    std::size_t const workers = type.workers.size();
    for (std::size_t i = 0; i < type.durations.size(); ++i)
      if (!std::isinf(type.durations[i]))
        type.durations[i] = grid.ticks(Seconds{type.shortest_duration(i / workers, i % workers)});
    type.contention.reset();
  }
  return machine;
}

/// Returns the work of a graph, which must outlive it. The machine has the shortest durations in whole ticks. Of tasks
/// with weights, those with about the same acceleration by GPUs are one kind: no task is more work than it is, on any
/// worker, but for the rounding of its duration to a tick. O(tasks log tasks) with weights.
TaskWork work_of(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid) {
  if (!graph.weights.empty()) return WeightedWork(graph, machine, grid).work();
  return {.kernel = &graph.kernel, .kinds = graph.kernels.size(), .machine = machine_in_ticks(machine, grid)};
}

/// Returns whether the ends of kernels are rounded to ticks whenever others change their parts of a GPU.
bool uses_gpu_parts(Machine const& machine) {
  return std::ranges::any_of(machine.types, [](Machine::Type const& t) { return !t.gpu_parts.empty(); });
}

/// Finds chains and messages along the edges of a stored graph, as FlowAnalysis.
class GraphAnalysis {
 public:
  GraphAnalysis(TaskGraph const& graph, ExecutionPlan const& plan, TaskWork const& work,
                TickTimes const& times)
      : work_(work),
        times_(times),
        tasks_(graph, plan),
        heads_(tasks_, times),
        tails_(graph_tails(tasks_, times)) {}

  TaskChains chains(LinkLoads& loads) {
    for_each_sent([&](TaskId task, std::uint32_t first, std::uint32_t, Bytes size) {
      loads.add(tasks_[task].node, node_of(first), size);
    });
    return {heads_.longest(), count_messages_by_phase(tasks_.graph(), tasks_.plan())};
  }

  ChainedWork chained_work(NodeAreaBounds const& areas, LinkLoads const& loads,
                           std::optional<std::uint32_t> link, TimeGrid const& grid) {
    ChainedWork out;
    auto const& first_task = tasks_.plan().first_task;
    std::vector<WindowedWork> of_node;
    for (std::uint32_t n = 0; n + 1 < first_task.size(); ++n) {
      of_node.clear();
      for (std::uint32_t t = first_task[n]; t < first_task[n + 1]; ++t) {
        ChainHead const& head = heads_.start(TaskId{t});
        out.paths.push_back(
            {head.fastest, tails_[t].fastest, static_cast<std::uint16_t>(work_.kind(t)), work_.amount(t)});
        of_node.push_back({head.with_messages, tails_[t].with_messages,
                           areas.of_node(n).prices[work_.kind(t)] * work_.amount(t)});
      }
      out.load_and_path = std::max(out.load_and_path, work_and_path(of_node));
    }
    if (link) out.messages = messages_of_link(*link, loads, grid.tick());
    return out;
  }

 private:
  /// Calls `use(task, first, last, size)` for each message to successors first..last - 1 that counts on links.
  template <class Use>
  void for_each_sent(Use const& use) const {
    TaskGraph const& graph = tasks_.graph();
    for (std::uint32_t t = 0; t < tasks_.count(); ++t)
      for_each_message(graph, tasks_.plan(), TaskId{t}, [&](std::uint32_t first, std::uint32_t last) {
        HandleId const given = graph.given_to(TaskId{t}, graph.successors[first]);
        if (given.valid()) use(TaskId{t}, first, last, graph.handles[given.index()].size);
      });
  }

  [[nodiscard]] NodeId node_of(std::uint32_t successor) const {
    return tasks_[tasks_.graph().successors[successor]].node;
  }

  /// Each cannot begin before its producer ends, and the chain of its readers follows it.
  [[nodiscard]] std::vector<WindowedWork> messages_of_link(std::uint32_t link, LinkLoads const& loads,
                                                           Seconds tick) const {
    std::vector<WindowedWork> out;
    for_each_sent([&](TaskId task, std::uint32_t first, std::uint32_t last, Bytes size) {
      loads.for_each_link(tasks_[task].node, node_of(first), [&](std::uint32_t at) {
        if (at != link) return;
        WindowedWork message{.head = heads_.start(task).with_messages + times_.on_node(tasks_[task]),
                             .work = loads.time(link, size).value / tick.value};
        for (std::uint32_t s = first; s < last; ++s) {
          TaskId const reader = tasks_.graph().successors[s];
          message.tail =
              std::max(message.tail, times_.on_node(tasks_[reader]) + tails_[reader.index()].with_messages);
        }
        out.push_back(message);
      });
    });
    std::ranges::stable_sort(out, {}, &WindowedWork::work);
    return out;
  }

  TaskWork const& work_;
  TickTimes const& times_;
  GraphTasks tasks_;
  GraphChains<TickTimes> heads_;
  std::vector<ChainTail> tails_;  // [tasks]
};

/// Subtracts what the rounding of durations or ends of tasks to ticks, and of sums, may have added to bounds: at most a tick
/// for each task, and four roundings of a double.
void subtract_rounding(Bounds& bounds, std::uint64_t tasks, Seconds tick) {
  auto const count = static_cast<double>(tasks);
  double const share = 4 * (count + 4) * std::numeric_limits<double>::epsilon();
  auto const reduce = [&](Seconds& bound) {
    bound = Seconds{std::max(0.0, bound.value * (1 - share) - count * tick.value)};
  };
  for (Seconds* const bound : {&bounds.abe, &bounds.problem_path, &bounds.problem_area_and_path,
                               &bounds.critical_path, &bounds.critical_path_with_comm, &bounds.load_and_path})
    reduce(*bound);
  for (Seconds& bound : bounds.abe_per_node) reduce(bound);
}

/// `work`: amounts of each kind, [nodes][kinds]. `machine`: durations of an amount of 1, in ticks: [kinds][workers of a node].
template <class Analysis>
TaskFigures figures_of(Analysis analysis, std::vector<std::vector<double>> const& work,
                       Machine const& machine, Topology const& topology, TimeGrid const& grid,
                       MessageRules const& rules) {
  LinkLoads loads(topology, rules);
  TaskChains chains = analysis.chains(loads);
  TaskFigures out{.bounds = {}, .messages_by_phase = std::move(chains.messages_by_phase)};
  Bounds& b = out.bounds;
  b.problem_path = grid.seconds(chains.longest.fastest);
  b.critical_path = grid.seconds(chains.longest.own);
  b.critical_path_with_comm = grid.seconds(chains.longest.with_messages);
  NodeAreaBounds const areas(work, machine);
  b.abe = grid.seconds(areas.of_all().makespan.value);
  for (std::size_t n = 0; n < work.size(); ++n)
    b.abe_per_node.push_back(grid.seconds(areas.of_node(n).makespan.value));
  LinkLoad const link = loads.most_loaded();
  ChainedWork const chained = analysis.chained_work(areas, loads, link.link, grid);
  std::size_t const kinds = work.front().size();
  b.problem_area_and_path = grid.seconds(
      area_and_path(chained.paths, kinds, worker_classes(machine, kinds, nodes_by_type(machine))).value);
  b.load_and_path = grid.seconds(chained.load_and_path);
  if (!link.link) return out;
  double const with_chains = work_and_path(chained.messages) * (1 - flow_precision) - early_ticks;
  b.load_and_path = std::max(b.load_and_path, grid.seconds(std::max(0.0, with_chains)));
  b.link = link.seconds * (1 - flow_precision);
  b.link_name = topology.links()[*link.link].name;
  return out;
}

}  // namespace

TaskFigures task_figures(PlacedFlow& placed, PlacedWork const& work, Machine const& machine,
                         Topology const& topology, TimeGrid const& grid, MessageRules const& rules) {
  std::vector<std::vector<double>> by_node;
  for (auto const& tasks : work.tasks_by_node) by_node.emplace_back(tasks.begin(), tasks.end());
  TickTimes const times(machine, work.kernels.size(), topology, grid);
  TaskFigures out = figures_of(FlowAnalysis(placed, times), by_node, machine_in_ticks(machine, grid),
                               topology, grid, rules);
  if (uses_gpu_parts(machine)) subtract_rounding(out.bounds, work.tasks, grid.tick());
  return out;
}

TaskFigures task_figures(TaskGraph const& graph, ExecutionPlan const& plan, Machine const& machine,
                         Topology const& topology, TimeGrid const& grid, MessageRules const& rules) {
  TaskWork const work = work_of(graph, machine, grid);
  std::vector<std::vector<double>> by_node(machine.node_count(), std::vector<double>(work.kinds, 0));
  for (std::uint32_t n = 0; n < by_node.size(); ++n)
    for (std::uint32_t t = plan.first_task[n]; t < plan.first_task[n + 1]; ++t)
      by_node[n][work.kind(t)] += work.amount(t);
  TickTimes const times(machine, graph.kernels.size(), topology, grid);
  TaskFigures out =
      figures_of(GraphAnalysis(graph, plan, work, times), by_node, work.machine, topology, grid, rules);
  if (work.weighted() || uses_gpu_parts(machine))
    subtract_rounding(out.bounds, graph.task_count(), grid.tick());
  return out;
}

}  // namespace factosim
