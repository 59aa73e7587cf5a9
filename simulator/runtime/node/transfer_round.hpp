#pragma once

#include <cstddef>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/runtime/node/transfer_queue.hpp"
#include "simulator/runtime/node/transfer_requests.hpp"

namespace factosim {

/// One round of a driver through its lists of requests, each of which it visits once: for the copies to its memory, then for
/// those to RAM, the urgent requests by lane, prefetches, and idle ones if no copy is in flight. As in StarPU, it takes as many
/// requests of a list as may be in flight together before it handles the first one: those that come meanwhile wait for the next
/// round, whatever their priority. Source: StarPU 1.4 `data_request.c` (__starpu_handle_node_data_requests), `datawizard.c`
/// (____starpu_datawizard_progress).
class TransferRound {
 public:
  /// `max_time`: after that time, the rest of a list is left for the next round.
  explicit TransferRound(Seconds max_time) : max_time_(max_time) {}

  /// Returns whether the round has begun and not ended.
  [[nodiscard]] bool active() const { return active_; }
  /// Returns whether a request has been handled in this round, or in the last one.
  [[nodiscard]] bool has_handled() const { return has_handled_; }
  /// Begins or continues the round. Returns the next request to handle; an invalid id at its end.
  RequestId next(TransferQueue& queue, TransferRequests& requests, Seconds now);
  /// The request that `next` returned last, or one whose memory was reclaimed since, has found no memory.
  void refused(RequestId id) {
    refused_.push_back(id);
    out_of_memory_ = just_refused_ = true;
  }

 private:
  [[nodiscard]] std::size_t lane(TransferQueue const& queue) const;
  [[nodiscard]] Urgency urgency(TransferQueue const& queue) const;
  /// Goes on to the first list with requests that may start, and takes these. Returns whether there is one.
  bool enter_list(TransferQueue& queue, TransferRequests& requests, Seconds now);
  [[nodiscard]] bool stays(TransferQueue const& queue, Seconds now);
  /// Puts back what was taken in vain, and goes on to the next list.
  void leave_list(TransferQueue& queue, TransferRequests& requests);
  /// Goes on to the copies to RAM, or to the end.
  void skip_direction(TransferQueue const& queue);

  Seconds max_time_;
  std::size_t list_ = 0;            // the visited one, or the next one to visit
  std::vector<RequestId> taken_;    // of the visited list and not handled, the next one last
  std::vector<RequestId> refused_;  // of the visited list
  Seconds entered_{0};
  bool active_ = false;
  bool visiting_ = false;
  bool has_handled_ = false;
  bool first_ = false;  // no request of the visited list has been handled
  bool just_refused_ = false;
  bool out_of_memory_ = false;  // the visit of the list ends for want of memory
};

}  // namespace factosim
