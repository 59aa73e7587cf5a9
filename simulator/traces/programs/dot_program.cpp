#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "factosim/error.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/dot_text.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

/// Returns the kernel that a label names: "gemm" of "gemm(0, 1, 2)", "gemm 12" and "<0/0> gemm(1)".
std::string kernel_of_label(std::string_view label) {
  if (label.starts_with('<'))
    if (std::size_t const end = label.find('>'); end != std::string_view::npos) label = label.substr(end + 1);
  label = trimmed(label);
  return std::string(trimmed(label.substr(0, label.find_first_of("( \n\\"))));
}

/// Returns the tile indices of a label of ours: "gemm(k, m, n)".
TaskIndices indices_of_label(std::string_view label) {
  TaskIndices out{};
  std::size_t const open = label.find('('), close = label.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return out;
  std::string_view rest = label.substr(open + 1, close - open - 1);
  std::vector<std::int32_t> numbers;
  while (!rest.empty() && numbers.size() < 4) {
    std::size_t const comma = rest.find(',');
    std::string_view const word = trimmed(rest.substr(0, comma));
    auto const number = parsed<std::int32_t>(word);
    if (!number) return out;
    numbers.push_back(*number);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (numbers.size() == 3) out = {numbers[0], numbers[1], numbers[2]};
  return out;
}

/// Returns whether a label is one of PaRSEC: "<0/0> potrf(0)".
bool is_label_of_parsec(std::string_view label) {
  std::size_t const end = label.find('>');
  return label.starts_with('<') && end != std::string_view::npos &&
         label.substr(1, end - 1).find_first_not_of("0123456789/") == std::string_view::npos;
}

/// The program whose graph a file holds.
enum class Maker { starpu, parsec, other };

Maker maker_of(DotText const& dot) {
  auto const any = [&](auto const& is) { return std::ranges::any_of(dot.vertices, is); };
  using Vertex = DotText::Vertex;
  if (any([](Vertex const& v) { return is_label_of_parsec(v.label); })) return Maker::parsec;
  bool const tasks = any([](Vertex const& v) { return v.name.starts_with("task_"); });
  return tasks && !any([](Vertex const& v) { return !v.size.empty(); }) ? Maker::starpu : Maker::other;
}

/// Makes a program of the vertices and edges of DOT files.
class DotProgram {
 public:
  DotProgram(std::filesystem::path const& file, GraphUnits units) : builder_(file), units_(units) {}

  TaskProgram read(std::vector<std::filesystem::path> const& files) && {
    for (std::size_t f = 0; f < files.size(); ++f)
      add(read_dot_text(files[f]), files.size() > 1 ? NodeId{f} : NodeId{});
    for (auto const& [key, bytes] : edges_) {
      ProgramEdge edge{.before = key.first};
      if (bytes > 0) edge.bytes = static_cast<std::int64_t>(std::llround(bytes));
      builder_.find_task(key.second)->after.push_back(std::move(edge));
    }
    if (has_sizes_)
      builder_.note(0, fmt::format("sizes of vertices are operations, {} s each on a core (\"time_unit_s\"); "
                                   "sizes of edges are bytes, times {} (\"data_unit_bytes\")",
                                   units_.seconds, units_.bytes));
    builder_.program().format = "dot";
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] static double number(DotText const& dot, std::string_view text, std::string const& of) {
    auto const value = parsed<double>(text);
    if (!value || !std::isfinite(*value))
      throw InputError(dot.file + "#",
                       fmt::format("has the size \"{}\" at {}. Give a number", text.substr(0, 40), of));
    return *value;
  }

  void add(DotText const& dot, NodeId rank) {
    Maker const maker = maker_of(dot);
    auto const is_task = [&](std::size_t v) {
      DotText::Vertex const& vertex = dot.vertices[v];
      if (maker == Maker::starpu) return vertex.name.starts_with("task_");
      return maker != Maker::parsec || vertex.shape != "circle";  // data of PaRSEC
    };
    auto const id = [&](std::size_t v) {
      return maker == Maker::starpu ? task_id_of_starpu(dot.vertices[v].name) : dot.vertices[v].name;
    };
    for (std::size_t v = 0; v < dot.vertices.size(); ++v)
      if (is_task(v)) add_vertex(dot, dot.vertices[v], id(v), rank);
    for (DotText::Edge const& edge : task_edges(dot, is_task)) {
      double& known = edges_.try_emplace({id(edge.from), id(edge.to)}, 0.0).first->second;
      if (!edge.size.empty()) known = std::max(known, bytes_of(dot, edge));
    }
  }

  [[nodiscard]] double bytes_of(DotText const& dot, DotText::Edge const& edge) const {
    std::string const name =
        fmt::format("the edge \"{}\" -> \"{}\"", dot.vertices[edge.from].name, dot.vertices[edge.to].name);
    double const bytes = std::max(0.0, number(dot, edge.size, name)) * units_.bytes;
    if (bytes > 1e15)
      throw InputError(dot.file + "#", fmt::format("has {} bytes at {}. Give 10^15 at most", bytes, name));
    return bytes;
  }

  void add_vertex(DotText const& dot, DotText::Vertex const& vertex, std::string const& id, NodeId rank) {
    bool const described = !vertex.label.empty() || !vertex.size.empty() || !vertex.kernel.empty();
    if (ProgramTask* const known = builder_.find_task(id)) {  // of another rank's file
      if (described && !known->node.valid()) known->node = rank;
      if (described && known->kernel == "task") name(*known, vertex);
      return;
    }
    ProgramTask task{.id = id, .kernel = "task"};
    if (described) task.node = rank;
    name(task, vertex);
    if (!vertex.size.empty()) {
      has_sizes_ = true;
      task.flops = std::max(0.0, number(dot, vertex.size, fmt::format("the vertex \"{}\"", vertex.name)));
      task.seconds = {{"cpu", task.flops * units_.seconds}, {"cuda", task.flops * units_.seconds}};
    } else if (vertex.name == "root" || vertex.name == "end") {  // SimGrid adds them where a file does not
      task.seconds = {{"cpu", 0.0}};
    }
    builder_.add_task(std::move(task));
  }

  static void name(ProgramTask& task, DotText::Vertex const& vertex) {
    std::string kernel = vertex.kernel.empty() ? kernel_of_label(vertex.label) : vertex.kernel;
    if (!kernel.empty()) task.kernel = std::move(kernel);
    task.indices = indices_of_label(vertex.label);
  }

  ProgramBuilder builder_;
  GraphUnits units_;
  std::map<std::pair<std::string, std::string>, double> edges_;  // with their bytes
  bool has_sizes_ = false;
};

/// Returns the file, or the DOT files of a folder, one for each rank.
std::vector<std::filesystem::path> files_of(GraphSource const& source) {
  if (!source.is_folder()) return {source.path};
  std::vector<std::filesystem::path> out;
  for (auto const& entry : std::filesystem::directory_iterator(source.path))
    if (entry.path().extension() == ".dot" && entry.is_regular_file()) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

/// Returns whether the line begins a graph or a comment in DOT, whose keywords may have capitals.
bool begins_dot(std::string line) {
  std::ranges::transform(line, line.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(std::array{"digraph", "graph", "strict", "//", "/*"},
                             [&](char const* word) { return line.starts_with(word); });
}

bool is_dot(GraphSource const& source) {
  return source.is_folder() ? !files_of(source).empty() : begins_dot(source.first_line);
}

TaskProgram read_dot(GraphSource const& source) {
  auto const files = files_of(source);
  return DotProgram(files.size() == 1 ? files.front() : source.path, source.units).read(files);
}

}  // namespace

/// DOT of StarPU (dag.dot), PaRSEC (a file for each rank), factosim, and with sizes as SimGrid's and daggen's.
GraphReader const dot_program{.name = "dot", .recognises = is_dot, .read = read_dot};

}  // namespace factosim
