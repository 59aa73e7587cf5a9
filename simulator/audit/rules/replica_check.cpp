// Versions in each memory over time, handle by handle.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

class ReplicaWalk {
 public:
  ReplicaWalk(RunView const& view, DataFlow const& flow, AuditReport& report)
      : view_(view),
        trace_(*view.run.trace),
        flow_(flow),
        inputs_(report.check("inputs")),
        sources_(report.check("sources")),
        copies_(rows_by_handle(trace_.copies, view.run.graph.handles.size())),
        messages_(rows_by_handle(trace_.messages, view.run.graph.handles.size())),
        places_(rows_by_handle(trace_.places, view.run.graph.handles.size())) {}

  void check(HandleId handle) {
    handle_ = handle;
    held_.clear();
    received_.clear();
    events_.clear();
    uses_ = {flow_.uses.data() + flow_.first_use[handle.index()],
             flow_.uses.data() + flow_.first_use[handle.index() + 1]};
    begin();
    collect_events();
    for (auto e = events_.begin(); e != events_.end();) {
      if (e->what != What::instant_transfer) {
        happen(*e++);
        continue;
      }
      auto const last = std::find_if(e, events_.end(), [&](Event const& other) {
        return other.what != What::instant_transfer || other.date != e->date;
      });
      happen_at_once({e, last});
      e = last;
    }
    for (DataFlow::Use const& u : uses_)
      if (u.reads != DataFlow::none && view_.ran(u.task)) check_input(u);
  }

 private:
  /// A version in a memory.
  struct Held {
    std::uint32_t version;
    MemoryNodeId memory;
    double from, until;
  };
  enum class What : std::uint8_t {
    write_ended,
    transfer_ended,
    instant_transfer,  // shorter than half a tick of the clock
    transfer_started,
    write_started
  };
  struct Event {
    double date;
    What what;
    bool message;         // otherwise a copy, or a task
    std::uint32_t index;  // of the copy, message or use
  };

  void begin() {
    TaskGraph const& graph = view_.run.graph;
    std::size_t const placement = uses_.empty() ? 0 : graph.placement(TaskId{uses_.front().task});
    NodeId const owner = view_.run.owners[placement][handle_.index()];
    if (owner.valid() && (uses_.empty() || uses_.front().reads != DataFlow::none))
      hold(DataFlow::initial, initial_memory(owner), 0);
  }

  /// Returns where the owner has the data at the start: in RAM, out of core where its first copy was allocated.
  [[nodiscard]] MemoryNodeId initial_memory(NodeId owner) const {
    MemoryNodeId const ram = view_.ram_of(owner);
    if (!view_.out_of_core(ram)) return ram;
    for (std::uint32_t const p : places_.of(handle_.index()))
      if (trace_.places[p].start_s == 0 && view_.memory_owner(trace_.places[p].memory) == owner)
        return trace_.places[p].memory;
    return ram;
  }

  void collect_events() {
    for (std::uint32_t const c : copies_.of(handle_.index()))
      add_transfer(trace_.copies[c].start_s, trace_.copies[c].end_s, false, c);
    for (std::uint32_t const m : messages_.of(handle_.index()))
      add_transfer(trace_.messages[m].start_s, trace_.messages[m].end_s, true, m);
    for (std::uint32_t u = 0; u < uses_.size(); ++u) {
      if (!uses_[u].writes || !view_.ran(uses_[u].task)) continue;
      events_.push_back({view_.start_s(uses_[u].task), What::write_started, false, u});
      events_.push_back({view_.end_s(uses_[u].task), What::write_ended, false, u});
    }
    std::ranges::stable_sort(events_, {}, [](Event const& e) { return std::pair(e.date, e.what); });
    carried_.clear();
  }

  void add_transfer(double start_s, double end_s, bool message, std::uint32_t index) {
    if (start_s == end_s) return events_.push_back({start_s, What::instant_transfer, message, index});
    events_.push_back({start_s, What::transfer_started, message, index});
    events_.push_back({end_s, What::transfer_ended, message, index});
  }

  /// Transfers of one date without a duration: each after the one that brought its source.
  void happen_at_once(std::span<Event> events) {
    while (!events.empty()) {
      auto const next = std::ranges::find_if(events, [&](Event const& e) { return has_source(e); });
      std::iter_swap(events.begin(), next == events.end() ? events.begin() : next);
      happen(events.front());
      events = events.subspan(1);
    }
  }
  [[nodiscard]] bool has_source(Event const& e) const {
    return e.message ? can_leave(trace_.messages[e.index]) : std::ranges::any_of(held_, [&](Held const& h) {
      return copied_from(h, trace_.copies[e.index]);
    });
  }

  void happen(Event const& e) {
    switch (e.what) {
      case What::write_ended: {
        std::uint32_t const task = uses_[e.index].task;
        return hold(task, view_.worker(task).memory, e.date);
      }
      case What::write_started: {
        NodeId const node = view_.node(uses_[e.index].task);
        for (Held& h : held_)
          if (h.version == uses_[e.index].overwrites && view_.memory_owner(h.memory) == node)
            h.until = std::min(h.until, e.date);
        return;
      }
      case What::instant_transfer:
        happen({e.date, What::transfer_started, e.message, e.index});
        return happen({e.date, What::transfer_ended, e.message, e.index});
      case What::transfer_started:
        return e.message ? leave(trace_.messages[e.index]) : leave(trace_.copies[e.index], e.index);
      case What::transfer_ended:
        return e.message ? arrive(trace_.messages[e.index]) : arrive(trace_.copies[e.index], e.index);
    }
  }

