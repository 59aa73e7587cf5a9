#include "simulator/runtime/node/transfers.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// Submits a copy between memory nodes. Returns whether it may start at once.
bool submit(BusStreams& streams, int request, int from, int to) {
  return streams.submit(RequestId{request}, LocalMemory{from}, LocalMemory{to});
}

/// Returns whether copy b, submitted after copy a, must wait for it.
bool waits(int from_a, int to_a, int from_b, int to_b) {
  BusStreams streams;
  CHECK(submit(streams, 0, from_a, to_a));
  return !submit(streams, 1, from_b, to_b);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("copies of one pair follow each other and other pairs with the RAM overlap") {
    CHECK(waits(0, 1, 0, 1));
    CHECK_FALSE(waits(0, 1, 1, 0));
    CHECK_FALSE(waits(0, 1, 0, 2));
    CHECK_FALSE(waits(1, 0, 2, 0));
  }

  TEST_CASE("crossed copies between two GPUs follow each other") {
    CHECK(waits(1, 2, 2, 1));
    CHECK_FALSE(waits(1, 2, 3, 4));
  }

  TEST_CASE("a GPU to GPU copy and one that writes into either end follow each other") {
    CHECK(waits(1, 2, 0, 1));
    CHECK(waits(1, 2, 0, 2));
    CHECK(waits(0, 1, 1, 2));
    CHECK(waits(0, 2, 1, 2));
    CHECK_FALSE(waits(1, 2, 1, 0));
    CHECK_FALSE(waits(1, 2, 0, 3));
  }

  TEST_CASE("parallel copies follow only those of the same source and destination") {
    BusStreams streams(1, true);
    CHECK(submit(streams, 0, 1, 2));
    CHECK_FALSE(submit(streams, 1, 1, 2));
    int number = 2;
    for (auto const& [from, to] : {std::pair{2, 1}, {0, 1}, {0, 2}, {3, 2}, {1, 3}, {1, 0}})
      CHECK(submit(streams, number++, from, to));
  }

  TEST_CASE("a copy starts when the last of those before it has ended") {
    BusStreams streams;
    CHECK(submit(streams, 10, 0, 1));
    CHECK(submit(streams, 11, 0, 2));
    CHECK_FALSE(submit(streams, 12, 1, 2));  // waits for both
    CHECK_FALSE(submit(streams, 13, 0, 1));  // waits for 10 and 12
    std::vector<BusStreams::Copy> startable;
    streams.end(RequestId{10}, startable);
    CHECK(startable.empty());
    streams.end(RequestId{11}, startable);
    REQUIRE(startable.size() == 1);
    CHECK(startable[0].request == RequestId{12});
    startable.clear();
    streams.end(RequestId{12}, startable);
    REQUIRE(startable.size() == 1);
    CHECK(startable[0].request == RequestId{13});
  }
}
