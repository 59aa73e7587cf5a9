#include "simulator/runtime/replica_states.hpp"

#include <doctest/doctest.h>

using namespace factosim;
using List = ReplicaStates::List;

namespace {

constexpr std::uint32_t none = ReplicaStates::none;

/// Three owned replicas, a RAM and two GPUs; all three have memory on GPU 1.
ReplicaStates three_on_gpu() {
  ReplicaStates states({true, true, true}, 3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    states.set_allocated(r, 1, true);
    states.make_valid(r, 1, false);
  }
  return states;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("owned replicas start in RAM and received ones nowhere") {
    ReplicaStates const states({true, false}, 2);
    CHECK(states.valid(0, 0));
    CHECK_FALSE(states.valid(0, 1));
    CHECK_FALSE(states.valid(1, 0));
    CHECK(states.allocated(1, 0));
    CHECK_FALSE(states.allocated(0, 1));
  }

  TEST_CASE("a write leaves one valid copy and the others stale with their memory") {
    ReplicaStates states({true}, 3);
    states.set_allocated(0, 1, true);
    states.set_allocated(0, 2, true);
    states.make_valid(0, 2, false);
    states.make_valid(0, 1, true);
    CHECK_FALSE(states.valid(0, 0));
    CHECK_FALSE(states.valid(0, 2));
    CHECK(states.allocated(0, 2));
    CHECK(states.first(2, List::stale) == 0);
    CHECK(states.first(1, List::dirty) == 0);
    CHECK(states.dirty(0, 1));
    states.make_valid(0, 0, false);  // written back
    CHECK(states.first(1, List::dirty) == none);
    CHECK(states.first(1, List::clean) == 0);
  }

  TEST_CASE("the least recently used copy is offered first") {
    ReplicaStates states = three_on_gpu();
    CHECK(states.first(1, List::clean) == 0);
    states.pin(0, 1);
    CHECK(states.first(1, List::clean) == 1);
    states.unpin(0, 1);  // used just now: last
    states.set_allocated(1, 1, false);
    CHECK(states.first(1, List::clean) == 2);
    states.set_allocated(2, 1, false);
    CHECK(states.first(1, List::clean) == 0);
  }

  TEST_CASE("pinned copies are not offered and promised ones only as such") {
    ReplicaStates states = three_on_gpu();
    states.promise(0, 1);
    states.promise(0, 1);
    states.pin(1, 1);
    CHECK(states.first(1, List::clean) == 2);
    CHECK(states.first(1, List::promised) == 0);
    states.redeem(0, 1);
    CHECK(states.first(1, List::promised) == 0);
    states.redeem(0, 1);
    CHECK(states.first(1, List::promised) == none);
  }

  TEST_CASE("a forgotten replica is valid nowhere and offered nowhere") {
    ReplicaStates states = three_on_gpu();
    states.forget(0);
    for (std::uint32_t m = 0; m < 3; ++m) CHECK_FALSE(states.valid(0, m));
    CHECK(states.first(1, List::clean) == 1);
  }
}
