#include "simulator/runtime/node/replica_states.hpp"

#include "tests/prelude.hpp"

using namespace factosim;
using Kind = EvictionOrder::Kind;

namespace {

constexpr LocalReplica none{};

std::vector<LocalReplica> replicas(std::vector<int> const& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// `count` copies, all of that kind.
EvictionOrder order_of(std::uint32_t count, Kind kind) {
  EvictionOrder order(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    order.add(LocalReplica{r});
    order.set_kind(LocalReplica{r}, kind);
  }
  return order;
}

std::vector<LocalReplica> tidied(EvictionOrder& order, LocalReplica being_written = none) {
  std::vector<bool> writing(100);
  if (being_written.valid()) writing[being_written.index()] = true;
  std::vector<LocalReplica> marked;
  auto const keep = [&](LocalReplica r) { return order.kind(r) == Kind::in_use || writing[r.index()]; };
  order.tidy(keep, EvictionOrder::Shares::exact, marked);
  return marked;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("of two kinds the earlier copy goes first") {
    EvictionOrder order = order_of(3, Kind::shared);
    order.set_kind(LocalReplica{0}, Kind::owned);
    order.set_kind(LocalReplica{1}, Kind::reserved_shared);
    CHECK(order.first({Kind::shared, Kind::reserved_shared}) == LocalReplica{1});
    CHECK(order.first({Kind::owned, Kind::reserved_shared}) == LocalReplica{0});
    CHECK(order.first({Kind::reserved_owned, Kind::shared}) == LocalReplica{2});
    CHECK(order.first({Kind::reserved_owned, Kind::reserved_owned}) == none);
  }

  TEST_CASE("a copy that no task will use goes before all dirty copies and behind earlier clean ones") {
    EvictionOrder order = order_of(5, Kind::shared);
    for (std::uint32_t r : {1U, 2U, 3U, 4U}) {
      order.dirty(LocalReplica{r});
      order.touch(LocalReplica{r});
    }
    // Now 0 (clean), then 1 2 3 4 (dirty).
    order.wont_use(LocalReplica{4});
    order.wont_use(LocalReplica{3});
    for (std::uint32_t const expected : {0U, 4U, 3U, 1U, 2U}) {
      CHECK(order.first(Kind::shared) == LocalReplica{expected});
      order.remove(LocalReplica{expected});
    }
  }

  TEST_CASE("tidy marks a tenth of the copies when less than a twentieth is clean") {
    EvictionOrder order = order_of(100, Kind::owned);
    CHECK(tidied(order).empty());  // new copies are clean until they are written
    for (std::uint32_t r = 0; r < 100; ++r) {
      order.dirty(LocalReplica{r});
      order.touch(LocalReplica{r});
    }
    order.set_kind(LocalReplica{3}, Kind::in_use);
    CHECK(tidied(order) == replicas({0, 1, 2, 4, 5, 6, 7, 8, 9, 10}));
    CHECK(tidied(order).empty());
    order.set_kind(LocalReplica{3}, Kind::owned);
    for (std::uint32_t const r : {0U, 1U, 2U, 4U, 5U, 6U}) {
      order.dirty(LocalReplica{r});
      order.touch(LocalReplica{r});
    }
    // Four of a hundred are clean: on from the first dirty copy, which was in use.
    CHECK(tidied(order) == replicas({3, 11, 12, 13, 14, 15}));
  }

  TEST_CASE("tidy skips a copy that a task is writing until it is written") {
    EvictionOrder order = order_of(20, Kind::owned);
    for (std::uint32_t r = 0; r < 20; ++r) {
      order.dirty(LocalReplica{r});
      order.touch(LocalReplica{r});
    }
    CHECK(tidied(order, LocalReplica{1}) == replicas({0, 2}));
    for (std::uint32_t const r : {0U, 2U}) {
      order.dirty(LocalReplica{r});
      order.touch(LocalReplica{r});
    }
    CHECK(tidied(order) == replicas({1, 3}));
  }
}

TEST_SUITE("property") {
  TEST_CASE("under random changes the first victim is the first one in the list") {
    std::mt19937 random(7);
    constexpr std::uint32_t count = 40;
    EvictionOrder order(count);
    std::vector<std::uint32_t> list;  // the order of touches, by a simple model
    std::vector<Kind> kinds(count, Kind::in_use);
    for (int step = 0; step < 20'000; ++step) {
      auto const r = static_cast<std::uint32_t>(random() % count);
      bool const listed = order.contains(LocalReplica{r});
      switch (random() % 4) {
        case 0:
          if (!listed) order.add(LocalReplica{r});
          if (!listed) list.push_back(r);
          break;
        case 1:
          if (listed) order.remove(LocalReplica{r});
          if (listed) std::erase(list, r);
          break;
        case 2:
          if (!listed) break;
          order.touch(LocalReplica{r});
          std::erase(list, r);
          list.push_back(r);
          break;
        default:
          kinds[r] = static_cast<Kind>(random() % 5);
          order.set_kind(LocalReplica{r}, kinds[r]);
      }
      Kind const kind = static_cast<Kind>(random() % 4);
      auto const expected = std::find_if(list.begin(), list.end(), [&](auto c) { return kinds[c] == kind; });
      REQUIRE(order.first(kind) == (expected == list.end() ? none : LocalReplica{*expected}));
    }
  }
}
