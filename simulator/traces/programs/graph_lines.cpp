#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/task_row.hpp"

namespace factosim {

namespace {

using nlohmann::json;

/// Reads the JSON lines of one file.
class GraphLines {
 public:
  explicit GraphLines(std::filesystem::path const& file)
      : lines_(file), builder_(file), row_(lines_, builder_) {}

  TaskProgram read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      json const value = parsed(line);
      if (!value.is_object()) lines_.fail("is no JSON object. Write one object on each line");
      read_line(value);
    }
    builder_.program().format = "graph-jsonl";
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] json parsed(std::string_view line) const {
    try {
      return json::parse(line.begin(), line.end());
    } catch (json::exception const& error) {
      lines_.fail(fmt::format("is no JSON ({}). Write one object on each line", plain_text(error)));
    }
  }

  void read_line(json const& value) {
    for (GraphRows::Kind const* const kind : {&GraphRows::tasks(), &GraphRows::data(), &GraphRows::kernels()})
      if (value.contains(kind->mark)) return read_row(value, *kind);
    if (!value.contains("format"))
      lines_.fail(
          "has no \"task\", \"data\", \"kernel\" or \"format\" (one of them says what the line is). Add it");
    read_head(value);
  }

  void read_row(json const& value, GraphRows::Kind const& kind) {
    for (auto const& [key, v] : value.items())
      if (kind.mark == "task" && (key == "accesses" || key == "depends_on"))
        read_list(key, v);
      else if (key != comment_key)
        row_.set(kind, key.substr(0, 80), text(key, v), "key");
    (row_.*kind.end)();
  }

  void read_head(json const& value) {
    TaskProgram& program = builder_.program();
    if (builder_.task_count() > 0) lines_.fail("is the head of a file, after tasks. Put it first");
    static std::vector<std::string_view> const keys{"format",      "version",   "name",
                                                    "application", "precision", "nb"};
    for (auto const& [key, v] : value.items()) {
      if (key == comment_key) continue;
      std::string const t(text(key, v));
      if (key == "format" && t != "factosim-graph")
        lines_.fail(fmt::format("has the format \"{}\". Only \"factosim-graph\" is read", t.substr(0, 40)));
      if (key == "version" && t != "1")
        lines_.fail(fmt::format("has the version {}. This program reads version 1", t.substr(0, 40)));
      if (key == "name") program.name = t;
      if (key == "application") program.application = t;
      if (key == "nb") program.nb = static_cast<int>(integer(lines_, t, 1, 1'000'000, "the size of a tile"));
      if (key == "precision") program.precision = precision_named(t);
      if (key == "precision" && !program.precision)
        lines_.fail(fmt::format("has the precision \"{}\". Use one of {}", t.substr(0, 40),
                                fmt::join(names_of(precisions), ", ")));
      if (std::ranges::find(keys, key) == keys.end()) row_.refuse(key.substr(0, 80), keys, "key");
    }
  }

  /// Returns a string, a number or a boolean as the text that a table would have.
  [[nodiscard]] std::string_view text(std::string_view key, json const& value) {
    switch (value.type()) {
      case json::value_t::string:
        return value.get_ref<std::string const&>();
      case json::value_t::boolean:
      case json::value_t::number_unsigned:
      case json::value_t::number_integer:
        buffer_ = value.dump();
        return buffer_;
      case json::value_t::number_float: {
        double const number = value.get<double>();
        buffer_ = number == std::floor(number) && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                          : fmt::format("{}", number);
        return buffer_;
      }
      case json::value_t::null:
        return {};
      default:
        lines_.fail(
            fmt::format("has a list or an object as \"{}\". Give a text or a number", key.substr(0, 80)));
    }
  }

  void read_list(std::string const& key, json const& value) {
    if (!value.is_array()) lines_.fail(fmt::format("has no list as \"{}\". Write it in brackets", key));
    for (json const& entry : value) {
      std::string first, second;
      if (!entry.is_array()) {
        first = text(key, entry);
      } else if (entry.size() == 2) {
        first = text(key, entry[0]);
        second = text(key, entry[1]);
      } else {
        lines_.fail(
            fmt::format("has an entry of {} parts in \"{}\". Write [DATUM, MODE] for an access, and ID or "
                        "[ID, BYTES] for a dependency",
                        entry.size(), key));
      }
      if (key == "accesses")
        row_.add_access(first, second);
      else
        row_.add_edge(first, second);
    }
  }

  LineReader lines_;
  ProgramBuilder builder_;
  GraphRows row_;
  std::string buffer_;
};

}  // namespace

/// JSON lines of our own format (scenarios/graphs.md).
GraphReader const graph_lines_program{
    .name = "graph-jsonl",
    .recognises = [](GraphSource const& s) { return s.first_line.starts_with('{') && s.document == nullptr; },
    .read = [](GraphSource const& s) { return GraphLines(s.path).read(); }};

}  // namespace factosim
