#include <algorithm>
#include <cmath>
#include <memory>

#include "simulator/report/analysis/causes.hpp"
#include "simulator/traces/export/starpu_fields.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

constexpr std::string_view state_header = "Nature, ResourceId, Type, Start, End, Duration, Depth, Value";

/// Writes entities.csv: the container tree of a StarPU run with its kinds of states, links and variables.
class EntitiesText {
 public:
  EntitiesText(TextFile& out, Trace const& trace, StarpuFields const& fields)
      : out_(out), trace_(trace), fields_(fields) {}

  void write() {
    out_.put_text("Parent, Name, Type, Nature\n0, 0, 0, Container\n0, root, MPI Program, Container\n");
    kind("root", "MPI communication", "Link");
    for (std::uint32_t n = 0; n < trace_.nodes.size(); ++n) node(NodeId{n});
  }

 private:
  void container(std::string const& parent, std::string const& name, char const* type) {
    out_.put("{}, {}, {}, Container\n", parent, name, type);
  }
  void kind(std::string const& parent, char const* name, char const* nature) {
    out_.put("{0}, {1}, {1}, {2}\n", parent, name, nature);
  }

  void node(NodeId n) {
    std::string const program = fields_.prefix(n) + "program";
    container("root", program, "Program");
    kind(program, "Intra-node data Fetch", "Link");
    if (trace_.nodes.size() > 1) {
      std::string const thread = fields_.prefix(n) + "mpict";
      container(program, thread, "MPI Communication Thread");
      kind(thread, "Communication Thread State", "State");
    }
    std::string const scheduler = fields_.prefix(n) + "scheduler";
    container(program, scheduler, "Scheduler State");
    kind(scheduler, "Number of Ready Tasks", "Variable");
    kind(scheduler, "Number of Submitted Uncompleted Tasks", "Variable");
    bool any = false;
    for (std::uint32_t m = 0; m < trace_.memory_nodes.size(); ++m)
      if (trace_.memory_nodes[m].node == n) any = true, memory(program, n, MemoryNodeId{m});
    if (!any) workers(program, n, MemoryNodeId{});
  }

  void memory(std::string const& program, NodeId n, MemoryNodeId m) {
    std::string const parent = fmt::format("{}MEMNODE{}", fields_.prefix(n), fields_.memory_number(m));
    container(program, parent, "Memory Node");
    std::string const manager = fields_.memory_manager(m);
    container(parent, manager, "Memory Manager");
    kind(manager, "Memory Node State", "State");
    workers(parent, n, m);
  }

  void workers(std::string const& parent, NodeId n, MemoryNodeId m) {
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) {
      if (trace_.workers[w].node != n || trace_.workers[w].memory != m) continue;
      std::string const thread = fmt::format("{}T{}", fields_.prefix(n), fields_.worker_number(WorkerId{w}));
      std::string const& worker = fields_.worker(WorkerId{w});
      container(parent, thread, "Thread");
      container(thread, worker, "Worker");
      kind(worker, "Worker State", "State");
      kind(worker, "GFlops", "Variable");
    }
  }

  TextFile& out_;
  Trace const& trace_;
  StarpuFields const& fields_;
};

/// A change by one of a variable of a node.
struct Step {
  double date;
  std::uint32_t node;
  int by;
};

class StarvzWriter {
 public:
  StarvzWriter(std::filesystem::path const& folder, Trace const& trace)
      : folder_(folder), trace_(trace), fields_(trace, true), causes_(trace) {}

  void write() {
    std::vector<std::unique_ptr<TextFile>> files;
    auto const with = [&](char const* name, auto const& text) {
      files.push_back(std::make_unique<TextFile>(folder_ / name));
      text(*files.back());
    };
    with("entities.csv", [&](TextFile& out) { EntitiesText(out, trace_, fields_).write(); });
    with("paje.worker_state.csv.gz", [&](TextFile& out) { worker_states(out); });
    for (char const* name : {"paje.comm_state.csv.gz", "paje.memory_state.csv.gz", "paje.other_state.csv.gz"})
      // header only: traces do not contain these
      with(name, [&](TextFile& out) { out.put("{}\n", state_header); });
    with("paje.variable.csv.gz", [&](TextFile& out) { variables(out); });
    with("paje.link.csv.gz", [&](TextFile& out) { links(out); });
    with("rec.tasks.csv.gz", [&](TextFile& out) { tasks(out); });
    with("rec.data_handles.csv.gz", [&](TextFile& out) { handles(out); });
    with("dag.csv.gz", [&](TextFile& out) { dependencies(out); });
    with("platform_file.rec", [&](TextFile& out) { write_starpu_platform(out, trace_); });
    for (auto const& file : files) file->commit();
  }

 private:
  // ---- states ----

  void state_start(TextFile& out, WorkerId w, double start, double end) {
    out.put("State, {}, Worker State, {:.6f}, {:.6f}, {:.6f}, 0.000000, ", fields_.worker(w), start * ms,
            end * ms, (end - start) * ms);
  }

