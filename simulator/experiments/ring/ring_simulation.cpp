#include "simulator/experiments/ring/ring_simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "factosim/error.hpp"
#include "platforms/topology.hpp"
#include "simulator/runtime/engine/engine.hpp"

namespace factosim {

namespace {

/// Returns the links of the graph and the paths of a ring as a platform, for every network model. Each
/// processor has two nodes, since in a ring of two both messages go to the same processor: node 2i is the
/// side of order[i] to its successor, node 2i + 1 that to its predecessor. Path p starts at node p. A
/// reserved bandwidth is one more link on its path, which no other message crosses. Needs a ring with paths.
Platform ring_platform(ProcessorGraph const& graph, Ring const& ring, RingBandwidth bandwidth) {
  std::size_t const q = ring.size(), nodes = 2 * q;
  FACTOSIM_EXPECT(ring.paths.size() == nodes, "a ring without its paths");
  auto const table = std::make_shared<RouteTable>();
  for (ProcessorGraph::Link const& link : graph.links)
    table->links.push_back({.name = link.name, .bandwidth = link.bandwidth, .shared = link.shared});
  table->first.push_back(0);
  table->route.assign(nodes * nodes, 0);  // other pairs exchange no messages
  for (std::size_t p = 0; p < nodes; ++p) {
    RingPath const& path = ring.paths[p];
    table->hosts.push_back(
        fmt::format("{}:{}", graph.vertices[path.from].name, p % 2 == 0 ? "successor" : "predecessor"));
    table->latency.emplace_back();
    for (std::uint32_t const l : path.links) {
      table->crossed.push_back(l);
      table->latency.back() += graph.links[l].latency;
    }
    if (bandwidth == RingBandwidth::reserved) {
      table->crossed.push_back(static_cast<std::uint32_t>(table->links.size()));
      table->links.push_back(
          {.name = fmt::format("reserved:{}", p), .bandwidth = {path.bandwidth}, .shared = false});
    }
    table->first.push_back(static_cast<std::uint32_t>(table->crossed.size()));
    table->route[p * nodes + end_of_path(p, q)] = static_cast<std::uint32_t>(p);
  }
  Platform platform;
  platform.types.emplace_back().name = "processor";
  platform.nodes.assign(nodes, 0);
  platform.network.routes = table;
  return platform;
}

constexpr std::uint32_t to_successor = 0, to_predecessor = 1;  // path 2i + side

class RingRun final : private EventHandler {
 public:
  RingRun(RingProblem const& problem, Ring const& ring, RingSimulationOptions const& options,
          Topology const* topology)
      : problem_(problem),
        ring_(ring),
        options_(options),
        topology_(topology),
        places_(ring.size()),
        engine_(
            topology != nullptr ? make_network(options.network, *topology) : std::make_unique<NoNetwork>(),
            TimeGrid::for_makespan({ring.step_s * options.iterations})) {
    out_.processors.resize(ring.size());
    started_.resize(2 * ring.size());
  }

  RingOutcome run() {
    for (std::uint32_t i = 0; i < places_.size(); ++i) compute(i);
    engine_.run(*this);
    for (Place const& place : places_)
      FACTOSIM_ALWAYS(place.iteration == static_cast<std::uint32_t>(options_.iterations),
                      "a processor of a ring waits for ever");
    return std::move(out_);
  }

 private:
  /// The state of a processor; only its own events change it.
  class NoNetwork final : public Network {
   public:
    void start(Seconds, MemoryNodeId, MemoryNodeId, Bytes, TransferToken) override {
      FACTOSIM_ALWAYS(false, "a message where there is no network");
    }
    void run(EventSource& events, TransferListener&) override {
      while (events.next_date() != EventSource::never) events.advance(events.next_date());
    }
    [[nodiscard]] std::uint64_t solves() const override { return 0; }
  };
  struct Place {  // a processor of the ring
    std::uint32_t iteration = 0;
    std::uint32_t sends_left = 0;                    // of this iteration, not ended
    std::array<std::uint32_t, 2> received = {0, 0};  // messages from its successor, from its predecessor
    double since = 0;                                // start of the slice, of the sends or of the wait
    bool waits = false;
  };

