#include "simulator/simulation/memory_budget.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "simulator/os/process_pool.hpp"

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

  TEST_CASE("a process pool reports the end of each job") {
    ProcessPool pool;
    pool.start(7, [] { return JobAnswer{4, std::string(100'000, 'x')}; });
    EndedJob const said = pool.wait();
    CHECK(said.job == 7);
    CHECK(said.code == 4);
    CHECK(said.message.size() == 100'000);
    CHECK(said.peak_rss_bytes > 0);
    pool.start(8, []() -> JobAnswer {
      std::fputs("last words\n", stderr);
      std::raise(SIGKILL);
      return {};
    });
    EndedJob const killed = pool.wait();
    CHECK(killed.signal == SIGKILL);
    CHECK(killed.message == "last words");
  }
}
