#include "simulator/traces/programs/graph_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <ranges>

#include "simulator/base/core/named_values.hpp"
#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_bytes = std::int64_t{1} << 50;
struct AccessName {
  std::string_view name;
  std::uint8_t mode;
};
constexpr std::array<AccessName, 7> access_names{{{"R", 1},
                                                  {"W", 2},
                                                  {"RW", 3},
                                                  {"WC", 2 | commutes},
                                                  {"RWC", 3 | commutes},
                                                  {"X", 3 | reduces},
                                                  {"S", scratch_access}}};
constexpr std::array device_names{"cpu", "cuda", "hip", "opencl", "max_fpga", "mpi_ms", "tcpip_ms"};

DataKind data_kind(LineReader const& at, std::string_view name) {
  for (DataKind const kind :
       {DataKind::tile, DataKind::vector, DataKind::accumulator, DataKind::scalar, DataKind::scratch})
    if (name == name_of(kind)) return kind;
  at.fail(fmt::format("has the kind of datum \"{}\". Use tile, vector, accumulator, scalar or scratch",
                      name.substr(0, 40)));
}

std::int32_t small(LineReader const& at, std::string_view value, std::int64_t minimum,
                   std::string_view what) {
  return static_cast<std::int32_t>(integer(at, value, minimum, max_int, what));
}
std::int64_t bytes(LineReader const& at, std::string_view value) {
  return integer(at, value, 0, max_bytes, "a size in bytes");
}
int tile_size(LineReader const& at, std::string_view value) {
  return static_cast<int>(integer(at, value, 1, 1'000'000, "the size of a tile"));
}
Precision precision(LineReader const& at, std::string_view value) {
  if (auto const named = precision_named(value)) return *named;
  at.fail(fmt::format("has the precision \"{}\". Use one of {}", value.substr(0, 40),
                      fmt::join(names_of(precisions), ", ")));
}
NodeId node(LineReader const& at, std::string_view value) {
  return NodeId{integer(at, value, 0, max_nodes - 1, "a node")};
}
double operations(LineReader const& at, std::string_view value) {
  double const flops = number(at, value, "a number of operations");
  if (flops < 0) at.fail("has a negative number of operations. Give 0 or more");
  return flops;
}
std::uint32_t footprint(LineReader const& at, std::string_view value) {
  std::uint32_t out = 0;
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), out, 16);
  if (error != std::errc{} || end != value.data() + value.size() || value.size() != 8)
    at.fail(fmt::format("has the footprint \"{}\" (StarPU writes 8 hexadecimal digits). Give those",
                        value.substr(0, 40)));
  return out;
}

}  // namespace

using RowRef = GraphRow&;
using Text = std::string_view;

GraphRow::Kind const& GraphRow::tasks() {
  static Kind const kind{
      .fields =
          {{"task", [](RowRef r, Text v) { r.task_.id = v; }},
           {"kernel", [](RowRef r, Text v) { r.task_.kernel = v; }},
           {"accesses", nullptr, [](RowRef r, Text a, Text b) { r.add_access(a, b); }, false, false, true},
           {"depends_on", nullptr, [](RowRef r, Text a, Text b) { r.add_edge(a, b); }, false, false, true},
           {"priority", [](RowRef r, Text v) { r.task_.priority = small(r.at_, v, -max_int, "a priority"); }},
           {"k", [](RowRef r, Text v) { r.task_.indices.k = small(r.at_, v, -1, "an iteration"); }},
           {"m", [](RowRef r, Text v) { r.task_.indices.m = small(r.at_, v, -1, "a row of tiles"); }},
           {"n", [](RowRef r, Text v) { r.task_.indices.n = small(r.at_, v, -1, "a column of tiles"); }},
           {"node", [](RowRef r, Text v) { r.task_.node = node(r.at_, v); }},
           {"flops", [](RowRef r, Text v) { r.task_.flops = operations(r.at_, v); }},
           {"phase", [](RowRef r, Text v) { r.task_.phase = v; }},
           {"wont_use", [](RowRef r, Text v) { r.task_.writes_back = r.boolean(v); }},
           {"flush_inputs", [](RowRef r, Text v) { r.task_.flushes_inputs = r.boolean(v); }},
           {"barrier", [](RowRef r, Text v) { r.task_.barrier = r.boolean(v); }},
           {"flush_cache", [](RowRef r, Text v) { r.task_.flushes_cache = r.boolean(v); }},
           {"ordered", [](RowRef r, Text v) { r.task_.ordered = r.boolean(v); }},
           {"submitted_by", [](RowRef r, Text v) { r.add_edge(v, {}); }},
           {"workers", nullptr,
            [](RowRef r, Text v, Text /*unused*/) {
              (void)small(r.at_, v, 0, "a worker");
              r.task_.is_restricted = true;
            }}},
      .seconds = [](RowRef r) -> WorkerSeconds& { return r.task_.seconds; },
      .fields_of_1 = 15,
      .end = &GraphRow::end_task};
  return kind;
}

