#include "simulator/simulation/memory_budget.hpp"

#include <doctest/doctest.h>

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("what runs alone always fits and what does not fit beside waits") {
    MemoryBudget budget(1'000'000'000);
    CHECK(budget.fits(1e9));
    budget.started(0, 1e6);  // believed to take more than half
    CHECK_FALSE(budget.fits(1e6));
    budget.ended(0, 0);
    CHECK(budget.fits(1e6));
  }

  TEST_CASE("the guess is learned from what simulations took") {
    MemoryBudget budget(1'000'000'000);
    budget.started(0, 1e6);
    budget.ended(0, 132'000'000);  // 100 bytes a task
    budget.started(1, 1e6);
    CHECK(budget.fits(1e6));
    CHECK(budget.guess(1e6) == doctest::Approx(32e6 + 130e6));
    budget.ended(1, 532'000'000);
    CHECK(budget.guess(1e6) > 500e6);
  }

  TEST_CASE("there is some memory") { CHECK(available_memory_bytes() > 1'000'000); }
}
