#include "simulator/runtime/engine/event_heap.hpp"

#include "simulator/runtime/engine/engine.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("property") {
  TEST_CASE("near and far dates, past ones, crowds, outliers and dates without end come in their order") {
    using Next = double (*)(double now, std::uint64_t draw);
    for (Next const next :
         {Next{[](double now, std::uint64_t d) {  // most come soon, the others are ends of kernels
            return now +
                   (d % 4 > 0 ? 1e-6 * static_cast<double>(d % 3) : 1e-4 * static_cast<double>(d % 1000));
          }},
          Next{[](double now, std::uint64_t d) { return now + std::exp2(static_cast<double>(d % 60) - 30); }},
          Next{[](double now, std::uint64_t d) {
            return d % 100 == 0 ? std::numeric_limits<double>::infinity()
                                : now + 1e-3 * static_cast<double>(d % 7);
          }},
          Next{[](double, std::uint64_t d) { return static_cast<double>(d % 64); }}}) {  // before now, too
      std::mt19937_64 random(5);
      EventHeap<int> heap;
      std::set<std::tuple<double, std::uint64_t, int>> sorted;
      double now = 0;
      int wrong = 0;
      for (int name = 0; name < 100'000; ++name) {
        std::uint64_t const percent = sorted.size() < 5000 && name < 80'000 ? 60 : 40;
        if (sorted.empty() || random() % 100 < percent) {
          double const date = next(now, random());
          auto const rank = static_cast<std::uint32_t>(random() % 3);
          heap.push(Seconds{date}, name, rank);
          sorted.emplace(date, std::uint64_t{rank} << 62U | static_cast<std::uint64_t>(name), name);
        } else {
          auto const [date, order, expected] = *sorted.begin();
          sorted.erase(sorted.begin());
          if (std::isfinite(date)) now = date;
          wrong += heap.next_date() != Seconds{date};
          wrong += heap.pop() != expected;
        }
        wrong += heap.size() != sorted.size();
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_SUITE("unit") {
  TEST_CASE("delays add up to the same date in any order") {
    for (double const start : {0.0, 0.0841234567891, 123.456, 4321.1234567}) {
      TimeGrid const grid = TimeGrid::for_makespan({start});
      Seconds const cost = grid.duration({1e-6}), kernel = grid.duration({12.345678e-3});
      Seconds one = grid.rounded(Seconds{start});
      Seconds const other = grid.after(one, 3 * cost + kernel);
      one = grid.after(one, kernel);
      for (int i = 0; i < 3; ++i) one = grid.after(one, cost);
      CHECK(one == other);
    }
  }
}
