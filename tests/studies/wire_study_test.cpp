// What the order of messages on the wire changes: scenarios/wire/README.md has the numbers.

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

double two_nodes(std::string const& wire, int sends) {
  auto const file = testing::repository() / "scenarios/wire/two_nodes.json";
  return testing::json_of(
      fmt::format("run '{}' --json --set /network/wire={} --set /network/max_sends_per_node={}",
                  file.string(), wire, sends))["makespan_s"];
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("LU on two nodes depends on the sends at once if they share the wire and not if they queue") {
    double const one = two_nodes("shared", 1);
    CHECK(two_nodes("shared", 6) > 1.2 * one);
    CHECK(two_nodes("shared", 10) > 1.4 * one);
    for (int const sends : {1, 2, 4, 6, 10}) {
      CAPTURE(sends);
      CHECK(std::abs(two_nodes("fifo", sends) / one - 1) < 0.06);
    }
  }
}
