#include "simulator/traces/programs/task_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t max_bytes = std::int64_t{1} << 50;

/// Splits "a:b" at the last colon; without one, the second part is empty.
std::pair<std::string_view, std::string_view> split_last(std::string_view word) {
  std::size_t const colon = word.rfind(':');
  if (colon == std::string_view::npos) return {word, {}};
  return {word.substr(0, colon), word.substr(colon + 1)};
}

DataKind data_kind(LineReader const& at, std::string_view name) {
  for (DataKind const kind : {DataKind::tile, DataKind::vector, DataKind::accumulator, DataKind::scalar})
    if (name == name_of(kind)) return kind;
  at.fail(fmt::format("has the kind of datum \"{}\". Use tile, vector, accumulator or scalar",
                      name.substr(0, 40)));
}

}  // namespace

GraphRows::Kind const& GraphRows::tasks() {
  static Kind const kind{"task",
                         {"task", "kernel", "accesses", "depends_on", "priority", "k", "m", "n", "node",
                          "flops", "phase", "wont_use", "flush_inputs", "barrier", "flush_cache"},
                         &GraphRows::set_task,
                         &GraphRows::end_task};
  return kind;
}
GraphRows::Kind const& GraphRows::data() {
  static Kind const kind{
      "data", {"data", "bytes", "m", "n", "owner", "kind"}, &GraphRows::set_datum, &GraphRows::end_datum};
  return kind;
}
GraphRows::Kind const& GraphRows::kernels() {
  static Kind const kind{"kernel",
                         {"kernel", "flops", "timing", "asynchronous_on_gpu", "on_spare_workers", "free"},
                         &GraphRows::set_kernel,
                         &GraphRows::end_kernel};
  return kind;
}

void GraphRows::set(Kind const& kind, std::string_view key, std::string_view value, char const* word) {
  if (!(this->*kind.set)(key, value)) refuse(key, kind.keys, word);
}

void GraphRows::refuse(std::string_view key, std::vector<std::string_view> const& known,
                       char const* word) const {
  at_.fail(
      fmt::format("has the {} \"{}\" (not one of {}, or seconds such as cpu_s, cuda_s). Correct or remove it",
                  word, key, fmt::join(known, ", ")));
}

bool GraphRows::boolean(std::string_view value, std::string_view key) const {
  if (value == "true" || value == "1") return true;
  if (value.empty() || value == "false" || value == "0") return false;
  at_.fail(fmt::format("has \"{}\" as {}. Give true or false", value.substr(0, 40), key));
}

std::int32_t GraphRows::small(std::string_view value, std::int64_t minimum, std::string_view what) const {
  return static_cast<std::int32_t>(integer(at_, value, minimum, max_int, what));
}

