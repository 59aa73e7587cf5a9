#include <algorithm>
#include <limits>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

/// Reads the table of tasks that `factosim.write_csv` writes, without its dates.
TaskProgram read_trace_table(std::filesystem::path const& file) {
  ProgramBuilder builder(file);
  CsvRows rows(file);
  LineReader const& at = rows.lines();
  auto const field = [&](char const* name) { return rows.at(rows.column(name)); };
  while (rows.next()) {
    ProgramTask task;
    task.line = at.line_number();
    task.id = field("id");
    task.kernel = field("task");
    if (task.id.empty() || task.kernel.empty()) at.fail("has no \"id\" or no \"task\". Give both");
    if (auto const node = field("node"); !node.empty())
      task.node = NodeId{integer(at, node, 0, max_nodes - 1, "a node")};
    auto const small = [&](char const* name, std::int64_t minimum) -> std::int32_t {
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      auto const text = field(name);
      return text.empty() ? 0 : static_cast<std::int32_t>(integer(at, text, minimum, most, name));
    };
    task.priority = small("priority", -std::int64_t{std::numeric_limits<std::int32_t>::max()});
    task.indices = {small("iteration", -1), small("m", -1), small("n", -1)};
    if (auto const gflop = field("gflop"); !gflop.empty()) task.flops = 1e9 * number(at, gflop, "gflop");
    for_each_word(field("depends_on"),
                  [&](std::string_view before) { task.after.push_back({.before = std::string(before)}); });
    for (CsvDatum const& d : data_of_row(rows)) {
      HandleId const datum = builder.datum(d.name);
      HandleInfo& info = builder.info(datum);
      info.size = Bytes{std::max<std::int64_t>(0, d.size)};
      info.m = d.m;
      info.n = d.n;
      if (d.owner >= 0) info.owner = NodeId{d.owner};
      if ((d.mode & 3U) != 0) task.accesses.emplace_back(datum, static_cast<Access>(d.mode & 3U));
    }
    builder.add_task(std::move(task));
  }
  builder.program().format = "csv";
  return std::move(builder).finish();
}

}  // namespace

/// Table of a run, without its dates.
GraphReader const csv_program{.name = "csv",
                              .recognises =
                                  [](GraphSource const& s) {
                                    return has_columns(s.first_line, {"id", "task"});
                                  },
                              .read = [](GraphSource const& s) { return read_trace_table(s.path); }};

}  // namespace factosim
