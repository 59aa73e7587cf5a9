#pragma once

#include <type_traits>

#include "simulator/traces/trace/native_columns.hpp"
#include "tests/audit/injected_faults.hpp"

// Faults in what other commands read from a run: every column of its trace, numbers of its result, its map.
namespace factosim::testing::faults {

/// Changes one element: a date by a microsecond, a number by one, a truth value to the other, an index to another one
/// that the column holds. Returns false if there is none.
template <class Get>
bool change_element(Random& random, std::size_t count, Get const& element) {
  return somewhere(random, count, [&](std::size_t i) {
    auto& value = element(i);
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>)
      return value = std::isnan(value) ? 0 : value + 1e-6, true;
    else if constexpr (std::is_same_v<Value, Bytes>)
      return value.value += 1, true;
    else if constexpr (std::is_same_v<Value, TaskIndices>)
      return value.m += 1, true;
    else if constexpr (std::is_same_v<Value, DataAccess>)
      for (std::size_t j = 0; j < count; ++j) {
        if (element(j).handle() != value.handle())
          return value = DataAccess(element(j).handle(), value.mode()), true;
      }
    else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, std::uint16_t>)
      return value += 1, true;
    else
      for (std::size_t j = 0; j < count; ++j)
        if (element(j) != value) return value = element(j), true;
    return false;
  });
}

/// Moves the first items of one row of compressed rows to the row before.
inline bool move_row(Random& random, std::vector<std::uint32_t>& begin) {
  return somewhere(random, begin.empty() ? 0 : begin.size() - 1, [&](std::size_t i) {
    if (i == 0 || begin[i] == begin[i + 1]) return false;
    return begin[i] = begin[i + 1], true;
  });
}

/// Changes one element of the column of that name.
inline bool change_column(Trace& trace, std::string_view column, Random& random) {
  bool changed = false;
  auto const visit = [&](std::string_view name, auto& vector, auto... member) {
    if (name != column || vector.empty()) return;
    using Element = typename std::remove_reference_t<decltype(vector)>::value_type;
    if constexpr (sizeof...(member) == 1) {
      auto const pointer = std::get<0>(std::tuple(member...));
      changed = change_element(
          random, vector.size(), [&](std::size_t i) -> auto& { return vector[i].*pointer; });
    } else if constexpr (std::is_same_v<Element, bool>) {
      vector[any(random, vector.size())].flip();
      changed = true;
    } else if constexpr (std::is_same_v<Element, std::uint32_t>) {
      changed = name.ends_with("_begin")
                    ? move_row(random, vector)
                    : change_element(
                          random, vector.size(), [&](std::size_t i) -> auto& { return vector[i]; });
    } else {
      changed = change_element(
          random, vector.size(), [&](std::size_t i) -> auto& { return vector[i]; });
    }
  };
  native::for_each_column(trace, visit);
  native::for_each_late_column(trace, visit);
  return changed;
}

/// Names of all columns.
inline std::vector<std::string> columns() {
  std::vector<std::string> out;
  Trace empty;
  auto const visit = [&](std::string_view name, auto const&...) { out.emplace_back(name); };
  native::for_each_column(empty, visit);
  native::for_each_late_column(empty, visit);
  return out;
}

inline Fault in_trace(std::function<bool(Trace&, Random&)> change) {
  return
      [change = std::move(change)](RecordedRun& run, Random& random) { return change(*run.trace, random); };
}

inline Fault in_number(std::string pointer, double factor) {
  return [=](RecordedRun& run, Random&) {
    nlohmann::json::json_pointer const at(pointer);
    if (!run.result.contains(at)) return false;
    return run.result[at] = run.result[at].get<double>() * factor, true;
  };
}

/// Moves a task to the end of its last predecessor, where only that one decides its start.
inline bool without_overheads(Trace& t, Random& random) {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    double end = 0;
    for (TaskId const before : t.predecessors_of(TaskId{task})) {
      if (worker_of(t, before.index()).node != worker_of(t, task).node) return false;
      end = std::max(end, t.end_s[before.index()]);
    }
    if (end <= t.submit_s[task]) return false;
    move_task(t, task, end - t.start_s[task]);
    return true;
  });
}

template <class Transfer>
bool another_share(std::vector<Transfer>& transfers, Random& random, double factor) {
  if (transfers.empty()) return false;
  Transfer& one = transfers[any(random, transfers.size())];
  one.end_s = one.start_s + factor * (one.end_s - one.start_s);
  return true;
}

