#include "simulator/report/analysis/sweep_record.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

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
