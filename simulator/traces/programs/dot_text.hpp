#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace factosim {

/// The vertices and edges of a DOT file (Graphviz), subgraphs included, with the attributes that graphs of tasks have. An
/// attribute is empty where the file gives none.
struct DotText {
  struct Vertex {
    std::string name;
    std::string label, size, shape, kernel;  // a label that is HTML counts as none
  };
  struct Edge {
    std::size_t from, to;  // index of the vertices
    std::string size;
  };

  std::string file;
  std::vector<Vertex> vertices;  // in the order of their first mention
  std::vector<Edge> edges;       // by their first vertex, then as in the file
};

/// What Graphviz makes of a text.
struct DotResult {
  DotText text;
  bool directed = true, more = false;  // `more`: another graph follows
  std::string error;                   // Graphviz's own message; empty: none
};

/// Graphviz's reader of DOT (libcgraph), a module.
class DotLibrary {
 public:
  virtual ~DotLibrary() = default;
  [[nodiscard]] virtual DotResult read(std::string const& text) const = 0;
};

/// Reads a directed graph. Throws InputError at what is no DOT.
[[nodiscard]] DotText read_dot_text(std::filesystem::path const& file);

/// Returns the id of a task of StarPU's dag.dot ("12", "0_12") by the name of its vertex, which begins with "task_".
[[nodiscard]] inline std::string task_id_of_starpu(std::string const& vertex) { return vertex.substr(5); }

/// Returns the edges between tasks, by the indices of their vertices. Where a path leads through vertices that are no tasks
/// (tags and messages of StarPU), one edge from its first task to its last, with the attributes of its last edge.
[[nodiscard]] std::vector<DotText::Edge> task_edges(DotText const& dot,
                                                    std::function<bool(std::size_t)> const& is_task);

}  // namespace factosim