inline bool edit_predecessors(Trace& t, Random& random, bool add) {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    auto const told = t.predecessors_of(TaskId{task});
    if (task == 0 || (!add && told.empty())) return false;
    auto const place = t.predecessors.begin() + t.predecessor_begin[task];
    if (add) {
      if (std::find(told.begin(), told.end(), TaskId{0}) != told.end()) return false;
      t.predecessors.insert(place, TaskId{0});
    } else {
      t.predecessors.erase(place);
    }
    for (std::size_t i = task + 1; i < t.predecessor_begin.size(); ++i)
      t.predecessor_begin[i] += add ? 1 : -1;
    return true;
  });
}

inline bool move_tile(TileMap& map, std::size_t nodes, Random& random) {
  if (nodes < 2) return false;
  NodeId& owner = map.at(map.mt - 1, static_cast<int>(any(random, static_cast<std::size_t>(map.nt))));
  owner = NodeId{(owner.index() + 1) % nodes};
  return true;
}

/// Further kinds of faults; any finding counts.
inline std::vector<Kind> further_kinds() {
  return {
      {"all submitted at the start", "submission", in_trace([](Trace& t, Random&) {
         return std::fill(t.submit_s.begin(), t.submit_s.end(), 0.0), true;
       })},
      {"submitted at half the cost", "submission", in_trace([](Trace& t, Random&) {
         for (double& date : t.submit_s) date /= 2;
         return true;
       })},
      {"started without overheads", "overheads", in_trace(without_overheads)},
      {"copy with half its fair time", "fairness",
       in_trace([](Trace& t, Random& r) { return another_share(t.copies, r, 0.5); })},
      {"copy with 1 % more than its fair time", "fairness",
       in_trace([](Trace& t, Random& r) { return another_share(t.copies, r, 1.01); })},
      {"message with 1 % less than its fair time", "fairness",
       in_trace([](Trace& t, Random& r) { return another_share(t.messages, r, 0.99); })},
      {"message with 1 % more than its fair time", "fairness",
       in_trace([](Trace& t, Random& r) { return another_share(t.messages, r, 1.01); })},
      {"a predecessor missing", "repetition",
       in_trace([](Trace& t, Random& r) { return edit_predecessors(t, r, false); })},
      {"a predecessor too many", "repetition",
       in_trace([](Trace& t, Random& r) { return edit_predecessors(t, r, true); })},
      {"a hint missing", "repetition", in_trace([](Trace& t, Random& r) {
         if (t.wont_use.empty()) return false;
         t.wont_use.erase(t.wont_use.begin() + static_cast<std::ptrdiff_t>(any(r, t.wont_use.size())));
         return true;
       })},
      {"priorities reversed", "repetition", in_trace([](Trace& t, Random&) {
         for (auto& priority : t.priority) priority = -priority;
         return true;
       })},
      {"another name of a kernel", "tasks",
       in_trace([](Trace& t, Random& r) { return t.kernels[any(r, t.kernels.size())].name += "x", true; })},
      {"a tile on another node", "map",
       [](RecordedRun& run, Random& r) {
         return move_tile(run.scenario.distribution.map, run.scenario.platform.nodes.size(), r);
       }},
      {"another seed", "summary",
       [](RecordedRun& run, Random&) {
         return run.result["provenance"]["seed"] = run.result["provenance"]["seed"].get<int>() + 1, true;
       }},
      {"area bound halved", "summary", in_number("/bounds/abe_s", 0.5)},
      {"area bound at 99.9 % of the makespan", "summary",
       [](RecordedRun& run, Random&) {
         return run.result["bounds"]["abe_s"] = 0.999 * run.result["makespan_s"].get<double>(), true;
       }},
      {"area bound of a node halved", "summary", in_number("/bounds/abe_per_node_s/0", 0.5)},
      {"makespan + 1e-9 of it", "summary", in_number("/makespan_s", 1 + 1e-9)},
      {"makespan - 1e-9 of it", "summary", in_number("/makespan_s", 1 - 1e-9)},
      {"makespan + 1e-12 of it", "summary", in_number("/makespan_s", 1 + 1e-12)},
      {"makespan - 1e-12 of it", "summary", in_number("/makespan_s", 1 - 1e-12)},
  };
}

}  // namespace factosim::testing::faults
