#include "simulator/traces/import/task_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "simulator/base/core/plain_names.hpp"

namespace factosim {

namespace {

constexpr std::uint32_t own_node = NodeId::none;  // of a task without a prefix
constexpr std::int64_t max_int = std::numeric_limits<std::int32_t>::max();

std::int32_t small(LineReader const& at, std::string_view value, std::int64_t minimum,
                   std::string_view what) {
  return static_cast<std::int32_t>(integer(at, value, minimum, max_int, what));
}

/// Some StarPU files print negative priorities as unsigned 64-bit numbers.
std::int32_t priority(LineReader const& at, std::string_view value) {
  std::uint64_t bits{};
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), bits);
  if (error == std::errc{} && end == value.data() + value.size() && static_cast<std::int64_t>(bits) < 0)
    return static_cast<std::int32_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(bits), std::numeric_limits<std::int32_t>::min()));
  return small(at, value, -max_int - 1, "a priority");
}

}  // namespace

std::uint8_t access_mode(LineReader const& at, std::string_view text) {
  int bits = 0;
  for (char const c : text) switch (c) {
      case 'R':
        bits |= 1;
        break;
      case 'W':
        bits |= 2;
        break;
      case 'X':
        bits |= 3;
        break;
      case 'S':
      case 'C':
      case '-':
      case 'm':
      case 'p':
      case 'i':
        break;
      default:
        at.fail(fmt::format(
            "\"{}\" where the mode of an access should stand (R, W, RW, S, X or C). Correct the line",
            text.substr(0, 40)));
    }
  return text.find('S') != std::string_view::npos ? std::uint8_t{0} : static_cast<std::uint8_t>(bits);
}

/// The known fields with their setters.
struct TaskFields::Table {
  using T = TaskFields&;
  using L = LineReader const&;
  using S = std::string_view;
  static void ignored(T, L, S) {}

  static constexpr std::array columns{
      Column{"Control", [](T t, L, S v) { t.wont_use_ = v == "WontUse"; }},
      Column{"Name", [](T t, L, S v) { t.kernel_ = v; }},
      Column{"Model", [](T t, L, S v) { t.model_ = v; }},
      Column{"JobId",
             [](T t, L at, S v) {
               t.task_.name = task_name(at, v, own_node);
               t.has_id_ = true;
             }},
      Column{"SubmitOrder",
             [](T t, L at, S v) {
               S const order = v.substr(v.find('_') + 1);  // StarVZ prefixes the node
               t.task_.submit_order =
                   static_cast<std::uint32_t>(integer(at, order, 0, max_int, "an order of submission"));
             }},
      Column{"Priority", [](T t, L at, S v) { t.task_.priority = priority(at, v); }},
      Column{"DependsOn",
             [](T t, L at, S v) {
               t.for_each_word(v, [&](S word) { t.before_.push_back(task_name(at, word, own_node)); });
             }},
      Column{"Tag", [](T t, L at, S v) { t.task_.tag = hexadecimal(at, v, "a tag"); }},
      Column{"WorkerId", [](T t, L at, S v) { t.task_.worker = small(at, v, -1, "a worker"); }},
      Column{"MemoryNode", [](T t, L at, S v) { t.task_.memory = small(at, v, -1, "a memory node"); }},
      Column{"SubmitTime",
             [](T t, L at, S v) { t.task_.submit_s = milliseconds(at, v, "when the task was submitted"); }},
      Column{"StartTime",
             [](T t, L at, S v) { t.task_.start_s = milliseconds(at, v, "when the task started"); }},
      Column{"EndTime", [](T t, L at, S v) { t.task_.end_s = milliseconds(at, v, "when the task ended"); }},
      Column{"Footprint",
             [](T t, L at, S v) {
               t.task_.footprint = static_cast<std::uint32_t>(hexadecimal(at, v, "a footprint"));
             }},
      Column{"GFlop", [](T t, L at, S v) { t.task_.flops = 1e9 * number(at, v, "GFlop"); }},
      Column{"Iteration",
             [](T t, L at, S v) {
               split_words(v, t.words_);
               if (!t.words_.empty()) t.task_.iteration = small(at, t.words_.front(), -1, "an iteration");
             }},
      Column{"Parameters", [](T t, L, S v) { t.shapes_ = v; }},
      Column{"Handles",
             [](T t, L at, S v) {
               t.for_each_word(v, [&](S word) { t.addresses_.push_back(hexadecimal(at, word, "a handle")); });
             }},
      Column{"Modes",
             [](T t, L at, S v) {
               t.for_each_word(v, [&](S word) { t.modes_.push_back(access_mode(at, word)); });
             }},
      Column{"Sizes",
             [](T t, L at, S v) {
               t.for_each_word(v, [&](S word) {
                 t.sizes_.push_back(integer(at, word, 0, std::int64_t{1} << 50, "a size in bytes"));
               });
             }},
      Column{"MPIRank", [](T t, L at, S v) { t.rank_ = small(at, v, -1, "a rank"); }},
      Column{"X", [](T t, L at, S v) { t.task_.x = small(at, v, -1, "a coordinate"); }},
      Column{"Y", [](T t, L at, S v) { t.task_.y = small(at, v, -1, "a coordinate"); }},
      Column{"File", ignored},
      Column{"Line", ignored},
      Column{"DepLabels", ignored},
      Column{"NumaNodes", ignored},
      Column{"Color", ignored},
      Column{"TypeColor", ignored}};
};

