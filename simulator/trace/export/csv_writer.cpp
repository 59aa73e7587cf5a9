#include <cmath>

#include "simulator/analysis/table.hpp"
#include "simulator/trace/export/starpu_fields.hpp"
#include "simulator/trace/export/trace_formats.hpp"

namespace factosim {

namespace {

void put_date(TextFile& out, double seconds) {
  if (std::isnan(seconds))
    out.put_text(",");
  else
    out.put(",{}", seconds);
}

class Rows {
 public:
  Rows(TextFile& out, Trace const& trace) : out_(out), trace_(trace), fields_(trace, true) {
    for (Kernel const& k : trace.kernels) kernel_.push_back(csv_quoted(k.name));
    for (Trace::Worker const& w : trace.workers) worker_.push_back(csv_quoted(w.name));
  }

  void write(TaskId t) {
    std::size_t const i = t.index();
    WorkerId const w = trace_.worker[i];
    out_.put("{},{},{},{}", i + 1, kernel_[trace_.kernel[i]], trace_.workers[w.index()].node.value(),
             worker_[w.index()]);
    put_date(out_, trace_.submit_s[i]);
    put_date(out_, trace_.start_s[i]);
    put_date(out_, trace_.end_s[i]);
    out_.put_text(",");
    bool first = true;
    for (TaskId const p : trace_.predecessors_of(t)) {
      if (!first) out_.put_text(" ");
      out_.put("{}", p.value() + 1);
      first = false;
    }
    out_.put(",{}", fields_.priority(t));
    if (fields_.iteration(t) < 0)
      out_.put_text(",,,");
    else
      out_.put(",{},{},{}", fields_.iteration(t), trace_.indices[i].m, trace_.indices[i].n);
    out_.put(",{:x},{}\n", fields_.footprint(t), fields_.gflop(t));
  }

 private:
  TextFile& out_;
  Trace const& trace_;
  StarpuFields fields_;
  std::vector<std::string> kernel_, worker_;  // names, quoted
};

}  // namespace

void write_csv(std::filesystem::path const& file, Trace const& trace) {
  TextFile out(file);
  out.put_text(
      "id,task,node,worker,submit_s,start_s,end_s,depends_on,priority,iteration,m,n,footprint,gflop\n");
  Rows rows(out, trace);
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    if (trace.ran(TaskId{t})) rows.write(TaskId{t});
  out.commit();
}

}  // namespace factosim
