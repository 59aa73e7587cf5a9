// The auditor finds nothing in sound runs, and each kind of fault that is planted in them, by the check that
// is about it.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

using Random = std::mt19937;

std::size_t any(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

/// Plants one fault somewhere; false where the run has no place for it.
using Fault = std::function<bool(RecordedRun&, Random&)>;

struct Kind {
  std::string what;   // is wrong
  std::string check;  // must find it
  Fault plant;
};

/// Calls `use(index)` for the elements of a random rotation until one says true.
template <class Use>
bool somewhere(Random& random, std::size_t count, Use const& use) {
  std::size_t const first = any(random, count);
  for (std::size_t i = 0; i < count; ++i)
    if (use((first + i) % count)) return true;
  return false;
}

void move_task(Trace& t, std::size_t task, double by) {
  t.start_s[task] += by;
  t.end_s[task] += by;
}

Trace::Worker const& worker_of(Trace const& t, std::size_t task) { return t.workers[t.worker[task].index()]; }

// ---- tasks ----

bool another_worker(Trace& t, Random& random,
                    std::function<bool(Trace::Worker const&, Trace::Worker const&)> fits,
                    std::string const& kernel = "") {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    if (!kernel.empty() && t.kernels[t.kernel[task]].name != kernel) return false;
    for (std::uint32_t w = 0; w < t.workers.size(); ++w)
      if (fits(worker_of(t, task), t.workers[w])) return t.worker[task] = WorkerId{w}, true;
    return false;
  });
}

/// A task that waits for another one and that a change of its dates brings before the end of that one.
bool before_predecessor(Trace& t, Random& random) {
  return somewhere(random, t.task_count(), [&](std::size_t task) {
    if (t.predecessor_begin[task] == t.predecessor_begin[task + 1]) return false;
    double const end = t.end_s[t.predecessors[t.predecessor_begin[task]].index()];
    move_task(t, task, end - 1e-6 - t.start_s[task]);
    return true;
  });
}

