#include "simulator/cluster/formula_messages.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

std::uint32_t FormulaMessages::uses_from(HandleId handle, std::uint32_t version, NodeId node) const {
  for (std::uint32_t uses = 1;; ++uses) {
    TileReaders const readers = formulas_.readers(handle, version);
    HandleId const taker = readers.taker;
    if (!taker.valid()) return 0;
    if (!plan_.runs_on(task_of_[taker.index()], node)) return uses;
    FormulaTask const next = formulas_.task(taker, readers.version);
    version = taker == handle ? next.written : next.passed_written;
  }
}

std::uint32_t FormulaMessages::next_own(HandleId tile, std::uint32_t version) const {
  while (true) {
    TileReaders const readers = formulas_.readers(tile, version);
    if (!readers.taker.valid()) return none;
    if (readers.taker == tile) return readers.version;
    version = formulas_.task(readers.taker, readers.version).passed_written;
  }
}

// ---- receives ----

void FormulaMessages::number() {
  std::vector<std::pair<std::uint64_t, TaskId>> writers;  // last ones of the final tiles of one node
  std::vector<PlannedMessage> messages;
  std::vector<std::uint32_t> first(tile_of_.size());
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      std::uint32_t const last = formulas_.last_version(tile(TaskId{t}));
      if (formulas_.readers(tile(TaskId{t}), last).run_count == 0) continue;
      bool const is_told = !formulas_.passes_tiles() && last > 0;
      writers.emplace_back(is_told ? formulas_.task(tile(TaskId{t}), last - 1).position : 0, TaskId{t});
    }
    std::ranges::sort(writers);
    for (auto const& [position, task] : writers) {
      std::uint32_t const version = formulas_.last_version(tile(task));
      std::uint32_t const of_readers = formulas_.readers(tile(task), version).version;
      if (!formulas_.passes_tiles()) {
        by_version_.resize(std::max<std::size_t>(by_version_.size(), of_readers + 1));
        by_version_[of_readers].push_back(task);
      }
      messages.clear();
      append(task, NodeId{n}, {.handle = tile(task), .version = version, .position = position}, messages);
      first[task.index()] = message_count_;
      message_count_ += static_cast<std::uint32_t>(messages.size());
    }
  }
  FACTOSIM_ALWAYS(message_count_ + formulas_.task_count() < EdgeId::none,
                  "more messages than 32 bits can number");
  first_message_ = std::move(first);
  if (formulas_.passes_tiles()) next_task_.resize(tile_of_.size());
}

void FormulaMessages::append(TaskId sender, NodeId home, Output const& output,
                             std::vector<PlannedMessage>& out) const {
  TileReaders const readers = formulas_.readers(output.handle, output.version);
  if (readers.taker.valid()) {
    TaskId const taker = task_of_[readers.taker.index()];
    if (plan_.runs_on(taker, home)) return;
    PlannedMessage message{.producer = sender,
                           .handle = output.handle,
                           .home = home,
                           .destination = plan_.node_of(taker),
                           .first_reader = {},
                           .source_replica = output.replica};
    add_readers({&taker, 1}, readers.version, message);
    message.uses = uses_from(output.handle, output.version, message.destination);
    if (!first_message_.empty()) message.first = EdgeId{message_count_ + output.position};
    out.push_back(message);
    return;
  }
  std::size_t const begin = out.size();
  for (TileRun const& run : readers.all()) {
    std::size_t known = begin;  // messages for the runs before, by destination
    std::size_t const known_end = out.size();
    for (TileLines::Part const& part : lines_.parts(run)) {
      if (part.node == home) continue;
      auto const tasks = lines_.tasks(run, part);
      if (tasks.empty()) continue;
      while (known < known_end && out[known].destination < part.node) ++known;
      if (known < known_end && out[known].destination == part.node) {
        add_readers(tasks, readers.version, out[known]);
        continue;
      }
      out.push_back({.producer = sender,
                     .handle = output.handle,
                     .home = home,
                     .destination = part.node,
                     .first_reader = {}});
      add_readers(tasks, readers.version, out.back());
    }
    std::inplace_merge(
        out.begin() + static_cast<std::ptrdiff_t>(begin),
        out.begin() + static_cast<std::ptrdiff_t>(known_end), out.end(),
        [](PlannedMessage const& a, PlannedMessage const& b) { return a.destination < b.destination; });
  }
  if (first_message_.empty()) return;
  std::uint32_t const first = first_message_[task_of_[output.handle.index()].index()];
  for (std::size_t i = begin; i < out.size(); ++i) out[i].first = EdgeId{first + i - begin};
}

bool FormulaMessages::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (formulas_.passes_tiles()) return for_readers_of(static_cast<int>(next_version_++), use);
  if (next_version_ == by_version_.size()) return false;
  std::vector<PlannedMessage> messages;
  for (TaskId const task : by_version_[next_version_++]) {
    std::uint32_t const last = formulas_.last_version(tile(task));
    messages.clear();
    append(task, plan_.node_of(task), {.handle = tile(task), .version = last, .position = 0}, messages);
    std::ranges::for_each(messages, use);
  }
  return true;
}

bool FormulaMessages::for_readers_of(int k, std::function<void(PlannedMessage const&)> const& use) {
  struct Writer {
    TaskId task;
    FormulaTask formula;
  };
  std::vector<Writer> writers;  // of one node
  std::vector<PlannedMessage> messages;
  bool are_left = false;
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      HandleId const handle = tile(TaskId{t});
      if (formulas_.last_version(handle) == 0) continue;
      while (next_task_[t] != none) {
        are_left = true;
        FormulaTask const formula = formulas_.task(handle, next_task_[t]);
        if (formula.indices.k > k) break;
        writers.push_back({TaskId{t}, formula});
        next_task_[t] = next_own(handle, formula.written);
      }
    }
    std::ranges::sort(writers, {}, [](Writer const& w) { return w.formula.position; });
    for (auto const& [task, formula] : writers) {
      messages.clear();
      if (formula.last || formula.passed_on)
        append(task, NodeId{n},
               {.handle = tile(task), .version = formula.written, .position = formula.position}, messages);
      if (formula.passed.valid())
        append(task, NodeId{n},
               {.handle = formula.passed, .version = formula.passed_written, .position = formula.position},
               messages);
      std::ranges::for_each(messages, use);
    }
  }
  return are_left;
}

void FormulaMessages::add_readers(std::span<TaskId const> tasks, std::uint32_t version,
                                  PlannedMessage& message) const {
  FormulaTask const first = formulas_.task(tile(tasks.front()), version);
  bool const is_new = message.uses == 0;
  message.uses += static_cast<std::uint32_t>(tasks.size());
  TaskId const position{first.position};
  if (!is_new && position > message.first_reader) return;
  message.first_reader = position;
  message.priority = first.priority;
}

}  // namespace factosim
