#include "simulator/ring/ring_experiment.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "simulator/os/process_pool.hpp"
#include "simulator/ring/ring_report.hpp"

namespace factosim {

namespace {

/// Finds rings and simulates their iterations; searches once per method.
class RingFinder {
 public:
  explicit RingFinder(RingScenario const& scenario) : s_(scenario) {}

  [[nodiscard]] FoundRing found(RingHeuristic const& h) {
    if (!by_method_.contains(h.method)) by_method_[h.method] = find_ring(s_.problem(), h.method);
    FoundRing out{.heuristic = h,
                  .ring = feasible_ring(s_.problem(), h.method, by_method_[h.method], h.refinement),
                  .simulated = {}};
    auto const step = [&](RingBandwidth bandwidth, RingExchange exchange) {
      return simulated_step(out.ring, bandwidth, exchange);
    };
    out.simulated = {.reserved = step(RingBandwidth::reserved, RingExchange::one_after_the_other),
                     .reserved_at_once = step(RingBandwidth::reserved, RingExchange::at_once),
                     .shared = step(RingBandwidth::shared, RingExchange::one_after_the_other),
                     .shared_at_once = step(RingBandwidth::shared, RingExchange::at_once)};
    return out;
  }

 private:
  /// Returns the duration of a step. A simulation with SimGrid runs in a child process: a process can have
  /// one SimGrid engine only.
  [[nodiscard]] Seconds simulated_step(Ring const& ring, RingBandwidth bandwidth,
                                       RingExchange exchange) const {
    RingSimulationOptions options = s_.simulation;
    options.bandwidth = bandwidth;
    options.exchange = exchange;
    auto const step = [&] {
      return simulate_ring(s_.problem(), ring, options).step(options.iterations).value;
    };
    if (options.network.model != NetworkModel::simgrid) return {step()};
    preload_network_models();
    return {std::stod(run_in_child([&] { return fmt::format("{:a}", step()); }))};
  }

  RingScenario const& s_;
  std::map<RingMethod, Ring> by_method_;
};

}  // namespace

ExperimentResult simulate_ring_experiment(RingScenario const& s, bool with_trace) {
  RingFinder finder(s);
  RingFindings findings;
  findings.chosen = finder.found(s.heuristic);
  for (RingHeuristic const& h : s.compare)
    findings.compared.push_back(h == s.heuristic ? findings.chosen : finder.found(h));
  RingSimulationOptions options = s.simulation;
  options.records = with_trace;
  findings.outcome = simulate_ring(s.problem(), findings.chosen.ring, options);

  ExperimentResult out;
  out.makespan = findings.outcome.makespan;
  out.estimate = s.platform.estimate;
  out.tasks = findings.chosen.ring.size() * static_cast<std::uint64_t>(options.iterations);
  out.metrics = ring_metrics(s, findings);
  out.sections = ring_sections(s, findings);
  out.timings = nlohmann::ordered_json::array({{{"machine", s.platform.source},
                                                {"estimate", s.platform.estimate},
                                                {"provenance", s.platform.provenance}}});
  out.summary = ring_summary(s, findings);
  if (with_trace) out.trace = ring_trace(s, findings);
  return out;
}

}  // namespace factosim
