#include "simulator/traces/programs/read_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/starvz_directory.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// A file, and for several ranks its neighbours, with its format.
struct Found {
  fs::path file;
  std::string format;
  fs::path dag{};
  std::vector<fs::path> ranks{};
};

/// Returns the first line that is neither empty nor a comment of DOT, or its beginning: a whole document may be one line.
std::string first_line(fs::path const& file) {
  LineReader lines(file);
  std::string_view line;
  do {
    if (auto const first = trimmed(lines.peek()); !first.empty() && first[0] != '#')
      return std::string(first);
  } while (lines.next(line));
  return {};
}

/// Returns whether the line begins a graph or a comment in DOT, whose keywords may have capitals.
bool begins_dot(std::string line) {
  std::ranges::transform(line, line.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(std::array{"digraph", "graph", "strict", "//", "/*"},
                             [&](char const* word) { return line.starts_with(word); });
}

/// Returns the format of JSON: of one document, or of a document on each line.
std::string json_format(std::string const& first) {
  nlohmann::json const head = nlohmann::json::parse(first, nullptr, false);
  if (!head.is_object()) return "json";
  bool const lines = head.contains("task") || head.contains("data") || head.contains("kernel") ||
                     (head.contains("format") && head["format"] == "factosim-graph");
  return lines ? "graph-jsonl" : "json";
}

std::string csv_format(std::string const& first) {
  auto const has = [&](std::string_view column) {
    std::string const padded = "," + first + ",";
    return padded.find(fmt::format(",{},", column)) != std::string::npos;
  };
  if (has("task") && has("kernel")) return "graph-csv";
  if (has("id") && has("task")) return "csv";
  return {};
}

/// Returns the name of the format that the contents have; empty if none is known.
std::string sniffed(fs::path const& file) {
  std::string const first = first_line(file);
  if (first.empty()) throw InputError(file.string() + "#", "is empty (a graph has tasks). Give another file");
  if (first.starts_with('{')) return json_format(first);
  if (begins_dot(first)) return "dot";
  if (std::ranges::all_of(first, [](char c) { return c >= '0' && c <= '9'; })) return "stg";
  std::size_t const colon = first.find(':'), comma = first.find(',');
  if (comma != std::string::npos && comma < colon) return csv_format(first);
  if (colon != std::string::npos && first.find(' ') > colon) return "starpu";
  if (first.starts_with("%rec")) return "starpu";
  return {};
}

Found in_folder(fs::path const& folder) {
  fs::path const dag = plain_or_gzipped(folder, "dag.dot");
  if (fs::path const tasks = plain_or_gzipped(folder, "tasks.rec"); !tasks.empty())
    return {tasks, "starpu", dag};
  if (fs::path const tasks = plain_or_gzipped(folder, "tasks.csv"); !tasks.empty())
    return {tasks, sniffed(tasks)};
  if (is_starvz_directory(folder)) return {folder, "starvz"};
  Found out{.file = {}, .format = "dot"};
  for (auto const& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".dot" && entry.is_regular_file()) out.ranks.push_back(entry.path());
  std::ranges::sort(out.ranks);
  if (out.ranks.empty())
    throw InputError(folder.string() + "#",
                     "holds no graph (neither tasks.rec nor tasks.csv, nor a DOT file). Name the file");
  out.file = out.ranks.front();
  return out;
}

TaskProgram read_json(fs::path const& file, std::string_view format, GraphUnits units) {
  nlohmann::json const document = parse_json_file(file);
  bool const workflow = document.is_object() && document.contains("workflow");
  bool const saga =
      document.is_object() && (document.contains("task_graph") || document.contains("dependencies"));
  if (format == "wfformat" || (format == "json" && workflow)) return read_wfformat(file, document);
  if (format == "saga" || (format == "json" && saga)) return read_saga(file, document, units);
  throw InputError(
      file.string() + "#",
      "is JSON of no known graph (WfFormat has \"workflow\", SAGA \"task_graph\", a factosim-graph one "
      "object on each line). Give another file, or \"format\"");
}

}  // namespace

std::vector<GraphFormat> const& graph_formats() {
  static std::vector<GraphFormat> const formats{
      {"graph-jsonl", "factosim's own, JSON lines"},
      {"graph-csv", "factosim's own, CSV tables"},
      {"starpu", "StarPU's tasks.rec, with or without times, and dag.dot"},
      {"starvz", "StarVZ's rec.tasks.csv and dag.csv, without times"},
      {"dot", "graphs of StarPU, PaRSEC, SimGrid, daggen and factosim"},
      {"csv", "table of a run, without its dates"},
      {"wfformat", "workflows of WfCommons, versions 1.3 to 1.5"},
      {"stg", "Standard Task Graph Set"},
      {"saga", "task graphs of SAGA and dagbench"},
  };
  return formats;
}

TaskProgram read_graph(fs::path const& path, std::string_view format, GraphUnits units) {
  std::error_code error;
  Found found = fs::is_directory(path, error) ? in_folder(path) : Found{path, std::string(format)};
  if (!format.empty()) found.format = format;
  if (found.format.empty()) found.format = sniffed(path);
  if (found.ranks.empty()) found.ranks = {found.file};
  if (found.format == "graph-jsonl") return read_graph_lines(found.file);
  if (found.format == "graph-csv") return read_graph_tables(found.file);
  if (found.format == "csv") return read_trace_table(found.file);
  if (found.format == "starpu") return read_starpu_program(found.file, found.dag);
  if (found.format == "starvz") return read_starvz_program(path);
  if (found.format == "dot") return read_dot(found.ranks, units);
  if (found.format == "stg") return read_stg(found.file, units);
  if (found.format == "json" || found.format == "wfformat" || found.format == "saga")
    return read_json(found.file, found.format, units);
  throw InputError(path.string() + "#",
                   fmt::format("is no known graph of tasks. The formats are {}; \"format\" forces one",
                               fmt::join(names_of(graph_formats()), ", ")));
}

}  // namespace factosim
