#pragma once

#include "tests/audit/recorded_runs.hpp"

// Faults injected into correct runs at random places.
namespace factosim::testing::faults {

using Random = std::mt19937;

std::size_t any(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

/// Injects one fault; returns false if the run has no suitable place.
using Fault = std::function<bool(RecordedRun&, Random&)>;

struct Kind {
  std::string what;   // the fault
  std::string check;  // the check that must find it
  Fault inject;
};

/// Calls `use(index)` for the elements in random rotation until it returns true.
template <class Use>
bool somewhere(Random& random, std::size_t count, Use const& use) {
  std::size_t const first = any(random, count);
  for (std::size_t i = 0; i < count; ++i)
    if (use((first + i) % count)) return true;
  return false;
}

inline void move_task(Trace& t, std::size_t task, double by) {
  t.start_s[task] += by;
  t.end_s[task] += by;
}

inline Trace::Worker const& worker_of(Trace const& t, std::size_t task) {
  return t.workers[t.worker[task].index()];
}

// ---- tasks ----

inline bool another_worker(Trace& t, Random& random,
                           std::function<bool(Trace::Worker const&, Trace::Worker const&)> fits,
                           std::string const& kernel = "") {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    if (!kernel.empty() && t.kernels[t.kernel[task]].name != kernel) return false;
    for (std::uint32_t w = 0; w < t.workers.size(); ++w)
      if (fits(worker_of(t, task), t.workers[w])) return t.worker[task] = WorkerId{w}, true;
    return false;
  });
}

/// Moves a task with a predecessor before the end of that predecessor.
inline bool before_predecessor(Trace& t, Random& random) {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    if (t.predecessor_begin[task] == t.predecessor_begin[task + 1]) return false;
    double const end = t.end_s[t.predecessors[t.predecessor_begin[task]].index()];
    move_task(t, task, end - 1e-6 - t.start_s[task]);
    return true;
  });
}

inline bool on_top_of_another(Trace& t, Random& random) {
  return somewhere(random, t.task_count(), [&](std::size_t a) {
    for (std::size_t b = 0; b < t.task_count(); ++b)
      if (b != a && t.worker[a] == t.worker[b] && t.end_s[b] > t.start_s[b]) {
        move_task(t, a, t.start_s[b] + (t.end_s[b] - t.start_s[b]) / 2 - t.start_s[a]);
        return t.end_s[a] > t.start_s[a];
      }
    return false;
  });
}

// ---- data ----

/// Calls `use` with a copy that brings a task its input, and with the task.
template <class Use>
bool copy_for_task(Trace& t, Random& random, Use const& use) {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    MemoryNodeId const memory = worker_of(t, task).memory;
    for (std::uint32_t a = t.access_begin[task]; a < t.access_begin[task + 1]; ++a) {
      if (!reads(t.accesses[a].mode())) continue;
      std::size_t last = t.copies.size();
      std::size_t brought = 0;
      for (std::size_t c = 0; c < t.copies.size(); ++c)
        if (t.copies[c].to == memory && t.copies[c].handle == t.accesses[a].handle() &&
            t.copies[c].end_s <= t.start_s[task])
          last = c, ++brought;
      if (brought == 1) {
        // Data written in this memory need no copy.
        bool const written_here = [&] {
          for (std::size_t other = 0; other < t.task_count(); ++other)
            if (other != task && worker_of(t, other).memory == memory)
              for (std::uint32_t b = t.access_begin[other]; b < t.access_begin[other + 1]; ++b)
                if (t.accesses[b].handle() == t.accesses[a].handle() && writes(t.accesses[b].mode()))
                  return true;
          return false;
        }();
        if (!written_here) return use(task, last);
      }
    }
    return false;
  });
}

