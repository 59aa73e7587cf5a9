#include "simulator/tasks/bounds/task_figures.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "simulator/tasks/bounds/flow_analysis.hpp"
#include "simulator/tasks/bounds/graph_chains.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/bounds/task_work.hpp"

namespace factosim {

namespace {

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
