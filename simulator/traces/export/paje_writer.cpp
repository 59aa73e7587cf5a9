#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

/// Name and fields of each event, in the order of their numbers.
constexpr std::array<std::pair<std::string_view, std::array<std::string_view, 7>>, 9> event_definitions{{
    {"PajeDefineContainerType", {"Alias", "Type", "Name"}},
    {"PajeDefineStateType", {"Alias", "Type", "Name"}},
    {"PajeDefineLinkType", {"Alias", "Type", "StartContainerType", "EndContainerType", "Name"}},
    {"PajeDefineEntityValue", {"Alias", "Type", "Name", "Color"}},
    {"PajeCreateContainer", {"Time", "Alias", "Type", "Container", "Name"}},
    {"PajeDestroyContainer", {"Time", "Name", "Type"}},
    {"PajeSetState", {"Time", "Type", "Container", "Value"}},
    {"PajeStartLink", {"Time", "Type", "Container", "Value", "StartContainer", "Key", "Size"}},
    {"PajeEndLink", {"Time", "Type", "Container", "Value", "EndContainer", "Key"}},
}};

/// Colours that are safe for colour-blind readers (Okabe and Ito), in Paje's notation.
constexpr std::array<std::string_view, 8> colors = {"0.84 0.37 0.00", "0.00 0.45 0.70", "0.34 0.71 0.91",
                                                    "0.00 0.62 0.45", "0.90 0.62 0.00", "0.80 0.47 0.65",
                                                    "0.94 0.89 0.26", "0.50 0.50 0.50"};

/// pj_dump separates fields by commas.
std::string paje_name(std::string_view name) { return name_in_line(name, "\","); }

/// The start or the end of a task or transfer.
struct Line {
  double date;
  int rank;  // among those of one date
  bool starts;
  enum class Kind : std::uint8_t { task, message, copy } kind;
  std::uint32_t record;
};

class PajeWriter {
 public:
  PajeWriter(std::filesystem::path const& file, Trace const& trace) : out_(file), trace_(trace) {}

  void write() {
    definitions();
    types();
    containers();
    double const end = events();
    destroy(end);
    out_.commit();
  }

 private:
  static double ms(double seconds) { return seconds * 1e3; }
  static std::string size_field(Bytes size) {
    return size.value < 0 ? " \"\"" : " " + std::to_string(size.value);
  }
  [[nodiscard]] std::uint32_t node_of(MemoryNodeId m) const {
    return trace_.memory_nodes[m.index()].node.value();
  }

  void definitions() {
    for (std::size_t e = 0; e < event_definitions.size(); ++e) {
      auto const& [name, fields] = event_definitions[e];
      out_.put("%EventDef {} {}\n", name, e);
      for (std::string_view const field : fields)
        if (!field.empty())
          out_.put("% {} {}\n", field, field == "Time" ? "date" : field == "Color" ? "color" : "string");
      out_.put_text("%EndEventDef\n");
    }
  }

  void types() {
    out_.put("0 R 0 \"Root\"\n0 N R \"Node\"\n0 W N \"Worker\"\n0 M N \"Memory node\"\n");
    out_.put("1 S W \"Worker State\"\n");
    out_.put("2 B N M M \"Bus transfer\"\n2 L R M M \"Network transfer\"\n");
    out_.put("3 idle S \"Idle\" \"0.95 0.95 0.95\"\n");
    for (std::size_t k = 0; k < trace_.kernels.size(); ++k)
      out_.put("3 k{} S \"{}\" \"{}\"\n", k, paje_name(trace_.kernels[k].name), colors[k % colors.size()]);
    out_.put("3 copy B \"copy\" \"0.5 0.5 0.5\"\n3 tile L \"tile\" \"0.0 0.0 0.0\"\n");
  }

  void containers() {
    out_.put("4 0 root R 0 \"root\"\n");
    for (std::size_t n = 0; n < trace_.nodes.size(); ++n)
      out_.put("4 0 n{} N root \"{}_{}\"\n", n, n,
               trace_.nodes[n].type.empty() ? "node" : paje_name(trace_.nodes[n].type));
    for (std::uint32_t m = 0; m < trace_.memory_nodes.size(); ++m)
      out_.put("4 0 m{0} M n{1} \"{1}_{2}\"\n", m, node_of(MemoryNodeId{m}),
               paje_name(trace_.memory_nodes[m].name));
    for (std::size_t w = 0; w < trace_.workers.size(); ++w) {
      out_.put("4 0 w{0} W n{1} \"{1}_{2}\"\n", w, trace_.workers[w].node.value(),
               paje_name(trace_.workers[w].name));
      out_.put("6 0 S w{} idle\n", w);
    }
  }

