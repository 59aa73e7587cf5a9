#include <algorithm>
#include <cmath>
#include <utility>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/report/analysis/table.hpp"
#include "simulator/traces/export/starpu_fields.hpp"
#include "simulator/traces/export/trace_formats.hpp"

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
    for (Kernel const& k : trace.kernels) kernel_.push_back(csv_quoted(name_in_line(k.name)));
    for (Trace::Worker const& w : trace.workers) worker_.push_back(csv_quoted(name_in_line(w.name)));
    assign_messages();
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
    out_.put(",{:x},{}", fields_.footprint(t), fields_.gflop(t));
    data(t);
    messages(t);
    out_.put_text("\n");
  }

 private:
  /// Lists with one entry for each access.
  void data(TaskId t) {
    auto const list = [&](auto const& put) {
      char const* before = ",";
      for (DataAccess const access : trace_.accesses_of(t)) {
        out_.put_text(before);
        put(access, trace_.handles[access.handle().index()]);
        before = " ";
      }
      if (trace_.accesses_of(t).empty()) out_.put_text(",");
    };
    using Handle = Trace::Handle;
    list([&](DataAccess a, Handle const&) { out_.put("{}", a.handle().value() + 1); });
    list([&](DataAccess a, Handle const&) { out_.put_text(starpu_mode(a.mode())); });
    list([&](DataAccess, Handle const& h) { out_.put("{}", h.size.value); });
    list([&](DataAccess, Handle const& h) { out_.put("{}/{}", h.m, h.n); });
    list([&](DataAccess, Handle const& h) { out_.put("{}", number(h.owner)); });
  }

  /// The messages that the row of the task holds.
  void messages(TaskId t) {
    char const* before = ",";
    for (; next_ < by_row_.size() && by_row_[next_].first == t; ++next_, before = " ") {
      Trace::Message const& m = trace_.messages[by_row_[next_].second];
      out_.put("{}{}:{}:{}:{}:{}:{}:{}:{}", before, m.from.value(), m.to.value(), m.start_s, m.end_s,
               m.size.value, id(m.handle), id(m.producer), id(m.consumer));
    }
    if (before[0] == ',') out_.put_text(",");
  }

  [[nodiscard]] bool has_row(TaskId t) const { return t.valid() && trace_.ran(t); }

  /// A message is in the row of the task that sends it; else of the one that reads it; else in the first row.
  void assign_messages() {
    auto const row = [&](Trace::Message const& m) {
      return has_row(m.producer) ? m.producer : has_row(m.consumer) ? m.consumer : TaskId{};
    };
    TaskId first{0};
    while (first.index() < trace_.task_count() && !trace_.ran(first)) first = TaskId{first.value() + 1};
    for (std::uint32_t m = 0; m < trace_.messages.size(); ++m) {
      TaskId const at = row(trace_.messages[m]);
      by_row_.emplace_back(at.valid() ? at : first, m);
    }
    std::sort(by_row_.begin(), by_row_.end());
  }

  static std::int64_t number(NodeId node) { return node.valid() ? std::int64_t{node.value()} : -1; }
  /// Number in the table; 0: none.
  template <class Id>
  static std::uint64_t id(Id of) {
    return of.valid() ? of.value() + std::uint64_t{1} : 0;
  }

  TextFile& out_;
  Trace const& trace_;
  StarpuFields fields_;
  std::vector<std::string> kernel_, worker_;              // names, quoted
  std::vector<std::pair<TaskId, std::uint32_t>> by_row_;  // messages by the task whose row holds them
  std::size_t next_ = 0;                                  // into by_row_
};

}  // namespace

void write_csv(std::filesystem::path const& file, Trace const& trace) {
  TextFile out(file);
  out.put_text(
      "id,task,node,worker,submit_s,start_s,end_s,depends_on,priority,iteration,m,n,footprint,gflop,handles,"
      "modes,sizes,tiles,owners,messages\n");
  Rows rows(out, trace);
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    if (trace.ran(TaskId{t})) rows.write(TaskId{t});
  out.commit();
}

}  // namespace factosim
