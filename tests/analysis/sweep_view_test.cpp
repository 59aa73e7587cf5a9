#include "simulator/report/analysis/sweep_view.hpp"

#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/analysis/sweep_record.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// Two schedulers on one and two nodes with two replicas each; the last point failed.
SweepRecord replicated_sweep() {
  SweepRecord out;
  out.table.columns = {"point",  "id",         "scheduler", "nodes",  "replica",
                       "status", "makespan_s", "gflops",    "bound_s"};
  out.table.parameters = {"scheduler", "nodes"};
  out.table.rows = {
      {0, "a", "dmda", 1, 0, "done", 8.0, 10.0, 4.0}, {1, "b", "dmda", 1, 1, "done", 10.0, 8.0, 4.0},
      {2, "c", "dmda", 2, 0, "done", 5.0, 16.0, 2.0}, {3, "d", "dmda", 2, 1, "done", 4.0, 20.0, 2.0},
      {4, "e", "lws", 1, 0, "done", 8.0, 10.0, 4.0},  {5, "f", "lws", 1, 1, "done", 8.0, 10.0, 4.0},
      {6, "g", "lws", 2, 0, "done", 6.0, 13.0, 1.5},  {7, "h", "lws", 2, 1, "failed", {}, {}, {}}};
  return out;
}

SweepView::Arrangement const& arrangement(SweepView const& view, std::string const& x,
                                          std::string const& series) {
  return *std::ranges::find_if(view.arrangements,
                               [&](auto const& a) { return a.x == x && a.series == series; });
}

SweepView::Metric const& metric(SweepView const& view, std::string const& name) {
  return *std::ranges::find(view.metrics, name, &SweepView::Metric::name);
}

