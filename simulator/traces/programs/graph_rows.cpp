#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/traces/import/csv_rows.hpp"
#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

using nlohmann::json;

constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_bytes = std::int64_t{1} << 50;

/// Splits "a:b" at the last colon; without one, the second part is empty.
std::pair<std::string_view, std::string_view> split_last(std::string_view word) {
  std::size_t const colon = std::min(word.rfind(':'), word.size());
  return {word.substr(0, colon), word.substr(std::min(colon + 1, word.size()))};
}

DataKind data_kind(LineReader const& at, std::string_view name) {
  for (DataKind const kind : {DataKind::tile, DataKind::vector, DataKind::accumulator, DataKind::scalar})
    if (name == name_of(kind)) return kind;
  at.fail(fmt::format("has the kind of datum \"{}\". Use tile, vector, accumulator or scalar",
                      name.substr(0, 40)));
}

/// One row of our own format: a task, a datum, a kernel, or the head of the file. The columns of tables and the keys of
/// JSON lines are the same (scenarios/graphs.md). What reads a field throws InputError at the reader's line.
class GraphRow {
 public:
  GraphRow(LineReader const& at, ProgramBuilder& builder) : at_(at), builder_(builder) {}

  struct Field {
    std::string_view key;
    void (*set)(GraphRow& row, std::string_view value);
    bool also_empty = false;  // an empty value counts too
  };
  /// What a row is about. The first field says so; tasks have that of kernels too.
  struct Kind {
    std::vector<Field> fields;
    WorkerSeconds& (*seconds)(GraphRow& row);  // by "cpu_s", "cuda_s" or "cuda0_s"; null: there are none
    /// Gives the row to the builder. Throws InputError if it lacks what every row has.
    void (GraphRow::*end)();
    [[nodiscard]] std::string_view mark() const { return fields.front().key; }
  };
  [[nodiscard]] static Kind const& tasks();
  [[nodiscard]] static Kind const& data();
  [[nodiscard]] static Kind const& kernels();
  [[nodiscard]] static Kind const& head();

  /// Sets a field of the row from text. Throws InputError if there is no such field; `word`: "key" or "column".
  void set(Kind const& kind, std::string_view key, std::string_view value, char const* word) {
    auto const field = std::ranges::find(kind.fields, key, &Field::key);
    key_ = key;
    if (field != kind.fields.end()) {
      if (!value.empty() || field->also_empty) field->set(*this, value);
    } else if (kind.seconds == nullptr || !set_seconds(kind.seconds(*this), key, value)) {
      at_.fail(fmt::format(
          "has the {} \"{}\" (not one of {}, or seconds such as cpu_s, cuda_s). Correct or remove it", word,
          key, fmt::join(kind.fields | std::views::transform(&Field::key), ", ")));
    }
  }

  /// Adds an access of the task, or a dependency.
  void add_access(std::string_view datum, std::string_view mode);
  void add_edge(std::string_view before, std::string_view bytes);

