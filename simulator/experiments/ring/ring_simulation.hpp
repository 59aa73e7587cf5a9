#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "distributions/ring/ring.hpp"
#include "distributions/ring/ring_methods.hpp"
#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"
#include "platforms/processor_graph_json.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/experiments/experiment.hpp"
#include "simulator/runtime/engine/network_factory.hpp"

namespace factosim {

/// The bandwidth that a message may use on its links.
enum class RingBandwidth {
  reserved,  // the bandwidth that the ring reserves for it
  shared,    // its max-min fair share among all messages in transit
};

/// The order in which a processor sends its two messages.
enum class RingExchange {
  one_after_the_other,  // to its successor, then to its predecessor, as in T_step
  at_once,              // both at the end of its slice
};

/// Return the names in files; the value does not matter.
[[nodiscard]] constexpr NamedValues<RingExchange, 2> names_of(RingExchange /*any*/) {
  return {"exchange of a ring",
          {{{RingExchange::one_after_the_other, "one-after-the-other"}, {RingExchange::at_once, "at-once"}}}};
}
[[nodiscard]] constexpr NamedValues<RingBandwidth, 2> names_of(RingBandwidth /*any*/) {
  return {"bandwidth of a ring",
          {{{RingBandwidth::reserved, "reserved"}, {RingBandwidth::shared, "shared"}}}};
}

struct RingSimulationOptions {
  int iterations = 10;
  RingExchange exchange = RingExchange::one_after_the_other;
  RingBandwidth bandwidth = RingBandwidth::reserved;
  NetworkOptions network;
  bool records = false;  // keep every slice and every message
};

/// The course of a simulation.
struct RingOutcome {
  struct Processor {                 // of the ring, seconds summed over the iterations
    Seconds computing{}, sending{};  // with one or two messages in transit
    Seconds waiting{};  // for messages of its neighbours, from the first iteration to its last send
    Seconds end{};      // of its last send
  };
  struct Slice {
    std::uint32_t place, iteration;  // place of the processor in the ring
    Seconds start, end;
  };
  struct Message {
    std::uint32_t path, iteration;
    Seconds start, end;
  };
  Seconds makespan;                   // until the last message has arrived
  std::vector<Processor> processors;  // [q]
  std::vector<Slice> slices;          // in the order in which they ended
  std::vector<Message> messages;      // in the order in which they arrived

  [[nodiscard]] Seconds step(int iterations) const { return makespan / iterations; }
};

/// Simulates the iterations of a ring. A processor computes its slice, sends its messages, and begins the
/// next iteration when they have arrived and it has those of both neighbours. With reserved bandwidths and
/// one message after the other each processor is busy for alpha_i W w_i + H (c_i,succ + c_i,pred) in each
/// iteration; T_step is the maximum of these, without latencies. At most one simulation over SimGrid in a
/// process.
RingOutcome simulate_ring(RingProblem const& problem, Ring const& ring, RingSimulationOptions const& options);

/// Returns the node at which path p of a ring of q processors ends.
[[nodiscard]] std::size_t end_of_path(std::size_t p, std::size_t q);

/// A method that finds a ring, with one that shares its links.
struct RingHeuristic {
  RingMethod method = RingMethod::search;
  RingRefinement refinement = RingRefinement::quadratic;

  bool operator==(RingHeuristic const&) const = default;
};

/// A scenario of the application "ring", checked.
struct RingScenario {
  GraphPlatform platform;
  double work = 0;                 // W
  std::int64_t message_bytes = 0;  // H
  RingHeuristic heuristic;         // the one whose ring is simulated
  std::vector<RingHeuristic> compare;
  std::optional<Ring> given{};  // order and paths of the method `given`
  RingSimulationOptions simulation;

  /// Refers to the platform's graph.
  [[nodiscard]] RingProblem problem() const {
    return {platform.graph, work, static_cast<double>(message_bytes)};
  }
};

/// Returns the names of the processors of a ring, in order.
[[nodiscard]] nlohmann::ordered_json order_json(ProcessorGraph const& graph, Ring const& ring);
/// Returns `from`, `to` and `links` of a path, by their names.
[[nodiscard]] nlohmann::ordered_json path_json(ProcessorGraph const& graph, RingPath const& path);

/// Finds the ring of the scenario's heuristic and those to compare with, and simulates their iterations. At
/// most one simulation over SimGrid in a process. Throws InfeasibleError if there is no ring.
[[nodiscard]] ExperimentResult simulate_ring_experiment(RingScenario const& scenario, bool with_trace);

}  // namespace factosim
