#include "distributions/multiphase_lp.hpp"

#include "models/applications/registry.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

PhaseSteps steps_of_exageostat(int nt) { return application("exageostat").phase_steps(nt); }

PhaseGroups groups_of(std::vector<std::vector<double>> const& seconds) {
  PhaseGroups out{.groups = {}, .type_of = {}, .flops = {1, 1, 3, 3, 6}};
  for (std::uint32_t t = 0; t < seconds.size(); ++t) {
    out.groups.push_back({.node_type = t, .name = "group", .seconds = seconds[t]});
    out.type_of.push_back(t);
  }
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("steps contain all tasks of an iteration") {
    double const nt = 101;
    PhaseSteps const steps = steps_of_exageostat(101);
    CHECK(steps.size() == 101);
    std::vector<double> sum(5, 0);
    for (auto const& step : steps)
      for (std::size_t t = 0; t < 5; ++t) sum[t] += step[t];
    CHECK(sum == std::vector<double>{nt * (nt + 1) / 2, nt, nt * (nt - 1) / 2, nt * (nt - 1) / 2,
                                     nt * (nt - 1) * (nt - 2) / 6});
  }

  TEST_CASE("the optimum for one tile and for three tiles on one worker") {
    PhaseLoads const one = phase_loads(steps_of_exageostat(1), groups_of({{2, 1, 1, 1, 1}}));
    CHECK(one.generation_end_s == doctest::Approx(2));
    CHECK(one.makespan_s == doctest::Approx(3));
    CHECK(one.objective_sum == doctest::Approx(5));
    // Step 0: tiles (0,0) and (1,0). G = 1 (18), 2; F = 4 (17), then 7 (17).
    PhaseLoads const three = phase_loads(steps_of_exageostat(2), groups_of({{1, 1, 1, 1, 1}}));
    CHECK(three.generation_end[0] == doctest::Approx(1));
    CHECK(three.generation_end[1] == doctest::Approx(2));
    CHECK(three.factorization_end[0] == doctest::Approx(4));
    CHECK(three.factorization_end[1] == doctest::Approx(7));
    CHECK(three.objective_sum == doctest::Approx(14));
    CHECK(three.generation == std::vector<double>{3});
    CHECK(three.factorization[0] == doctest::Approx(1 + 1 + 3 + 3));
  }

  TEST_CASE("groups that cannot generate or factorize get no such tasks") {
    PhaseLoads const loads =
        phase_loads(steps_of_exageostat(20),
                    groups_of({{1, never, never, never, never}, {never, 1, 1, 1, 1}, {2, 3, 3, 3, 3}}));
    CHECK(loads.factorization[0] == 0);
    CHECK(loads.generation[1] == 0);
    CHECK(std::accumulate(loads.generation.begin(), loads.generation.end(), 0.0) == doctest::Approx(210));
    CHECK_THROWS_AS(phase_loads(steps_of_exageostat(2), groups_of({{never, 1, 1, 1, 1}})), InfeasibleError);
  }

  TEST_CASE("nodes of one type share the load of their groups") {
    PhaseGroups groups = groups_of({{1, 1, 1, 1, 1}});
    groups.type_of = {0, 0, 0};
    CHECK(phase_loads(steps_of_exageostat(2), groups).generation == std::vector<double>{1, 1, 1});
  }
}

TEST_SUITE("property") {
  TEST_CASE("the makespan of the linear program is at least the work divided by all workers") {
    for (int const nt : {5, 20, 60}) {
      std::vector<std::vector<double>> const seconds{{0.1, 0.01, 0.02, 0.02, 0.03},
                                                     {never, never, 0.01, 0.003, 0.004}};
      PhaseLoads const loads = phase_loads(steps_of_exageostat(nt), groups_of(seconds));
      for (std::size_t r = 0; r < 2; ++r) {
        double busy = 0;
        for (std::size_t t = 0; t < 5; ++t)
          if (loads.tasks[r][t] > 0) busy += loads.tasks[r][t] * seconds[r][t];
        CHECK(busy <= loads.makespan_s * (1 + 1e-9));
      }
      for (std::size_t s = 1; s < loads.factorization_end.size(); ++s) {
        CHECK(loads.generation_end[s] >= loads.generation_end[s - 1] - 1e-9);
        CHECK(loads.factorization_end[s] >= loads.factorization_end[s - 1] - 1e-9);
        CHECK(loads.factorization_end[s] >= loads.generation_end[s] - 1e-9);
      }
    }
  }
}