bool on_top_of_another(Trace& t, Random& random) {
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

/// A copy that brings a task what it reads, and that task.
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
        // What is written in this very memory needs no copy.
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

bool place_of_operand_gone(Trace& t, Random& random) {
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

// ---- what a message or a copy does ----

bool any_message(Trace& t, Random& random, std::function<bool(Trace::Message&)> const& change) {
  return somewhere(random, t.messages.size(), [&](std::size_t m) { return change(t.messages[m]); });
}

template <class Transfer>
bool at_half_the_time(std::vector<Transfer>& transfers, Random& random) {
  if (transfers.empty()) return false;
  Transfer& one = transfers[any(random, transfers.size())];
  for (Transfer const& other : transfers)  // the fastest of its size goes at the full bandwidth or below
    if (other.size == one.size && other.end_s - other.start_s < one.end_s - one.start_s)
      one.end_s = one.start_s + (other.end_s - other.start_s);
  one.end_s = one.start_s + 0.2 * (one.end_s - one.start_s);
  return true;
}

/// All messages of one sender at the pace of the fastest, at once: each could, all cannot.
bool all_at_once(Trace& t, Random& random) {
  if (t.messages.size() < 8) return false;
  NodeId const from = t.messages[any(random, t.messages.size())].from;
  double least = std::numeric_limits<double>::infinity(), start = 0;
  std::size_t count = 0;
  for (Trace::Message const& m : t.messages)
    if (m.from == from)
      ++count, least = std::min(least, m.end_s - m.start_s), start = std::max(start, m.start_s);
  if (count < 3) return false;
  for (Trace::Message& m : t.messages)
    if (m.from == from) m.start_s = start, m.end_s = start + least * 1.5;
  return true;
}

std::vector<Kind> kinds() {
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
         if (run.scenario.application != "exageostat") return false;
         return somewhere(r, t.task_count(), [&](std::size_t task) {
           if (t.kernels[t.kernel[task]].name != "potrf") return false;
           move_task(t, task, -t.start_s[task]);  // at the very start, before generation has ended
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
           t.copies[c].start_s = -1, t.copies[c].end_s = -0.5;  // before anything is anywhere
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

struct Base {
  std::string name;
  RecordedRun run;
};

/// GPUs with little memory; nodes of two kinds over SimGrid; phases, barriers and cores that do what GPUs
/// cannot.
std::vector<Base> const& bases() {
  static std::vector<Base> const runs = [] {
    std::vector<Base> out;
    out.push_back({"one node with GPUs",
                   recorded_run("first/lu_mirage.json",
                                "--set /application/nt=7 --set /runtime/gpu_memory_fraction=0.03")});
    out.push_back({"six nodes", recorded_run("lille/block_cyclic_2x11.json",
                                             "--set /application/nt=12 --set '/platform/nodes=[{\"type\":"
                                             "\"chifflet\",\"count\":2},{\"type\":\"chetemi\",\"count\":4}]' "
                                             "--set /distribution/p=2 --set /distribution/q=3")});
    out.push_back(
        {"likelihood with barriers", recorded_run("exageostat_icpp21/fig05_workload_60.json",
                                                  "--set /application/nt=8 --set /application/n=7680 --set "
                                                  "/application/asynchronous=none")});
    return out;
  }();
  return runs;
}

/// Pointers to all numbers and truth values of the result that the run decides.
void collect(nlohmann::json const& json, std::string const& pointer, std::vector<std::string>& out) {
  if (pointer == "/simulation" || pointer == "/provenance" || pointer.starts_with("/bounds/abe")) return;
  if (json.is_object())
    for (auto const& [key, value] : json.items()) collect(value, pointer + "/" + key, out);
  else if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) collect(json[i], fmt::format("{}/{}", pointer, i), out);
  else if (json.is_number() || json.is_boolean())
    out.push_back(pointer);
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("the auditor finds nothing in sound runs") {
    for (Base const& base : bases()) {
      audit::AuditReport const report = audit_run(base.run);
      CHECK_MESSAGE(report.broken() == 0, base.name << "\n" << findings(report));
      for (audit::Check const& c : report.checks()) CHECK_MESSAGE(c.skipped.empty(), c.name << c.skipped);
    }
  }

  TEST_CASE("the auditor finds every fault that is planted in a run by the check that is about it") {
    constexpr int tries = 3;  // of each fault in each run
    std::string table = fmt::format("\n{:<36}{:<14}{:>8}{:>8}\n", "fault", "check", "planted", "caught");
    std::uint64_t all_planted = 0, all_caught = 0;
    for (Kind const& kind : kinds()) {
      std::uint64_t planted = 0, caught = 0;
      for (Base const& base : bases())
        for (unsigned seed = 0; seed < tries; ++seed) {
          RecordedRun run = base.run;
          Random random(seed * 7919 + 1);
          if (!kind.plant(run, random)) continue;
          ++planted;
          audit::AuditReport const report = audit_run(run);
          audit::Check const* const check = find_check(report, kind.check);
          bool const found = check != nullptr && check->broken > 0;
          caught += found ? 1 : 0;
          CHECK_MESSAGE(found, kind.what << " in " << base.name << ", seed " << seed << "\n"
                                         << findings(report).substr(0, 1000));
        }
      CHECK_MESSAGE(planted > 0, kind.what);
      table += fmt::format("{:<36}{:<14}{:>8}{:>8}\n", kind.what, kind.check, planted, caught);
      all_planted += planted, all_caught += caught;
    }
    table += fmt::format("{:<50}{:>8}{:>8}\n", "all", all_planted, all_caught);
    MESSAGE(table);
  }

  TEST_CASE("the auditor finds every number of a result that is changed") {
    // All of a result at once: one finding for each.
    std::uint64_t all_planted = 0, all_caught = 0;
    for (Base const& base : bases()) {
      std::vector<std::string> pointers;
      collect(base.run.result, "", pointers);
      RecordedRun run = base.run;
      for (std::string const& pointer : pointers) {
        nlohmann::json& value = run.result[nlohmann::json::json_pointer(pointer)];
        if (value.is_boolean())
          value = !value.get<bool>();
        else if (value.is_number_integer())
          value = value.get<std::int64_t>() + (pointer.ends_with("memory_bytes") ? 8'000'000'000 : 1);
        else
          value = value.get<double>() * 1.000001 + 1e-6;
      }
      audit::AuditReport const report = audit_run(run);
      std::uint64_t const caught = find_check(report, "summary")->broken;
      CHECK_MESSAGE(caught == pointers.size(), base.name << "\n" << findings(report));
      all_planted += pointers.size();
      all_caught += caught;
    }
    MESSAGE(fmt::format("numbers of results changed: {}, caught: {}", all_planted, all_caught));
  }
}
