#include "simulator/ring/ring_study.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "simulator/os/process_pool.hpp"
#include "simulator/ring/ring_report.hpp"
#include "simulator/ring/ring_scenario.hpp"

namespace factosim {

namespace {

class RingStudy final : public Study {
 public:
  explicit RingStudy(RingScenario scenario) : s_(std::move(scenario)) {}

  [[nodiscard]] StudyOutcome simulate(bool with_trace) const override {
    RingFindings findings;
    FoundByMethod by_method;
    findings.chosen = found(s_.heuristic, by_method);
    for (RingHeuristic const& h : s_.compare)
      findings.compared.push_back(h == s_.heuristic ? findings.chosen : found(h, by_method));
    RingSimulationOptions options = s_.simulation;
    options.records = with_trace;
    findings.outcome = simulate_ring(s_.problem(), findings.chosen.ring, options);

    StudyOutcome out;
    out.makespan = findings.outcome.makespan;
    out.estimate = s_.platform.estimate;
    out.tasks = findings.chosen.ring.size() * static_cast<std::uint64_t>(options.iterations);
    out.metrics = ring_metrics(s_, findings);
    out.sections = ring_sections(s_, findings);
    out.summary = ring_summary(s_, findings);
    if (with_trace) out.trace = ring_trace(s_, findings);
    return out;
  }
  [[nodiscard]] nlohmann::ordered_json effective_options() const override { return effective_ring(s_); }
  [[nodiscard]] nlohmann::ordered_json timings() const override {
    return nlohmann::ordered_json::array({{{"machine", s_.platform.source},
                                           {"estimate", s_.platform.estimate},
                                           {"provenance", s_.platform.provenance}}});
  }

 private:
  using FoundByMethod = std::map<RingMethod, Ring>;

  [[nodiscard]] FoundRing found(RingHeuristic const& h, FoundByMethod& by_method) const {
    if (!by_method.contains(h.method)) by_method[h.method] = find_ring(s_.problem(), h.method);
    FoundRing out{.heuristic = h,
                  .ring = feasible_ring(s_.problem(), h.method, by_method[h.method], h.refinement),
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

  /// Returns the duration of a step. A simulation with SimGrid runs in a child process: a process can have one
  /// SimGrid engine only.
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

  RingScenario s_;
};

}  // namespace

std::unique_ptr<Study const> read_ring_study(JsonReader const& scenario, std::uint64_t seed) {
  return std::make_unique<RingStudy>(read_ring_scenario(scenario, seed));
}

}  // namespace factosim
