#include "simulator/traces/import/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr Bytes not_known{-1};
constexpr double max_total = 0x1p62;  // bytes; totals are counted in 64 bits

class SizeCompletion {
 public:
  explicit SizeCompletion(Trace& trace) : trace_(trace) {}

  void complete() {
    for (Trace::Handle& h : trace_.handles)
      if (h.size == Bytes{0} && h.m >= 0) h.size = not_known;
    take_from_messages();
    derive();
    complete_messages();
    report_unknown();
    check_total();
  }

 private:
  void find(std::string message) { trace_.findings.push_back({trace_.source, 0, std::move(message)}); }

  void take_from_messages() {
    std::vector<Bytes> largest(trace_.handles.size(), not_known);
    for (Trace::Message const& m : trace_.messages)
      if (m.handle.valid() && m.size.value > 0)
        largest[m.handle.index()] = std::max(largest[m.handle.index()], m.size);
    for (std::size_t h = 0; h < largest.size(); ++h)
      if (trace_.handles[h].size.value <= 0)
        trace_.handles[h].size = std::max(trace_.handles[h].size, largest[h]);
    std::size_t contradictory = 0;
    for (Trace::Message const& m : trace_.messages)
      if (m.handle.valid() && m.size.value > 0 && m.size != size_of(m.handle)) ++contradictory;
    if (contradictory > 0)
      find(fmt::format("{} messages have another size than their data: both are kept", contradictory));
  }

  // ---- data like others ----

  /// The size of all data with a property.
  struct CommonSize {
    Bytes size = not_known;
    bool unique = true;
    void note(Bytes other) {
      if (size == not_known) size = other;
      if (size != other) unique = false;
    }
  };
  /// Place of a datum in the tasks of one kernel on data of one shape.
  using Place = std::tuple<std::uint16_t, std::uint32_t, std::size_t>;

  void derive() {
    std::size_t const before = unknown_count();
    if (before == 0) return;
    for (std::size_t left = before + 1; unknown_count() < left;) {
      left = unknown_count();
      derive_from_shapes();
      derive_from_places();
    }
    if (std::size_t const derived = before - unknown_count(); derived > 0)
      find(
          fmt::format("no file tells the size of {} pieces of data: they have that of data of the same "
                      "shape, or in the same place of tasks with the same footprint",
                      derived));
  }

  void derive_from_shapes() {
    std::map<std::string_view, CommonSize> sizes;
    for (Trace::Handle const& h : trace_.handles)
      if (has_shape(h) && h.size.value > 0) sizes[h.shape].note(h.size);
    for (Trace::Handle& h : trace_.handles)
      if (has_shape(h) && h.size == not_known) set(h, sizes, std::string_view(h.shape));
  }

  void derive_from_places() {
    std::map<Place, CommonSize> sizes;
    for_each_place([&](Place const& place, HandleId handle) {
      if (size_of(handle).value > 0) sizes[place].note(size_of(handle));
    });
    for_each_place([&](Place const& place, HandleId handle) {
      Trace::Handle& h = trace_.handles[handle.index()];
      if (h.size == not_known) set(h, sizes, place);
    });
  }

  template <class Key>
  static void set(Trace::Handle& h, std::map<Key, CommonSize> const& sizes, Key const& key) {
    auto const known = sizes.find(key);
    if (known != sizes.end() && known->second.unique) h.size = known->second.size;
  }

