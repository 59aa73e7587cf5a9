#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace factosim {

/// The vertices and edges of a DOT file (Graphviz), subgraphs included.
struct DotText {
  using Attributes = std::map<std::string, std::string, std::less<>>;
  struct Edge {
    std::string from, to;
    Attributes attributes;
    int line = 0;
  };

  std::string file;
  std::vector<std::string> vertices;                          // in the order of their first mention
  std::map<std::string, Attributes, std::less<>> attributes;  // of vertices; merged if there are several
  std::map<std::string, int, std::less<>> line;               // of a vertex's first mention
  std::vector<Edge> edges;

  [[nodiscard]] std::string_view attribute(std::string_view vertex, std::string_view name) const;
};

/// Reads a directed graph. Throws InputError at what is no DOT: nothing is skipped but comments, ports, and attributes
/// of graphs and defaults.
[[nodiscard]] DotText read_dot_text(std::filesystem::path const& file);

/// Returns the dependencies between tasks of StarPU's dag.dot, by their ids ("12", "0_12"), each once: also those over a
/// tag or a message, which are vertices of their own.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> task_edges_of_starpu(DotText const& dot);

}  // namespace factosim
