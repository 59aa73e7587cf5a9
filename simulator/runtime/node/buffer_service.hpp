#pragma once

#include <algorithm>
#include <vector>

#include "simulator/runtime/node/host_memory.hpp"

namespace factosim {

/// The requests for receive buffers that one driver serves in its round: a few of the most urgent ones, until
/// the round has taken too long. Source: StarPU 1.4 `data_request.h`.
class BufferService {
 public:
  /// Takes requests for this round.
  void begin(HostMemory& memory, Seconds now) {
    requests_ = memory.take_requests(max_requests);
    std::reverse(requests_.begin(), requests_.end());
    began_ = now;
    served_ = false;
  }
  [[nodiscard]] bool has_request() const { return !requests_.empty(); }
  /// Returns the requests that are left to the queue if the round has served one and has taken `limit`. Returns
  /// whether it has.
  bool give_up(HostMemory& memory, Seconds now, Seconds limit) {
    if (!served_ || now - began_ < limit) return false;
    for (HostMemory::Request const& request : requests_) memory.put_back(request);
    requests_.clear();
    return true;
  }
  [[nodiscard]] Bytes size() const { return requests_.back().value.size; }
  /// Removes the request that has been served.
  BufferRequest take_served() {
    BufferRequest const served = requests_.back().value;
    requests_.pop_back();
    served_ = true;
    return served;
  }

 private:
  static constexpr std::size_t max_requests = 5;  // MAX_PENDING_REQUESTS_PER_NODE

  std::vector<HostMemory::Request> requests_;  // the next one last
  Seconds began_{0};
  bool served_ = false;  // a request of this round
};

}  // namespace factosim
