// Conversion of a StarpuRun to a Trace.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "factosim/error.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/traces/import/assembly.hpp"
#include "simulator/traces/import/contracted_graph.hpp"

namespace factosim {

namespace {

class Assembly {
 public:
  explicit Assembly(StarpuRun& run) : run_(run), names_(run), handles_(run) {
    trace_.source = run.source;
    trace_.format = run.format;
    trace_.nodes = std::move(names_.nodes);
    trace_.memory_nodes = std::move(names_.memory_nodes);
    trace_.workers = std::move(names_.workers);
  }

  Trace assemble() && {
    tells_dependencies_ = !run_.dependencies.empty() || !run_.further_dependencies.empty();
    for (StarpuRun::Message const& m : run_.messages)
      if (m.send_task != 0 && m.receive_task != 0)
        run_.further_dependencies.emplace_back(TaskName{m.to, m.receive_task}.key(),
                                               TaskName{m.from, m.send_task}.key());
    ContractedGraph graph(run_);
    graph.refuse_cycles();
    report(graph);
    order_tasks(graph);
    kernels();
    tasks();
    if (reductions_ > 0)
      run_.find(fmt::format("{} accesses reduce (mode X): their tasks run side by side", reductions_));
    messages(graph);
    dependencies(graph);
    name_messages();
    wont_use();
    copies();
    states();
    trace_.handles = std::move(handles_.handles());
    trace_.findings = std::move(run_.findings);
    complete_sizes(trace_);
    return std::move(trace_);
  }

 private:
  static constexpr std::uint32_t none = ContractedGraph::none;

  void report(ContractedGraph const& graph) {
    std::size_t const unfinished =
        static_cast<std::size_t>(std::count_if(run_.tasks.begin(), run_.tasks.end(), [](StarpuTask const& j) {
          return j.kernel != StarpuTask::no_kernel && j.start_s == j.start_s && j.end_s != j.end_s;
        }));
    if (unfinished > 0)
      run_.find(fmt::format("{} tasks started and never ended: they are left out", unfinished));
    for (std::string const& finding : handles_.findings()) run_.find(finding);
    if (graph.repeated() > 0)
      run_.find(fmt::format("{} jobs are told more than once: the first telling counts", graph.repeated()));
    if (graph.unknown_tasks() > 0)
      run_.find(fmt::format("{} dependencies on jobs that the trace does not tell are left out",
                            graph.unknown_tasks()));
  }

  void order_tasks(ContractedGraph const& graph) {
    for (std::uint32_t i = 0; i < run_.tasks.size(); ++i)
      if (run_.tasks[i].timed() && graph.index_of(run_.tasks[i].name.key()) == i) recorded_task_.push_back(i);
    if (recorded_task_.empty())
      throw InputError(run_.source + "#",
                       "has no task with a start and an end (nothing was executed, or another file holds the "
                       "tasks). Give the trace of a run");
    auto const date = [](StarpuTask const& j) { return j.submit_s == j.submit_s ? j.submit_s : j.start_s; };
    std::sort(recorded_task_.begin(), recorded_task_.end(), [&](std::uint32_t a, std::uint32_t b) {
      StarpuTask const &x = run_.tasks[a], &y = run_.tasks[b];
      return std::tuple(date(x), x.name.node, x.submit_order, x.name.number) <
             std::tuple(date(y), y.name.node, y.submit_order, y.name.number);
    });
    task_of_recorded_.assign(run_.tasks.size(), none);
    for (std::uint32_t t = 0; t < recorded_task_.size(); ++t) task_of_recorded_[recorded_task_[t]] = t;
  }

