#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "factosim/error.hpp"
#include "simulator/traces/programs/dot_text.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

std::string_view without_blanks(std::string_view text) {
  std::size_t const first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Returns the kernel that a label names: "gemm" of "gemm(0, 1, 2)", "gemm 12" and "<0/0> gemm(1)".
std::string kernel_of_label(std::string_view label) {
  if (label.starts_with('<'))
    if (std::size_t const end = label.find('>'); end != std::string_view::npos) label = label.substr(end + 1);
  label = without_blanks(label);
  return std::string(without_blanks(label.substr(0, label.find_first_of("( \n\\"))));
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
    std::string_view const word = without_blanks(rest.substr(0, comma));
    std::int32_t number{};
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return out;
    numbers.push_back(number);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (numbers.size() == 3) out = {numbers[0], numbers[1], numbers[2]};
  return out;
}

/// Makes a program of the vertices and edges of DOT files.
class DotProgram {
 public:
  DotProgram(std::filesystem::path const& file, GraphUnits units) : builder_(file), units_(units) {}

  TaskProgram read(std::vector<std::filesystem::path> const& files) && {
    for (std::size_t f = 0; f < files.size(); ++f) {
      DotText const dot = read_dot_text(files[f]);
      bool const starpu =
          std::ranges::any_of(dot.vertices, [](auto const& v) { return v.starts_with("task_"); }) &&
          !std::ranges::any_of(dot.attributes, [](auto const& v) { return v.second.contains("size"); });
      add(dot, starpu, files.size() > 1 ? NodeId{f} : NodeId{});
    }
    for (auto const& [key, bytes] : edges_) {
      ProgramEdge edge{.before = key.first};
      if (bytes > 0) edge.bytes = static_cast<std::int64_t>(std::llround(bytes));
      builder_.find_task(key.second)->after.push_back(std::move(edge));
    }
    if (has_sizes_)
      builder_.note(
          0, fmt::format("sizes of vertices are operations, {} s each on a core (\"time_unit_s\"); sizes of "
                         "edges are bytes, times {} (\"data_unit_bytes\")",
                         units_.seconds, units_.bytes));
    builder_.program().format = "dot";
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] double size_of(DotText const& dot, std::string_view text, int line) const {
    double value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
      throw InputError(fmt::format("{}#line {}", dot.file, line),
                       fmt::format("has the size \"{}\". Give a number", text.substr(0, 40)));
    return value;
  }

  void add(DotText const& dot, bool starpu, NodeId rank) {
    std::set<std::string> known(dot.vertices.begin(), dot.vertices.end());
    for (std::string const& vertex : dot.vertices) {
      if (starpu && !vertex.starts_with("task_")) continue;
      std::string const id = starpu ? vertex.substr(5) : vertex;
      if (!starpu && dot.attribute(vertex, "shape") == "circle") continue;  // data of PaRSEC
      add_vertex(dot, vertex, id, rank);
    }
    if (starpu) {
      for (auto const& edge : task_edges_of_starpu(dot)) edges_.try_emplace(edge, 0.0);
      return;
    }
    for (DotText::Edge const& edge : dot.edges) {
      if (builder_.find_task(edge.from) == nullptr || builder_.find_task(edge.to) == nullptr) continue;
      double bytes = 0;
      if (auto const size = edge.attributes.find("size"); size != edge.attributes.end())
        bytes = std::max(0.0, size_of(dot, size->second, edge.line)) * units_.bytes;
      if (bytes > 1e15)
        throw InputError(fmt::format("{}#line {}", dot.file, edge.line),
                         fmt::format("has an edge of {} bytes. Give 10^15 at most", bytes));
      double& known_bytes = edges_.try_emplace({edge.from, edge.to}, 0.0).first->second;
      known_bytes = std::max(known_bytes, bytes);
    }
  }

  void add_vertex(DotText const& dot, std::string const& vertex, std::string const& id, NodeId rank) {
    auto const attributes = dot.attributes.find(vertex);
    bool const described = attributes != dot.attributes.end();
    if (ProgramTask* const known = builder_.find_task(id)) {  // of another rank's file
      if (described && !known->node.valid()) known->node = rank;
      if (described && known->kernel == "task") name(*known, dot, vertex);
      return;
    }
    int const line = dot.line.find(vertex)->second;
    ProgramTask task{.id = id, .kernel = "task", .line = line};
    if (described) task.node = rank;
    name(task, dot, vertex);
    if (std::string_view const size = dot.attribute(vertex, "size"); !size.empty()) {
      has_sizes_ = true;
      task.flops = std::max(0.0, size_of(dot, size, line));
      task.seconds = {{"cpu", task.flops * units_.seconds}, {"cuda", task.flops * units_.seconds}};
    } else if (vertex == "root" || vertex == "end") {  // SimGrid adds them where a file does not
      task.seconds = {{"cpu", 0.0}};
    }
    builder_.add_task(std::move(task));
  }

  static void name(ProgramTask& task, DotText const& dot, std::string const& vertex) {
    std::string_view const label = dot.attribute(vertex, "label");
    if (std::string kernel = kernel_of_label(label); !kernel.empty()) task.kernel = std::move(kernel);
    task.indices = indices_of_label(label);
  }

  ProgramBuilder builder_;
  GraphUnits units_;
  std::map<std::pair<std::string, std::string>, double> edges_;  // with their bytes
  bool has_sizes_ = false;
};

}  // namespace

TaskProgram read_dot(std::vector<std::filesystem::path> const& files, GraphUnits units) {
  return DotProgram(files.size() == 1 ? files.front() : files.front().parent_path(), units).read(files);
}

}  // namespace factosim
