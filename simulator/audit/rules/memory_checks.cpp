#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

constexpr char const* no_places = "an older version wrote this trace: it does not tell what memories hold";

std::int64_t peak(std::vector<std::tuple<double, int, std::int64_t>>& changes, bool leave_first) {
  std::ranges::stable_sort(changes, {}, [&](auto const& c) {
    return std::tuple(std::get<0>(c), leave_first ? std::get<1>(c) : -std::get<1>(c));
  });
  std::int64_t now = 0, maximum = 0;
  for (auto const& [date, sign, bytes] : changes) maximum = std::max(maximum, now += sign * bytes);
  return maximum;
}

/// Returns how many bytes the memory may hold; 0: no limit.
std::int64_t capacity_of(RunView const& view, MemoryNodeId memory) {
  NodeType const& type = view.run.platform.type_of(view.memory_owner(memory));
  if (view.is_gpu_memory(memory))
    return static_cast<std::int64_t>(
        static_cast<double>(type.gpus[view.local_memory(memory) - type.ram_count()].memory.value) *
        view.run.runtime.gpu_memory_fraction);
  if (view.is_disk(memory)) return type.disk->size.value;
  if (!type.out_of_core) return type.ram.value;
  // Messages are received even where no copy can be evicted; the result states by how much that exceeds the RAM, of all
  // NUMA nodes together.
  std::int64_t beyond = 0;
  if (view.run.platform.nodes.size() > 1) {
    if (type.numa_nodes > 1) return 0;
    nlohmann::json::json_pointer const stated(
        fmt::format("/nodes/{}/over_memory_bytes", view.memory_owner(memory).value()));
    if (view.run.result.contains(stated)) beyond = view.run.result.at(stated).get<std::int64_t>();
  }
  return type.ram.value / type.numa_nodes + beyond;
}

void check_capacity(RunView const& view, AuditReport& report) {
  Check& check = report.check("memory");
  if (!view.run.trace->has_places) return check.skip(no_places);
  std::vector<Peak> const peaks = memory_peaks(view);
  for (std::uint32_t m = 0; m < peaks.size(); ++m) {
    MemoryNodeId const memory{m};
    std::int64_t const capacity = capacity_of(view, memory);
    if (capacity <= 0) continue;
    ++check.cases;
    if (peaks[m].minimum > capacity)
      check.add({fmt::format("holds {} bytes", peaks[m].minimum), view.name_of_memory(memory),
                 fmt::format("at most {}", capacity)});
  }
}

void check_operands(RunView const& view, AuditReport& report) {
  Check& check = report.check("places");
  if (!view.run.trace->has_places) return check.skip(no_places);
  Trace const& trace = *view.run.trace;
  auto const by_handle = rows_by_handle(trace.places, view.run.graph.handles.size());
  auto const has_place = [&](HandleId handle, MemoryNodeId memory, double from, double until) {
    auto const places = by_handle.of(handle.index());
    return std::ranges::any_of(places, [&](std::uint32_t p) {
      Trace::Place const& place = trace.places[p];
      return place.memory == memory && place.start_s <= from + view.tie_s &&
             (std::isnan(place.end_s) || place.end_s >= until - view.tie_s);
    });
  };
  for (Trace::Message const& m : trace.messages)
    for (MemoryNodeId const memory : {m.from_memory, m.to_memory}) {
      if (!m.handle.valid() || !memory.valid() || !view.is_gpu_memory(memory)) continue;
      ++check.cases;
      if (!has_place(m.handle, memory, m.start_s, m.end_s))
        check.add({fmt::format("has no place for {} in {}", view.name_of_handle(m.handle),
                               view.name_of_memory(memory)),
                   fmt::format("message from node {} to node {}", m.from.value(), m.to.value()),
                   "one from its start to its end", m.consumer, m.start_s});
    }
  for (std::uint32_t t = 0; t < view.run.graph.task_count(); ++t) {
    if (!view.ran(t) || !view.has_places(view.worker(t).memory)) continue;
    for (DataAccess const a : view.run.graph.accesses_of(TaskId{t})) {
      ++check.cases;
      if (!has_place(a.handle(), view.worker(t).memory, view.start_s(t), view.end_s(t)))
        check.add({fmt::format("runs without a place for {} in {}", view.name_of_handle(a.handle()),
                               view.name_of_memory(view.worker(t).memory)),
                   view.name_of_task(t), "one from its start to its end", TaskId{t}, view.start_s(t)});
    }
  }
}

}  // namespace

std::vector<Peak> memory_peaks(RunView const& view) {
  if (view.run.trace == nullptr || !view.run.trace->has_places) return {};
  std::vector<std::vector<std::tuple<double, int, std::int64_t>>> changes(view.routes.memory_count());
  for (Trace::Place const& p : view.run.trace->places) {
    std::int64_t const bytes = view.run.graph.handles[p.handle.index()].size.value;
    changes[p.memory.index()].emplace_back(p.start_s, 1, bytes);
    if (!std::isnan(p.end_s)) changes[p.memory.index()].emplace_back(p.end_s, -1, bytes);
  }
  std::vector<Peak> out;
  for (auto& of_memory : changes) {
    std::int64_t const minimum = peak(of_memory, true);
    out.push_back({minimum, peak(of_memory, false)});
  }
  return out;
}

void check_memory(RunView const& view, AuditReport& report) {
  check_capacity(view, report);
  check_operands(view, report);
}

}  // namespace factosim::audit