  void kernels() {
    std::vector<double> flops(run_.kernels.size(), 0), count(run_.kernels.size(), 0);
    for (std::uint32_t const i : recorded_task_) {
      flops[run_.tasks[i].kernel] += run_.tasks[i].flops;
      ++count[run_.tasks[i].kernel];
    }
    number_of_kernel_.assign(run_.kernels.size(), StarpuTask::no_kernel);
    for (std::size_t k = 0; k < run_.kernels.size(); ++k) {
      if (count[k] == 0) continue;  // runs of the runtime system itself
      std::string const model =
          k < run_.models.size() && run_.models[k] != run_.kernels[k] ? run_.models[k] : "";
      auto const symbol = parse_starpu_symbol(model.empty() ? run_.kernels[k] : model);
      trace_.models.push_back(model);
      std::string const known = symbol ? symbol->kernel : "";
      number_of_kernel_[k] = static_cast<std::uint16_t>(trace_.kernels.size());
      trace_.kernels.push_back({.name = run_.kernels[k],
                                .flops = Flops{flops[k] / count[k]},
                                .asynchronous_on_gpu = known != "potrf" && known != "getrf",
                                .timing = known == run_.kernels[k] ? "" : known});
    }
  }

  void tasks() {
    trace_.access_begin.push_back(0);
    for (std::uint32_t const i : recorded_task_) {
      StarpuTask const& task = run_.tasks[i];
      trace_.kernel.push_back(number_of_kernel_[task.kernel]);
      trace_.worker.push_back(names_.of(task.name.node, task.worker));
      trace_.submit_s.push_back(task.submit_s);
      trace_.start_s.push_back(task.start_s);
      trace_.end_s.push_back(task.end_s);
      trace_.priority.push_back(task.priority);
      trace_.footprint.push_back(task.footprint);
      trace_.job.push_back(task.name.number);
      trace_.submit_order.push_back(task.submit_order);
      trace_.tag.push_back(task.tag);
      trace_.flops.push_back(task.flops);
      add_accesses(task);
      trace_.access_begin.push_back(static_cast<std::uint32_t>(trace_.accesses.size()));
      trace_.indices.push_back(indices(task));
    }
    if (trace_.accesses.empty()) trace_.access_begin.clear();
  }

  void add_accesses(StarpuTask const& task) {
    std::size_t const first = trace_.accesses.size();
    for (std::uint32_t a = task.first_access; a < task.first_access + task.accesses; ++a) {
      StarpuRun::Access const& access = run_.accesses[a];
      if ((access.mode & 3U) == 0) continue;
      HandleId const handle = handles_.of(task.name.node, access.address);
      Bytes& size = handles_.handles()[handle.index()].size;
      size = std::max(size, Bytes{access.size});
      auto const same =
          std::find_if(trace_.accesses.begin() + static_cast<std::ptrdiff_t>(first), trace_.accesses.end(),
                       [&](DataAccess d) { return d.handle() == handle; });
      bool const reduction = (access.mode & reduces) != 0 && run_.dependencies.empty();
      reductions_ += reduction;
      auto const mode = reduction ? Access::read : static_cast<Access>(access.mode & 3U);
      if (same != trace_.accesses.end())
        *same = DataAccess(handle, same->mode() | mode);
      else
        trace_.accesses.emplace_back(handle, mode);
    }
  }

  /// Iteration and coordinates of the tile that it writes first.
  [[nodiscard]] TaskIndices indices(StarpuTask const& task) {
    TaskIndices out{task.iteration, task.x, task.y};
    for (std::size_t a = trace_.access_begin[trace_.access_begin.size() - 2]; a < trace_.accesses.size();
         ++a) {
      if (!writes(trace_.accesses[a].mode())) continue;
      Trace::Handle const& h = handles_.handles()[trace_.accesses[a].handle().index()];
      if (h.m >= 0) return {task.iteration, h.m, h.n};
      break;
    }
    return out;
  }

  void messages(ContractedGraph const& graph) {
    for (std::uint32_t i = 0; i < run_.messages.size(); ++i) {
      StarpuRun::Message const& m = run_.messages[i];
      trace_.messages.push_back({.from = NodeId{m.from},
                                 .to = NodeId{m.to},
                                 .start_s = m.send_s,
                                 .end_s = m.receive_s,
                                 .size = Bytes{m.size},
                                 .handle = handles_.of_message(m),
                                 .producer = {},
                                 .consumer = {}});
      if (m.receive_task == 0 || m.send_task == 0) continue;
      std::uint32_t const send = graph.index_of(TaskName{m.from, m.send_task}.key());
      std::uint32_t const receive = graph.index_of(TaskName{m.to, m.receive_task}.key());
      if (send == none || receive == none) continue;
      if (run_.tasks[receive].timed())
        trace_.messages.back().consumer = TaskId{task_of_recorded_[receive]};
      else
        messages_to_[receive].push_back(i);
      sender_of_.emplace(i, send);
    }
  }

