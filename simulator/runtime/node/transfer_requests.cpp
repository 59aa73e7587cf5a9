#include "simulator/runtime/node/transfer_requests.hpp"

#include "factosim/error.hpp"

namespace factosim {

RequestId TransferRequests::add(TransferRequest const& request) {
  RequestId const id = pool_.add(request);
  RequestId& first = first_[states_.copy_index(request.replica, request.to)];
  pool_[id].next_on_copy = first;
  first = id;
  ++count_[request.replica.index()];
  return id;
}

void TransferRequests::remove(RequestId id) {
  TransferRequest const& r = pool_[id];
  RequestId* link = &first_[states_.copy_index(r.replica, r.to)];
  while (*link != id) {
    FACTOSIM_EXPECT(link->valid(), "a request is not in the list of its copy");
    link = &pool_[*link].next_on_copy;
  }
  *link = r.next_on_copy;
  FACTOSIM_EXPECT(count_[r.replica.index()] > 0, "a replica has fewer than no requests");
  --count_[r.replica.index()];
  pool_.remove(id);
}

void TransferRequests::attach(RequestId dependent) {
  TransferRequest& r = pool_[dependent];
  FACTOSIM_EXPECT(loading(r.replica, r.to).valid(), "a request waits for a copy that nothing loads");
  r.attached = true;
  RequestId& first = pool_[loading(r.replica, r.to)].first_dependent;
  r.next_dependent = first;
  first = dependent;
}

RequestId TransferRequests::find(LocalReplica replica, LocalMemory memory, TaskId task) const {
  if (!task.valid()) return {};
  RequestId id = first_[states_.copy_index(replica, memory)];
  while (id.valid() && ((*this)[id].task != task || (*this)[id].canceled)) id = (*this)[id].next_on_copy;
  return id;
}

RequestId TransferRequests::find_shared(LocalReplica replica, LocalMemory from, LocalMemory to,
                                        TaskId task) const {
  RequestId found;  // the oldest: the list begins with the newest
  for (RequestId id = first_[states_.copy_index(replica, to)]; id.valid(); id = (*this)[id].next_on_copy) {
    TransferRequest const& r = (*this)[id];
    bool const shared = !task.valid() || !r.task.valid() || r.task == task;
    if (r.from == from && shared && !r.canceled && !r.attached && !r.waiter.valid()) found = id;
  }
  return found;
}

}  // namespace factosim
