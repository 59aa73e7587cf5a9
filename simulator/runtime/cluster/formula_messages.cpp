#include "simulator/runtime/cluster/formula_messages.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"

namespace factosim {

std::uint32_t FormulaMessages::uses_from(HandleId handle, std::uint32_t version, NodeId node) const {
  for (std::uint32_t uses = 1;; ++uses) {
    TileReaders const readers = formulas_.readers(handle, version);
    HandleId const taker = readers.taker;
    if (!taker.valid()) return 0;
    if (!plan_.runs_on(places_.of(taker), node)) return uses;
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
  std::vector<std::uint32_t> first(places_.count());
  for (std::uint32_t n = 0; n + 1 < plan_.first_task.size(); ++n) {
    writers.clear();
    for (std::uint32_t t = plan_.first_task[n]; t < plan_.first_task[n + 1]; ++t) {
      TaskId const place{t};
      std::uint32_t const last = places_.moves_away(place) ? 1 : formulas_.last_version(tile(place));
      TileReaders const readers = places_.readers(place, last);
      if (readers.run_count + readers.single_count == 0 && !places_.moves_away(place)) continue;
      bool const is_told = !formulas_.passes_tiles() && last > 0;
      writers.emplace_back(is_told ? places_.task(place, last - 1).position : 0, place);
    }
    std::ranges::sort(writers);
    for (auto const& [position, place] : writers) {
      messages.clear();
      append(place, NodeId{n},
             {.place = place, .version = formulas_.last_version(tile(place)), .position = position},
             messages);
      first[place.index()] = message_count_;
      message_count_ += static_cast<std::uint32_t>(messages.size());
      if (formulas_.passes_tiles()) continue;
      for (PlannedMessage const& message : messages) {
        std::size_t const part = part_of(message, 0);
        by_part_.resize(std::max(by_part_.size(), part + 1));
        if (by_part_[part].empty() || by_part_[part].back() != place) by_part_[part].push_back(place);
      }
    }
  }
  FACTOSIM_ALWAYS(message_count_ + formulas_.task_count() < EdgeId::none,
                  "more messages than 32 bits can number");
  first_message_ = std::move(first);
  if (formulas_.passes_tiles()) next_task_.resize(places_.count());
}

std::size_t FormulaMessages::part_of(PlannedMessage const& message, std::uint64_t before) const {
  std::span<std::uint64_t const> const parts = formulas_.parts();
  std::uint64_t const position = message.first_reader.value() - before;
  if (parts.empty()) return formulas_.readers(message.handle, formulas_.last_version(message.handle)).version;
  return static_cast<std::size_t>(std::ranges::upper_bound(parts, position) - parts.begin());
}

bool FormulaMessages::goes_to(TaskId place, NodeId node) const {
  std::vector<PlannedMessage> messages;
  append(place, plan_.node_of(place),
         {.place = place, .version = formulas_.last_version(tile(place)), .position = 0}, messages);
  return std::ranges::any_of(messages, [&](PlannedMessage const& m) { return m.destination == node; });
}

void FormulaMessages::append(TaskId sender, NodeId home, Output const& output,
                             std::vector<PlannedMessage>& out) const {
  Readers const readers{places_.readers(output.place, output.version), before(output.repetition)};
  if (readers.of.taker.valid()) {
    if (!plan_.runs_on(places_.of(readers.of.taker), home))
      out.push_back(to_taker(sender, home, output, readers));
    return;
  }
  std::size_t const begin = out.size();
  PlannedMessage const message{.producer = sender,
                               .handle = tile(output.place),
                               .home = home,
                               .destination = home,
                               .first_reader = {}};
  append_runs(message, readers, out);
  append_singles(message, readers, begin, out);
  if (places_.other_place(output.place).valid() && output.repetition + 1 < formulas_.repetitions())
    count_uses(output, std::span(out).subspan(begin));
  if (first_message_.empty()) return;
  std::uint32_t const first = first_message_[output.place.index()];
  for (std::size_t i = begin; i < out.size(); ++i) out[i].first = EdgeId{first + i - begin};
}

PlannedMessage FormulaMessages::to_taker(TaskId sender, NodeId home, Output const& output,
                                         Readers const& readers) const {
  TaskId const taker = places_.of(readers.of.taker);
  PlannedMessage out{.producer = sender,
                     .handle = tile(output.place),
                     .home = home,
                     .destination = plan_.node_of(taker),
                     .first_reader = {},
                     .source_replica = output.replica};
  add_readers({&taker, 1}, readers.of.version, readers.before, out);
  bool const moves = places_.moves_away(output.place);
  if (!moves) {
    out.uses = uses_from(out.handle, output.version, out.destination);
  } else if (output.repetition + 1 < formulas_.repetitions()) {
    out.uses = uses_after_move(taker);
  } else {
    out.uses = 0;
    out.replica = plan_.local(out.destination, ReplicaId{taker.value()});
  }
  if (!first_message_.empty())
    out.first = EdgeId{moves ? first_message_[output.place.index()] : message_count_ + output.position};
  return out;
}

void FormulaMessages::append_runs(PlannedMessage const& message, Readers const& readers,
                                  std::vector<PlannedMessage>& out) const {
  std::size_t const begin = out.size();
  for (TileRun const& run : readers.of.all()) {
    std::size_t known = begin;  // messages for the runs before, by destination
    std::size_t const known_end = out.size();
    for (TileLines::Part const& part : lines_.parts(run)) {
      if (part.node == message.home) continue;
      auto const tasks = lines_.tasks(run, part);
      if (tasks.empty()) continue;
      while (known < known_end && out[known].destination < part.node) ++known;
      if (known < known_end && out[known].destination == part.node) {
        add_readers(tasks, readers.of.version, readers.before, out[known]);
        continue;
      }
      out.push_back(message);
      out.back().destination = part.node;
      add_readers(tasks, readers.of.version, readers.before, out.back());
    }
    std::inplace_merge(
        out.begin() + static_cast<std::ptrdiff_t>(begin),
        out.begin() + static_cast<std::ptrdiff_t>(known_end), out.end(),
        [](PlannedMessage const& a, PlannedMessage const& b) { return a.destination < b.destination; });
  }
}

void FormulaMessages::append_singles(PlannedMessage const& message, Readers const& readers, std::size_t begin,
                                     std::vector<PlannedMessage>& out) const {
  for (TileReader const& reader : readers.of.all_singles()) {
    TaskId const task = places_.of(reader.tile);
    if (plan_.runs_on(task, message.home)) continue;
    NodeId const node = plan_.node_of(task);
    auto const first = out.begin() + static_cast<std::ptrdiff_t>(begin);
    auto place = std::upper_bound(first, out.end(), node,
                                  [](NodeId n, PlannedMessage const& m) { return n < m.destination; });
    bool const is_known = !reader.after_flush && place != first && std::prev(place)->destination == node;
    if (is_known) {
      --place;
    } else {
      place = out.insert(place, message);
      place->destination = node;
    }
    add_readers({&task, 1}, reader.version, readers.before, *place);
  }
}

void FormulaMessages::count_uses(Output const& output, std::span<PlannedMessage> messages) const {
  NodeId const other = plan_.node_of(places_.other_place(output.place));
  PlannedMessage* last = nullptr;  // brings the replica that the first task of the next repetition overwrites
  for (PlannedMessage& message : messages) {
    message.source_replica = output.replica;
    if (message.destination == other) last = &message;
  }
  if (last != nullptr) last->uses += uses_of_move;
}

std::uint32_t FormulaMessages::uses_after_move(TaskId place) const {
  HandleId const handle = tile(place);
  std::uint32_t const last = formulas_.last_version(handle);
  std::uint32_t uses = 0;
  for (std::uint32_t v = places_.moved_version(handle); v < last; v = formulas_.next_version(handle, v))
    ++uses;
  NodeId const node = plan_.node_of(place);
  TileReaders const readers = places_.readers(place, last);
  for (TileRun const& run : readers.all())
    if (TileLines::Part const* const part = lines_.part(run, node))
      uses += static_cast<std::uint32_t>(lines_.tasks(run, *part).size());
  for (TileReader const& reader : readers.all_singles())
    if (plan_.runs_on(places_.of(reader.tile), node)) ++uses;
  std::vector<PlannedMessage> messages;
  append(place, node, {.place = place, .version = last, .position = 0}, messages);
  return uses + static_cast<std::uint32_t>(messages.size());
}

bool FormulaMessages::for_next_readers(std::function<void(PlannedMessage const&)> const& use) {
  if (formulas_.passes_tiles()) return for_readers_of(static_cast<int>(next_part_++), use);
  if (next_part_ == by_part_.size() * formulas_.repetitions()) return false;
  std::size_t const part = next_part_ % by_part_.size();
  auto const repetition = static_cast<std::uint32_t>(next_part_ / by_part_.size());
  ++next_part_;
  std::vector<PlannedMessage> messages;
  for (TaskId const place : by_part_[part]) {
    messages.clear();
    append(place, plan_.node_of(place),
           {.place = place,
            .version = formulas_.last_version(tile(place)),
            .position = 0,
            .repetition = repetition},
           messages);
    for (PlannedMessage const& message : messages)
      if (formulas_.parts().empty() || part_of(message, before(repetition)) == part) use(message);
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
        append(task, NodeId{n}, {.place = task, .version = formula.written, .position = formula.position},
               messages);
      if (formula.passed.valid())
        append(task, NodeId{n},
               {.place = places_.of(formula.passed),
                .version = formula.passed_written,
                .position = formula.position},
               messages);
      std::ranges::for_each(messages, use);
    }
  }
  return are_left;
}

void FormulaMessages::add_readers(std::span<TaskId const> tasks, std::uint32_t version, std::uint64_t before,
                                  PlannedMessage& message) const {
  FormulaTask const first = places_.task(tasks.front(), version);
  bool const is_new = message.uses == 0;
  message.uses += static_cast<std::uint32_t>(tasks.size());
  TaskId const position{before + first.position};
  if (!is_new && position > message.first_reader) return;
  message.first_reader = position;
  message.priority = first.priority;
}

}  // namespace factosim
