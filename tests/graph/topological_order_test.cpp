#include "simulator/tasks/graph/graph_order.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

TopologicalOrder order_of(std::size_t tasks, std::vector<TaskEdge> const& edges) {
  TaskRows const successors = rows_of(tasks, edges);
  return topological_order(successors.begin, successors.items);
}

std::vector<TaskId> ids(std::vector<std::uint32_t> const& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a topological order takes the smallest possible number first") {
    TopologicalOrder const order =
        order_of(5, {{TaskId{3}, TaskId{0}}, {TaskId{0}, TaskId{1}}, {TaskId{3}, TaskId{2}}});
    CHECK(order.tasks == ids({3, 0, 1, 2, 4}));
    CHECK(order.blocked.empty());
  }

  TEST_CASE("tasks on a cycle and their successors are blocked") {
    TopologicalOrder const order = order_of(
        5, {{TaskId{0}, TaskId{1}}, {TaskId{1}, TaskId{2}}, {TaskId{2}, TaskId{1}}, {TaskId{2}, TaskId{4}}});
    CHECK(order.tasks == ids({0, 3}));
    CHECK(order.blocked == ids({1, 2, 4}));
  }

  TEST_CASE("an edge may be given twice") {
    TopologicalOrder const order = order_of(2, {{TaskId{1}, TaskId{0}}, {TaskId{1}, TaskId{0}}});
    CHECK(order.tasks == ids({1, 0}));
  }

  TEST_CASE("the order of no tasks is empty") { CHECK(order_of(0, {}).tasks.empty()); }

  TEST_CASE("rows the other way round are rising and the same after two turns") {
    std::vector<std::uint32_t> const begin{0, 2, 2, 3};
    std::vector<TaskId> const items{TaskId{1}, TaskId{2}, TaskId{1}};  // 0: 1, 2; 1: none; 2: 1
    TaskRows const turned = transpose(begin, items);
    CHECK(turned.begin == std::vector<std::uint32_t>{0, 0, 2, 3});
    CHECK(turned.items == std::vector<TaskId>{TaskId{0}, TaskId{2}, TaskId{0}});
    TaskRows const again = transpose(turned.begin, turned.items);
    CHECK(again.begin == begin);
    CHECK(again.items == items);
  }

  TEST_CASE("no rows stay none") {
    TaskRows const turned = transpose(std::vector<std::uint32_t>{0}, {});
    CHECK(turned.begin == std::vector<std::uint32_t>{0});
    CHECK(turned.items.empty());
  }
}