 private:
  using Add = void (GraphRow::*)(std::string_view first, std::string_view second);
  void add_each(std::string_view words, Add add) {
    for_each_word(words, [&](std::string_view word) {
      auto const [first, second] = split_last(word);
      (this->*add)(first, second);
    });
  }
  void end_task();
  void end_datum();
  void end_kernel();
  void end_head() {
    if (builder_.task_count() > 0) at_.fail("is the head of a file, after tasks. Put it first");
  }
  /// Sets a duration; returns false if the key is not that of one.
  [[nodiscard]] bool set_seconds(WorkerSeconds& seconds, std::string_view key, std::string_view value) const;
  [[nodiscard]] bool boolean(std::string_view value) const {
    if (value == "true" || value == "1") return true;
    if (value == "false" || value == "0") return false;
    at_.fail(fmt::format("has \"{}\" as {}. Give true or false", value.substr(0, 40), key_));
  }
  [[nodiscard]] std::int32_t small(std::string_view value, std::int64_t minimum,
                                   std::string_view what) const {
    return static_cast<std::int32_t>(integer(at_, value, minimum, max_int, what));
  }
  [[nodiscard]] std::int64_t bytes(std::string_view value) const {
    return integer(at_, value, 0, max_bytes, "a size in bytes");
  }
  [[nodiscard]] int tile_size(std::string_view value) const {
    return static_cast<int>(integer(at_, value, 1, 1'000'000, "the size of a tile"));
  }
  [[nodiscard]] Precision precision(std::string_view value) const {
    if (auto const named = precision_named(value)) return *named;
    at_.fail(fmt::format("has the precision \"{}\". Use one of {}", value.substr(0, 40),
                         fmt::join(names_of(precisions), ", ")));
  }
  [[nodiscard]] NodeId node(std::string_view value) const {
    return NodeId{integer(at_, value, 0, max_nodes - 1, "a node")};
  }
  [[nodiscard]] double operations(std::string_view value) const {
    double const flops = number(at_, value, "a number of operations");
    if (flops < 0) at_.fail("has a negative number of operations. Give 0 or more");
    return flops;
  }

  LineReader const& at_;
  ProgramBuilder& builder_;
  std::string_view key_;  // of the field that is set
  ProgramTask task_{};
  ProgramKernel kernel_{};
  std::string datum_;
  HandleInfo info_{.size = Bytes{0}, .m = -1, .n = -1};
};

using RowRef = GraphRow&;
using Text = std::string_view;

GraphRow::Kind const& GraphRow::tasks() {
  static Kind const kind{
      .fields = {{"task", [](RowRef r, Text v) { r.task_.id = v; }},
                 {"kernel", [](RowRef r, Text v) { r.task_.kernel = v; }},
                 {"accesses", [](RowRef r, Text v) { r.add_each(v, &GraphRow::add_access); }},
                 {"depends_on", [](RowRef r, Text v) { r.add_each(v, &GraphRow::add_edge); }},
                 {"priority",
                  [](RowRef r, Text v) { r.task_.priority = r.small(v, -max_int, "a priority"); }},
                 {"k", [](RowRef r, Text v) { r.task_.indices.k = r.small(v, -1, "an iteration"); }},
                 {"m", [](RowRef r, Text v) { r.task_.indices.m = r.small(v, -1, "a row of tiles"); }},
                 {"n", [](RowRef r, Text v) { r.task_.indices.n = r.small(v, -1, "a column of tiles"); }},
                 {"node", [](RowRef r, Text v) { r.task_.node = r.node(v); }},
                 {"flops", [](RowRef r, Text v) { r.task_.flops = r.operations(v); }},
                 {"phase", [](RowRef r, Text v) { r.task_.phase = v; }},
                 {"wont_use", [](RowRef r, Text v) { r.task_.writes_back = r.boolean(v); }},
                 {"flush_inputs", [](RowRef r, Text v) { r.task_.flushes_inputs = r.boolean(v); }},
                 {"barrier", [](RowRef r, Text v) { r.task_.barrier = r.boolean(v); }},
                 {"flush_cache", [](RowRef r, Text v) { r.task_.flushes_cache = r.boolean(v); }}},
      .seconds = [](RowRef r) -> WorkerSeconds& { return r.task_.seconds; },
      .end = &GraphRow::end_task};
  return kind;
}

GraphRow::Kind const& GraphRow::data() {
  static Kind const kind{
      .fields = {{"data", [](RowRef r, Text v) { r.datum_ = v; }},
                 {"bytes", [](RowRef r, Text v) { r.info_.size = Bytes{r.bytes(v)}; }},
                 {"m", [](RowRef r, Text v) { r.info_.m = r.small(v, -1, "a row of tiles"); }},
                 {"n", [](RowRef r, Text v) { r.info_.n = r.small(v, -1, "a column of tiles"); }},
                 {"owner", [](RowRef r, Text v) { r.info_.owner = r.node(v); }},
                 {"kind", [](RowRef r, Text v) { r.info_.data = data_kind(r.at_, v); }}},
      .seconds = nullptr,
      .end = &GraphRow::end_datum};
  return kind;
}

