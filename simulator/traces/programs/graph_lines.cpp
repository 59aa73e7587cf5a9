#include <fmt/format.h>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/traces/import/csv_rows.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/graph_rows.hpp"
#include "simulator/traces/programs/json_line.hpp"

namespace factosim {

namespace {

/// Reads the JSON lines of one file.
class GraphLines {
 public:
  explicit GraphLines(std::filesystem::path const& file)
      : lines_(file), builder_(file), row_(lines_, builder_) {}

  TaskProgram read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      json_.read(lines_, line);
      read_row(kind());
    }
    builder_.program().format = "graph-jsonl";
    builder_.note_modes();
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] GraphRow::Kind const& kind() const {
    for (auto const of : {GraphRow::tasks, GraphRow::data, GraphRow::kernels, GraphRow::head})
      if (json_.has(of().mark())) return of();
    for (GraphRow::Kind const& event : GraphRow::events())
      if (json_.has(event.mark())) return event;
    lines_.fail(
        "has no \"task\", \"data\", \"kernel\" or \"format\", nor \"wont_use\", \"flush\" or \"wait\" (one "
        "of "
        "them says what the line is). Add it");
  }

  void read_row(GraphRow::Kind const& kind) {
    for (JsonLine::Member const& member : json_.members()) {
      if (member.key == comment_key) continue;
      GraphRow::Field const* const field = row_.field(kind, member.key, "key");
      bool const list = member.kind == JsonLine::Kind::list, object = member.kind == JsonLine::Kind::object;
      bool const is_list = field != nullptr && field->add != nullptr;
      if (is_list && !list && field->set == nullptr)
        lines_.fail(fmt::format("has no list as \"{}\". Write it in brackets", member.key));
      if ((list && !is_list) || object != (field != nullptr && field->is_object))
        lines_.fail(fmt::format("has a list or an object as \"{}\". Give {}", member.key.substr(0, 80),
                                field != nullptr && field->is_object ? "an object" : "a text or a number"));
      if (!list) row_.set(kind, field, member.key, member.text);
      for (JsonLine::Entry const& entry : json_.entries(member)) row_.add(*field, entry.first, entry.second);
    }
    (row_.*kind.end)();
  }

  LineReader lines_;
  ProgramBuilder builder_;
  GraphRow row_;
  JsonLine json_;
};

/// Reads the rows of a table. Refuses unknown columns.
void read_table(std::filesystem::path const& file, GraphRow::Kind const& kind, ProgramBuilder& builder) {
  CsvRows table(file);
  GraphRow row(table.lines(), builder);
  std::vector<std::string> const& header = table.header();
  std::vector<GraphRow::Field const*> fields;
  for (std::string const& column : header) fields.push_back(row.field(kind, column, "column"));
  while (table.next()) {
    for (std::size_t c = 0; c < header.size(); ++c)
      if (fields[c] == nullptr || fields[c]->add == nullptr)
        row.set(kind, fields[c], header[c], table.at(c));
      else
        for_each_word(table.at(c), [&](std::string_view word) {  // "a:b", split at the last colon
          std::size_t const colon = std::min(word.rfind(':'), word.size());
          row.add(*fields[c], word.substr(0, colon), word.substr(std::min(colon + 1, word.size())));
        });
    (row.*kind.end)();
  }
}

TaskProgram read_tables(std::filesystem::path const& file) {
  ProgramBuilder builder(file);
  for (auto const& [name, kind] :
       {std::pair{"kernels.csv", &GraphRow::kernels()}, {"data.csv", &GraphRow::data()}})
    if (auto const table = plain_or_gzipped(file.parent_path(), name); !table.empty())
      read_table(table, *kind, builder);
  read_table(file, GraphRow::tasks(), builder);
  builder.program().format = "graph-csv";
  builder.note_modes();
  return std::move(builder).finish();
}

}  // namespace

/// JSON lines of our own format (scenarios/graphs.md).
GraphReader const graph_lines_program{
    .name = "graph-jsonl",
    .recognises = [](GraphSource const& s) { return s.first_line.starts_with('{') && s.document == nullptr; },
    .read = [](GraphSource const& s) { return GraphLines(s.path).read(); }};

/// CSV tables of our own format: a table of tasks; data.csv and kernels.csv beside it are read too.
GraphReader const graph_tables_program{.name = "graph-csv",
                                       .recognises =
                                           [](GraphSource const& s) {
                                             return has_columns(s.first_line, {"task", "kernel"});
                                           },
                                       .read = [](GraphSource const& s) { return read_tables(s.path); }};

}  // namespace factosim
