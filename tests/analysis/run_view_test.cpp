#include "simulator/report/analysis/run_view.hpp"

#include "simulator/report/analysis/trace_levels.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/page/pages.hpp"
#include "tests/prelude.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a memory holds owned data always and received data until their last use") {
    // Node 0 owns tile 0 of 100 bytes and sends it to node 1 from 1 to 2 s, where a task reads it from 4 to 5
    // s.
    Trace t;
    t.nodes = {{"0", "a"}, {"1", "a"}};
    t.memory_nodes = {{"ram", NodeId{0U}}, {"ram", NodeId{1U}}};
    t.workers = {{"cpu0", NodeId{1U}, MemoryNodeId{1U}, Trace::Device::cpu}};
    t.kernels = {{.name = "gemm", .flops = {1}}};
    t.handles.push_back({.size = Bytes{100}, .m = 0, .n = 0, .owner = NodeId{0U}, .shape = ""});
    t.kernel = {0};
    t.worker = {WorkerId{0U}};
    t.submit_s = {0};
    t.start_s = {4};
    t.end_s = {5};
    t.access_begin = {0, 1};
    t.accesses = {DataAccess(HandleId{0U}, Access::read)};
    t.messages.push_back({NodeId{0U}, NodeId{1U}, 1, 2, Bytes{100}, HandleId{0U}, TaskId{}, TaskId{0U}});
    t.has_places = true;
    t.places = {{MemoryNodeId{1U}, HandleId{0U}, 1, 6}};
    auto const levels = memory_levels(t, 0, 8, 8);
    CHECK(levels[0].rows == std::vector{std::vector<float>(8, 100), {0, 100, 100, 100, 100, 0, 0, 0}});
    CHECK(levels[1].rows == std::vector{std::vector<float>(8, 0), {0, 100, 100, 100, 100, 100, 0, 0}});
  }
}

TEST_SUITE("property") {
  TEST_CASE("idle times and occupations of random runs add up to what their workers did") {
    for (unsigned seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      Trace trace = testing::random_trace(seed, 80);
      trace.states.clear();
      RunView const view = view_of_trace(trace, compared_run(trace));
      auto const workers = static_cast<double>(trace.workers.size());

      std::array<double, waits> idle{};
      for (auto const& i : view.idle) idle[i.state] += i.to_s - i.from_s;
      for (std::size_t w = 0; w < waits; ++w)  // those below 1e-5 of the makespan are left out
        CHECK(std::abs(idle[w] - view.run.workers.wait_s[w] * workers) <= 80 * 1e-5 * view.makespan_s());

      double busy = 0, occupied = 0;
      for (RunView::Worker const& w : view.workers) busy += w.busy_s;
      for (auto const& o : view.occupation)
        for (auto const& kernel : o.share)
          for (float const share : kernel)
            occupied += static_cast<double>(share) * static_cast<double>(o.workers) * view.interval_s;
      CHECK(occupied == doctest::Approx(busy).epsilon(1e-5));

      TaskColumns const tasks = task_columns(trace, view);
      CHECK(tasks.start.size() == view.run.summary.tasks);
      for (std::string const& name : figure_names())
        if (has_figure(view, name))
          CHECK(figure_of_runs({&view, 1}, {name}).content == figure_of_runs({&view, 1}, {name}).content);
    }
  }
}
