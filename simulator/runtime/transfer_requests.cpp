#include "simulator/runtime/transfer_requests.hpp"

namespace factosim {

RequestId TransferRequests::add(TransferRequest const& request) {
  RequestId id{pool_.size()};
  if (free_.empty()) {
    pool_.push_back(request);
  } else {
    id = free_.back();
    free_.pop_back();
    pool_[id.index()] = request;
  }
  RequestId& first = first_[states_.copy_index(request.replica, request.to)];
  pool_[id.index()].next_on_copy = first;
  first = id;
  ++count_[request.replica.index()];
  return id;
}

void TransferRequests::remove(RequestId id) {
  TransferRequest const& r = pool_[id.index()];
  RequestId* link = &first_[states_.copy_index(r.replica, r.to)];
  while (*link != id) link = &pool_[link->index()].next_on_copy;
  *link = r.next_on_copy;
  --count_[r.replica.index()];
  free_.push_back(id);
}

void TransferRequests::attach(RequestId dependent) {
  TransferRequest& r = pool_[dependent.index()];
  RequestId& first = pool_[loading(r.replica, r.to).index()].first_dependent;
  r.next_dependent = first;
  first = dependent;
}

RequestId TransferRequests::find(LocalReplica replica, LocalMemory memory, TaskId task) const {
  if (!task.valid()) return {};
  RequestId id = first_[states_.copy_index(replica, memory)];
  while (id.valid() && ((*this)[id].task != task || (*this)[id].canceled)) id = (*this)[id].next_on_copy;
  return id;
}

}  // namespace factosim
