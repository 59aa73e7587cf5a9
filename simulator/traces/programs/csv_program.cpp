#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "simulator/traces/import/csv_rows.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

/// Returns the entries of a list separated by spaces that has one for each access; throws if there are fewer or more.
void split_like(LineReader const& at, std::string_view field, std::size_t count, char const* what,
                std::vector<std::string_view>& words) {
  split_words(field, words);
  if (words.size() != count)
    at.fail(fmt::format("has {} {} for {} handles. Give one for each", words.size(), what, count));
}

/// Reads the table of tasks that `factosim.write_csv` writes, without its dates.
TaskProgram read_trace_table(std::filesystem::path const& file) {
  ProgramBuilder builder(file);
  CsvRows rows(file);
  LineReader const& at = rows.lines();
  std::vector<std::string_view> handles, modes, sizes, tiles, owners, words;
  auto const field = [&](char const* name) { return rows.at(rows.column(name)); };
  while (rows.next()) {
    ProgramTask task;
    task.line = at.line_number();
    task.id = field("id");
    task.kernel = field("task");
    if (task.id.empty() || task.kernel.empty()) at.fail("has no \"id\" or no \"task\". Give both");
    if (auto const node = field("node"); !node.empty())
      task.node = NodeId{integer(at, node, 0, max_nodes - 1, "a node")};
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    auto const small = [&](char const* name, std::int64_t minimum) -> std::int32_t {
      auto const text = field(name);
      return text.empty() ? 0 : static_cast<std::int32_t>(integer(at, text, minimum, most, name));
    };
    task.priority = small("priority", -most);
    task.indices = {small("iteration", -1), small("m", -1), small("n", -1)};
    if (auto const gflop = field("gflop"); !gflop.empty()) task.flops = 1e9 * number(at, gflop, "gflop");
    split_words(field("depends_on"), words);
    for (std::string_view const before : words) task.after.push_back({.before = std::string(before)});
    split_words(field("handles"), handles);
    if (!handles.empty()) {
      split_like(at, field("modes"), handles.size(), "modes", modes);
      split_like(at, field("sizes"), handles.size(), "sizes", sizes);
      split_words(field("tiles"), tiles);
      split_words(field("owners"), owners);
    }
    for (std::size_t i = 0; i < handles.size(); ++i) {
      std::uint32_t const datum = builder.datum(handles[i]);
      HandleInfo& info = builder.info(datum);
      info.size =
          Bytes{std::max<std::int64_t>(0, integer(at, sizes[i], -1, std::int64_t{1} << 50, "a size"))};
      if (std::size_t const slash = i < tiles.size() ? tiles[i].find('/') : std::string_view::npos;
          slash != std::string_view::npos) {
        info.m = static_cast<std::int32_t>(integer(at, tiles[i].substr(0, slash), -1, most, "a row"));
        info.n = static_cast<std::int32_t>(integer(at, tiles[i].substr(slash + 1), -1, most, "a column"));
      }
      if (i < owners.size())
        if (auto const owner = integer(at, owners[i], -1, max_nodes - 1, "a node"); owner >= 0)
          info.owner = NodeId{owner};
      int const bits = access_mode(at, modes[i]);
      if (bits != 0) task.accesses.push_back({datum, static_cast<Access>(bits)});
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
