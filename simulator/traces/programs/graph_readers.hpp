#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// What a format without units means by its numbers.
struct GraphUnits {
  double seconds = 1;  // of a unit of time (STG, SAGA), or of an operation (DOT with sizes)
  double bytes = 1;    // of a unit of data (STG, SAGA, DOT)
};

/// What readers look at to tell whether a path is in their format.
struct GraphSource {
  std::filesystem::path path;                      // of a folder with tasks.rec or tasks.csv: that file
  std::filesystem::path folder;                    // that was given; empty: a file was
  std::string first_line;                          // `first_line` of a file; empty for a folder
  std::shared_ptr<nlohmann::json const> document;  // the file, if it is one JSON document; else null
  GraphUnits units;

  [[nodiscard]] bool is_folder() const { return path == folder; }
  /// Returns whether the document is an object with that key.
  [[nodiscard]] bool has(char const* key) const {
    return document != nullptr && document->is_object() && document->contains(key);
  }
};

/// A format of programs of tasks.
struct GraphReader {
  std::string_view name;
  bool (*recognises)(GraphSource const& source);
  /// Throws InputError at a damaged file.
  TaskProgram (*read)(GraphSource const& source);
  bool of_document = false;  // reads GraphSource::document
};

/// The readers, in the order in which a path is offered to them. NAME: NAME_program is defined in a file of this folder.
// clang-format off
#define FACTOSIM_GRAPH_READERS(reader) \
  reader(graph_lines)                  \
  reader(graph_tables)                 \
  reader(starpu)                       \
  reader(starvz)                       \
  reader(dot)                          \
  reader(csv)                          \
  reader(wfformat)                     \
  reader(stg)                          \
  reader(saga)
// clang-format on

#define FACTOSIM_DECLARE_READER(name) extern GraphReader const name##_program;
FACTOSIM_GRAPH_READERS(FACTOSIM_DECLARE_READER)
#undef FACTOSIM_DECLARE_READER

[[nodiscard]] std::span<GraphReader const* const> graph_readers();

/// Reads a program of tasks: a file, or a folder with tasks.rec, dag.dot, tasks.csv or a DOT file for each rank. An empty
/// format is found by the contents. Throws InputError if the file is damaged or of no known format.
[[nodiscard]] TaskProgram read_graph(std::filesystem::path const& path, std::string_view format = {},
                                     GraphUnits units = {});

}  // namespace factosim
