// Tiles in flight over shared links: dates by hand.

#include "distributions/tile_flows.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

using namespace factosim;

namespace {

/// Returns the numbers of all tiles and the dates when they arrive.
std::vector<std::pair<std::uint32_t, double>> arrivals(TileFlows& flows) {
  std::vector<std::pair<std::uint32_t, double>> out;
  while (!std::isinf(flows.next())) {
    double const date = flows.next();
    if (auto const cargo = flows.advance()) out.emplace_back(cargo->number, date);
  }
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("tiles that cross a link share it, and the most urgent ones of a queue go first") {
    TileFlows flows;
    std::uint32_t const link = flows.add_links(std::array{1.0, 0.5});
    std::uint32_t const queue = flows.add_queues(2, 1);
    TileFlows::Route const slow{.links = {link}}, both{.links = {link, link + 1}},
        alone{.links = {link + 1}, .alone = 3};
    flows.send(queue, slow, {.number = 0, .order = 5}, 0);
    flows.send(queue, slow, {.number = 1, .order = 7}, 0);
    flows.send(queue, slow, {.number = 2, .order = 6}, 0);
    flows.send(queue + 1, both, {.number = 3, .order = 0}, 0);
    flows.send(queue + 1, alone, {.number = 4, .order = 0}, 0);
    auto const dates = arrivals(flows);
    // 0 and 3 share until 2, then 2 and 1 have the link alone; 4 takes 3 seconds although its link could take 0.5
    std::vector<std::uint32_t> order;
    for (auto const& [number, date] : dates) order.push_back(number);
    CHECK(order == std::vector<std::uint32_t>{0, 3, 2, 1, 4});
    std::vector<double> const expected{2, 2, 3, 4, 5};
    for (std::size_t i = 0; i < dates.size(); ++i) CHECK(dates[i].second == doctest::Approx(expected[i]));
  }

  TEST_CASE("tiles on a connection follow each other, and share links with those of other connections") {
    for (bool const urgent_first : {false, true}) {
      CAPTURE(urgent_first);
      TileFlows flows;
      std::uint32_t const link = flows.add_links(std::array{1.0});
      std::uint32_t const queue = flows.add_queues(1, 3);
      std::uint32_t const connection = flows.add_connections(2, urgent_first);
      TileFlows::Route const one{.links = {link}, .connection = connection},
          other{.links = {link}, .connection = connection + 1};
      flows.send(queue, one, {.number = 0, .order = 5}, 0);
      flows.send(queue, one, {.number = 1, .order = 7}, 0);
      flows.send(queue, one, {.number = 2, .order = 6}, 0);
      flows.send(queue, other, {.number = 3, .order = 1}, 0);  // leaves the queue when 0 has come
      std::uint32_t const second = urgent_first ? 2 : 1, last = urgent_first ? 1 : 2;
      // 0 alone until 1; then 3 and the second share the link until 3, and the last has it alone
      CHECK(arrivals(flows) ==
            std::vector<std::pair<std::uint32_t, double>>{{0, 1.0}, {second, 3.0}, {3, 3.0}, {last, 4.0}});
    }
  }

  TEST_CASE("n tiles on a connection arrive after 1, 2, ... n times that of one, not all after n") {
    for (bool const shared : {false, true}) {
      TileFlows flows;
      std::uint32_t const link = flows.add_links(std::array{0.5});
      std::uint32_t const queue = flows.add_queues(1, 10);
      std::uint32_t const connection = flows.add_connections(1, false);
      TileFlows::Route const route{.links = {link},
                                   .connection = shared ? TileFlows::no_connection : connection};
      for (std::uint32_t i = 0; i < 10; ++i) flows.send(queue, route, {.number = i, .order = 0}, 0);
      double sum = 0;
      for (auto const& [number, date] : arrivals(flows)) {
        CHECK(date == doctest::Approx(shared ? 5 : 0.5 * (number + 1)));
        sum += date;
      }
      CHECK(sum / 10 == doctest::Approx(shared ? 5 : 2.75));
    }
  }

  TEST_CASE("a tile that crosses a link twice takes twice as long") {
    TileFlows flows;
    std::uint32_t const link = flows.add_links(std::array{1.0});
    std::uint32_t const queue = flows.add_queues(1, 1);
    TileFlows::Route const twice{.links = {link, link}};
    flows.send(queue, twice, {.number = 0, .order = 0}, 0);
    CHECK(arrivals(flows) == std::vector<std::pair<std::uint32_t, double>>{{0, 2.0}});
  }
}