bool GraphRows::set_seconds(WorkerSeconds& seconds, std::string_view key, std::string_view value) {
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

bool GraphRows::set_task(std::string_view key, std::string_view value) {
  if (key == "task") return task_.id = value, true;
  if (key == "kernel") return task_.kernel = value, true;
  if (set_seconds(task_.seconds, key, value)) return true;
  if (std::ranges::find(tasks().keys, key) == tasks().keys.end()) return false;
  if (value.empty()) return true;
  if (key == "priority") task_.priority = small(value, -max_int, "a priority");
  if (key == "k") task_.indices.k = small(value, -1, "an iteration");
  if (key == "m") task_.indices.m = small(value, -1, "a row of tiles");
  if (key == "n") task_.indices.n = small(value, -1, "a column of tiles");
  if (key == "node") task_.node = NodeId{integer(at_, value, 0, max_nodes - 1, "a node")};
  if (key == "flops") task_.flops = number(at_, value, "a number of operations");
  if (task_.flops < 0) at_.fail("has a negative number of operations. Give 0 or more");
  if (key == "phase") task_.phase = value;
  if (key == "wont_use") task_.writes_back = boolean(value, key);
  if (key == "flush_inputs") task_.flushes_inputs = boolean(value, key);
  if (key == "barrier") task_.barrier = boolean(value, key);
  if (key == "flush_cache") task_.flushes_cache = boolean(value, key);
  if (key == "accesses") {
    split_words(value, words_);
    for (std::string_view const word : words_) {
      auto const [datum, mode] = split_last(word);
      add_access(datum, mode);
    }
  }
  if (key == "depends_on") {
    split_words(value, words_);
    for (std::string_view const word : words_) {
      auto const [before, bytes] = split_last(word);
      add_edge(before, bytes);
    }
  }
  return true;
}

void GraphRows::add_access(std::string_view datum, std::string_view mode) {
  if (datum.empty()) at_.fail("has an access without the name of a datum. Write DATUM:MODE");
  Access access = Access::read;
  if (mode == "W")
    access = Access::write;
  else if (mode == "RW")
    access = Access::read_write;
  else if (mode != "R")
    at_.fail(fmt::format("has an access of mode \"{}\" to {}. Use R, W or RW", mode.substr(0, 40),
                         datum.substr(0, 80)));
  task_.accesses.push_back({builder_.datum(datum), access});
}

void GraphRows::add_edge(std::string_view before, std::string_view bytes) {
  if (before.empty()) at_.fail("depends on a task without an id. Write ID or ID:BYTES");
  ProgramEdge edge{.before = std::string(before)};
  if (!bytes.empty()) edge.bytes = integer(at_, bytes, 0, max_bytes, "a size in bytes");
  task_.after.push_back(std::move(edge));
}

void GraphRows::end_task() {
  if (task_.id.empty()) at_.fail("is a task without an id (\"task\"). Add one");
  if (task_.kernel.empty())
    at_.fail(fmt::format("has the task \"{}\" without a \"kernel\". Add it", task_.id));
  task_.line = at_.line_number();
  builder_.add_task(std::exchange(task_, {}));
}

bool GraphRows::set_datum(std::string_view key, std::string_view value) {
  if (std::ranges::find(data().keys, key) == data().keys.end()) return false;
  if (value.empty()) return true;
  if (key == "data") datum_ = value;
  if (key == "bytes") info_.size = Bytes{integer(at_, value, 0, max_bytes, "a size in bytes")};
  if (key == "m") info_.m = small(value, -1, "a row of tiles");
  if (key == "n") info_.n = small(value, -1, "a column of tiles");
  if (key == "owner") info_.owner = NodeId{integer(at_, value, 0, max_nodes - 1, "a node")};
  if (key == "kind") info_.data = data_kind(at_, value);
  return true;
}

void GraphRows::end_datum() {
  if (datum_.empty()) at_.fail("is a datum without a name (\"data\"). Add it");
  builder_.add_datum(std::exchange(datum_, {}), std::exchange(info_, {.size = Bytes{0}, .m = -1, .n = -1}),
                     at_.line_number());
}

bool GraphRows::set_kernel(std::string_view key, std::string_view value) {
  if (set_seconds(kernel_.seconds, key, value)) {
    if (!kernel_.seconds.empty() && !(kernel_.seconds.back().second > 0))
      at_.fail("has a kernel that lasts 0 s. Give a time above 0, or \"free\"");
    return true;
  }
  if (std::ranges::find(kernels().keys, key) == kernels().keys.end()) return false;
  if (value.empty()) return true;
  Kernel& kernel = kernel_.kernel;
  if (key == "kernel") kernel.name = value;
  if (key == "timing") kernel.timing = value;
  if (key == "flops") kernel.flops = Flops{number(at_, value, "a number of operations")};
  if (kernel.flops.value < 0) at_.fail("has a negative number of operations. Give 0 or more");
  if (key == "asynchronous_on_gpu") kernel.asynchronous_on_gpu = boolean(value, key);
  if (key == "on_spare_workers") kernel.on_spare_workers = boolean(value, key);
  if (key == "free") kernel.is_free = boolean(value, key);
  return true;
}

void GraphRows::end_kernel() {
  if (kernel_.kernel.name.empty()) at_.fail("is a kernel without a name (\"kernel\"). Add it");
  builder_.add_kernel(std::exchange(kernel_, {}), at_.line_number());
}

}  // namespace factosim