inline bool place_of_operand_gone(Trace& t, Random& random) {
  return somewhere(random, t.places.size(), [&](std::size_t p) {
    for (std::size_t task = 0; task < t.task_count(); ++task)
      for (std::uint32_t a = t.access_begin[task]; a < t.access_begin[task + 1]; ++a)
        if (t.accesses[a].handle() == t.places[p].handle && worker_of(t, task).memory == t.places[p].memory &&
            t.start_s[task] >= t.places[p].start_s &&
            (std::isnan(t.places[p].end_s) || t.end_s[task] <= t.places[p].end_s))
          return t.places.erase(t.places.begin() + static_cast<std::ptrdiff_t>(p)), true;
    return false;
  });
}

// ---- messages and copies ----

inline bool any_message(Trace& t, Random& random, std::function<bool(Trace::Message&)> const& change) {
  return somewhere(random, t.messages.size(), [&](std::size_t m) { return change(t.messages[m]); });
}

template <class Transfer>
bool at_half_the_time(std::vector<Transfer>& transfers, Random& random) {
  if (transfers.empty()) return false;
  Transfer& one = transfers[any(random, transfers.size())];
  for (Transfer const& other : transfers)  // the fastest transfer of its size has at most the full bandwidth
    if (other.size == one.size && other.end_s - other.start_s < one.end_s - one.start_s)
      one.end_s = one.start_s + (other.end_s - other.start_s);
  one.end_s = one.start_s + 0.2 * (one.end_s - one.start_s);
  return true;
}

/// Sends all messages of a node at once, each at the rate of the fastest: possible for each, not for all
/// together.
inline bool all_at_once(Trace& t, Random& random) {
  if (t.messages.size() < 8) return false;
  NodeId const from = t.messages[any(random, t.messages.size())].from;
  double minimum = std::numeric_limits<double>::infinity(), start = 0;
  std::size_t count = 0;
  for (Trace::Message const& m : t.messages)
    if (m.from == from)
      ++count, minimum = std::min(minimum, m.end_s - m.start_s), start = std::max(start, m.start_s);
  if (count < 3) return false;
  for (Trace::Message& m : t.messages)
    if (m.from == from) m.start_s = start, m.end_s = start + minimum * 1.5;
  return true;
}

/// Posts a message before the one of the same nodes that arrives before it.
inline bool overtake(Trace& t, Random& random) {
  return somewhere(random, t.messages.size(), [&](std::size_t i) {
    Trace::Message& late = t.messages[i];
    Trace::Message const* before = nullptr;
    for (Trace::Message const& m : t.messages)
      if (m.from == late.from && m.to == late.to && m.end_s < late.end_s &&
          (before == nullptr || m.end_s > before->end_s))
        before = &m;
    if (before == nullptr) return false;
    late.start_s = before->start_s - 1e-3;
    return true;
  });
}

