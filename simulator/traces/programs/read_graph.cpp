#include "simulator/traces/programs/graph_readers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "factosim/error.hpp"
#include "simulator/base/core/foreign_format.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Returns whether the format of that name is one JSON document.
bool is_json_format(std::string_view format) {
  return std::ranges::any_of(graph_readers(), [&](GraphReader const* reader) {
    return reader->of_document && reader->name == format;
  });
}

/// Returns whether a line that begins an object is a whole one of JSON lines of ours; the beginning of a document is not.
bool is_json_line(std::string const& line) {
  nlohmann::json const head = nlohmann::json::parse(line, nullptr, false);
  return head.is_object() && (head.contains("task") || head.contains("data") || head.contains("kernel") ||
                              (head.contains("format") && head["format"] == "factosim-graph"));
}

GraphSource source_at(fs::path const& path, std::string_view format, GraphUnits units) {
  GraphSource out{.path = path, .folder = {}, .first_line = {}, .document = nullptr, .units = units};
  if (std::error_code error; fs::is_directory(path, error)) {
    out.folder = path;
    for (char const* const name : {"tasks.csv", "tasks.rec"})
      if (fs::path const file = plain_or_gzipped(path, name); !file.empty()) out.path = file;
    if (out.is_folder()) return out;
  }
  if (format.empty()) {
    out.first_line = first_line(out.path, '#');
    if (out.first_line.empty())
      throw InputError(out.path.string() + "#", "is empty (a graph has tasks). Give another file");
  }
  bool const document = format.empty() ? out.first_line.starts_with('{') && !is_json_line(out.first_line)
                                       : is_json_format(format);
  if (document) out.document = std::make_shared<nlohmann::json const>(parse_json_file(out.path));
  return out;
}

GraphReader const& reader_of(GraphSource const& source, std::string_view format) {
  auto const readers = graph_readers();
  auto const found = std::ranges::find_if(readers, [&](GraphReader const* reader) {
    return format.empty() ? reader->recognises(source) : reader->name == format;
  });
  if (found != readers.end()) return **found;
  refuse_raw_trace(source.path);
  if (source.is_folder())
    throw InputError(source.path.string() + "#",
                     "holds no graph (neither tasks.rec nor tasks.csv, nor a DOT file). Name the file");
  if (source.document)
    throw InputError(source.path.string() + "#",
                     "is JSON of no known graph (WfFormat has \"workflow\", SAGA \"task_graph\", a "
                     "factosim-graph one object on each line). Give another file, or \"format\"");
  if (format.empty()) refuse_foreign_file(source.path, "a graph of tasks");
  std::vector<std::string_view> names;
  for (GraphReader const* const reader : readers) names.push_back(reader->name);
  throw InputError(source.path.string() + "#",
                   fmt::format("is no known graph of tasks. The formats are {}; \"format\" forces one",
                               fmt::join(names, ", ")));
}

}  // namespace

std::span<GraphReader const* const> graph_readers() {
#define FACTOSIM_READER(name) &name##_program,
  static constexpr std::array readers{FACTOSIM_GRAPH_READERS(FACTOSIM_READER)};
#undef FACTOSIM_READER
  return readers;
}

TaskProgram read_graph(fs::path const& path, std::string_view format, GraphUnits units) {
  GraphSource const source = source_at(path, format, units);
  return reader_of(source, format).read(source);
}

}  // namespace factosim
