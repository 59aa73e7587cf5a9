// List schedules against simulations of the same maps: on each kind of wire, and with another number of messages at once.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "distributions/list_schedule.hpp"
#include "simulator/scenario/placement/timed_application.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

TEST_SUITE("scenario") {
  TEST_CASE("list schedules follow the wire: within 8 % of simulations where messages decide") {
    for (char const* const wire : {"fifo", "shared", "priority"})
      for (int const fast_nodes : {8, 4}) {
        CAPTURE(std::string(wire));
        CAPTURE(fast_nodes);
        nlohmann::json nodes = nlohmann::json::array();
        for (int n = 0; n < fast_nodes; ++n) nodes.push_back(n);
        PlacedScenario const scenario = place(
            read_scenario(testing::repository() / "scenarios/layers/lu.json",
                          {R"(distribution={"type":"layers","layers":1,"layer":{"type":"1d1d-c"},"nodes":[)" +
                               nodes.dump() + "]}",
                           fmt::format(R"(network={{"model":"maxmin","wire":"{}"}})", wire),
                           R"(/platform/network={"preset":"ethernet-10g"})"}));
        double const simulated =
            simulate_with_seed(plan_tasks(scenario), scenario.seed, nullptr, {}).makespan.value;
        TileMap map = scenario.distribution.map;
        map.layers = {};
        double const scheduled = list_schedule(map, Factorization::lu, costs_of(timed_application(scenario)));
        MESSAGE(std::string(wire), ", ", fast_nodes, " nodes: schedule over simulation ",
                scheduled / simulated);
        CHECK(scheduled == doctest::Approx(simulated).epsilon(0.08));
      }
  }
}
