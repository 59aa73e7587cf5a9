#include "simulator/traces/record/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "factosim/error.hpp"

namespace factosim::record {

namespace {

constexpr char const* disturbed =
    "the events of the program are damaged (something else writes to descriptor FACTOSIM_RECORD_FD). Record "
    "the "
    "program alone";

}  // namespace

/// Reads the words of an event one after the other.
class Recorder::Fields {
 public:
  explicit Fields(std::span<std::uint64_t const> words) : words_(words) {}

  std::uint64_t word() {
    require(1);
    return words_[at_++];
  }
  int number() { return static_cast<int>(static_cast<std::int64_t>(word())); }
  double real() { return std::bit_cast<double>(word()); }
  std::string text() {
    std::uint64_t const length = word();
    require(length / 8 + (length % 8 != 0));
    std::string out(reinterpret_cast<char const*>(words_.data() + at_), length);
    at_ += (length + 7) / 8;
    return out;
  }
  [[nodiscard]] bool more() const { return at_ < words_.size(); }

 private:
  void require(std::uint64_t words) const {
    if (words > words_.size() - at_) throw InputError("record#", disturbed);
  }

  std::span<std::uint64_t const> words_;
  std::size_t at_ = 1;
};

void Recorder::take(std::span<std::uint64_t const> event) {
  Fields fields(event);
  int const process = static_cast<int>(event[0] >> 32U);
  if (process_ == 0) process_ = process;
  if (process != process_) {
    ++omitted_["tasks, data or waits of a second process"];
    return;
  }
  switch (static_cast<Event>(event[0] & 0xffU)) {
    case Event::library:
      library_ = fields.text();
      headers_ = fields.text();
      break;
    case Event::datum:
      return take_datum(fields);
    case Event::datum_gone:
      data_numbers_.erase(fields.word());
      break;
    case Event::task_new: {
      std::uint64_t const task = fields.word();
      task_slots_.erase(task);
      task_dependencies_.erase(task);
      break;
    }
    case Event::task:
      return take_task(fields);
    case Event::dependency: {
      bool const of_end = fields.word() != 0;
      std::uint64_t const task = fields.word();
      if (of_end) ++omitted_["dependencies of the end of a task"];
      while (!of_end && fields.more())
        task_dependencies_[task].push_back(slot_of(task_slots_, fields.word(), false));
      break;
    }
    case Event::tag_dependency: {
      std::uint64_t const tag = fields.word();
      while (fields.more()) tag_dependencies_[tag].push_back(fields.word());
      break;
    }
    case Event::tag_gone: {
      std::uint64_t const tag = fields.word();
      tag_slots_.erase(tag);
      tag_dependencies_.erase(tag);
      break;
    }
    case Event::wait:
      return take_wait(fields, false);
    case Event::waited:
      return take_wait(fields, true);
    case Event::wont_use:
      remarks_.push_back({tasks_.size(), fmt::format(R"({{"wont_use": "{}"}})", hint_name(fields.word()))});
      break;
    case Event::flush:
      remarks_.push_back({tasks_.size(), fmt::format(R"({{"flush": "{}"}})", hint_name(fields.word()))});
      break;
    case Event::ran: {
      auto const slot = task_slots_.find(fields.word());
      std::uint64_t const device = fields.word();
      double const seconds = fields.real();
      if (device == 0) ++omitted_["durations on devices that are neither CPUs nor CUDA's"];
      if (device == 0 || slot == task_slots_.end() || slots_[slot->second] < 0) break;
      Task& task = tasks_[static_cast<std::size_t>(slots_[slot->second])];
      if (task.own_time) task.cpu_s = seconds;
      Samples& samples = kernels_[task.kernel].samples[device];
      ++samples.count;
      samples.sum_s += seconds;
      samples.squares_s2 += seconds * seconds;
      break;
    }
    case Event::omitted:
      ++omitted_[fields.text()];
      break;
    case Event::refused:
      refusal_ = fields.text();
      break;
    case Event::end:
      kernels_run_ = fields.word();
      break;
  }
}

int Recorder::number_of(std::uint64_t handle) const {
  auto const found = data_numbers_.find(handle);
  if (found == data_numbers_.end()) throw InputError("record#", disturbed);
  return found->second;
}

std::string Recorder::hint_name(std::uint64_t handle) const {
  return handle == 0 ? "all" : fmt::format("d{}", number_of(handle));
}

void Recorder::take_datum(Fields& fields) {
  auto const [place, is_new] = data_numbers_.try_emplace(fields.word(), static_cast<int>(data_.size()));
  if (is_new) data_.emplace_back();
  Datum& datum = data_[static_cast<std::size_t>(place->second)];
  if (std::uint64_t const whole = fields.word(); whole != 0) datum.parent = number_of(whole);
  datum.bytes = fields.word();
  bool const ordered = fields.word() != 0;
  if (!is_new && ordered != datum.ordered && !datum.users.empty())
    ++omitted_["data that change whether accesses to them are ordered"];
  datum.ordered = ordered;
  datum.owner = fields.number();
  datum.tag = static_cast<std::int64_t>(fields.word());
  datum.place.resize(fields.number() == 2 ? 2 : 0);
  for (int& coordinate : datum.place) coordinate = fields.number();
}

std::size_t Recorder::slot_of(std::unordered_map<std::uint64_t, std::size_t>& slots, std::uint64_t name,
                              bool submitted) {
  auto const [place, is_new] = slots.try_emplace(name, slots_.size());
  bool const used = !is_new && slots_[place->second] >= 0;
  if (submitted && used) place->second = slots_.size();  // submitted once more
  if (is_new || (submitted && used)) slots_.push_back(-1);
  if (submitted) slots_[place->second] = static_cast<int>(tasks_.size());
  return place->second;
}

void Recorder::take_task(Fields& fields) {
  Task task;
  std::uint64_t const address = fields.word(), parent = fields.word(), flags = fields.word();
  if (parent != 0) {
    auto const slot = task_slots_.find(parent);
    if (slot != task_slots_.end()) task.submitted_by = slots_[slot->second];
    if (task.submitted_by < 0) ++omitted_["submissions by a callback of StarPU's own tasks"];
  }
  task.priority = fields.number();
  std::uint64_t const tag = fields.word();
  task.flops = fields.real();
  task.ordered = (flags & unordered) == 0;
  task.own_time = (flags & own_time) != 0;
  task.kernel = kernel_of(fields, task, flags);
  if (!task.accesses.empty() &&
      std::ranges::all_of(task.accesses, [](Access const& a) { return (a.mode & not_ordered) != 0; }))
    task.ordered = false;
  if ((flags & regenerates) != 0) ++omitted_["repetitions of tasks that regenerate themselves"];
  if ((flags & in_context) != 0) ++omitted_["scheduling contexts of tasks"];
  if (auto const own = task_dependencies_.find(address); own != task_dependencies_.end())
    task.depends_on = std::move(own->second);
  task_dependencies_.erase(address);
  if ((flags & has_tag) != 0)
    for (std::uint64_t const earlier : tag_dependencies_[tag])
      task.depends_on.push_back(slot_of(tag_slots_, earlier, false));
  if (parent == 0) write_waits();
  slot_of(task_slots_, address, true);
  if ((flags & has_tag) != 0) slot_of(tag_slots_, tag, true);
  use(task);
  tasks_.push_back(std::move(task));
  waited_.push_back(false);
}

std::size_t Recorder::kernel_of(Fields& fields, Task& task, std::uint64_t flags) {
  auto const footprint = static_cast<std::uint32_t>(fields.word());
  std::uint64_t bytes = fields.word();
  std::uint64_t const devices = fields.word();
  task.node = fields.number();
  std::string codelet = fields.text();
  std::string const symbol = fields.text(), name = fields.text();
  for (std::uint64_t count = fields.word(); count > 0; --count) task.workers.push_back(fields.word());
  while (fields.more()) {
    int const used = number_of(fields.word());
    task.accesses.push_back({used, fields.word()});
    if ((flags & sized) == 0) bytes += data_[static_cast<std::size_t>(used)].bytes;
  }
  if (codelet.empty()) codelet = name;
  if (codelet.empty() && symbol.empty()) {
    bool const has_code = (flags & has_codelet) != 0;
    codelet = has_code ? "task" : "empty";
    if (has_code) ++omitted_["names of tasks that have none: they are one kernel, \"task\""];
  }
  std::string const key = symbol.empty() ? codelet : fmt::format("{}\n{:08x}", symbol, footprint);
  auto const [place, is_new] = kernel_numbers_.try_emplace(key, kernels_.size());
  if (is_new)
    kernels_.push_back({.symbol = symbol,
                        .codelet = codelet,
                        .footprint = symbol.empty() ? 0 : footprint,
                        .devices = devices,
                        .flags = flags,
                        .bytes = bytes,
                        .flops = task.flops});
  Kernel& kernel = kernels_[place->second];
  ++kernel.tasks;
  kernel.same_flops = kernel.same_flops && kernel.flops == task.flops;
  kernel.same_bytes = kernel.same_bytes && kernel.bytes == bytes;
  if (kernel.devices != devices) ++omitted_["restrictions of single tasks to some devices"];
  kernel.devices |= devices;
  return place->second;
}

void Recorder::use(Task const& task) {
  std::vector<int> waits_for;
  int const id = static_cast<int>(tasks_.size());
  for (auto const& [number, mode] : task.accesses) {
    Datum& datum = data_[static_cast<std::size_t>(number)];
    if (!task.ordered || !datum.ordered || (mode & (scratch | not_ordered)) != 0) {
      if (task.ordered && (mode & not_ordered) != 0) ++omitted_["accesses without order of tasks with order"];
      continue;
    }
    std::uint64_t const kind = mode & (reads | writes | reduces | commutes);
    bool const side_by_side = kind == datum.kind && (kind == reads || (kind & (reduces | commutes)) != 0);
    if (!side_by_side) datum.before = std::exchange(datum.users, {});
    datum.kind = kind;
    if (datum.users.empty() || datum.users.back() != id) datum.users.push_back(id);
    waits_for.insert(waits_for.end(), datum.before.begin(), datum.before.end());
  }
  for (std::size_t const slot : task.depends_on)
    if (slots_[slot] >= 0) waits_for.push_back(slots_[slot]);
  if (task.submitted_by >= 0) waits_for.push_back(task.submitted_by);
  std::ranges::sort(waits_for);
  waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
  earlier_edges_ += waits_for.size() - static_cast<std::size_t>(std::ranges::count(waits_for, id));
}

void Recorder::take_wait(Fields& fields, bool over) {
  auto const what = static_cast<Wait>(fields.word());
  std::uint64_t const subject = fields.word();
  call_ = over ? "" : fields.text();
  bool const tells_at_end = what == Wait::all || what == Wait::tag;  // callbacks submit meanwhile
  if (over != tells_at_end) return;
  if (what == Wait::all) wait_all_ = true;
  if (what == Wait::tag || what == Wait::task) {
    auto const& slots = what == Wait::tag ? tag_slots_ : task_slots_;
    if (auto const slot = slots.find(subject); slot != slots.end()) waits_.push_back(slots_[slot->second]);
  }
  if ((what == Wait::users || what == Wait::writer) && data_numbers_.contains(subject)) {
    Datum const& used = data_[static_cast<std::size_t>(number_of(subject))];
    auto const& tasks = what == Wait::users || used.kind != reads ? used.users : used.before;
    waits_.insert(waits_.end(), tasks.begin(), tasks.end());
  }
}

void Recorder::write_waits() {
  std::vector<int> const waits = std::exchange(waits_, {});
  std::set<int> tasks;
  for (int const task : waits)
    if (task >= 0 && !waited_[static_cast<std::size_t>(task)]) tasks.insert(task);
  if (std::exchange(wait_all_, false)) {
    auto const first =
        waited_.begin() + static_cast<std::ptrdiff_t>(std::exchange(waited_before_, tasks_.size()));
    if (std::find(first, waited_.end(), false) != waited_.end())
      remarks_.push_back({tasks_.size(), R"({"wait": "all"})"});
    std::fill(first, waited_.end(), true);
  } else if (!tasks.empty()) {
    remarks_.push_back({tasks_.size(), fmt::format(R"({{"wait": ["{}"]}})", fmt::join(tasks, R"(", ")"))});
    for (int const task : tasks) waited_[static_cast<std::size_t>(task)] = true;
  }
}

std::vector<int> Recorder::dependencies(Task const& task) const {
  std::set<int> out;
  for (std::size_t const slot : task.depends_on)
    if (slots_[slot] >= 0 && &tasks_[static_cast<std::size_t>(slots_[slot])] != &task)
      out.insert(slots_[slot]);
  return {out.begin(), out.end()};
}

std::size_t Recorder::edges() const {
  std::size_t edges = earlier_edges_;
  for (std::size_t id = 0; id < tasks_.size(); ++id)
    for (int const task : dependencies(tasks_[id])) edges += task > static_cast<int>(id) ? 1 : 0;
  return edges;
}

std::vector<std::string> Recorder::findings() const {
  std::vector<std::string> out;
  for (auto const& [what, count] : omitted_)
    out.push_back(fmt::format("not in the graph: {} {}", count, what));
  std::size_t unknown = 0;
  for (Task const& task : tasks_)
    unknown += static_cast<std::size_t>(
        std::ranges::count(task.depends_on, -1, [this](std::size_t s) { return slots_[s]; }));
  if (unknown > 0)
    out.push_back(fmt::format("not in the graph: {} dependencies on tags that no task has", unknown));
  return out;
}

}  // namespace factosim::record
