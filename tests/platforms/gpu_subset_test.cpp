#include "platforms/memory_nodes.hpp"

#include "platforms/platform_json.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a machine restricted to its first GPUs keeps their routes and predictions") {
    NodeType const whole =
        read_platform(testing::repository() / "platforms/mirage.json", std::nullopt).types.at(0);
    for (std::size_t const count : {1, 2}) {
      NodeType part = whole;
      keep_gpus(part, count);
      CHECK(part.gpus.size() == count);
      CHECK(part.bus.routes.size() == (count + 1) * (count + 1));
      for (std::size_t from = 0; from <= count; ++from)
        for (std::size_t to = 0; to <= count; ++to) {
          std::size_t const in_part = from * (count + 1) + to;
          std::size_t const in_whole = from * (whole.gpus.size() + 1) + to;
          CHECK(part.bus.routes[in_part] == whole.bus.routes[in_whole]);
          CHECK(part.bus.predicted[in_part].bandwidth.value == whole.bus.predicted[in_whole].bandwidth.value);
          CHECK(part.bus.predicted[in_part].latency.value == whole.bus.predicted[in_whole].latency.value);
        }
    }
  }

  TEST_CASE("a machine without its GPUs has no bus and a limit above the number of GPUs keeps all") {
    NodeType const whole =
        read_platform(testing::repository() / "platforms/mirage.json", std::nullopt).types.at(0);
    NodeType part = whole;
    keep_gpus(part, 0);
    CHECK(part.gpus.empty());
    CHECK(part.bus.routes.empty());
    part = whole;
    keep_gpus(part, 8);
    CHECK(part.gpus.size() == 3);
    CHECK(part.bus.routes == whole.bus.routes);
  }
}
