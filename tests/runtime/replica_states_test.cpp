#include "simulator/runtime/node/replica_states.hpp"

#include "tests/prelude.hpp"

using namespace factosim;
using Kind = ReplicaStates::Kind;

namespace {

constexpr LocalReplica no_replica{};

constexpr LocalReplica replica(int n) { return LocalReplica{n}; }
constexpr LocalMemory memory(int n) { return LocalMemory{n}; }

/// Three owned replicas, a RAM and two GPUs; all three are valid on GPU 1 too.
ReplicaStates three_on_gpu() {
  ReplicaStates states({true, true, true}, 3);
  for (int r = 0; r < 3; ++r) {
    states.allocate(replica(r), memory(1));
    states.make_valid(replica(r), memory(1));
  }
  return states;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("owned replicas start in RAM and received ones nowhere") {
    ReplicaStates const states({true, false}, 2);
    CHECK(states.valid(replica(0), memory(0)));
    CHECK(states.is_only_valid(replica(0), memory(0)));
    CHECK_FALSE(states.valid(replica(0), memory(1)));
    CHECK_FALSE(states.valid(replica(1), memory(0)));
    CHECK(states.allocated(replica(1), memory(0)));
    CHECK_FALSE(states.allocated(replica(0), memory(1)));
  }

  TEST_CASE("a write leaves one valid copy and the others keep their memory") {
    ReplicaStates states({true}, 3);
    states.allocate(replica(0), memory(1));
    states.allocate(replica(0), memory(2));
    states.make_valid(replica(0), memory(2));
    states.write(replica(0), memory(1));
    CHECK_FALSE(states.valid(replica(0), memory(0)));
    CHECK_FALSE(states.valid(replica(0), memory(2)));
    CHECK(states.is_only_valid(replica(0), memory(1)));
    CHECK(states.allocated(replica(0), memory(2)));
    CHECK(states.order(memory(2)).first(Kind::shared) == replica(0));  // its content is out of date
    CHECK(states.order(memory(1)).first(Kind::owned) == replica(0));
    states.make_valid(replica(0), memory(0));  // written back
    CHECK(states.order(memory(1)).first(Kind::owned) == no_replica);
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(0));
  }

  TEST_CASE("a copy that another GPU has too can be evicted without being written back") {
    ReplicaStates states({true}, 3);
    states.allocate(replica(0), memory(1));
    states.write(replica(0), memory(1));
    states.allocate(replica(0), memory(2));
    states.make_valid(replica(0), memory(2));
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(0));
    states.deallocate(replica(0), memory(1));
    CHECK(states.is_only_valid(replica(0), memory(2)));
    CHECK(states.order(memory(2)).first(Kind::owned) == replica(0));
  }

  TEST_CASE("pinned copies are no victims and reserved ones only of their own kind") {
    ReplicaStates states = three_on_gpu();
    states.reserve(replica(0), memory(1));
    states.reserve(replica(0), memory(1));
    states.pin(replica(1), memory(1));
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(2));
    CHECK(states.order(memory(1)).first(Kind::reserved_shared) == replica(0));
    states.release_reservation(replica(0), memory(1));
    CHECK(states.order(memory(1)).first(Kind::reserved_shared) == replica(0));
    states.release_reservation(replica(0), memory(1));
    CHECK(states.order(memory(1)).first(Kind::reserved_shared) == no_replica);
    states.release_reservation(replica(0), memory(1));  // without effect: nothing is reserved
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(0));
  }

  TEST_CASE("a forgotten replica is valid nowhere and no victim anywhere") {
    ReplicaStates states = three_on_gpu();
    states.forget(replica(0));
    for (int m = 0; m < 3; ++m) CHECK_FALSE(states.valid(replica(0), memory(m)));
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(1));
  }

  TEST_CASE("the number of a forgotten replica begins anew with another one") {
    ReplicaStates states = three_on_gpu();
    states.reserve(replica(0), memory(1));
    states.accessed(replica(0), true);
    states.begin_write(replica(0));
    CHECK(states.held(replica(0)));
    states.forget(replica(0));
    CHECK_FALSE(states.held(replica(0)));
    states.add(replica(0));
    for (int m = 0; m < 3; ++m) CHECK_FALSE(states.valid(replica(0), memory(m)));
    CHECK_FALSE(states.allocated(replica(0), memory(1)));
    states.write(replica(0), memory(0));  // received
    states.allocate(replica(0), memory(1));
    states.make_valid(replica(0), memory(1));
    CHECK(states.kind(replica(0), memory(1)) == Kind::shared);         // not reserved
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(1));  // used before it
    states.pin(replica(0), memory(1));
    CHECK(states.held(replica(0)));
  }

  TEST_CASE("replicas are added beside those of the start") {
    ReplicaStates states({true}, 2);
    states.add(replica(1));
    CHECK(states.replicas() == 2);
    CHECK_FALSE(states.valid(replica(1), memory(0)));
    states.write(replica(1), memory(0));
    states.allocate(replica(1), memory(1));
    states.make_valid(replica(1), memory(1));
    CHECK(states.order(memory(1)).first(Kind::shared) == replica(1));
    CHECK(states.is_only_valid(replica(0), memory(0)));
  }
}
