#include <array>

#include "factosim/error.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/os/text_file.hpp"
#include "simulator/traces/export/trace_formats.hpp"

namespace factosim {

namespace {

/// Light variants of colours that are safe for colour-blind readers.
constexpr std::array<std::string_view, 8> light_colors = {"#f4c7b0", "#b3d3e8", "#cfe8f7", "#b3dfd0",
                                                          "#f7dfb0", "#eed4e2", "#faf6c4", "#d9d9d9"};

constexpr std::size_t max_dot_tasks = 5000;  // larger graphs are unreadable

void check(Trace const& trace) {
  if (trace.predecessor_begin.empty())
    throw InputError(trace.source + "#", "has no dependencies (a graph has edges). Choose another format");
  if (trace.task_count() > max_dot_tasks)
    throw InputError(trace.source + "#", fmt::format("has {} tasks (a drawing of more than {} shows "
                                                     "nothing). Take a smaller matrix, or another format",
                                                     trace.task_count(), max_dot_tasks));
}

/// Returns text of a label, in which Graphviz knows backslashes and, as HTML, ampersands.
std::string label_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '&')
      out += "&amp;";
    else
      out += c == '\n' ? "\\n" : std::string(1, is_control(c) ? ' ' : c);
  }
  return out;
}

std::string label(Trace const& trace, std::size_t t) {
  std::string const kernel = label_text(trace.kernels[trace.kernel[t]].name);
  if (trace.indices.empty() || trace.indices[t].k < 0) return fmt::format("{} {}", kernel, t);
  TaskIndices const& i = trace.indices[t];
  if (i.m < 0 || i.n < 0) return fmt::format("{} {} (k = {})", kernel, t, i.k);
  return fmt::format("{}({}, {}, {})", kernel, i.k, i.m, i.n);
}

void write_dot(std::filesystem::path const& file, Trace const& trace) {
  check(trace);
  TextFile out(file);
  out.put_text("digraph tasks {\n  node [shape=box, style=filled];\n");
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    out.put("  t{} [label=\"{}\", fillcolor=\"{}\"];\n", t, label(trace, t),
            light_colors[trace.kernel[t] % light_colors.size()]);
  for (std::uint32_t t = 0; t < trace.task_count(); ++t)
    for (TaskId const before : trace.predecessors_of(TaskId{t})) {
      bool const message = trace.node_of(before) != trace.node_of(TaskId{t});
      out.put("  t{} -> t{}{};\n", before.value(), t, message ? " [style=dashed]" : "");
    }
  out.put_text("}\n");
  out.commit();
}

}  // namespace

/// The task graph for Graphviz: a box per task with its kernel and indices, filled by kernel, and an
/// edge per dependency; edges between cluster nodes are dashed. Throws InputError if the trace has no
/// dependencies or more than `max_dot_tasks` tasks.
TraceFormat const dot_format{"dot", "tasks.dot", false, write_dot,
                             "graph of up to 5000 tasks, for Graphviz; written"};

}  // namespace factosim