  /// Returns the task that sends the message, or the last of the tasks that it waits for.
  TaskId producer(ContractedGraph& graph, std::uint32_t send) {
    TaskId latest{};
    auto const use = [&](std::uint32_t task) {
      TaskId const t{task_of_recorded_[task]};
      if (!latest.valid() || trace_.end_s[t.index()] > trace_.end_s[latest.index()]) latest = t;
    };
    if (run_.tasks[send].timed())
      use(send);
    else
      graph.for_each_task_before(send, use, [](std::uint32_t) {});
    return latest;
  }

  /// Adds the edges of all tasks. Messages whose tasks are recorded get their ends here, the others
  /// afterwards.
  void dependencies(ContractedGraph& graph) {
    for (auto const& [message, send] : sender_of_) trace_.messages[message].producer = producer(graph, send);
    for (std::uint32_t t = 0; t < recorded_task_.size(); ++t) {
      std::uint32_t const task = recorded_task_[t];
      graph.for_each_task_before(
          task, [&](std::uint32_t before) { edges_.emplace_back(t, task_of_recorded_[before]); },
          [&](std::uint32_t passed) {
            auto const here = messages_to_.find(passed);
            if (here == messages_to_.end() || run_.tasks[task].name.node != run_.tasks[passed].name.node)
              return;
            for (std::uint32_t const m : here->second)
              if (!trace_.messages[m].consumer.valid()) trace_.messages[m].consumer = TaskId{t};
          });
    }
    find_message_ends(trace_, edges_);
    if (reductions_ > 0 && !tells_dependencies_) order_reductions();
    keep_edges();
  }

  /// Adds the dependencies that StarPU derives from accesses: each task follows all that used a datum on its node before, in
  /// another way than it does. Tasks that only read a datum, or only reduce into it, run side by side.
  void order_reductions() {
    struct Uses {
      int mode = 0;
      std::vector<std::uint32_t> now, before;  // tasks: of the same mode, and what they follow
    };
    std::map<std::pair<std::uint32_t, std::uint64_t>, Uses> uses;  // (node, address)
    for (std::uint32_t t = 0; t < recorded_task_.size(); ++t) {
      StarpuTask const& task = run_.tasks[recorded_task_[t]];
      for (std::uint32_t a = task.first_access; a < task.first_access + task.accesses; ++a) {
        StarpuRun::Access const& access = run_.accesses[a];
        int const mode = access.mode & (3U | reduces);
        if (mode == 0) continue;
        Uses& use = uses[{task.name.node, access.address}];
        if (use.mode != mode || mode == 2 || mode == 3)
          use = {.mode = mode, .now = {}, .before = std::move(use.now)};
        use.now.push_back(t);
        for (std::uint32_t const before : use.before) edges_.emplace_back(t, before);
        check_input(InputLimit::steps, edges_.size(), run_.source + "#");
      }
    }
  }

  /// Finds the data of messages that name none by the tasks at their ends, and reports those that remain.
  void name_messages() {
    std::size_t unnamed = 0;
    for (Trace::Message& m : trace_.messages) {
      if (!m.handle.valid()) m.handle = only_output(m.producer, m.consumer);
      if (!m.handle.valid() && !m.producer.valid()) ++unnamed;
    }
    if (unnamed > 0 && !trace_.accesses.empty())
      run_.find(
          fmt::format("{} of {} messages name neither tasks nor data that tasks use: no task waits for them",
                      unnamed, trace_.messages.size()));
    if (trace_.messages.empty() && trace_.nodes.size() > 1)
      run_.find(
          fmt::format("has tasks on {} nodes and no messages (no comms.rec and no paje.trace beside it?): "
                      "tasks wait for no data of other nodes, unless their dependencies say so",
                      trace_.nodes.size()));
  }