/// Two parameters over which makespans are known.
SweepRecord small_sweep() {
  SweepRecord out;
  out.table.columns = {"point",   "id",     "scheduler",  "nb",       "nodes",     "nodes_big",
                       "replica", "status", "makespan_s", "energy_J", "nodes_used"};
  out.table.parameters = {"scheduler", "nb"};
  out.table.rows = {{0, "a", "dmda", 960, 4, 4, 0, "done", 2.5, nullptr, 4},
                    {1, "b", "lws", 480, 4, 4, 0, "failed", nullptr, nullptr, nullptr}};
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a sweep's page has the curves of its figures for every choice of axes") {
    SweepRecord const sweep = replicated_sweep();
    SweepView const view = view_of_sweep(sweep, "", "");
    CHECK(view.axes == std::vector<std::string>{"scheduler", "nodes"});
    CHECK(view.x == "nodes");
    CHECK(view.series == "scheduler");
    CHECK(view.arrangements.size() == 4);
    CHECK(view.groups == std::vector<std::vector<std::size_t>>{{0, 1}, {2, 3}, {4, 5}, {6}});
    for (std::string const name : {"makespan_s", "gflops", "speedup"})
      for (std::string const series : {"scheduler", ""}) {
        CAPTURE(name);
        auto const& charts = arrangement(view, "nodes", series).charts;
        auto const figures = charts_of(sweep.table, {"nodes", name, series});
        REQUIRE(charts.size() == figures.size());
        for (std::size_t c = 0; c < charts.size(); ++c) {
          std::string where = figures[c].where;  // with names of columns instead of labels
          if (where.starts_with("scheduler ")) where.front() = 'S';
          CHECK(charts[c].where == where);
          REQUIRE(charts[c].lines.size() == figures[c].curves.size());
          double const scale = name == "speedup" ? charts[c].baseline : 1;
          for (std::size_t l = 0; l < charts[c].lines.size(); ++l)
            for (std::size_t p = 0; p < charts[c].lines[l].size(); ++p)
              CHECK(metric(view, name).mean[charts[c].lines[l][p]] * scale ==
                    doctest::Approx(figures[c].curves[l].points[p].y).epsilon(1e-14));
          auto const bounds = charts[c].bounds.find(name);
          REQUIRE((bounds == charts[c].bounds.end() ? 0 : bounds->second.size()) ==
                  figures[c].bound.points.size());
          for (std::size_t p = 0; p < figures[c].bound.points.size(); ++p)
            CHECK(metric(view, name).bound[bounds->second[p]] == figures[c].bound.points[p].y);
        }
      }
  }

  TEST_CASE("speed-ups refer to the best line at the least x and bounds are the best of all lines") {
    SweepRecord const sweep = replicated_sweep();
    CurveChart const speedup = charts_of(sweep.table, {"nodes", "speedup", "scheduler"}).at(0);
    CHECK(speedup.curves[0].points[0].y == doctest::Approx((1 + 0.8) / 2));  // over lws on one node: 8 s
    CHECK(speedup.curves[1].points[1].y == doctest::Approx(8.0 / 6));
    CHECK(speedup.bound.points.empty());
    CurveChart const makespan = charts_of(sweep.table, {"nodes", "makespan_s", "scheduler"}).at(0);
    REQUIRE(makespan.bound.points.size() == 2);
    CHECK(makespan.bound.points[1].y == 1.5);
    CurveChart const rate = charts_of(sweep.table, {"nodes", "gflops", "scheduler"}).at(0);
    CHECK(rate.bound.points[1].y == doctest::Approx(13 * 6 / 1.5));
    SweepRecord with_efficiency = sweep;
    with_efficiency.table.columns.emplace_back("efficiency");
    for (auto& row : with_efficiency.table.rows)
      row.push_back(row[6].is_number() ? Table::Cell(0.5) : Table::Cell());
    CHECK(charts_of(with_efficiency.table, {"nodes", "efficiency", "scheduler"}).at(0).bound.points.at(1).y ==
          1);
  }

  TEST_CASE("points that failed are marked in the chart of their parameters") {
    SweepView const view = view_of_sweep(replicated_sweep(), "nodes", "");
    auto const& charts = arrangement(view, "nodes", "").charts;
    REQUIRE(charts.size() == 2);
    CHECK(charts[0].failed.empty());
    CHECK(charts[1].where == "Scheduler lws");
    CHECK(charts[1].failed == std::vector<std::size_t>{7});
    CHECK(view.done == 7);
    CHECK(view.failed == 1);
    CHECK(view.replicas == 2);
    // One value has no interval.
    CHECK(std::isnan(metric(view, "makespan_s").spread[3][0]));
    CHECK(metric(view, "makespan_s").spread[0][2] == 8);
  }

  TEST_CASE("columns of a sweep have kinds") {
    Table const table = small_sweep().table;
    std::vector<SweepColumn> kinds;
    for (std::size_t c = 0; c < table.columns.size(); ++c) kinds.push_back(column_kind(table, c));
    using enum SweepColumn;
    CHECK(kinds == std::vector{about, about, parameter, parameter, machine, machine, about, about, result,
                               result, result});
    CHECK(holds_numbers(table, 8));
    CHECK(!holds_numbers(table, 2));
    CHECK(distinct_values(table, 2, 10) == 2);
    CHECK(distinct_values(table, 2, 1) == 1);
    CHECK(distinct_values(table, 9, 10) == 0);
  }

  TEST_CASE("default plots are over the nodes or over another number that varies") {
    SweepRecord sweep = small_sweep();
    auto plots = plots_of(sweep);
    auto const metrics = [&] {
      std::vector<std::string> out;
      for (SweepPlot const& plot : plots) out.push_back(plot.y);
      return out;
    };
    CHECK(metrics() ==
          std::vector<std::string>{"makespan_s"});  // no speed-up without nodes, no energy without values
    CHECK(plots.front().x == "nb");
    CHECK(plots.front().series == "scheduler");
    sweep.table.rows[1][4] = 8;
    sweep.table.rows[0][9] = 1.5;
    plots = plots_of(sweep);
    CHECK(metrics() == std::vector<std::string>{"makespan_s", "speedup", "energy_J"});
    CHECK(plots.front().x == "nodes");
    sweep.plots = {{"nb", "makespan_s", "", true}};
    CHECK(plots_of(sweep).size() == 1);
  }
}
