#include "simulator/base/core/foreign_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "factosim/error.hpp"

namespace factosim {

namespace {

using std::string_view;

constexpr string_view digits = "0123456789";

/// The beginning of a file.
struct Head {
  string_view text;
  string_view line;  // the first one that is neither empty nor a comment

  [[nodiscard]] bool has(string_view part) const { return text.find(part) != string_view::npos; }
  [[nodiscard]] bool begins(string_view part) const { return line.starts_with(part); }
  /// Returns whether the line is a bare key with this behind it.
  [[nodiscard]] bool is_key_before(char sign) const {
    auto const end = line.find_first_of(":=\"'{[,; \t");
    auto const next = line.find_first_not_of(' ', end);
    return end != 0 && next != string_view::npos && line[next] == sign;
  }
  [[nodiscard]] bool is_numbers() const {
    return !line.empty() && line.find_first_not_of("0123456789.,-+eE \t") == string_view::npos &&
           line.find_first_of(digits) != string_view::npos;
  }
};

Head head_of(string_view text) {
  constexpr std::size_t most = 1 << 16;
  Head head{.text = text.substr(0, most), .line = {}};
  for (string_view rest = head.text; head.line.empty() && !rest.empty();) {
    auto const end = std::min(rest.find('\n'), rest.size());
    auto const begin = std::min(rest.find_first_not_of(" \t\r"), end);
    if (begin < end && rest[begin] != '#') head.line = rest.substr(begin, end - begin);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  while (head.line.ends_with(' ') || head.line.ends_with('\r')) head.line.remove_suffix(1);
  return head;
}

/// What a file is, and what to do with it; {} stands for its name.
struct Foreign {
  bool (*is)(Head const&);
  char const *what, *remedy;
};

constexpr char const* graph_remedy = "Use factosim init --graph {} -o scenario.json";
constexpr char const* run_remedy =
    "Use factosim report {} -o run.html, or name it in a scenario: \"application\": {{\"type\": \"trace\", "
    "\"file\": \"{}\"}}";

constexpr std::array<Foreign, 15> text_formats{
    {{[](Head const& h) { return h.text.starts_with("\x1f\x8b"); }, "compressed by gzip",
      "Uncompress it: gunzip --keep {}"},
     {[](Head const& h) { return h.begins("HPLinpack"); }, "HPL's input",
      "Use factosim convert {} --platform NAME -o hpl.json, then factosim run hpl.json"},
     {[](Head const& h) { return h.begins("<") && h.has("<adag"); }, "a workflow of Pegasus, in DAX",
      "Use factosim convert {} -o graph.jsonl, then factosim init --graph graph.jsonl"},
     {[](Head const& h) { return h.begins("<") && h.has("<graphml"); }, "a graph in GraphML",
      "Use Python: factosim.from_networkx(networkx.read_graphml(\"{}\"))"},
     {[](Head const& h) { return h.begins("<") && h.has("<platform"); }, "a platform of SimGrid",
      "Name it in a scenario: \"network\": {{\"simgrid_xml\": {{\"file\": \"{}\"}}}}"},
     {[](Head const& h) { return h.begins("<"); }, "XML", "Give another file"},
     {[](Head const& h) {
        return (h.begins("digraph") || h.begins("graph") || h.begins("strict")) && h.has("{");
      },
      "a graph in DOT", graph_remedy},
     {[](Head const& h) { return h.begins("{") && (h.has("\"factosim-graph\"") || h.has("{\"task\"")); },
      "a graph in JSON lines", graph_remedy},
     {[](Head const& h) { return h.begins("%EventDef"); }, "a Paje trace", run_remedy},
     {[](Head const& h) { return h.has("\nJobId:") || h.has("\nSubmitOrder:") || h.begins("%rec:"); },
      "a file of records of StarPU", run_remedy},
     {[](Head const& h) { return h.is_numbers() && h.line.find('.') != string_view::npos; },
      "a list of numbers, perhaps of the times of tasks",
      "Use factosim convert {} -o graph.jsonl, then factosim init --graph graph.jsonl"},
     {[](Head const& h) { return h.is_numbers() && h.has("\n"); },
      "a list of numbers, perhaps a graph in STG", graph_remedy},
     {[](Head const& h) {
        return h.line.find_first_of(",;\t") != string_view::npos &&
               h.line.find_first_of("{}[]:=") == string_view::npos;
      },
      "a table, in CSV",
      "Use factosim report {} -o run.html for a run (columns task, worker, start, end), or factosim init "
      "--graph {} for "
      "a "
      "graph (task, kernel, depends_on)"},
     {[](Head const& h) { return h.begins("---") || h.begins("- ") || h.is_key_before(':'); }, "YAML",
      "Make JSON of it: python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin), "
      "indent=2))' < {} > scenario.json"},
     {[](Head const& h) { return (h.begins("[") && h.has(" = ")) || h.is_key_before('='); }, "TOML",
      "Make JSON of it: python3 -c 'import json, sys, tomllib; "
      "print(json.dumps(tomllib.loads(sys.stdin.read()), indent=2))' < {} > scenario.json"}}};

/// JSON that has a key.
struct ForeignJson {
  char const *format, *key;  // of ours; of others
  char const *what, *remedy;
};

constexpr std::array<ForeignJson, 7> json_formats{
    {{"", "workflow", "a workflow of WfCommons", graph_remedy},
     {"", "task_graph", "a graph of SAGA", graph_remedy},
     {"", "traceEvents", "a trace of Chrome or Perfetto", run_remedy},
     {"factosim-scenario", "application", "a scenario", "Use factosim run {}"},
     {"factosim-sweep", "points", "a sweep", "Use factosim sweep {}"},
     {"factosim-platform", "node_types", "a platform", "Use factosim platform show {}"},
     {"factosim-result", "makespan_s", "a result", "Use factosim report {} -o run.html"}}};

/// Returns whether a regular file is binary and begins with a packet of Perfetto: the field 1 of a message. A pipe is not
/// read: its first bytes would be missing afterwards.
bool begins_with_packets(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string head(64, ' ');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.starts_with('\n') && head.find_first_of(string_view("\0\1\2\3\4\5\6\7", 8)) != head.npos;
}

[[noreturn]] void refuse(std::string const& file, string_view what, string_view expected,
                         char const* remedy) {
  throw InputError(file + "#", fmt::format("is {} ({} is read here). {}", what, expected,
                                           fmt::format(fmt::runtime(remedy), file, file)));
}

}  // namespace

void refuse_foreign(std::filesystem::path const& file, string_view text, string_view expected) {
  refuse_raw_trace(file);
  Head const head = head_of(text);
  auto const* const end = text_formats.end() - (expected == "JSON" ? 0 : 2);  // YAML and TOML become JSON
  auto const* const found =
      std::find_if(text_formats.begin(), end, [&](Foreign const& f) { return f.is(head); });
  if (found != end) refuse(file.string(), found->what, expected, found->remedy);
}

void refuse_foreign(std::string const& file, nlohmann::json const& document, string_view format) {
  std::string const expected = fmt::format("a {} file", format);
  if (document.is_array() && !document.empty() && document[0].is_object() && document[0].contains("ph"))
    refuse(file, "a trace of Chrome or Perfetto", expected, run_remedy);
  if (!document.is_object() || document.contains("format")) return;
  auto const own = std::ranges::find(json_formats, format, &ForeignJson::format);
  if (own != json_formats.end() && document.contains(own->key)) return;
  for (ForeignJson const& f : json_formats)
    if (f.format != format && document.contains(f.key)) refuse(file, f.what, expected, f.remedy);
}

std::string remedy_of_format(std::string const& file, string_view format) {
  auto const known = std::ranges::find(json_formats, format, &ForeignJson::format);
  return known == json_formats.end() || format.empty() ? "Give a file of that format"
                                                       : fmt::format(fmt::runtime(known->remedy), file);
}

void refuse_raw_trace(std::filesystem::path const& path) {
  auto const is_raw = [](std::filesystem::path const& file) {
    return file.filename().native().starts_with("prof_file_");
  };
  std::error_code error;
  auto entries = std::filesystem::directory_iterator(path, error);
  if (is_raw(path) ||
      std::any_of(begin(entries), end(entries), [&](auto const& e) { return is_raw(e.path()); }))
    throw InputError(path.string() + "#",
                     "is StarPU's raw trace (FxT, binary). Run starpu_fxt_tool -i prof_file_USER_RANK, with "
                     "one -i for each rank, and give the folder that it writes");
  if (begins_with_packets(path))
    throw InputError(
        path.string() + "#",
        fmt::format("is a trace of Perfetto in protobuf (binary). Make JSON of it with Perfetto's tools: "
                    "traceconv json {} trace.json",
                    path.string()));
}

}  // namespace factosim