  template <class Use>
  void for_each_place(Use use) const {
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (trace_.footprint[t] == 0) continue;
      auto const accesses = trace_.accesses_of(TaskId{t});
      for (std::size_t i = 0; i < accesses.size(); ++i)
        use(Place{trace_.kernel[t], trace_.footprint[t], i}, accesses[i].handle());
    }
  }

  /// "0" is the shape of data whose kind tells none.
  static bool has_shape(Trace::Handle const& h) { return !h.shape.empty() && h.shape != "0"; }

  // ---- messages ----

  void complete_messages() {
    for (Trace::Message& m : trace_.messages)
      if (m.size.value <= 0) m.size = m.handle.valid() ? size_of(m.handle) : not_known;
  }

  void report_unknown() {
    auto const messages = std::count_if(trace_.messages.begin(), trace_.messages.end(),
                                        [](Trace::Message const& m) { return m.size == not_known; });
    if (messages > 0)
      find(fmt::format("no file tells the size of {} of {} messages", messages, trace_.messages.size()));
    std::vector<bool> used(trace_.handles.size(), false);
    for (DataAccess const access : trace_.accesses) used[access.handle().index()] = true;
    std::size_t data = 0;
    for (std::size_t h = 0; h < used.size(); ++h)
      data += used[h] && trace_.handles[h].size == not_known ? 1 : 0;
    if (data > 0)
      find(fmt::format("no file tells the size of {} of {} pieces of data that tasks use", data,
                       std::count(used.begin(), used.end(), true)));
  }

  void check_total() const {
    double total = 0;
    for (Trace::Message const& m : trace_.messages) total += static_cast<double>(m.size.value);
    for (Trace::Handle const& h : trace_.handles) total += static_cast<double>(h.size.value);
    for (Trace::Copy const& c : trace_.copies) total += static_cast<double>(c.size.value);
    if (total > max_total)
      throw InputError(trace_.source + "#",
                       fmt::format("tells data and transfers of {:.3g} bytes (more than 2^62, which no "
                                   "machine holds). Was the trace damaged?",
                                   total));
  }

  [[nodiscard]] Bytes size_of(HandleId handle) const { return trace_.handles[handle.index()].size; }
  [[nodiscard]] std::size_t unknown_count() const {
    return static_cast<std::size_t>(
        std::count_if(trace_.handles.begin(), trace_.handles.end(),
                      [](Trace::Handle const& h) { return h.size == not_known; }));
  }

  Trace& trace_;
};

/// Resolution of clocks and printed dates.
constexpr double rounding_s = 1e-6;

struct Users {
  std::vector<std::uint32_t> writers, readers;  // tasks by their end; tasks by their start
};

std::uint64_t key(NodeId node, HandleId handle) {
  return std::uint64_t{node.value()} << 32U | handle.value();
}

/// Collects the tasks that write and read the handles of `users` where they run.
void find_users(Trace const& trace, std::unordered_map<std::uint64_t, Users>& users) {
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    NodeId const node = trace.node_of(TaskId{t});
    if (!node.valid()) continue;
    for (DataAccess const& access : trace.accesses_of(TaskId{t})) {
      auto const place = users.find(key(node, access.handle()));
      if (place == users.end()) continue;
      if (writes(access.mode())) place->second.writers.push_back(t);
      if (reads(access.mode())) place->second.readers.push_back(t);
    }
  }
  for (auto& [place, u] : users) {
    std::stable_sort(u.writers.begin(), u.writers.end(),
                     [&](auto a, auto b) { return trace.end_s[a] < trace.end_s[b]; });
    std::stable_sort(u.readers.begin(), u.readers.end(),
                     [&](auto a, auto b) { return trace.start_s[a] < trace.start_s[b]; });
  }
}

}  // namespace

void complete_sizes(Trace& trace) { SizeCompletion(trace).complete(); }

void find_message_ends(Trace& trace, std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<Trace::Message>& messages = trace.messages;
  std::vector<std::uint32_t> open;  // messages without ends, by arrival
  std::unordered_map<std::uint64_t, Users> users;
  for (std::uint32_t i = 0; i < messages.size(); ++i) {
    Trace::Message const& m = messages[i];
    if (m.producer.valid() || !m.handle.valid()) continue;
    open.push_back(i);
    users[key(m.from, m.handle)];
    users[key(m.to, m.handle)];
  }
  if (open.empty() || trace.access_begin.empty()) return;
  find_users(trace, users);
  std::stable_sort(open.begin(), open.end(),
                   [&](auto a, auto b) { return messages[a].end_s > messages[b].end_s; });
  std::unordered_map<std::uint64_t, double> next_arrival;
  for (std::uint32_t const i : open) {  // latest arrival first
    Trace::Message& m = messages[i];
    auto const& writers = users[key(m.from, m.handle)].writers;
    auto const after = std::partition_point(writers.begin(), writers.end(), [&](std::uint32_t t) {
      return trace.end_s[t] <= m.start_s + rounding_s;
    });
    if (after != writers.begin()) m.producer = TaskId{*std::prev(after)};
    double& until =
        next_arrival.try_emplace(key(m.to, m.handle), std::numeric_limits<double>::infinity()).first->second;
    auto const& readers = users[key(m.to, m.handle)].readers;
    auto reader = std::partition_point(readers.begin(), readers.end(), [&](std::uint32_t t) {
      return trace.start_s[t] < m.end_s - rounding_s;
    });
    for (; reader != readers.end() && trace.start_s[*reader] < until; ++reader) {
      if (!m.consumer.valid()) m.consumer = TaskId{*reader};
      if (m.producer.valid()) edges.emplace_back(*reader, m.producer.value());
    }
    until = m.end_s;
  }
}

}  // namespace factosim