  // ---- messages: versions ----

  /// The sender may overwrite its data during the transfer: in the model, messages are sent from separate buffers. It may
  /// also forward what it has received before it has memory for it.
  [[nodiscard]] bool can_leave(Trace::Message const& m) const {
    auto const has = [&](Held const& h) {
      return h.version == m.producer.value() && h.memory == view_.memory_of(m.from_memory, m.from) &&
             h.from <= m.start_s + view_.tie_s;
    };
    return std::ranges::any_of(held_, has) || std::ranges::any_of(received_, has);
  }
  void leave(Trace::Message const& m) {
    ++sources_.cases;
    bool const there = can_leave(m);
    if (!there)
      sources_.add({fmt::format("{} leaves {}, which does not have it", view_.name_of_handle(handle_),
                                view_.name_of_memory(view_.memory_of(m.from_memory, m.from))),
                    fmt::format("message to node {}", m.to.value()),
                    "what its producer wrote, in that memory", m.consumer, m.start_s});
  }
  void arrive(Trace::Message const& m) {
    MemoryNodeId const memory = view_.memory_of(m.to_memory, m.to);
    received_.push_back({m.producer.value(), memory, m.end_s, forever});
    hold(m.producer.value(), memory, m.end_s);
  }

  // ---- copies ----

  [[nodiscard]] bool copied_from(Held const& h, Trace::Copy const& c) const {
    return h.memory == c.from && h.from <= c.start_s + view_.tie_s && h.until > c.start_s - view_.tie_s;
  }
  void leave(Trace::Copy const& c, std::uint32_t index) {
    ++sources_.cases;
    for (std::size_t i = 0; i < held_.size(); ++i)
      if (copied_from(held_[i], c)) carried_.push_back({index, i});
  }
  void arrive(Trace::Copy const& c, std::uint32_t index) {
    bool carried = false;
    std::size_t const known = carried_.size();
    for (std::size_t i = 0; i < known; ++i) {
      if (carried_[i].first != index) continue;
      Held const source = held_[carried_[i].second];
      if (source.until < c.end_s - view_.tie_s) continue;  // overwritten or evicted during the copy
      carried = true;
      hold(source.version, c.to, c.end_s);
    }
    std::erase_if(carried_, [&](auto const& entry) { return entry.first == index; });
    if (!carried)
      sources_.add({fmt::format("{} is copied from {}, which does not have it", view_.name_of_handle(handle_),
                                view_.name_of_memory(c.from)),
                    fmt::format("copy to {}", view_.name_of_memory(c.to)), "a valid replica until its end",
                    TaskId{}, c.start_s});
  }

  // ---- allocations ----

  void hold(std::uint32_t version, MemoryNodeId memory, double from) {
    if (!view_.has_places(memory)) {
      held_.push_back({version, memory, from, forever});
      return;
    }
    double covered = -forever;        // end of an allocation that exists already
    double later = forever, end = 0;  // the first allocation after it
    for (std::uint32_t const p : places_.of(handle_.index())) {
      Trace::Place const& place = trace_.places[p];
      if (place.memory != memory) continue;
      double const until = std::isnan(place.end_s) ? forever : place.end_s;
      if (until < from - view_.tie_s) continue;
      if (place.start_s <= from + view_.tie_s)
        covered = std::max(covered, until);
      else if (place.start_s < later)
        later = place.start_s, end = until;
    }
    if (covered >= from - view_.tie_s) held_.push_back({version, memory, from, covered});
    // A received tile is allocated once its memory is known.
    if (later < forever && !view_.is_gpu_memory(memory)) held_.push_back({version, memory, later, end});
  }

  void check_input(DataFlow::Use const& u) {
    ++inputs_.cases;
    MemoryNodeId const memory = view_.worker(u.task).memory;
    double const start = view_.start_s(u.task);
    double const needed_until = u.writes ? start : view_.end_s(u.task);
    double earliest = forever;
    for (Held const& h : held_) {
      if (h.version != u.reads || h.memory != memory) continue;
      if (h.from <= start + view_.tie_s && h.until >= needed_until - view_.tie_s) return;
      earliest = std::min(earliest, h.from);
    }
    std::string const name = view_.name_of_handle(handle_), where = view_.name_of_memory(memory);
    inputs_.add({earliest > start + view_.tie_s
                     ? fmt::format("starts without its input {} in {}", name, where)
                     : fmt::format("loses its input {} in {} before it has ended", name, where),
                 view_.name_of_task(u.task),
                 earliest == forever ? "a copy or a message that brings that version"
                 : earliest > start  ? fmt::format("not before {:.9g} s, when it came", earliest)
                                     : fmt::format("that version until {:.9g} s", needed_until),
                 TaskId{u.task}, start});
  }

  RunView const& view_;
  Trace const& trace_;
  DataFlow const& flow_;
  Check& inputs_;
  Check& sources_;
  CompressedRows<std::uint32_t> copies_, messages_, places_;
  // Of the current handle:
  HandleId handle_;
  std::span<DataFlow::Use const> uses_;
  std::vector<Event> events_;
  std::vector<Held> held_;
  std::vector<Held> received_;  // by messages, whether there was memory for it or not
  std::vector<std::pair<std::uint32_t, std::size_t>> carried_;  // copy in flight -> index into held_
};

}  // namespace

void check_replicas(RunView const& view, DataFlow const& flow, AuditReport& report) {
  ReplicaWalk walk(view, flow, report);
  for (std::uint32_t h = 0; h < view.run.graph.handles.size(); ++h) walk.check(HandleId{h});
}

}  // namespace factosim::audit
