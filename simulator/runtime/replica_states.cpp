#include "simulator/runtime/replica_states.hpp"

#include "simulator/core/error.hpp"

namespace factosim {

ReplicaStates::ReplicaStates(std::vector<bool> const& owned, std::size_t memory_nodes)
    : memory_nodes_(memory_nodes), copies_(owned.size() * memory_nodes), heads_(memory_nodes * lists_) {
  for (std::size_t r = 0; r < owned.size(); ++r) copies_[r * memory_nodes_].valid = owned[r];
}

void ReplicaStates::make_valid(std::uint32_t replica, std::uint32_t memory, bool written) {
  if (written)
    for (std::uint32_t m = 0; m < memory_nodes_; ++m) copy(replica, m).valid = false;
  copy(replica, memory).valid = true;
  relist_all(replica);
}

void ReplicaStates::set_allocated(std::uint32_t replica, std::uint32_t memory, bool allocated) {
  copy(replica, memory).allocated = allocated;
  if (!allocated) copy(replica, memory).valid = false;
  relist(replica, memory);
}

void ReplicaStates::forget(std::uint32_t replica) {
  for (std::uint32_t m = 0; m < memory_nodes_; ++m) {
    copy(replica, m).valid = false;
    copy(replica, m).allocated = false;
  }
  relist_all(replica);
}

void ReplicaStates::pin(std::uint32_t replica, std::uint32_t memory) {
  if (copy(replica, memory).pins++ == 0) relist(replica, memory);
}

void ReplicaStates::unpin(std::uint32_t replica, std::uint32_t memory) {
  FACTOSIM_EXPECT(copy(replica, memory).pins > 0, "a copy is released that nobody holds");
  if (--copy(replica, memory).pins == 0) relist(replica, memory);
}

void ReplicaStates::promise(std::uint32_t replica, std::uint32_t memory) {
  if (copy(replica, memory).promises++ == 0) relist(replica, memory);
}

void ReplicaStates::redeem(std::uint32_t replica, std::uint32_t memory) {
  FACTOSIM_EXPECT(copy(replica, memory).promises > 0, "a promise is redeemed that nobody made");
  if (--copy(replica, memory).promises == 0) relist(replica, memory);
}

ReplicaStates::List ReplicaStates::list_for(std::uint32_t replica, std::uint32_t memory) const {
  Copy const& c = copy(replica, memory);
  if (memory == 0 || !c.allocated || c.pins > 0) return List::unlisted;
  if (!c.valid) return List::stale;
  if (c.promises > 0) return List::promised;
  return copy(replica, 0).valid ? List::clean : List::dirty;
}

void ReplicaStates::relist(std::uint32_t replica, std::uint32_t memory) {
  auto const index = static_cast<std::uint32_t>(replica * memory_nodes_ + memory);
  Copy& c = copies_[index];
  auto ends = [&]() -> Ends& { return heads_[memory * lists_ + static_cast<std::size_t>(c.list)]; };
  if (c.list != List::unlisted) {
    (c.previous == none ? ends().first : copies_[c.previous].next) = c.next;
    (c.next == none ? ends().last : copies_[c.next].previous) = c.previous;
  }
  c.list = list_for(replica, memory);
  if (c.list == List::unlisted) return;
  c.previous = ends().last;
  c.next = none;
  (c.previous == none ? ends().first : copies_[c.previous].next) = index;
  ends().last = index;
}

void ReplicaStates::relist_all(std::uint32_t replica) {
  for (std::uint32_t m = 1; m < memory_nodes_; ++m) relist(replica, m);
}

}  // namespace factosim
