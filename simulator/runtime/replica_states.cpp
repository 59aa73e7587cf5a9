#include "simulator/runtime/replica_states.hpp"

#include "factosim/error.hpp"

namespace factosim {

ReplicaStates::ReplicaStates(std::vector<bool> const& owned, std::size_t memory_nodes, std::size_t rams)
    : memory_nodes_(memory_nodes),
      rams_(rams),
      copies_(owned.size() * memory_nodes),
      valid_copies_(owned.begin(), owned.end()) {
  for (std::size_t m = 0; m < memory_nodes; ++m) orders_.emplace_back(m < rams ? 0 : owned.size());
  for (std::size_t r = 0; r < owned.size(); ++r) copies_[r * memory_nodes_].valid = owned[r];
}

void ReplicaStates::set_valid(std::uint32_t replica, std::uint32_t memory, bool valid) {
  Copy& c = copy(replica, memory);
  if (c.valid != valid) valid ? ++valid_copies_[replica] : --valid_copies_[replica];
  c.valid = valid;
}

void ReplicaStates::make_valid(std::uint32_t replica, std::uint32_t memory, bool written) {
  if (written)
    for (std::uint32_t m = 0; m < memory_nodes_; ++m) set_valid(replica, m, false);
  set_valid(replica, memory, true);
  if (written && memory >= rams_) orders_[memory].dirty(replica);
  update_all(replica);
}

void ReplicaStates::set_allocated(std::uint32_t replica, std::uint32_t memory, bool allocated) {
  copy(replica, memory).allocated = allocated;
  if (!allocated) set_valid(replica, memory, false);
  if (allocated)
    orders_[memory].add(replica);
  else
    orders_[memory].remove(replica);
  update_all(replica);
}

void ReplicaStates::forget(std::uint32_t replica) {
  for (std::uint32_t m = 0; m < memory_nodes_; ++m) {
    set_valid(replica, m, false);
    if (copy(replica, m).allocated) orders_[m].remove(replica);
    copy(replica, m).allocated = false;
  }
}

void ReplicaStates::pin(std::uint32_t replica, std::uint32_t memory) {
  if (copy(replica, memory).pins++ == 0) update(replica, memory);
}

void ReplicaStates::unpin(std::uint32_t replica, std::uint32_t memory) {
  FACTOSIM_EXPECT(copy(replica, memory).pins > 0, "a copy is released that nobody holds");
  if (--copy(replica, memory).pins == 0) update(replica, memory);
}

void ReplicaStates::promise(std::uint32_t replica, std::uint32_t memory) {
  if (copy(replica, memory).promises++ == 0) update(replica, memory);
}

void ReplicaStates::redeem(std::uint32_t replica, std::uint32_t memory) {
  Copy& c = copy(replica, memory);
  if (c.promises > 0 && --c.promises == 0) update(replica, memory);
}

void ReplicaStates::touch(std::uint32_t replica, std::uint32_t memory) {
  if (memory >= rams_ && copy(replica, memory).allocated) orders_[memory].touch(replica);
}

void ReplicaStates::wont_use(std::uint32_t replica) {
  for (auto m = static_cast<std::uint32_t>(rams_); m < memory_nodes_; ++m)
    if (copy(replica, m).allocated) orders_[m].wont_use(replica);
}

ReplicaStates::Kind ReplicaStates::kind(std::uint32_t replica, std::uint32_t memory) const {
  Copy const& c = copy(replica, memory);
  if (!c.allocated || c.pins > 0) return Kind::in_use;
  if (owner(replica, memory)) return c.promises > 0 ? Kind::promised_owned : Kind::owned;
  return c.promises > 0 ? Kind::promised_shared : Kind::shared;
}

void ReplicaStates::update(std::uint32_t replica, std::uint32_t memory) {
  if (memory >= rams_) orders_[memory].set_kind(replica, kind(replica, memory));
}

void ReplicaStates::update_all(std::uint32_t replica) {
  for (auto m = static_cast<std::uint32_t>(rams_); m < memory_nodes_; ++m) update(replica, m);
}

}  // namespace factosim