  /// Returns the handle that one task writes and the other one reads; if there is not exactly one of that
  /// kind, the only handle that the first one writes; else an invalid id.
  [[nodiscard]] HandleId only_output(TaskId producer, TaskId consumer) const {
    if (!producer.valid()) return {};
    HandleId output{}, given{};
    std::size_t outputs = 0, all_given = 0;
    for (DataAccess const access : trace_.accesses_of(producer)) {
      if (!writes(access.mode())) continue;
      output = access.handle();
      ++outputs;
      if (!consumer.valid() || !trace_.task_reads(consumer, output)) continue;
      given = output;
      ++all_given;
    }
    return all_given == 1 ? given : outputs == 1 ? output : HandleId{};
  }

  void keep_edges() {
    bool const known = !edges_.empty();
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
    if (!known) return;
    trace_.predecessor_begin.assign(recorded_task_.size() + 1, 0);
    for (auto const& [task, before] : edges_) {
      if (before == none || before == task) continue;
      trace_.predecessors.emplace_back(before);
      ++trace_.predecessor_begin[task + 1];
    }
    for (std::size_t t = 0; t < recorded_task_.size(); ++t)
      trace_.predecessor_begin[t + 1] += trace_.predecessor_begin[t];
  }

  /// Attaches each hint to the last task before it that wrote the handle on that node.
  void wont_use() {
    trace_.writes_back.assign(recorded_task_.size(), false);
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> writers;  // (node, handle) -> tasks
    for (StarpuRun::WontUse const& w : run_.wont_use) {
      HandleId const handle = handles_.known(w.name.node, w.address);
      if (!handle.valid()) continue;  // of data that no task uses
      trace_.wont_use.push_back({NodeId{w.name.node}, handle, w.submit_s, w.name.number, w.submit_order});
      writers[std::uint64_t{w.name.node} << 32U | handle.value()];
    }
    if (writers.empty() || trace_.access_begin.empty()) return;
    for (std::uint32_t t = 0; t < recorded_task_.size(); ++t)
      for (DataAccess const& access : trace_.accesses_of(TaskId{t})) {
        if (!writes(access.mode())) continue;
        auto const list = writers.find(std::uint64_t{run_.tasks[recorded_task_[t]].name.node} << 32U |
                                       access.handle().value());
        if (list != writers.end()) list->second.push_back(t);
      }
    for (Trace::WontUse const& w : trace_.wont_use) {
      auto const& list = writers[std::uint64_t{w.node.value()} << 32U | w.handle.value()];
      auto const after = std::partition_point(list.begin(), list.end(), [&](std::uint32_t t) {
        return w.submit_order > 0 && trace_.submit_order[t] > 0 ? trace_.submit_order[t] <= w.submit_order
                                                                : trace_.submit_s[t] <= w.submit_s;
      });
      if (after != list.begin()) trace_.writes_back[*std::prev(after)] = true;
    }
  }

  void copies() {
    for (StarpuRun::Copy const& c : run_.copies)
      trace_.copies.push_back({names_.memory(c.node, c.from), names_.memory(c.node, c.to), c.start_s, c.end_s,
                               Bytes{c.size}, HandleId{}});
  }

  void states() {
    for (StarpuRun::State const& s : run_.states)
      if (WorkerId const worker = names_.of_resource(s.resource); worker.valid())
        trace_.states.push_back({worker, s.name, s.start_s, s.end_s});
    trace_.state_names = std::move(run_.state_names);
  }

  StarpuRun& run_;
  Trace trace_;
  bool tells_dependencies_ = false;
  std::size_t reductions_ = 0;
  WorkerNames names_;
  HandleNames handles_;
  std::vector<std::uint32_t> recorded_task_;     // [tasks] index into run_.tasks
  std::vector<std::uint32_t> task_of_recorded_;  // [recorded tasks]
  std::vector<std::uint16_t> number_of_kernel_;  // [kernels of the run]
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> messages_to_;  // received by that task
  std::unordered_map<std::uint32_t, std::uint32_t> sender_of_;                 // sending task of each message
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;                 // (task, predecessor)
};

}  // namespace

Trace assemble(StarpuRun&& run) { return Assembly(run).assemble(); }

}  // namespace factosim
