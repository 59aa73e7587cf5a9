// Longest paths through small runs, computed by hand.

#include "simulator/report/analysis/delay_model.hpp"

#include "simulator/report/analysis/difference_parts.hpp"
#include "simulator/report/analysis/run_comparison.hpp"
#include "tests/prelude.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

/// Two nodes of one core. Task 0 runs on node 0 from 1 to 3, submitted at 0.5. A copy to RAM ends at 3.5, a
/// message goes from 4 to 5 to node 1, where task 1 starts at 5.25 and ends at 7.
Trace relay_with_copy() {
  Trace trace;
  trace.format = "factosim";
  trace.kernels = {{.name = "work", .flops = {1}}};
  trace.handles.push_back({.size = Bytes{1000}, .owner = NodeId{0}, .shape = {}});
  for (std::uint32_t n = 0; n < 2; ++n) {
    trace.nodes.push_back({std::to_string(n), "node"});
    trace.memory_nodes.push_back({"ram", NodeId{n}});
    trace.workers.push_back({"cpu0", NodeId{n}, MemoryNodeId{n}, Trace::Device::cpu});
  }
  trace.kernel = {0, 0};
  trace.worker = {WorkerId{0}, WorkerId{1}};
  trace.submit_s = {0.5, 0.75};
  trace.start_s = {1, 5.25};
  trace.end_s = {3, 7};
  trace.predecessor_begin = {0, 0, 1};
  trace.predecessors = {TaskId{0}};
  trace.access_begin = {0, 0, 1};
  trace.accesses = {{HandleId{0}, Access::read}};
  trace.copies.push_back({MemoryNodeId{1}, MemoryNodeId{0}, 3, 3.5, Bytes{1000}, HandleId{0}});
  trace.messages.push_back({NodeId{0}, NodeId{1}, 4, 5, Bytes{1000}, HandleId{0}, TaskId{0}, TaskId{1}});
  return trace;
}

double modelled_makespan(Trace const& trace, Delays kept) {
  Causes causes(trace);
  return DelayModel(trace, causes, 0).makespan(kept, std::vector<double>(trace.task_count(), 1));
}

DifferenceParts parts_of_difference(Trace const& a, Trace const& b) { return *compare_traces(a, b).parts; }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a delay model with all delays ends when the run did") {
    CHECK(modelled_makespan(relay_with_copy(), {}) == doctest::Approx(7));
  }

  TEST_CASE("a delay model without a delay ends earlier by it") {
    Trace const trace = relay_with_copy();
    CHECK(modelled_makespan(trace, {.messages = false}) == doctest::Approx(7 - 1.5));
    CHECK(modelled_makespan(trace, {.copies = false}) == doctest::Approx(7 - 0.5));
    // Submission of 0.5, 0.5 after it, and 0.25 after the message.
    CHECK(modelled_makespan(trace, {.overhead = false}) == doctest::Approx(7 - 1.25));
    CHECK(modelled_makespan(trace, {.durations = false}) == doctest::Approx(7 - 1 - 0.75));
    CHECK(modelled_makespan(trace, no_delays) == doctest::Approx(2));
  }

  TEST_CASE("delay models of random traces end when the runs did") {
    for (unsigned seed = 0; seed < 30; ++seed) {
      CAPTURE(seed);
      Trace const trace = testing::random_trace(seed, 40);
      RunSummary const summary = summarize_run(trace);
      Causes causes(trace);
      DelayModel const model(trace, causes, summary.origin_s);
      CHECK(model.makespan(Delays(), std::vector<double>(trace.task_count(), 0)) ==
            doctest::Approx(summary.makespan_s));
    }
  }

  TEST_CASE("the parts of a difference add up") {
    for (unsigned seed = 0; seed < 30; ++seed) {
      CAPTURE(seed);
      RunComparison const c =
          compare_traces(testing::random_trace(seed, 40), testing::random_trace(seed + 100, 40));
      CHECK(c.parts->sum() == doctest::Approx(c.difference_s()));
    }
  }

  TEST_CASE("a message that comes later is told from a copy and a kernel that end later") {
    Trace const first = relay_with_copy();
    Trace later = first;
    for (double* const date : {&later.messages[0].end_s, &later.start_s[1], &later.end_s[1]}) *date += 2;
    CHECK(parts_of_difference(first, later).of(DifferenceCause::messages).seconds == doctest::Approx(2));
    later = first;
    for (double* const date : {&later.copies[0].end_s, &later.messages[0].start_s, &later.messages[0].end_s,
                               &later.start_s[1], &later.end_s[1]})
      *date += 2;
    CHECK(parts_of_difference(first, later).of(DifferenceCause::copies).seconds == doctest::Approx(2));
    later = first;
    later.end_s[1] += 2;
    CHECK(parts_of_difference(first, later).of(DifferenceCause::kernels).seconds == doctest::Approx(2));
  }

  TEST_CASE("a wait for a message that names no tile is a wait for a message") {
    Trace trace = relay_with_copy();
    trace.messages[0].handle = {};
    trace.messages[0].producer = {};
    CriticalChain const chain = critical_chain(trace, 0);
    CHECK(chain.breakdown.wait(Wait::message) == doctest::Approx(1));
    CHECK(modelled_makespan(trace, {.messages = false}) == doctest::Approx(7 - 2));
  }

  TEST_CASE("a simulation and a trace of another program are measured from their first tasks") {
    Trace const simulated = relay_with_copy();
    Trace measured = simulated;
    measured.format = "starpu-rec";
    RunComparison const c = compare_traces(simulated, measured);
    CHECK(c.start == RunStart::first_task);
    CHECK(c.a.summary.makespan_s == doctest::Approx(6));
    CHECK(c.difference_s() == 0);
  }
}
