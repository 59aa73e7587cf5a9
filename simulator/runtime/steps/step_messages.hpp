#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/base/core/id_pool.hpp"
#include "simulator/runtime/steps/by_urgency.hpp"
#include "simulator/runtime/steps/step_problem.hpp"

namespace factosim {

/// Tiles of one panel from one node to another, sent together.
struct StepMessage {
  std::uint32_t source = 0, destination = 0, step = 0;
  std::uint16_t distance = 0;  // group of their first readers
  bool diagonal = false;
  std::uint32_t tiles = 0;
  std::int32_t priority = 0;
};

using StepMessageId = Id<struct StepMessageTag>;

/// The cards of all nodes and the links between them. A node sends the most urgent messages first, so many tiles at a
/// time as the runtime system sends at once; tiles on the wire share each link equally, as if it were the only one. Unless the
/// wire is shared, one tile at a time is on it from one node to another.
class StepNetwork {
 public:
  explicit StepNetwork(StepProblem const& problem);

  /// A date at which `proceed` is to be called for the flow.
  struct Due {
    double date;
    std::uint32_t flow, generation;
  };

  void send(StepMessage const& message, double now);
  /// Returns whether the message has been sent, and sets it and its latency.
  bool proceed(std::uint32_t flow, std::uint32_t generation, double now, StepMessage& sent, double& latency);
  /// The dates that have been added since the last call; clears them.
  [[nodiscard]] std::vector<Due>& due() { return due_; }

 private:
  struct Flow {
    StepMessage message;
    double left = 0;  // bytes
    double rate = 0, since = 0, due = 0;
    std::uint32_t slots = 0;   // its tiles among those that the node sends at once
    std::uint32_t weight = 0;  // its tiles on the wire
    std::uint32_t generation = 0;
    std::uint64_t sequence = 0;
    std::uint64_t posted = 0;  // order in which messages got their first slot
    decltype(Topology::RouteBuffer::links) links{};
    std::uint8_t link_count = 0;
    double latency = 0;
  };
  struct Link {
    double capacity = 0;
    std::uint32_t weight = 0;
    bool is_touched = false;
    std::vector<std::uint32_t> flows;
  };
  using Waiting = ByUrgency<std::uint32_t>;  // flows
  struct Sender {
    std::uint32_t slots = 0;              // in use
    std::vector<std::uint32_t> active{};  // flows, the most urgent first
    std::vector<Waiting> waiting{};       // heap
  };

  [[nodiscard]] bool before(Flow const& a, Flow const& b) const {
    return a.message.priority != b.message.priority ? a.message.priority > b.message.priority
                                                    : a.sequence < b.sequence;
  }
  [[nodiscard]] std::uint32_t tiles_left(Flow const& flow) const;
  void fill(Sender& sender, double now);
  void activate(Sender& sender, std::uint32_t flow, double now);
  void deactivate(Sender& sender, std::uint32_t flow);
  void give_slots(Sender& sender, std::uint32_t flow, std::uint32_t slots);
  void set_weight(std::uint32_t flow, std::uint32_t weight);
  /// Puts tiles on the wire: all in flight, or one at a time to each node.
  void set_weights(Sender const& sender);
  void settle(Flow& flow, double now);
  void update_rates(double now);

  StepProblem const& problem_;
  std::uint32_t max_slots_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;
  std::vector<Link> links_;
  std::vector<Sender> senders_;
  std::vector<std::uint32_t> touched_;
  std::vector<Due> due_;
  std::uint64_t sequence_ = 0, posted_ = 0;
};

}  // namespace factosim
