// Time breakdowns of small traces, computed by hand.

#include "simulator/report/analysis/time_breakdown.hpp"

#include "simulator/report/analysis/run_comparison.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "tests/prelude.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

/// Seconds since the start of a simulation, on nodes of `cores` cores each.
struct HandMade {
  Trace trace;
  HandMade(std::uint32_t nodes, std::uint32_t cores) {
    trace.format = "factosim";
    trace.kernels = {{.name = "work", .flops = {1}}, {.name = "more", .flops = {1}}};
    trace.handles.push_back({.size = Bytes{1000}, .owner = NodeId{0}, .shape = {}});
    for (std::uint32_t n = 0; n < nodes; ++n) {
      trace.nodes.push_back({std::to_string(n), "node"});
      trace.memory_nodes.push_back({"ram", NodeId{n}});
      for (std::uint32_t c = 0; c < cores; ++c)
        trace.workers.push_back({"cpu" + std::to_string(c), NodeId{n}, MemoryNodeId{n}, Trace::Device::cpu});
    }
    trace.access_begin = trace.predecessor_begin = {0};
  }
  void task(int worker, double submit, double start, double end, std::vector<int> const& after = {},
            bool reads_handle = false) {
    trace.kernel.push_back(0);
    trace.worker.emplace_back(worker);
    trace.submit_s.push_back(submit);
    trace.start_s.push_back(start);
    trace.end_s.push_back(end);
    for (int const p : after) trace.predecessors.emplace_back(p);
    if (reads_handle) trace.accesses.emplace_back(HandleId{0}, Access::read);
    trace.predecessor_begin.push_back(static_cast<std::uint32_t>(trace.predecessors.size()));
    trace.access_begin.push_back(static_cast<std::uint32_t>(trace.accesses.size()));
  }
};

/// Node 0 works from 1 to 3, its message leaves at 3.5 and comes at 5, node 1 goes on from 5.25 to 7; before,
/// it had worked from 0.5 to 2.
Trace relay() {
  HandMade made(2, 1);
  made.task(0, 0.25, 1, 3);
  made.task(1, 0.25, 5.25, 7, {0}, true);
  made.task(1, 0.375, 0.5, 2);
  made.trace.messages.push_back(
      {NodeId{0}, NodeId{1}, 3.5, 5, Bytes{1000}, HandleId{0}, TaskId{0}, TaskId{1}});
  return made.trace;
}