GraphRow::Kind const& GraphRow::data() {
  static Kind const kind{
      .fields = {{"data", [](RowRef r, Text v) { r.datum_ = v; }},
                 {"bytes", [](RowRef r, Text v) { r.info_.size = Bytes{bytes(r.at_, v)}; }},
                 {"m", [](RowRef r, Text v) { r.info_.m = small(r.at_, v, -1, "a row of tiles"); }},
                 {"n", [](RowRef r, Text v) { r.info_.n = small(r.at_, v, -1, "a column of tiles"); }},
                 {"owner", [](RowRef r, Text v) { r.info_.owner = node(r.at_, v); }},
                 {"kind", [](RowRef r, Text v) { r.info_.data = data_kind(r.at_, v); }},
                 {"ordered", [](RowRef r, Text v) { r.is_ordered_ = r.boolean(v); }},
                 {"parent", [](RowRef r, Text v) { r.parent_ = v; }}},
      .seconds = nullptr,
      .fields_of_1 = 6,
      .end = &GraphRow::end_datum};
  return kind;
}

GraphRow::Kind const& GraphRow::kernels() {
  static Kind const kind{
      .fields = {{"kernel", [](RowRef r, Text v) { r.kernel_.kernel.name = v; }},
                 {"flops", [](RowRef r, Text v) { r.kernel_.kernel.flops = Flops{operations(r.at_, v)}; }},
                 {"timing", [](RowRef r, Text v) { r.kernel_.kernel.timing = v; }},
                 {"precision", [](RowRef r, Text v) { r.kernel_.kernel.precision = precision(r.at_, v); }},
                 {"nb", [](RowRef r, Text v) { r.kernel_.kernel.nb = tile_size(r.at_, v); }},
                 {"memory_bound", [](RowRef r, Text v) { r.kernel_.kernel.memory_bound = r.boolean(v); }},
                 {"asynchronous_on_gpu",
                  [](RowRef r, Text v) { r.kernel_.kernel.asynchronous_on_gpu = r.boolean(v); }},
                 {"on_spare_workers",
                  [](RowRef r, Text v) { r.kernel_.kernel.on_spare_workers = r.boolean(v); }},
                 {"free", [](RowRef r, Text v) { r.kernel_.kernel.is_free = r.boolean(v); }},
                 {"symbol", [](RowRef r, Text v) { r.kernel_.recorded.symbol = v; }},
                 {"footprint", [](RowRef r, Text v) { r.kernel_.recorded.footprint = footprint(r.at_, v); }},
                 {"codelet", [](RowRef r, Text v) { r.kernel_.recorded.codelet = v; }},
                 {"size", [](RowRef r, Text v) { r.kernel_.recorded.size = Bytes{bytes(r.at_, v)}; }},
                 {"devices", nullptr,
                  [](RowRef r, Text v, Text /*unused*/) {
                    if (std::ranges::find(device_names, v) == device_names.end())
                      r.at_.fail(fmt::format("has the device \"{}\". Use {}", v.substr(0, 40),
                                             fmt::join(device_names, ", ")));
                    r.kernel_.recorded.devices.emplace_back(v);
                  }},
                 {"deviation_s",
                  [](RowRef r, Text v) {
                    r.kernel_.recorded.deviation_s = date_s(r.at_, v, 1, "a deviation");
                    if (r.kernel_.recorded.deviation_s < 0)
                      r.at_.fail("has a negative deviation. Give 0 or more");
                  }},
                 {"samples",
                  [](RowRef r, Text v) { r.kernel_.recorded.samples = small(r.at_, v, 1, "samples"); }}},
      .seconds = [](RowRef r) -> WorkerSeconds& { return r.kernel_.seconds; },
      .fields_of_1 = 9,
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
                  nullptr, true},
                 {"version",
                  [](RowRef r, Text v) {
                    if (v != "1" && v != "2")
                      r.at_.fail(
                          fmt::format("has the version {}. Versions 1 and 2 are read", v.substr(0, 40)));
                    r.builder_.program().recorded.is_there = v == "2";
                  },
                  nullptr, true},
                 {"name", [](RowRef r, Text v) { r.builder_.program().name = v; }},
                 {"application", [](RowRef r, Text v) { r.builder_.program().application = v; }},
                 {"precision",
                  [](RowRef r, Text v) { r.builder_.program().precision = precision(r.at_, v); }},
                 {"nb", [](RowRef r, Text v) { r.builder_.program().nb = tile_size(r.at_, v); }},
                 {"recorded",
                  [](RowRef r, Text v) {
                    r.builder_.set_provenance(nlohmann::ordered_json::parse(v), r.at_.line_number());
                  },
                  nullptr, false, true}},
      .seconds = nullptr,
      .fields_of_1 = 7,
      .end = &GraphRow::end_head};
  return kind;
}