GraphRow::Kind const& GraphRow::kernels() {
  static Kind const kind{
      .fields = {{"kernel", [](RowRef r, Text v) { r.kernel_.kernel.name = v; }},
                 {"flops", [](RowRef r, Text v) { r.kernel_.kernel.flops = Flops{r.operations(v)}; }},
                 {"timing", [](RowRef r, Text v) { r.kernel_.kernel.timing = v; }},
                 {"precision", [](RowRef r, Text v) { r.kernel_.kernel.precision = r.precision(v); }},
                 {"nb", [](RowRef r, Text v) { r.kernel_.kernel.nb = r.tile_size(v); }},
                 {"memory_bound", [](RowRef r, Text v) { r.kernel_.kernel.memory_bound = r.boolean(v); }},
                 {"asynchronous_on_gpu",
                  [](RowRef r, Text v) { r.kernel_.kernel.asynchronous_on_gpu = r.boolean(v); }},
                 {"on_spare_workers",
                  [](RowRef r, Text v) { r.kernel_.kernel.on_spare_workers = r.boolean(v); }},
                 {"free", [](RowRef r, Text v) { r.kernel_.kernel.is_free = r.boolean(v); }}},
      .seconds = [](RowRef r) -> WorkerSeconds& { return r.kernel_.seconds; },
      .end = &GraphRow::end_kernel};
  return kind;
}

GraphRow::Kind const& GraphRow::head() {
  static Kind const kind{
      .fields = {{"format",
                  [](RowRef r, Text v) {
                    if (v != "factosim-graph")
                      r.at_.fail(fmt::format("has the format \"{}\". Only \"factosim-graph\" is read",
                                             v.substr(0, 40)));
                  },
                  true},
                 {"version",
                  [](RowRef r, Text v) {
                    if (v != "1")
                      r.at_.fail(fmt::format("has the version {}. Version 1 is read", v.substr(0, 40)));
                  },
                  true},
                 {"name", [](RowRef r, Text v) { r.builder_.program().name = v; }},
                 {"application", [](RowRef r, Text v) { r.builder_.program().application = v; }},
                 {"precision", [](RowRef r, Text v) { r.builder_.program().precision = r.precision(v); }},
                 {"nb", [](RowRef r, Text v) { r.builder_.program().nb = r.tile_size(v); }}},
      .seconds = nullptr,
      .end = &GraphRow::end_head};
  return kind;
}

bool GraphRow::set_seconds(WorkerSeconds& seconds, std::string_view key, std::string_view value) const {
  if (!key.ends_with("_s")) return false;
  std::string_view const worker = key.substr(0, key.size() - 2);
  bool const gpu = worker.starts_with("cuda") && worker.size() < 8 &&
                   std::ranges::all_of(worker.substr(4), [](char c) { return c >= '0' && c <= '9'; });
  if (worker != "cpu" && !gpu) return false;
  if (value.empty()) return true;
  double const s = number(at_, value, "a duration in seconds");
  if (!(s >= 0)) at_.fail(fmt::format("has the duration {} s. Give 0 or more", s));
  seconds.emplace_back(worker, s);
  return true;
}

void GraphRow::add_access(std::string_view datum, std::string_view mode) {
  if (datum.empty()) at_.fail("has an access without the name of a datum. Write DATUM:MODE");
  Access access = Access::read;
  if (mode == "W")
    access = Access::write;
  else if (mode == "RW")
    access = Access::read_write;
  else if (mode != "R")
    at_.fail(fmt::format("has an access of mode \"{}\" to {}. Use R, W or RW", mode.substr(0, 40),
                         datum.substr(0, 80)));
  task_.accesses.emplace_back(builder_.datum(datum), access);
}

