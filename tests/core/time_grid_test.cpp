#include "simulator/base/core/time_grid.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a tick is a power of two of a picosecond and follows the expected makespan") {
    CHECK(TimeGrid{}.tick().value == 1e-12);
    CHECK(TimeGrid::for_makespan({0}).tick().value == 1e-12);
    CHECK(TimeGrid::for_makespan({INFINITY}).tick().value == 1e-12);
    CHECK(TimeGrid::for_makespan({50}).tick().value == 1e-12);
    for (double const makespan : {1e-9, 0.3, 50.0, 86400.0, 1e14}) {
      CAPTURE(makespan);
      double const ticks = TimeGrid::for_makespan({makespan}).ticks({makespan});
      CHECK(ticks >= 0x1p45);
      CHECK(ticks <= 0x1p46);
      CHECK(TimeGrid::for_makespan({2 * makespan}).tick() == 2 * TimeGrid::for_makespan({makespan}).tick());
    }
  }

  TEST_CASE("sums of a million random delays are the exact number of ticks in any order") {
    for (double const makespan : {0.01, 7.0, 5000.0, 3e6}) {
      CAPTURE(makespan);
      TimeGrid const grid = TimeGrid::for_makespan({makespan});
      std::mt19937_64 random(7);
      std::uniform_real_distribution<double> delay(0, makespan / 1e5);
      Seconds forwards{0};
      double ticks = 0;  // whole, below 2^53: exact
      std::vector<Seconds> delays;
      for (int i = 0; i < 1'000'000; ++i) {
        delays.push_back(grid.duration({delay(random)}));
        forwards = grid.after(forwards, delays.back());
        ticks += grid.ticks(delays.back());
      }
      Seconds backwards{0};
      for (auto d = delays.rbegin(); d != delays.rend(); ++d) backwards = grid.after(backwards, *d);
      CHECK(forwards == backwards);
      CHECK(forwards == grid.seconds(ticks));
      CHECK(grid.rounded(forwards) == forwards);
    }
  }

  TEST_CASE("dates beyond the exact range are never earlier than the exact sum") {
    TimeGrid const grid = TimeGrid::for_makespan({1});
    std::mt19937_64 random(8);
    std::uniform_real_distribution<double> delay(0, 1e-3);
    Seconds now{1e5};
    for (int i = 0; i < 100'000; ++i) {
      Seconds const d = grid.duration({delay(random)});
      Seconds const next = grid.after(now, d);
      CHECK(static_cast<long double>(next.value) >= static_cast<long double>(now.value) + d.value);
      CHECK(next.value <= (now.value + d.value) * (1 + 0x1p-47));
      CHECK(grid.rounded(next) == next);
      now = next;
    }
    CHECK(std::isinf(grid.rounded({INFINITY}).value));
  }

  TEST_CASE("no duration above 0 becomes 0") {
    TimeGrid const grid = TimeGrid::for_makespan({1e6});
    CHECK(grid.duration({1e-12}) == grid.tick());
    CHECK(grid.duration({0}).value == 0);
  }

  TEST_CASE("twice the times on twice the tick are twice the dates to the last bit") {
    TimeGrid const once = TimeGrid::for_makespan({0.7}), twice = TimeGrid::for_makespan({1.4});
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> delay(0, 1e-2);
    Seconds a{0}, b{0};
    for (int i = 0; i < 10'000; ++i) {
      double const d = delay(random);
      a = once.after(a, {d});
      b = twice.after(b, {2 * d});
      REQUIRE(b.value == 2 * a.value);
    }
  }
}
