#include "simulator/runtime/eviction_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace factosim;
using Kind = EvictionOrder::Kind;

namespace {

constexpr std::uint32_t none = EvictionOrder::none;

/// `count` copies, all of them victims of that kind.
EvictionOrder order_of(std::uint32_t count, Kind kind) {
  EvictionOrder order(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    order.add(r);
    order.set_kind(r, kind);
  }
  return order;
}

std::vector<std::uint32_t> tidied(EvictionOrder& order, std::uint32_t being_written = none) {
  std::vector<bool> writing(100);
  if (being_written != none) writing[being_written] = true;
  std::vector<std::uint32_t> marked;
  order.tidy(writing, marked);
  return marked;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the copy that was not wanted for longest goes first") {
    EvictionOrder order = order_of(3, Kind::shared);
    CHECK(order.first(Kind::shared) == 0);
    order.touch(0);
    CHECK(order.first(Kind::shared) == 1);
    order.remove(1);
    CHECK(order.first(Kind::shared) == 2);
    order.set_kind(2, Kind::in_use);
    CHECK(order.first(Kind::shared) == 0);
    order.remove(0);
    CHECK(order.first(Kind::shared) == none);
  }

  TEST_CASE("of two kinds the earlier copy goes first") {
    EvictionOrder order = order_of(3, Kind::shared);
    order.set_kind(0, Kind::owned);
    order.set_kind(1, Kind::promised_shared);
    CHECK(order.first(Kind::shared, Kind::promised_shared) == 1);
    CHECK(order.first(Kind::owned, Kind::promised_shared) == 0);
    CHECK(order.first(Kind::promised_owned, Kind::shared) == 2);
    CHECK(order.first(Kind::promised_owned, Kind::promised_owned) == none);
  }

  TEST_CASE("what nothing will use any more goes before all dirty copies and behind earlier clean ones") {
    EvictionOrder order = order_of(5, Kind::shared);
    for (std::uint32_t r : {1U, 2U, 3U, 4U}) {
      order.dirty(r);
      order.touch(r);
    }
    // Now 0 (clean), then 1 2 3 4 (dirty).
    order.wont_use(4);
    order.wont_use(3);
    for (std::uint32_t const expected : {0U, 4U, 3U, 1U, 2U}) {
      CHECK(order.first(Kind::shared) == expected);
      order.remove(expected);
    }
  }

  TEST_CASE("tidy marks a tenth of the copies when less than a twentieth is clean") {
    EvictionOrder order = order_of(100, Kind::owned);
    CHECK(tidied(order).empty());  // new copies are clean until they are written
    for (std::uint32_t r = 0; r < 100; ++r) {
      order.dirty(r);
      order.touch(r);
    }
    order.set_kind(3, Kind::in_use);
    CHECK(tidied(order) == std::vector<std::uint32_t>{0, 1, 2, 4, 5, 6, 7, 8, 9, 10});
    CHECK(tidied(order).empty());
    order.set_kind(3, Kind::owned);
    for (std::uint32_t const r : {0U, 1U, 2U, 4U, 5U, 6U}) {
      order.dirty(r);
      order.touch(r);
    }
    // Four of a hundred are clean: on from the first dirty copy, which was in use.
    CHECK(tidied(order) == std::vector<std::uint32_t>{3, 11, 12, 13, 14, 15});
  }

  TEST_CASE("tidy leaves what a task is writing, and comes back to it") {
    EvictionOrder order = order_of(20, Kind::owned);
    for (std::uint32_t r = 0; r < 20; ++r) {
      order.dirty(r);
      order.touch(r);
    }
    CHECK(tidied(order, 1) == std::vector<std::uint32_t>{0, 2});
    for (std::uint32_t const r : {0U, 2U}) {
      order.dirty(r);
      order.touch(r);
    }
    CHECK(tidied(order) == std::vector<std::uint32_t>{1, 3});
  }
}

TEST_SUITE("property") {
  TEST_CASE("under random changes the first victim is the first one in the list") {
    std::mt19937 random(7);
    constexpr std::uint32_t count = 40;
    EvictionOrder order(count);
    std::vector<std::uint32_t> list;  // the order of touches, kept naively
    std::vector<Kind> kinds(count, Kind::in_use);
    for (int step = 0; step < 20'000; ++step) {
      auto const r = static_cast<std::uint32_t>(random() % count);
      bool const listed = order.contains(r);
      switch (random() % 4) {
        case 0:
          if (!listed) order.add(r);
          if (!listed) list.push_back(r);
          break;
        case 1:
          if (listed) order.remove(r);
          if (listed) std::erase(list, r);
          break;
        case 2:
          if (!listed) break;
          order.touch(r);
          std::erase(list, r);
          list.push_back(r);
          break;
        default:
          kinds[r] = static_cast<Kind>(random() % 5);
          order.set_kind(r, kinds[r]);
      }
      Kind const kind = static_cast<Kind>(random() % 4);
      auto const expected = std::find_if(list.begin(), list.end(), [&](auto c) { return kinds[c] == kind; });
      REQUIRE(order.first(kind) == (expected == list.end() ? none : *expected));
    }
  }
}