void GraphRow::add_edge(std::string_view before, std::string_view size) {
  if (before.empty()) at_.fail("depends on a task without an id. Write ID or ID:BYTES");
  ProgramEdge edge{.before = std::string(before)};
  if (!size.empty()) edge.bytes = bytes(size);
  task_.after.push_back(std::move(edge));
}

void GraphRow::end_task() {
  if (task_.id.empty()) at_.fail("is a task without an id (\"task\"). Add one");
  if (task_.kernel.empty())
    at_.fail(fmt::format("has the task \"{}\" without a \"kernel\". Add it", task_.id));
  task_.line = at_.line_number();
  builder_.add_task(std::exchange(task_, {}));
}

void GraphRow::end_datum() {
  if (datum_.empty()) at_.fail("is a datum without a name (\"data\"). Add it");
  builder_.add_datum(std::exchange(datum_, {}), std::exchange(info_, {.size = Bytes{0}, .m = -1, .n = -1}),
                     at_.line_number());
}

void GraphRow::end_kernel() {
  if (kernel_.kernel.name.empty()) at_.fail("is a kernel without a name (\"kernel\"). Add it");
  if (std::ranges::any_of(kernel_.seconds, [](auto const& entry) { return entry.second == 0; }))
    at_.fail("has a kernel that lasts 0 s. Give a time above 0, or \"free\"");
  builder_.add_kernel(std::exchange(kernel_, {}), at_.line_number());
}

/// Reads the JSON lines of one file.
class GraphLines {
 public:
  explicit GraphLines(std::filesystem::path const& file)
      : lines_(file), builder_(file), row_(lines_, builder_) {}

  TaskProgram read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (trimmed(line).empty()) continue;
      json const value = parsed(line);
      if (!value.is_object()) lines_.fail("is no JSON object. Write one object on each line");
      if (keys_in(line) > value.size()) lines_.fail("has a key twice (one of them would count). Keep one");
      read_row(value, kind_of(value));
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

  [[nodiscard]] GraphRow::Kind const& kind_of(json const& value) const {
    for (auto const kind : {GraphRow::tasks, GraphRow::data, GraphRow::kernels, GraphRow::head})
      if (value.contains(kind().mark())) return kind();
    lines_.fail(
        "has no \"task\", \"data\", \"kernel\" or \"format\" (one of them says what the line is). Add it");
  }

  void read_row(json const& value, GraphRow::Kind const& kind) {
    for (auto const& [key, v] : value.items())
      if (kind.mark() == "task" && (key == "accesses" || key == "depends_on"))
        read_list(key, v);
      else if (key != comment_key)
        row_.set(kind, key.substr(0, 80), text(key, v), "key");
    (row_.*kind.end)();
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
      if (entry.is_array() && entry.size() != 2)
        lines_.fail(
            fmt::format("has an entry of {} parts in \"{}\". Write [DATUM, MODE] for an access, and ID or "
                        "[ID, BYTES] for a dependency",
                        entry.size(), key));
      std::string const first(text(key, entry.is_array() ? entry[0] : entry));
      std::string const second(entry.is_array() ? text(key, entry[1]) : std::string_view());
      if (key == "accesses")
        row_.add_access(first, second);
      else
        row_.add_edge(first, second);
    }
  }

  LineReader lines_;
  ProgramBuilder builder_;
  GraphRow row_;
  std::string buffer_;
};

/// Reads the rows of a table. Refuses unknown columns.
void read_table(std::filesystem::path const& file, GraphRow::Kind const& kind, ProgramBuilder& builder) {
  CsvRows table(file);
  GraphRow row(table.lines(), builder);
  std::vector<std::string> const& header = table.header();
  for (std::string const& column : header) row.set(kind, column, {}, "column");
  while (table.next()) {
    for (std::size_t c = 0; c < header.size(); ++c) row.set(kind, header[c], table.at(c), "column");
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