void check_waits(TimeBreakdown const& breakdown, std::vector<std::pair<Wait, double>> const& expected) {
  double sum = 0;
  for (auto const& [wait, seconds] : expected) {
    CAPTURE(std::string(name_of(wait)));
    CHECK(breakdown.wait(wait) == doctest::Approx(seconds));
    sum += seconds;
  }
  double all = 0;
  for (double const seconds : breakdown.wait_s) all += seconds;
  CHECK(all == doctest::Approx(sum));
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a critical chain follows a message back to the task that sent it") {
    CriticalChain const chain = critical_chain(relay(), 0);
    CHECK(chain.tasks == std::vector{TaskId{1}, TaskId{0}});
    CHECK(chain.breakdown.kernels.at({"work", "cpu"}).seconds == doctest::Approx(1.75 + 2));
    check_waits(
        chain.breakdown,
        {{Wait::scheduling, 0.25 + 0.75}, {Wait::message, 1.5}, {Wait::send, 0.5}, {Wait::submission, 0.25}});
    CHECK(chain.breakdown.total() == doctest::Approx(7));
  }

  TEST_CASE("idle time of workers is attributed to the cause that their next task waited for") {
    TimeBreakdown const breakdown = worker_breakdown(relay(), 0, 7);
    CHECK(breakdown.kernels.at({"work", "cpu"}).seconds == doctest::Approx((2 + 1.5 + 1.75) / 2));
    check_waits(breakdown, {{Wait::scheduling, (0.75 + 0.125 + 0.25) / 2},
                            {Wait::submission, (0.25 + 0.375) / 2},
                            {Wait::message, 1.5 / 2},
                            {Wait::send, 0.5 / 2},
                            {Wait::dependency, 1.0 / 2},
                            {Wait::finished, 4.0 / 2}});
    CHECK(breakdown.total() == doctest::Approx(7));
  }

  TEST_CASE("a task that waits for its core while another one is idle waits for scheduling") {
    HandMade made(1, 2);
    made.task(0, 0, 0, 4);
    made.task(1, 0, 0, 2);
    made.task(0, 1, 4, 6);
    CriticalChain const chain = critical_chain(made.trace, 0);
    CHECK(chain.tasks == std::vector{TaskId{2}, TaskId{1}});
    check_waits(chain.breakdown, {{Wait::scheduling, 2}});
    CHECK(chain.breakdown.total() == doctest::Approx(6));
  }

  TEST_CASE("the critical chain of a task that waits while all cores work continues with their tasks") {
    HandMade made(1, 2);
    made.task(0, 0, 0, 4);
    made.task(1, 0, 0, 5);
    made.task(0, 1, 4, 6);
    CriticalChain const chain = critical_chain(made.trace, 0);
    CHECK(chain.tasks == std::vector{TaskId{2}, TaskId{0}});
    check_waits(chain.breakdown, {});
  }

  TEST_CASE("a late submission counts from when the task could have started") {
    HandMade made(1, 1);
    made.task(0, 0, 0, 2);
    made.task(0, 3, 3.5, 4, {0});
    CriticalChain const chain = critical_chain(made.trace, 0);
    check_waits(chain.breakdown, {{Wait::submission, 1}, {Wait::scheduling, 0.5}});
  }

  TEST_CASE("waits in a trace with nothing but times are unexplained") {
    HandMade made(1, 1);
    made.task(0, unknown, 1, 2);
    made.task(0, unknown, 3, 4);
    made.trace.predecessor_begin.clear();
    made.trace.access_begin.clear();
    CriticalChain const chain = critical_chain(made.trace, 0);
    check_waits(chain.breakdown, {{Wait::unexplained, 2}});
    CHECK(chain.breakdown.total() == doctest::Approx(4));
  }

  TEST_CASE("the bandwidth of a link counts the time in which it was in use") {
    HandMade made(2, 1);
    made.task(0, 0, 0, 1);
    for (auto const& [start, end] : {std::pair{0.0, 2.0}, std::pair{1.0, 3.0}, std::pair{5.0, 6.0}})
      made.trace.messages.push_back({NodeId{0}, NodeId{1}, start, end, Bytes{1000}, HandleId{0}, {}, {}});
    RunSummary const s = summarize_run(made.trace);
    REQUIRE(s.messages.size() == 1);
    CHECK(s.messages[0].in_use_s == doctest::Approx(4));
    CHECK(s.messages[0].duration_s == doctest::Approx(5));
    CHECK(s.messages[0].bandwidth_Bps() == doctest::Approx(750));
  }

  TEST_CASE("tolerances are read strictly") {
    CHECK(parse_tolerances("").empty());
    auto const two = parse_tolerances("makespan=2%,kernel_mean=0.05");
    CHECK(two[0].relative == doctest::Approx(0.02));
    CHECK(two[1].relative == doctest::Approx(0.05));
    CHECK(parse_tolerances("3%")[0].metric == "makespan");
    for (char const* wrong :
         {"makespan", "makespan=", "makespan=-1%", "makespan=2%x", "speed=1%", "=1%", "a=1%,"})
      CHECK(testing::message_of([&] {
              static_cast<void>(parse_tolerances(wrong));
            }).starts_with("--tolerance#"));
  }
}

TEST_SUITE("property") {
  TEST_CASE("both breakdowns add up to the makespan and the causes to the difference for random traces") {
    for (unsigned seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      Trace const first = testing::random_trace(seed, 2 + static_cast<int>(seed % 60));
      Trace const second = testing::random_trace(seed + 1000, 2 + static_cast<int>(seed % 47));
      RunComparison const c =
          compare_runs(compared_run(first, seed % 2 == 0), compared_run(second, seed % 2 == 0));
      for (ComparedRun const* run : {&c.a, &c.b}) {
        CHECK(run->chain.breakdown.total() == doctest::Approx(run->summary.makespan_s).epsilon(1e-9));
        CHECK(run->workers.total() == doctest::Approx(run->summary.makespan_s).epsilon(1e-9));
      }
      CHECK(c.chains.sum() == doctest::Approx(c.difference_s()).epsilon(1e-9));
    }
  }
}