inline std::vector<Kind> kinds() {
  auto const trace = [](std::function<bool(Trace&, Random&)> change) -> Fault {
    return [change](RecordedRun& run, Random& random) { return change(*run.trace, random); };
  };
  return {
      {"task twice", "tasks", trace([](Trace& t, Random& r) {
         std::size_t const task = any(r, t.task_count());
         t.repeats.push_back({TaskId{task}, t.worker[task], t.end_s[task], t.end_s[task] + 1});
         return true;
       })},
      {"task missing", "tasks",
       trace([](Trace& t, Random& r) { return t.worker[any(r, t.task_count())] = WorkerId{}, true; })},
      {"task without an end", "tasks",
       trace([](Trace& t, Random& r) { return t.end_s[any(r, t.task_count())] = unknown, true; })},
      {"fewer tasks in the trace", "tasks", trace([](Trace& t, Random&) {
         t.kernel.pop_back(), t.worker.pop_back(), t.submit_s.pop_back(), t.start_s.pop_back(),
             t.end_s.pop_back();
         return true;
       })},
      {"another kernel", "tasks", trace([](Trace& t, Random& r) {
         std::size_t const task = any(r, t.task_count());
         t.kernel[task] = static_cast<std::uint16_t>((t.kernel[task] + 1U) % t.kernels.size());
         return true;
       })},
      {"other data", "tasks", trace([](Trace& t, Random& r) {
         DataAccess& a = t.accesses[any(r, t.accesses.size())];
         a = DataAccess(HandleId{(a.handle().index() + 1) % t.handles.size()}, a.mode());
         return true;
       })},
      {"worker of another name", "machine",
       trace([](Trace& t, Random& r) { return t.workers[any(r, t.workers.size())].name += "x", true; })},
      {"worker in another memory", "machine", trace([](Trace& t, Random& r) {
         auto& memory = t.workers[any(r, t.workers.size())].memory;
         memory = MemoryNodeId{(memory.index() + 1) % t.memory_nodes.size()};
         return t.memory_nodes.size() > 1;
       })},
      {"worker without a timing", "worker", trace([](Trace& t, Random& r) {
         return another_worker(
             t, r,
             [](auto const& own, auto const& other) {
               return other.node == own.node && other.device == Trace::Device::gpu &&
                      own.device != other.device;
             },
             "dcmg");
       })},
      {"wrong node", "owner", trace([](Trace& t, Random& r) {
         return another_worker(t, r, [](auto const& own, auto const& other) {
           return other.node != own.node && other.device == own.device;
         });
       })},
      {"two tasks at once", "overlap", trace(on_top_of_another)},
      {"before its submission", "submission", trace([](Trace& t, Random& r) {
         std::size_t const task = any(r, t.task_count());
         return t.submit_s[task] = t.start_s[task] + 1e-6, true;
       })},
      {"before the barrier", "barriers",
       [](RecordedRun& run, Random& r) {
         Trace& t = *run.trace;
         auto const* const tiled = std::get_if<TiledApplication>(&run.scenario.application);
         if (tiled == nullptr || tiled->definition->name != "exageostat") return false;
         return somewhere(r, t.task_count(), [&](std::size_t task) {
           if (t.kernels[t.kernel[task]].name != "potrf") return false;
           move_task(t, task, -t.start_s[task]);  // at the start, before generation has ended
           return true;
         });
       }},
      {"longer than the kernel", "durations", trace([](Trace& t, Random& r) {
         return somewhere(r, t.task_count(), [&](std::size_t task) {
           if (t.end_s[task] == t.start_s[task]) return false;
           return t.end_s[task] += 0.01 * (t.end_s[task] - t.start_s[task]), true;
         });
       })},
      {"shorter than the kernel", "durations", trace([](Trace& t, Random& r) {
         return somewhere(r, t.task_count(), [&](std::size_t task) {
           if (t.end_s[task] == t.start_s[task]) return false;
           return t.end_s[task] -= 0.01 * (t.end_s[task] - t.start_s[task]), true;
         });
       })},
      {"before a task that it depends on", "dependencies", trace(before_predecessor)},
      {"before its input came", "inputs", trace([](Trace& t, Random& r) {
         return copy_for_task(t, r, [&](std::size_t task, std::size_t copy) {
           t.copies[copy].end_s = t.start_s[task] + 1e-6;
           return true;
         });
       })},
      {"input never copied", "inputs", trace([](Trace& t, Random& r) {
         return copy_for_task(t, r, [&](std::size_t, std::size_t copy) {
           t.copies.erase(t.copies.begin() + static_cast<std::ptrdiff_t>(copy));
           return true;
         });
       })},
      {"before its message came", "inputs", trace([](Trace& t, Random& r) {
         return any_message(t, r, [&](Trace::Message& m) {
           m.end_s = t.start_s[m.consumer.index()] + 1e-6;
           return worker_of(t, m.consumer.index()).device == Trace::Device::cpu;
         });
       })},
      {"evicted while a task uses it", "places", trace(place_of_operand_gone)},
      {"copied from where it is not", "sources", trace([](Trace& t, Random& r) {
         return somewhere(r, t.copies.size(), [&](std::size_t c) {
           t.copies[c].start_s = -1, t.copies[c].end_s = -0.5;  // before any data exists
           return true;
         });
       })},
      {"sent from where it is not", "sources", trace([](Trace& t, Random& r) {
         return any_message(t, r, [&](Trace::Message& m) {
           for (std::uint32_t n = 0; n < t.nodes.size(); ++n)
             if (NodeId{n} != m.from && NodeId{n} != m.to &&
                 std::none_of(t.messages.begin(), t.messages.end(), [&](Trace::Message const& other) {
                   return other.handle == m.handle && other.to == NodeId{n};
                 }))
               return m.from = NodeId{n}, true;
           return false;
         });
       })},
      {"message missing", "messages", trace([](Trace& t, Random& r) {
         if (t.messages.empty()) return false;
         t.messages.erase(t.messages.begin() + static_cast<std::ptrdiff_t>(any(r, t.messages.size())));
         return true;
       })},
      {"message twice", "messages", trace([](Trace& t, Random& r) {
         if (t.messages.empty()) return false;
         return t.messages.push_back(t.messages[any(r, t.messages.size())]), true;
       })},
      {"message before its data", "messages", trace([](Trace& t, Random& r) {
         return any_message(
             t, r, [&](Trace::Message& m) { return m.start_s = t.end_s[m.producer.index()] - 1e-6, true; });
       })},
      {"message before its reader is submitted", "posts", trace([](Trace& t, Random& r) {
         return any_message(t, r, [&](Trace::Message& m) {
           return t.submit_s[m.consumer.index()] = m.start_s + 1e-6, true;
         });
       })},
      {"message to another node", "messages", trace([](Trace& t, Random& r) {
         return any_message(t, r, [&](Trace::Message& m) {
           return m.to = NodeId{(m.to.index() + 1) % t.nodes.size()}, true;
         });
       })},
      {"message of another size", "messages", trace([](Trace& t, Random& r) {
         return any_message(t, r, [](Trace::Message& m) { return m.size.value -= 1, true; });
       })},
      {"message of another task", "messages", trace([](Trace& t, Random& r) {
         return any_message(t, r, [](Trace::Message& m) { return m.producer = m.consumer, true; });
       })},
      {"copy faster than its link", "bandwidth",
       trace([](Trace& t, Random& r) { return at_half_the_time(t.copies, r); })},
      {"message faster than its link", "bandwidth",
       trace([](Trace& t, Random& r) { return at_half_the_time(t.messages, r); })},
      {"more than a link carries", "links", trace(all_at_once)},
      {"too many messages at once", "sends",
       [](RecordedRun& run, Random& r) {
         run.scenario.runtime.max_sends_per_node = 2;
         return all_at_once(*run.trace, r);
       }},
      {"messages beside each other", "wire",
       [](RecordedRun& run, Random& r) {
         run.scenario.platform.network.wire = Wire::fifo;
         return all_at_once(*run.trace, r);
       }},
      {"message overtaken", "wire",
       [](RecordedRun& run, Random& r) {
         run.scenario.platform.network.wire = Wire::fifo;
         return overtake(*run.trace, r);
       }},
      {"memory exceeded", "memory",
       [](RecordedRun& run, Random& r) {
         Trace& t = *run.trace;
         return somewhere(r, t.places.size(), [&](std::size_t p) {
           Trace::Place const place = t.places[p];
           MemoryNodeId const m = place.memory;
           NodeType const& type = run.scenario.platform.type_of(t.memory_nodes[m.index()].node);
           bool const gpu = t.memory_nodes[m.index()].name != "ram";
           if (!gpu && type.ram.value == 0) return false;
           double const capacity = static_cast<double>(gpu ? type.gpus[0].memory.value : type.ram.value);
           auto const size = static_cast<double>(t.handles[place.handle.index()].size.value);
           if (size * 1e6 < capacity)
             return false;  // a vector: its copies would fill the RAM of this machine
           for (double held = 0; held <= capacity; held += size) t.places.push_back(place);
           return true;
         });
       }},
      {"makespan below a bound", "bounds",
       [](RecordedRun& run, Random& r) {
         static char const* const which[] = {"abe_s", "critical_path_s", "critical_path_with_comm_s"};
         run.result["bounds"][which[any(r, 3)]] = run.result["makespan_s"].get<double>() * 1.01;
         return true;
       }},
  };
}

}  // namespace factosim::testing::faults
