#include <cmath>
#include <memory>

#include "simulator/traces/export/starpu_fields.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

class TasksText {
 public:
  TasksText(TextFile& out, Trace const& trace, StarpuFields const& fields)
      : out_(out), trace_(trace), fields_(fields) {}

  void write() {
    for (Trace::WontUse const& hint : trace_.wont_use) hint_record(hint);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) task(TaskId{t});
  }

 private:
  void hint_record(Trace::WontUse const& hint) {
    out_.put("Control: WontUse\nJobId: {}\nSubmitOrder: {}\n", hint.job, hint.submit_order);
    date("SubmitTime", hint.submit_s);
    out_.put("Handles: {:x}\nMPIRank: {}\n\n", fields_.address(hint.handle), fields_.rank(hint.node));
  }

  void task(TaskId t) {
    out_.put("Name: {0}\nModel: {0}\nJobId: {1}\nSubmitOrder: {2}\nPriority: {3}\n", fields_.kernel(t),
             fields_.job(t), fields_.submit_order(t), fields_.priority(t));
    dependencies(t);
    out_.put("Tag: {:x}\n", fields_.tag(t));
    place_and_times(t);
    out_.put("Footprint: {:x}\n", fields_.footprint(t));
    if (fields_.gflop(t) > 0) out_.put("GFlop: {:.6f}\n", fields_.gflop(t));
    if (fields_.iteration(t) >= 0) out_.put("Iteration: {}\n", fields_.iteration(t));
    accesses(t);
    out_.put("MPIRank: {}\n\n", fields_.rank(fields_.node_of(t)));
  }

  void dependencies(TaskId t) {
    std::size_t const count = trace_.predecessors_of(t).size();
    if (count == 0) return;
    fields_.put_predecessors(out_, t, "DependsOn: ", " ");
    out_.put_text("\nDepLabels:");
    for (std::size_t i = 0; i < count; ++i) out_.put_text(" task");
    out_.put_text("\n");
  }

  void place_and_times(TaskId t) {
    WorkerId const w = trace_.worker[t.index()];
    if (w.valid()) {
      out_.put("WorkerId: {}\n", fields_.worker_number(w));
      if (MemoryNodeId const m = trace_.workers[w.index()].memory; m.valid())
        out_.put("MemoryNode: {}\n", fields_.memory_number(m));
    }
    date("SubmitTime", trace_.submit_s[t.index()]);
    date("StartTime", trace_.start_s[t.index()]);
    date("EndTime", trace_.end_s[t.index()]);
  }

  void date(std::string_view key, double seconds) {
    if (!std::isnan(seconds)) out_.put("{}: {:.6f}\n", key, seconds * ms);
  }

  void accesses(TaskId t) {
    if (trace_.accesses_of(t).empty()) return;
    fields_.put_shapes(out_, t, "Parameters: ", " ");
    fields_.put_handles(out_, t, "\nHandles: ", " ");
    fields_.put_modes(out_, t, "\nModes: ", " ");
    fields_.put_sizes(out_, t, "\nSizes: ", " ");
    out_.put_text("\n");
  }

  TextFile& out_;
  Trace const& trace_;
  StarpuFields const& fields_;
};

void write_handle(TextFile& out, Trace const& trace, StarpuFields const& fields, HandleId h, NodeId node) {
  Trace::Handle const& handle = trace.handles[h.index()];
  bool const parallel = trace.nodes.size() > 1;
  bool const home = !handle.owner.valid() || handle.owner == node;
  out.put("Handle: {:x}\nHomeNode: {}\n", fields.address(h), home ? 0 : -1);
  if (parallel) out.put("MPIRank: {}\n", node.value());
  if (handle.size.value >= 0) out.put("Size: {}\n", handle.size.value);
  if (!handle.shape.empty()) out.put("Description: {}\n", starpu_name(handle.shape));
  if (handle.m >= 0 && handle.n >= 0)
    out.put("Coordinates: {} {}\n", handle.m, handle.n);
  else if (handle.m >= 0)
    out.put("Coordinates: {}\n", handle.m);
  if (parallel && handle.owner.valid()) out.put("MPIOwner: {}\n", handle.owner.value());
  if (parallel) out.put("MPITag: {}\n", fields.mpi_tag(h));
  out.put_text("\n");
}

/// One record per node that knows the handle, as each rank of StarPU writes its own.
void write_data(TextFile& out, Trace const& trace, StarpuFields const& fields) {
  auto const nodes = fields.nodes_of_handles();
  for (std::uint32_t h = 0; h < trace.handles.size(); ++h)
    for (NodeId const node : nodes[h]) write_handle(out, trace, fields, HandleId{h}, node);
}

void write_messages(TextFile& out, Trace const& trace, StarpuFields const& fields) {
  for (Trace::Message const& m : trace.messages) {
    out.put("Src: {}\nDst: {}\n", m.from.value(), m.to.value());
    if (m.handle.valid()) out.put("Tag: {}\n", fields.mpi_tag(m.handle));
    out.put("SendTime: {:.9f}\nRecvTime: {:.9f}\n", m.start_s * ms, m.end_s * ms);
    if (m.handle.valid()) out.put("SendHandle: {0:x}\nRecvHandle: {0:x}\n", fields.address(m.handle));
    if (m.producer.valid()) out.put("SendJobId: {}\n", fields.job(m.producer));
    if (m.consumer.valid()) out.put("RecvJobId: {}\n", fields.job(m.consumer));
    if (m.size.value >= 0) out.put("Size: {}\n", m.size.value);
    out.put_text("\n");
  }
}

}  // namespace

void write_starpu(std::filesystem::path const& folder, Trace const& trace) {
  StarpuFields const fields(trace, false);
  TextFile tasks(folder / "tasks.rec");
  TasksText(tasks, trace, fields).write();
  TextFile platform(folder / "platform_file.rec");
  write_starpu_platform(platform, trace);
  std::unique_ptr<TextFile> data, messages;
  if (!trace.handles.empty()) {
    data = std::make_unique<TextFile>(folder / "data.rec");
    write_data(*data, trace, fields);
  }
  if (trace.nodes.size() > 1) {
    messages = std::make_unique<TextFile>(folder / "comms.rec");
    write_messages(*messages, trace, fields);
  }
  tasks.commit();
  platform.commit();
  if (data) data->commit();
  if (messages) messages->commit();
}

}  // namespace factosim
