#include "simulator/traces/import/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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

}  // namespace

void complete_sizes(Trace& trace) { SizeCompletion(trace).complete(); }

}  // namespace factosim
