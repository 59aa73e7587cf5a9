#include <utility>

#include "simulator/traces/import/csv_rows.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/task_row.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Reads the rows of a table. Refuses unknown columns.
void read_table(fs::path const& file, GraphRows::Kind const& kind, ProgramBuilder& builder) {
  CsvRows table(file);
  GraphRows row(table.lines(), builder);
  std::vector<std::string> const& header = table.header();
  for (std::string const& column : header) row.set(kind, column, {}, "column");
  while (table.next()) {
    for (std::size_t c = 0; c < header.size(); ++c) row.set(kind, header[c], table.at(c), "column");
    (row.*kind.end)();
  }
}

TaskProgram read_tables(fs::path const& file) {
  ProgramBuilder builder(file);
  fs::path const folder = file.parent_path();
  for (auto const& [name, kind] :
       {std::pair{"kernels.csv", &GraphRows::kernels()}, {"data.csv", &GraphRows::data()}})
    if (fs::path const table = plain_or_gzipped(folder, name); !table.empty())
      read_table(table, *kind, builder);
  read_table(file, GraphRows::tasks(), builder);
  builder.program().format = "graph-csv";
  return std::move(builder).finish();
}

}  // namespace

/// CSV tables of our own format: a table of tasks; data.csv and kernels.csv beside it are read too.
GraphReader const graph_tables_program{.name = "graph-csv",
                                       .recognises =
                                           [](GraphSource const& s) {
                                             return has_columns(s.first_line, {"task", "kernel"});
                                           },
                                       .read = [](GraphSource const& s) { return read_tables(s.path); }};

}  // namespace factosim
