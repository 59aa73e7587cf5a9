// Who sends what to whom in HPL's collective operations, against the table of HPL's documentation.

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "simulator/experiments/hpl/hpl_messages.hpp"

using namespace factosim;

namespace {

constexpr auto all_broadcasts = {HplBroadcast::ring_1, HplBroadcast::ring_1_modified, HplBroadcast::ring_2,
                                 HplBroadcast::ring_2_modified};

/// Returns the number of messages, one after the other, until each process has the panel; -1: it never gets it.
std::vector<int> rounds_until(HplBroadcast broadcast, int size) {
  auto const to = forwards(broadcast, size);
  std::vector<int> out(static_cast<std::size_t>(size), -1);
  out[0] = 0;
  for (std::size_t from = 0; from < to.size(); ++from) {
    int sent = out[from];
    for (int const receiver : to[from]) {
      int& date = out[static_cast<std::size_t>(receiver)];
      date = date == -1 ? ++sent : -2;
    }
  }
  return out;
}

double sum(std::vector<HplRound> const& rounds) {
  double out = 0;
  for (HplRound const& round : rounds)
    for (HplExchange const& e : round) out += e.to_a + e.to_b;
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("each process gets the panel once and after its sender") {
    for (int size = 1; size <= 40; ++size)
      for (HplBroadcast const broadcast : all_broadcasts) {
        CAPTURE(size);
        CAPTURE(static_cast<int>(broadcast));
        for (int const rounds : rounds_until(broadcast, size)) CHECK(rounds >= 0);
        auto const to = forwards(broadcast, size);
        for (std::size_t from = 0; from < to.size(); ++from)
          for (int const receiver : to[from]) CHECK(receiver > static_cast<int>(from));
      }
  }

  TEST_CASE("rings take the rounds that HPL's documentation says") {
    for (int q = 4; q <= 64; ++q) {
      CAPTURE(q);
      auto const last = [&](HplBroadcast b) {
        auto const rounds = rounds_until(b, q);
        return *std::max_element(rounds.begin(), rounds.end());
      };
      CHECK(last(HplBroadcast::ring_1) == q - 1);
      CHECK(last(HplBroadcast::ring_1_modified) == q - 1);
      CHECK(std::abs(last(HplBroadcast::ring_2) - q / 2) <= 1);
      CHECK(std::abs(last(HplBroadcast::ring_2_modified) - q / 2) <= 2);
      for (HplBroadcast const b : {HplBroadcast::ring_1_modified, HplBroadcast::ring_2_modified}) {
        CHECK(rounds_until(b, q)[1] == 1);  // the owner of the next panel has it first,
        CHECK(forwards(b, q)[1].empty());   // and is free at once
      }
    }
  }

  TEST_CASE("the long broadcast takes log Q and Q - 1 messages and about two volumes") {
    for (int q = 2; q <= 100; ++q) {
      CAPTURE(q);
      HplCollective const messages = long_broadcast(q);
      CHECK(messages.rounds.size() == static_cast<std::size_t>(std::ceil(std::log2(q))));
      CHECK(messages.rolls == q - 1);
      double longest = 0;  // of what the root sends
      for (HplRound const& round : messages.rounds)
        if (!round.empty() && round.front().a == 0) longest += round.front().to_b;
      CHECK(longest == doctest::Approx((q - 1.0) / q));
      CHECK(messages.rolls * messages.rolled == doctest::Approx((q - 1.0) / q));
    }
  }

  TEST_CASE(
      "the binary exchange gives U to each process in log P rounds, two more unless P is a power of two") {
    for (int p = 2; p <= 90; ++p) {
      CAPTURE(p);
      HplCollective const messages = swap_messages(HplSwap::binary_exchange, p, 128);
      std::vector<bool> has(static_cast<std::size_t>(p));
      has[0] = true;
      for (HplRound const& round : messages.rounds) {
        std::vector<int> busy(static_cast<std::size_t>(p));
        auto const before = has;
        for (HplExchange const& e : round) {
          auto const a = static_cast<std::size_t>(e.a), b = static_cast<std::size_t>(e.b);
          ++busy[a];
          ++busy[b];
          if (e.to_b == 128) CHECK(before[a]);
          if (e.to_b == 128) has[b] = true;
        }
        for (int const n : busy) CHECK(n <= 1);
      }
      CHECK(std::accumulate(has.begin(), has.end(), 0) == p);
      // Rows that the root swaps out of the others: all that they hold.
      double to_root = 0;
      for (HplRound const& round : messages.rounds)
        for (HplExchange const& e : round)
          if (e.a == 0) to_root += e.to_a;
      CHECK(to_root == doctest::Approx(128.0 * (p - 1) / p));
    }
    CHECK(sum(swap_messages(HplSwap::long_, 8, 1).rounds) ==
          doctest::Approx(4 * 1 / 8.0 + 4 / 8.0 + 4 / 8.0));
  }
}
