#include "simulator/tasks/graph/transpose.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
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
