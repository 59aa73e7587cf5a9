// Counts of many different tasks stay small, and what follows from them stays a lower bound.

#include "simulator/tasks/bounds/load_and_path.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using testing::Random;

namespace {

using Row = std::tuple<double, double, int, double>;

std::vector<Row> rows(PathCounts const& counts) {
  std::vector<Row> out;
  for (PathTasks const& task : counts.tasks()) out.emplace_back(task.head, task.tail, task.kind, task.amount);
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("counts of tasks with many different chains are rounded, whatever their order") {
  constexpr int seeds = 20, tasks = 3000;
  for (int seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<PathTasks> all;
    for (int t = 0; t < tasks; ++t)
      all.push_back({.head = static_cast<double>(random.between(0, 1000000)),
                     .tail = static_cast<double>(random.between(0, 1000000)),
                     .kind = static_cast<std::uint16_t>(random.between(0, 2)),
                     .amount = 1});
    PathCounts exact, forwards(100), backwards(100);
    for (PathTasks const& task : all) {
      exact.add(task.head, task.tail, task.kind);
      forwards.add(task.head, task.tail, task.kind);
    }
    std::ranges::reverse(all);
    for (PathTasks const& task : all) backwards.add(task.head, task.tail, task.kind);
    CHECK(exact.tasks().size() > 2900);
    CHECK(forwards.tasks().size() <= 100);
    CHECK(forwards.tasks().size() > 20);  // no coarser than by a factor of two for heads and for tails
    CHECK(rows(forwards) == rows(backwards));
    double amount = 0;
    for (PathTasks const& task : forwards.tasks()) amount += task.amount;
    CHECK(amount == tasks);

    std::vector<WorkerClass> const classes{{.count = 3, .durations = {1000, 2000, 500}},
                                           {.count = 1, .durations = {100, 3000, 400}}};
    double const bound = area_and_path(exact.tasks(), 3, classes).value;
    double const rounded = area_and_path(forwards.tasks(), 3, classes).value;
    CHECK(rounded <= bound);
    CHECK(rounded > 0.7 * bound);
  }
}