  void worker_states(TextFile& out) {
    out.put("{}, Size, Params, Footprint, Tag, JobId, SubmitOrder, GFlop, X, Y, Iteration, Subiteration\n",
            state_header);
    for (Trace::State const& s : trace_.states) {
      state_start(out, s.worker, s.start_s, s.end_s);
      // Writes all columns: multi-threaded CSV readers fail on short rows.
      out.put("{}, , , , , , , , , , , \n", starpu_name(trace_.state_names[s.name]));
    }
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w)
      for (TaskId const t : causes_.tasks_of(WorkerId{w})) task_state(out, t);
  }

  void task_state(TextFile& out, TaskId t) {
    std::size_t const i = t.index();
    state_start(out, trace_.worker[i], trace_.start_s[i], trace_.end_s[i]);
    out.put("{}, {}", fields_.kernel(t), bytes_of_task(trace_, t));
    fields_.put_shapes(out, t, ", ", "_");
    Trace::Handle const* const tile = written(t);
    out.put(", {:x}, {:016x}, {}, {}{}, {:.6f}, {}, {}, {}, -1\n", fields_.footprint(t), fields_.tag(t),
            fields_.job(t), fields_.prefix(fields_.node_of(t)), fields_.submit_order(t), fields_.gflop(t),
            tile != nullptr ? tile->m : -1, tile != nullptr ? tile->n : -1, fields_.iteration(t));
  }

  /// The tile that the task works on: the first one that it writes.
  [[nodiscard]] Trace::Handle const* written(TaskId t) const {
    for (DataAccess const a : trace_.accesses_of(t))
      if (writes(a.mode())) return &trace_.handles[a.handle().index()];
    return nullptr;
  }

  // ---- variables ----

  void variables(TextFile& out) {
    out.put_text("Nature, ResourceId, Type, Start, End, Duration, Value\n");
    std::vector<Step> submitted, ready;
    double end = 0;
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!causes_.ran(TaskId{t})) continue;
      std::uint32_t const node = fields_.node_of(TaskId{t}).value();
      double const is_ready = causes_.ready_s(TaskId{t});
      double const date = std::isnan(trace_.submit_s[t]) ? is_ready : trace_.submit_s[t];
      submitted.insert(submitted.end(), {{date, node, 1}, {trace_.end_s[t], node, -1}});
      ready.insert(ready.end(), {{is_ready, node, 1}, {trace_.start_s[t], node, -1}});
      end = std::max(end, trace_.end_s[t]);
    }
    levels(out, "Number of Submitted Uncompleted Tasks", submitted, end);
    levels(out, "Number of Ready Tasks", ready, end);
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) rates(out, WorkerId{w});
  }

  void variable(TextFile& out, std::string_view container, std::string_view name, double start, double end,
                double value) {
    out.put("Variable, {}, {}, {:.6f}, {:.6f}, {:.6f}, {:.6f}\n", container, name, start * ms, end * ms,
            (end - start) * ms, value);
  }

  void levels(TextFile& out, std::string_view what, std::vector<Step>& steps, double end) {
    std::stable_sort(steps.begin(), steps.end(), [](Step const& a, Step const& b) {
      return a.node != b.node ? a.node < b.node : a.date < b.date;
    });
    for (std::size_t i = 0; i < steps.size();) {
      std::uint32_t const node = steps[i].node;
      std::string const container = fields_.prefix(NodeId{node}) + "scheduler";
      double since = 0;
      int level = 0;
      for (; i < steps.size() && steps[i].node == node; ++i) {
        if (steps[i].date > since) variable(out, container, what, since, steps[i].date, level);
        since = std::max(since, steps[i].date);
        level += steps[i].by;
      }
      if (end > since) variable(out, container, what, since, end, level);
    }
  }

  void rates(TextFile& out, WorkerId w) {
    if (trace_.flops.empty()) return;
    for (TaskId const t : causes_.tasks_of(w)) {
      double const start = trace_.start_s[t.index()], end = trace_.end_s[t.index()];
      if (end > start && fields_.gflop(t) > 0)
        variable(out, fields_.worker(w), "GFlops", start, end, fields_.gflop(t) / (end - start));
    }
  }

  // ---- tasks, handles, dependencies ----

  void links(TextFile& out) {
    out.put_text("Nature, Container, Type, Start, End, Duration, Size, Origin, Dest, Key, Tag\n");
    for (std::size_t i = 0; i < trace_.messages.size(); ++i) {
      Trace::Message const& m = trace_.messages[i];
      std::int64_t const tag = m.handle.valid() ? fields_.mpi_tag(m.handle) : -1;
      out.put("Link, root, MPI communication, {:.6f}, {:.6f}, {:.6f}, {}, {}mpict, {}mpict, mpicom_{}, {}\n",
              m.start_s * ms, m.end_s * ms, (m.end_s - m.start_s) * ms, size_field(m.size),
              fields_.prefix(m.from), fields_.prefix(m.to), i, tag);
    }
    for (std::size_t i = 0; i < trace_.copies.size(); ++i) {
      Trace::Copy const& c = trace_.copies[i];
      out.put("Link, {}program, Intra-node data Fetch, {:.6f}, {:.6f}, {:.6f}, {}, {}, {}, com_{}, 0\n",
              fields_.prefix(trace_.memory_nodes[c.from.index()].node), c.start_s * ms, c.end_s * ms,
              (c.end_s - c.start_s) * ms, c.size.value, fields_.memory_manager(c.from),
              fields_.memory_manager(c.to), i);
    }
  }

  /// Empty if the size is not known.
  static std::string size_field(Bytes size) { return size.value < 0 ? "" : std::to_string(size.value); }

  static void date(TextFile& out, double seconds) {
    if (std::isnan(seconds))
      out.put_text(",");
    else
      out.put("{:.6f},", seconds * ms);
  }

  void tasks(TextFile& out) {
    out.put_text(
        "Control,JobId,SubmitOrder,SubmitTime,Handles,MPIRank,Name,Model,Priority,Tag,WorkerId,MemoryNode,"
        "StartTime,"
        "EndTime,Footprint,Parameters,Modes,Sizes,DependsOn,DepLabels,Iteration,GFlop\n");
    for (Trace::WontUse const& hint : trace_.wont_use) {
      out.put("WontUse,{},{},", hint.job, hint.submit_order);
      date(out, hint.submit_s);
      out.put("{:x},{},,,,,,,,,,,,,,,,\n", fields_.address(hint.handle), hint.node.value());
    }
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) task(out, TaskId{t});
  }

  void task(TextFile& out, TaskId t) {
    std::size_t const i = t.index();
    WorkerId const w = trace_.worker[i];
    out.put(",{},{},", fields_.job(t), fields_.submit_order(t));
    date(out, trace_.submit_s[i]);
    fields_.put_handles(out, t, "", " ");
    out.put(",{},{},{},{},{:x},", fields_.node_of(t).value(), fields_.kernel(t), fields_.kernel(t),
            fields_.priority(t), fields_.tag(t));
    if (w.valid()) out.put("{}", fields_.worker_number(w));
    out.put_text(",");
    if (w.valid() && trace_.workers[w.index()].memory.valid())
      out.put("{}", fields_.memory_number(trace_.workers[w.index()].memory));
    out.put_text(",");
    date(out, trace_.start_s[i]);
    date(out, trace_.end_s[i]);
    out.put("{:x}", fields_.footprint(t));
    fields_.put_shapes(out, t, ",", " ");
    fields_.put_modes(out, t, ",", " ");
    fields_.put_sizes(out, t, ",", " ");
    fields_.put_predecessors(out, t, ",", " ");
    out.put_text(",");
    for (std::size_t p = 0; p < trace_.predecessors_of(t).size(); ++p)
      out.put_text(p == 0 ? "task" : " task");
    out.put_text(",");
    if (fields_.iteration(t) >= 0) out.put("{}", fields_.iteration(t));
    out.put(",{:.6f}\n", fields_.gflop(t));
  }

  void handles(TextFile& out) {
    out.put_text("Handle,HomeNode,MPIRank,Size,Description,Coordinates,MPIOwner,MPITag\n");
    auto const nodes = fields_.nodes_of_handles();
    for (std::uint32_t h = 0; h < trace_.handles.size(); ++h)
      for (NodeId const node : nodes[h]) {
        Trace::Handle const& handle = trace_.handles[h];
        NodeId const owner = handle.owner.valid() ? handle.owner : NodeId{0};
        out.put("{:x},{},{},{},{},", fields_.address(HandleId{h}), node == owner ? 0 : -1, node.value(),
                size_field(handle.size), starpu_name(handle.shape));
        if (handle.m >= 0 && handle.n >= 0) out.put("{} {}", handle.m, handle.n);
        out.put(",{},{}\n", owner.value(), fields_.mpi_tag(HandleId{h}));
      }
  }

  /// A task depends on its predecessors; a message depends on its producer, and its consumer on the message.
  void dependencies(TextFile& out) {
    out.put_text("Dependent,JobId\n");
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      for (TaskId const p : trace_.predecessors_of(TaskId{t}))
        out.put("{},{}\n", fields_.job(p), fields_.job(TaskId{t}));
    for (std::size_t i = 0; i < trace_.messages.size(); ++i) {
      Trace::Message const& m = trace_.messages[i];
      if (m.producer.valid()) out.put("{},mpi_0_{}\n", fields_.job(m.producer), i);
      if (m.consumer.valid()) out.put("mpi_0_{},{}\n", i, fields_.job(m.consumer));
    }
  }

  std::filesystem::path folder_;
  Trace const& trace_;
  StarpuFields fields_;
  Causes causes_;
};

}  // namespace

void write_starvz(std::filesystem::path const& folder, Trace const& trace) {
  StarvzWriter(folder, trace).write();
}

}  // namespace factosim