std::vector<GraphRow::Kind> const& GraphRow::events() {
  static std::vector<Kind> const kinds{
      {{{"wont_use", [](RowRef r, Text v) { r.builder_.wont_use(r.known_datum(v)); }}}},
      {{{"flush", [](RowRef r, Text v) { r.builder_.flush(v == "all" ? HandleId{} : r.known_datum(v)); }}}},
      {{{"wait",
         [](RowRef r, Text v) {
           if (v != "all")
             r.at_.fail(fmt::format("waits for \"{}\". Give \"all\", or a list of tasks", v.substr(0, 80)));
           r.builder_.wait_for_all();
         },
         [](RowRef r, Text v, Text /*unused*/) { r.waits_.emplace_back(v); }}}}};
  return kinds;
}

GraphRow::Field const* GraphRow::field(Kind const& kind, std::string_view key, char const* word) {
  auto const known = std::ranges::find(kind.fields, key, &Field::key);
  if (known != kind.fields.end()) {
    if (known - kind.fields.begin() >= kind.fields_of_1 && !builder_.program().recorded.is_there)
      at_.fail(fmt::format(
          "has the {} \"{}\" (version 2 has it). Write JSON lines, with that version in their head", word,
          key));
    return &*known;
  }
  if (kind.seconds == nullptr || !set_seconds(kind.seconds(*this), key, {}))
    at_.fail(fmt::format("has the {} \"{}\" (not one of {}{}). Correct or remove it", word, key.substr(0, 80),
                         fmt::join(kind.fields | std::views::transform(&Field::key), ", "),
                         kind.seconds == nullptr ? "" : ", or seconds such as cpu_s, cuda_s"));
  return nullptr;
}

void GraphRow::set(Kind const& kind, Field const* field, std::string_view key, std::string_view value) {
  key_ = key;
  if (field == nullptr)
    (void)set_seconds(kind.seconds(*this), key, value);
  else if (!value.empty() || field->also_empty)
    field->set(*this, value);
}

bool GraphRow::boolean(std::string_view value) const {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  at_.fail(fmt::format("has \"{}\" as {}. Give true or false", value.substr(0, 40), key_));
}

HandleId GraphRow::known_datum(std::string_view name) const {
  HandleId const out = builder_.find_datum(name);
  if (!out.valid())
    at_.fail(fmt::format("names the datum \"{}\" (no line before it does). Correct it", name.substr(0, 80)));
  return out;
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
  auto const known = std::ranges::find(access_names, mode, &AccessName::name);
  if (known == access_names.end())
    at_.fail(fmt::format("has an access of mode \"{}\" to {}. Use {}", mode.substr(0, 40),
                         datum.substr(0, 80),
                         fmt::join(access_names | std::views::transform(&AccessName::name), ", ")));
  accesses_.emplace_back(builder_.datum(datum), known->mode);
}

void GraphRow::add_edge(std::string_view before, std::string_view size) {
  if (before.empty()) at_.fail("depends on a task without an id. Write ID or ID:BYTES");
  ProgramEdge edge{.before = std::string(before)};
  if (!size.empty()) edge.bytes = bytes(at_, size);
  task_.after.push_back(std::move(edge));
}

void GraphRow::end_task() {
  if (task_.id.empty()) at_.fail("is a task without an id (\"task\"). Add one");
  if (task_.kernel.empty())
    at_.fail(fmt::format("has the task \"{}\" without a \"kernel\". Add it", task_.id));
  task_.line = at_.line_number();
  for (auto const& [datum, mode] : accesses_) builder_.add_access(task_, datum, mode);
  accesses_.clear();
  builder_.add_task(std::exchange(task_, {}));
}

void GraphRow::end_datum() {
  if (datum_.empty()) at_.fail("is a datum without a name (\"data\"). Add it");
  HandleId const datum =
      builder_.add_datum(std::exchange(datum_, {}),
                         std::exchange(info_, {.size = Bytes{0}, .m = -1, .n = -1}), at_.line_number());
  if (!std::exchange(is_ordered_, true)) builder_.ignore_order(datum);
  if (!parent_.empty()) builder_.add_part(datum, std::exchange(parent_, {}));
}

void GraphRow::end_head() {
  if (builder_.task_count() > 0) at_.fail("is the head of a file, after tasks. Put it first");
}

void GraphRow::end_kernel() {
  if (kernel_.kernel.name.empty()) at_.fail("is a kernel without a name (\"kernel\"). Add it");
  if (std::ranges::any_of(kernel_.seconds, [](auto const& entry) { return entry.second == 0; }))
    at_.fail("has a kernel that lasts 0 s. Give a time above 0, or \"free\"");
  if (kernel_.recorded.footprint && kernel_.recorded.symbol.empty())
    at_.fail("has a footprint without a \"symbol\" (its performance model). Add it");
  builder_.add_kernel(std::exchange(kernel_, {}), at_.line_number());
}

}  // namespace factosim