  [[nodiscard]] std::size_t q() const { return places_.size(); }

  void compute(std::uint32_t i) {
    Place& place = places_[i];
    place.since = engine_.now().value;
    engine_.after({ring_.alpha[i] * problem_.work / problem_.graph.vertices[ring_.order[i]].speed},
                  {.kind = 0, .subject = i});
  }

  void handle(Event event) override {
    std::uint32_t const i = event.subject;
    Place& place = places_[i];
    Seconds const now = engine_.now();
    out_.processors[i].computing += now - Seconds{place.since};
    if (options_.records) out_.slices.push_back({i, place.iteration, {place.since}, now});
    place.since = now.value;
    if (q() == 1) return end_iteration(i);
    place.sends_left = 2;
    send(i, to_successor);
    if (options_.exchange == RingExchange::at_once) send(i, to_predecessor);
  }

  void send(std::uint32_t i, std::uint32_t side) {
    std::uint32_t const path = 2 * i + side;
    if (options_.records) started_[path] = engine_.now();
    engine_.start_transfer(port(path), port(end_of_path(path, q())),
                           Bytes{static_cast<std::int64_t>(std::llround(problem_.message))}, path);
  }

  [[nodiscard]] MemoryNodeId port(std::size_t node) const { return topology_->ram_of(NodeId{node}); }

  void transfer_ended(TransferToken path) override {
    std::uint32_t const i = path / 2;
    Place& place = places_[i];
    if (options_.records) out_.messages.push_back({path, place.iteration, started_[path], engine_.now()});
    if (--place.sends_left == 1 && options_.exchange == RingExchange::one_after_the_other)
      send(i, to_predecessor);
    if (place.sends_left == 0) {
      out_.processors[i].sending += engine_.now() - Seconds{place.since};
      end_iteration(i);
    }
    // The end of a path decides on which side of the receiver it arrives.
    std::size_t const port_at = end_of_path(path, q());
    auto const receiver = static_cast<std::uint32_t>(port_at / 2);
    ++places_[receiver].received[port_at % 2];
    if (places_[receiver].waits) go_on(receiver);
  }

  void end_iteration(std::uint32_t i) {
    Place& place = places_[i];
    ++place.iteration;
    place.since = engine_.now().value;
    place.waits = true;
    out_.processors[i].end = engine_.now();
    out_.makespan = std::max(out_.makespan, engine_.now());
    go_on(i);
  }

  /// Begins the next iteration if the messages of both neighbours have arrived.
  void go_on(std::uint32_t i) {
    Place& place = places_[i];
    if (place.iteration == static_cast<std::uint32_t>(options_.iterations)) return;
    if (q() > 1 && (place.received[0] < place.iteration || place.received[1] < place.iteration)) return;
    place.waits = false;
    out_.processors[i].waiting += engine_.now() - Seconds{place.since};
    compute(i);
  }

  RingProblem problem_;
  Ring const& ring_;
  RingSimulationOptions options_;
  Topology const* topology_;
  std::vector<Place> places_;
  std::vector<Seconds> started_;  // [2q] starts of the messages in transit
  Engine engine_;
  RingOutcome out_;
};

}  // namespace

RingOutcome simulate_ring(RingProblem const& problem, Ring const& ring,
                          RingSimulationOptions const& options) {
  if (ring.size() == 1) return RingRun(problem, ring, options, nullptr).run();
  Topology const topology(ring_platform(problem.graph, ring, options.bandwidth));
  return RingRun(problem, ring, options, &topology).run();
}

std::size_t end_of_path(std::size_t p, std::size_t q) {
  std::size_t const i = p / 2;
  return p % 2 == 0 ? 2 * ((i + 1) % q) + 1 : 2 * ((i + q - 1) % q);
}

}  // namespace factosim
