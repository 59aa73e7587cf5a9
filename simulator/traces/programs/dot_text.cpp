#include "simulator/traces/programs/dot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/plain_names.hpp"
#include "simulator/base/os/module.hpp"

namespace factosim {

namespace {

/// Throws InputError with what Graphviz reports: "Error: syntax error in line 3 near '->'".
[[noreturn]] void refuse(std::string const& file, std::string_view error) {
  auto const says = [&](std::string_view part) { return error.find(part) != std::string_view::npos; };
  std::string where = file + "#";
  std::string_view const of_line = "in line ";
  if (std::size_t const at = error.find(of_line); at != std::string_view::npos) {
    std::string_view const number = error.substr(at + of_line.size());
    where += "line " + std::string(number.substr(0, number.find_first_not_of("0123456789")));
  }
  if (says("quoted string"))
    throw InputError(where, "has a text without its closing quotation mark. Was the file cut?");
  if (says("HTML string")) throw InputError(where, "has an HTML label without its end. Was the file cut?");
  if (says("badly delimited number"))
    throw InputError(where,
                     "has a number with letters, such as an exponent (DOT takes it for two words). Write it "
                     "in quotation marks: \"1e9\"");
  if (says("memory exhausted"))
    throw InputError(where,
                     "has a chain of edges or nested graphs of more than about 3000 (Graphviz reads no "
                     "more). Write shorter chains");
  std::size_t const near = error.find("near '");
  std::string const what = near == std::string_view::npos
                               ? "its end"
                               : on_one_line(error.substr(near + 5, error.find_last_not_of('\n') - near - 4));
  throw InputError(where, fmt::format("is no DOT (there is an error at {}). Correct it; was the file cut?",
                                      what.substr(0, 60)));
}

}  // namespace

DotText read_dot_text(std::filesystem::path const& path) {
  constexpr Module graphviz{
      .file = "factosim_graphviz.so", .feature = "a graph of tasks in DOT", .packages = "libgraphviz-dev"};
  static auto const& library = *static_cast<DotLibrary const*>(load_module(graphviz));
  std::string text = read_input_text(path), file = path.string();
  for (std::size_t at = 0; (at = text.find("\\\r\n", at)) != std::string::npos;)
    text.erase(at + 1, 1);  // Graphviz continues lines without it only
  DotResult read = library.read(text);
  if (!read.error.empty()) refuse(file, read.error);
  if (!read.directed)
    throw InputError(file + "#",
                     "is an undirected graph (dependencies have a direction). Write digraph and ->");
  if (read.more)
    throw InputError(file + "#", "holds several graphs (a program of tasks is one). Write one file for each");
  if (read.text.vertices.empty())
    throw InputError(file + "#", "has no vertices (a graph of tasks has some). Was the file cut?");
  read.text.file = file;
  return std::move(read.text);
}

std::vector<DotText::Edge> task_edges(DotText const& dot, std::function<bool(std::size_t)> const& is_task) {
  std::vector<std::vector<std::size_t>> out_of(dot.vertices.size());  // edges of vertices that are no tasks
  for (std::size_t e = 0; e < dot.edges.size(); ++e)
    if (!is_task(dot.edges[e].from)) out_of[dot.edges[e].from].push_back(e);
  std::vector<DotText::Edge> out;
  for (DotText::Edge const& edge : dot.edges) {
    if (!is_task(edge.from)) continue;
    if (is_task(edge.to)) {
      out.push_back(edge);
      continue;
    }
    std::vector<std::size_t> open{edge.to};
    std::set<std::size_t> seen{edge.to};
    while (!open.empty()) {
      std::size_t const vertex = open.back();
      open.pop_back();
      for (std::size_t const e : out_of[vertex]) {
        DotText::Edge const& next = dot.edges[e];
        if (!seen.insert(next.to).second) continue;
        if (!is_task(next.to))
          open.push_back(next.to);
        else if (next.to != edge.from)
          out.push_back({edge.from, next.to, next.size});
      }
    }
  }
  return out;
}

}  // namespace factosim
