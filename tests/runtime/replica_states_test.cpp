#include "simulator/runtime/replica_states.hpp"

#include <doctest/doctest.h>

using namespace factosim;
using Kind = ReplicaStates::Kind;

namespace {

constexpr std::uint32_t none = ReplicaStates::none;

/// Three owned replicas, a RAM and two GPUs; all three are valid on GPU 1 too.
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
    CHECK(states.owner(0, 0));
    CHECK_FALSE(states.valid(0, 1));
    CHECK_FALSE(states.valid(1, 0));
    CHECK(states.allocated(1, 0));
    CHECK_FALSE(states.allocated(0, 1));
  }

  TEST_CASE("a write leaves one valid copy and the others keep their memory") {
    ReplicaStates states({true}, 3);
    states.set_allocated(0, 1, true);
    states.set_allocated(0, 2, true);
    states.make_valid(0, 2, false);
    states.make_valid(0, 1, true);
    CHECK_FALSE(states.valid(0, 0));
    CHECK_FALSE(states.valid(0, 2));
    CHECK(states.owner(0, 1));
    CHECK(states.allocated(0, 2));
    CHECK(states.order(2).first(Kind::shared) == 0);  // nothing is lost with it
    CHECK(states.order(1).first(Kind::owned) == 0);
    states.make_valid(0, 0, false);  // written back
    CHECK(states.order(1).first(Kind::owned) == none);
    CHECK(states.order(1).first(Kind::shared) == 0);
  }

  TEST_CASE("a copy that another GPU has too can go without being written back") {
    ReplicaStates states({true}, 3);
    states.set_allocated(0, 1, true);
    states.make_valid(0, 1, true);
    states.set_allocated(0, 2, true);
    states.make_valid(0, 2, false);
    CHECK(states.order(1).first(Kind::shared) == 0);
    states.set_allocated(0, 1, false);
    CHECK(states.owner(0, 2));
    CHECK(states.order(2).first(Kind::owned) == 0);
  }

  TEST_CASE("pinned copies are not offered and promised ones only as such") {
    ReplicaStates states = three_on_gpu();
    states.promise(0, 1);
    states.promise(0, 1);
    states.pin(1, 1);
    CHECK(states.order(1).first(Kind::shared) == 2);
    CHECK(states.order(1).first(Kind::promised_shared) == 0);
    states.redeem(0, 1);
    CHECK(states.order(1).first(Kind::promised_shared) == 0);
    states.redeem(0, 1);
    CHECK(states.order(1).first(Kind::promised_shared) == none);
    states.redeem(0, 1);  // nobody promised that
    CHECK(states.order(1).first(Kind::shared) == 0);
  }

  TEST_CASE("a forgotten replica is valid nowhere and offered nowhere") {
    ReplicaStates states = three_on_gpu();
    states.forget(0);
    for (std::uint32_t m = 0; m < 3; ++m) CHECK_FALSE(states.valid(0, m));
    CHECK(states.order(1).first(Kind::shared) == 1);
  }
}