  /// Returns the memory node of each node's RAM: the node's first one.
  [[nodiscard]] std::vector<std::uint32_t> rams() const {
    std::vector<std::uint32_t> out(trace_.nodes.size(), 0);
    for (auto m = static_cast<std::uint32_t>(trace_.memory_nodes.size()); m-- > 0;)
      out[node_of(MemoryNodeId{m})] = m;
    return out;
  }

  [[nodiscard]] std::vector<Line> dated_lines() const {
    std::vector<Line> lines;
    lines.reserve(2 * (trace_.task_count() + trace_.messages.size() + trace_.copies.size()));
    auto const add = [&](Line::Kind kind, std::size_t record, double start, double end) {
      if (std::isnan(start) || std::isnan(end)) return;
      bool const takes_time = end > start;
      lines.push_back({start, takes_time ? 2 : 1, true, kind, static_cast<std::uint32_t>(record)});
      lines.push_back({end, takes_time ? 0 : 1, false, kind, static_cast<std::uint32_t>(record)});
    };
    for (std::size_t t = 0; t < trace_.task_count(); ++t)
      if (trace_.worker[t].valid()) add(Line::Kind::task, t, trace_.start_s[t], trace_.end_s[t]);
    for (std::size_t i = 0; i < trace_.messages.size(); ++i)
      add(Line::Kind::message, i, trace_.messages[i].start_s, trace_.messages[i].end_s);
    for (std::size_t i = 0; i < trace_.copies.size(); ++i)
      add(Line::Kind::copy, i, trace_.copies[i].start_s, trace_.copies[i].end_s);
    // At equal dates: ends, what takes no time, starts.
    std::ranges::stable_sort(lines, {}, [](Line const& l) { return std::tuple(l.date, l.rank, l.kind); });
    return lines;
  }

  double events() {
    std::vector<std::uint32_t> const ram = rams();
    double last = 0;
    for (Line const& l : dated_lines()) {
      last = l.date;
      if (l.kind == Line::Kind::task) {
        out_.put("6 {:.6f} S w{} ", ms(l.date), trace_.worker[l.record].value());
        if (l.starts)
          out_.put("k{}\n", trace_.kernel[l.record]);
        else
          out_.put_text("idle\n");
      } else if (l.kind == Line::Kind::message) {
        Trace::Message const& m = trace_.messages[l.record];
        out_.put("{} {:.6f} L root tile m{} n{}{}\n", l.starts ? 7 : 8, ms(l.date),
                 ram[(l.starts ? m.from : m.to).index()], l.record, l.starts ? size_field(m.size) : "");
      } else {
        Trace::Copy const& c = trace_.copies[l.record];
        out_.put("{} {:.6f} B n{} copy m{} c{}{}\n", l.starts ? 7 : 8, ms(l.date), node_of(c.from),
                 (l.starts ? c.from : c.to).value(), l.record, l.starts ? size_field(c.size) : "");
      }
    }
    return last;
  }

  void destroy(double end) {
    for (std::size_t w = 0; w < trace_.workers.size(); ++w) out_.put("5 {:.6f} w{} W\n", ms(end), w);
    for (std::size_t m = 0; m < trace_.memory_nodes.size(); ++m) out_.put("5 {:.6f} m{} M\n", ms(end), m);
    for (std::size_t n = 0; n < trace_.nodes.size(); ++n) out_.put("5 {:.6f} n{} N\n", ms(end), n);
    out_.put("5 {:.6f} root R\n", ms(end));
  }

  TextFile out_;
  Trace const& trace_;
};

void write_paje(std::filesystem::path const& file, Trace const& trace) { PajeWriter(file, trace).write(); }

}  // namespace

/// Paje's format (one file, sorted by time, times in ms like StarPU) that pj_dump reads
/// without warnings. Containers: root > node > workers and memory nodes; a state per kernel on each worker; a
/// link per copy inside a node (`Bus transfer`) and per message (`Network transfer`). Sorting takes 16 bytes
/// per end of a task or transfer. The file appears complete or not at all.
TraceFormat const paje_format{"paje", "trace.paje", false, write_paje,
                              "Paje, for ViTE and pj_dump; read and written"};

}  // namespace factosim
