#include "simulator/trace/paje_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "simulator/core/atomic_file.hpp"

namespace factosim {

namespace {

constexpr std::string_view event_definitions = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Name string
% Type string
%EndEventDef
%EventDef PajeSetState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeStartLink 7
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 8
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
)";

/// Colours that colour-blind readers tell apart (Okabe and Ito), as Paje wants them.
constexpr std::array<std::string_view, 8> colors = {"0.84 0.37 0.00", "0.00 0.45 0.70", "0.34 0.71 0.91",
                                                    "0.00 0.62 0.45", "0.90 0.62 0.00", "0.80 0.47 0.65",
                                                    "0.94 0.89 0.26", "0.50 0.50 0.50"};

/// One line of the trace that has a date.
struct Line {
  double date;
  enum class Kind : std::uint8_t { task_ends, link_ends, task_starts, link_starts } kind;
  std::uint32_t record;
};

class PajeWriter {
 public:
  PajeWriter(std::filesystem::path const& file, TraceRecords const& records, TaskGraph const& graph)
      : out_(file), records_(records), graph_(graph) {}

  void write() {
    text(event_definitions);
    types();
    containers();
    double const end = events();
    destroy(end);
    flush(0);
    out_.commit();
  }

 private:
  static double ms(double seconds) { return seconds * 1e3; }
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
    flush(1U << 20U);
  }
  void text(std::string_view s) { buffer_.append(s.data(), s.data() + s.size()); }
  void flush(std::size_t above) {
    if (buffer_.size() <= above) return;
    out_.write({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }
  [[nodiscard]] bool between_nodes(TransferRecord const& t) const {
    return records_.memory_node_owner[t.from.index()] != records_.memory_node_owner[t.to.index()];
  }

  void types() {
    line("0 R 0 \"Root\"\n0 N R \"Node\"\n0 W N \"Worker\"\n0 M N \"Memory node\"\n");
    line("1 S W \"Worker State\"\n");
    line("2 B N M M \"Bus transfer\"\n2 L R M M \"Network transfer\"\n");
    line("3 idle S \"Idle\" \"0.95 0.95 0.95\"\n");
    for (std::size_t k = 0; k < graph_.kernels.size(); ++k)
      line("3 k{} S \"{}\" \"{}\"\n", k, graph_.kernels[k].name, colors[k % colors.size()]);
    line("3 copy B \"copy\" \"0.5 0.5 0.5\"\n3 tile L \"tile\" \"0.0 0.0 0.0\"\n");
  }

  void containers() {
    line("4 0 root R 0 \"root\"\n");
    for (std::size_t n = 0; n < records_.node_type.size(); ++n)
      line("4 0 n{} N root \"{}_{}\"\n", n, n, records_.node_type[n]);
    for (std::size_t m = 0; m < records_.memory_node_owner.size(); ++m)
      line("4 0 m{} M n{} \"{}_{}\"\n", m, records_.memory_node_owner[m].value(),
           records_.memory_node_owner[m].value(), records_.memory_node_name[m]);
    for (std::size_t w = 0; w < records_.workers.size(); ++w) {
      line("4 0 w{} W n{} \"{}_{}\"\n", w, records_.workers[w].node.value(), records_.workers[w].node.value(),
           records_.workers[w].name);
      line("6 0 S w{} idle\n", w);
    }
  }

  [[nodiscard]] std::vector<Line> dated_lines() const {
    std::vector<Line> lines;
    lines.reserve(2 * (records_.tasks.size() + records_.transfers.size()));
    for (std::uint32_t i = 0; i < records_.tasks.size(); ++i) {
      lines.push_back({records_.tasks[i].start.value, Line::Kind::task_starts, i});
      lines.push_back({records_.tasks[i].end.value, Line::Kind::task_ends, i});
    }
    for (std::uint32_t i = 0; i < records_.transfers.size(); ++i) {
      lines.push_back({records_.transfers[i].start.value, Line::Kind::link_starts, i});
      lines.push_back({records_.transfers[i].end.value, Line::Kind::link_ends, i});
    }
    // At one date, what ends comes before what starts (kernels and copies all take time).
    std::stable_sort(lines.begin(), lines.end(), [](Line const& a, Line const& b) {
      return a.date != b.date ? a.date < b.date : a.kind < b.kind;
    });
    return lines;
  }

  double events() {
    double last = 0;
    for (Line const& l : dated_lines()) {
      last = l.date;
      if (l.kind == Line::Kind::task_starts || l.kind == Line::Kind::task_ends)
        task(l);
      else
        link(l);
    }
    return last;
  }

  void task(Line const& l) {
    TaskRecord const& r = records_.tasks[l.record];
    if (l.kind == Line::Kind::task_starts)
      line("6 {:.6f} S w{} k{}\n", ms(l.date), r.worker.value(), graph_.kernel[r.task.index()]);
    else
      line("6 {:.6f} S w{} idle\n", ms(l.date), r.worker.value());
  }

  void link(Line const& l) {
    TransferRecord const& r = records_.transfers[l.record];
    bool const starts = l.kind == Line::Kind::link_starts;
    std::uint32_t const end = starts ? r.from.value() : r.to.value();
    if (between_nodes(r))
      line("{} {:.6f} L root tile m{} x{}\n", starts ? 7 : 8, ms(l.date), end, l.record);
    else
      line("{} {:.6f} B n{} copy m{} x{}\n", starts ? 7 : 8, ms(l.date),
           records_.memory_node_owner[r.from.index()].value(), end, l.record);
  }

  void destroy(double end) {
    for (std::size_t w = 0; w < records_.workers.size(); ++w) line("5 {:.6f} w{} W\n", ms(end), w);
    for (std::size_t m = 0; m < records_.memory_node_owner.size(); ++m) line("5 {:.6f} m{} M\n", ms(end), m);
    for (std::size_t n = 0; n < records_.node_type.size(); ++n) line("5 {:.6f} n{} N\n", ms(end), n);
    line("5 {:.6f} root R\n", ms(end));
  }

  AtomicFile out_;
  TraceRecords const& records_;
  TaskGraph const& graph_;
  fmt::memory_buffer buffer_;
};

}  // namespace

void write_paje(std::filesystem::path const& file, TraceRecords const& records, TaskGraph const& graph) {
  PajeWriter(file, records, graph).write();
}

}  // namespace factosim