TaskFields::Field TaskFields::field(std::string_view name) {
  for (Column const& column : Table::columns)
    if (column.name == name) return column.field;
  return nullptr;
}

std::span<TaskFields::Column const> TaskFields::of_states() {
  static std::vector<Column> const columns = [] {
    std::vector<Column> out;
    for (char const* const name :
         {"JobId", "SubmitOrder", "Footprint", "Tag", "GFlop", "X", "Y", "Iteration", "Priority"})
      out.push_back({name, field(name)});
    return out;
  }();
  return columns;
}

void TaskFields::set(LineReader const& at, Field field, std::string_view value) {
  begun_ = true;
  if (field != nullptr) field(*this, at, value);
}

void TaskFields::finish(LineReader const& at) {
  if (!begun_) return;
  if (!has_id_)
    at.fail(
        "a record without JobId ends here (nothing can refer to it). Complete it, or write the trace again");
  if (task_.end_s < task_.start_s)
    at.fail("the task that ends here would end before it starts (EndTime < StartTime). Correct the record");
  std::uint32_t const node = rank_ >= 0 ? static_cast<std::uint32_t>(rank_) : 0;
  if (node >= max_nodes)
    at.fail(fmt::format("rank {} (at most {} nodes). Correct the record", node, max_nodes));
  if (task_.name.node == own_node) task_.name.node = node;
  if (wont_use_)
    add_hint(at, task_.name.node);
  else
    add_task(at);
  task_ = {};
  begun_ = wont_use_ = has_id_ = false;
  rank_ = -1;
  kernel_.clear();
  model_.clear();
  shapes_.clear();
  before_.clear();
  addresses_.clear();
  sizes_.clear();
  modes_.clear();
}

void TaskFields::add_task(LineReader const& at) {
  if (kernel_.empty()) kernel_ = model_;
  task_.kernel = kernel_.empty() ? StarpuTask::no_kernel : run_.kernel(at, kernel_);
  if (!model_.empty() && task_.kernel != StarpuTask::no_kernel) {
    if (run_.models.size() <= task_.kernel) run_.models.resize(task_.kernel + std::size_t{1});
    if (run_.models[task_.kernel].empty()) run_.models[task_.kernel] = model_;
  }
  task_.first_dependency = static_cast<std::uint32_t>(run_.dependencies.size());
  task_.dependencies = static_cast<std::uint32_t>(before_.size());
  for (TaskName name : before_) {
    if (name.node == own_node) name.node = task_.name.node;
    run_.dependencies.push_back(name.key());
  }
  add_accesses(at, task_.name.node);
  run_.add(at, task_);
}

void TaskFields::add_hint(LineReader const& at, std::uint32_t node) {
  if (addresses_.size() != 1) at.fail("a hint (WontUse) names one handle. Correct the record");
  run_.wont_use.push_back(
      {TaskName{node, task_.name.number}, task_.submit_order, task_.submit_s, addresses_.front()});
}

void TaskFields::add_accesses(LineReader const& at, std::uint32_t node) {
  if (modes_.size() != addresses_.size() || (!sizes_.empty() && sizes_.size() != addresses_.size()))
    at.fail(
        fmt::format("the task that ends here has {} handles, {} modes and {} sizes (there is one of each for "
                    "a handle). Correct the record",
                    addresses_.size(), modes_.size(), sizes_.size()));
  split_words(shapes_, words_);
  task_.first_access = static_cast<std::uint32_t>(run_.accesses.size());
  task_.accesses = static_cast<std::uint32_t>(addresses_.size());
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    std::int64_t const size = sizes_.empty() || sizes_[i] == 0 ? -1 : sizes_[i];  // 0: not known, or no bytes
    run_.accesses.push_back({addresses_[i], size, modes_[i]});
    if (words_.size() != addresses_.size()) continue;
    std::uint64_t const id = addresses_[i] * 0x9e3779b97f4a7c15U + node;
    if (shaped_.insert(id).second)
      run_.handles.push_back(
          {.node = node, .address = addresses_[i], .size = size, .shape = name_of_line(words_[i])});
  }
}

}  // namespace factosim
