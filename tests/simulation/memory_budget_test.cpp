#include "simulator/scenario/simulation/memory_budget.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a single job always fits and a job that does not fit beside others waits") {
    MemoryBudget budget(1'000'000'000);
    CHECK(budget.fits(1e9));
    budget.started(0, 1e6);  // estimated at more than half
    CHECK_FALSE(budget.fits(1e6));
    budget.ended(0, 0);
    CHECK(budget.fits(1e6));
  }

  TEST_CASE("the estimate is learned from finished simulations") {
    MemoryBudget budget(1'000'000'000);
    budget.started(0, 1e6);
    budget.ended(0, 132'000'000);  // 100 bytes per task
    budget.started(1, 1e6);
    CHECK(budget.fits(1e6));
    CHECK(budget.guess(1e6) == doctest::Approx(32e6 + 130e6));
    budget.ended(1, 532'000'000);
    CHECK(budget.guess(1e6) > 500e6);
  }

  TEST_CASE("available memory is detected") { CHECK(available_memory_bytes() > 1'000'000); }
}
