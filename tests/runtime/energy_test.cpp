#include "simulator/runtime/node/outcome.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

PowerSpec const power{.core = 10, .gpu = 200, .idle = 100, .off = 5};

/// `busy`: seconds of the GPU, and of two cores.
SimulationOutcome::Node node(double first, double last, double last_send, std::vector<double> const& busy) {
  SimulationOutcome::Node out;
  out.first_task = Seconds{first};
  out.last_task = Seconds{last};
  out.last_send = Seconds{last_send};
  for (std::size_t w = 0; w < busy.size(); ++w) out.busy_energy += Joules{(w == 0 ? 200 : 10) * busy[w]};
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a node consumes idle power until the makespan and more while kernels run") {
    Energy const e = energy_of(node(1, 10, 0, {3, 4, 2}), power, Seconds{10});
    CHECK(e.idle.value == 1000);
    CHECK(e.busy.value == 3 * 200 + (4 + 2) * 10);
    CHECK(e.total().value == 1660);
    CHECK(e.total_with_power_off().value == 1660);
    CHECK_FALSE(e.powered_off);
  }

  TEST_CASE("a node is powered off after its last task or its last message whichever is later") {
    Energy const task = energy_of(node(1, 6, 4, {}), power, Seconds{10});
    CHECK(task.idle.value == 1000);
    CHECK(task.idle_with_power_off.value == 6 * 100 + 4 * 5);
    CHECK(task.powered_off);
    Energy const message = energy_of(node(1, 6, 8, {}), power, Seconds{10});
    CHECK(message.idle_with_power_off.value == 8 * 100 + 2 * 5);
    Energy const never_on = energy_of(node(0, 0, 0, {}), power, Seconds{10});
    CHECK(never_on.total_with_power_off().value == 10 * 5);
  }

  TEST_CASE("activity lasts from the first to the last task") {
    CHECK(activity(node(1, 6, 8, {})).value == 5);
    CHECK(activity(node(0, 0, 0, {})).value == 0);
  }
}
