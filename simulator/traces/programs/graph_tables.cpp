#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simulator/traces/import/csv_rows.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/task_row.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Reads a table: each row's fields go to `set`, and `end` follows. Refuses unknown columns.
template <class Set, class End>
void read_rows(CsvRows& rows, std::vector<std::string_view> const& known, Set const& set, End const& end) {
  std::vector<std::string> const& header = rows.header();
  for (std::string const& column : header)
    if (!set(column, std::string_view{}))
      rows.lines().fail(
          fmt::format("has the column \"{}\" (not one of {}, or seconds such as cpu_s, cuda_s). Correct "
                      "or remove it",
                      column, fmt::join(known, ", ")));
  while (rows.next()) {
    for (std::size_t c = 0; c < header.size(); ++c) (void)set(header[c], rows.at(c));
    end();
  }
}

TaskProgram read_tables(fs::path const& file) {
  ProgramBuilder builder(file);
  fs::path const folder = file.parent_path();
  if (fs::path const kernels = plain_or_gzipped(folder, "kernels.csv"); !kernels.empty()) {
    CsvRows rows(kernels);
    GraphRows row(rows.lines(), builder);
    read_rows(
        rows, GraphRows::kernel_keys(), [&](auto key, auto value) { return row.set_kernel(key, value); },
        [&] { row.end_kernel(); });
  }
  if (fs::path const data = plain_or_gzipped(folder, "data.csv"); !data.empty()) {
    CsvRows rows(data);
    GraphRows row(rows.lines(), builder);
    read_rows(
        rows, GraphRows::datum_keys(), [&](auto key, auto value) { return row.set_datum(key, value); },
        [&] { row.end_datum(); });
  }
  CsvRows rows(file);
  GraphRows row(rows.lines(), builder);
  read_rows(
      rows, GraphRows::task_keys(), [&](auto key, auto value) { return row.set_task(key, value); },
      [&] { row.end_task(); });
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
