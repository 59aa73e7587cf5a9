#include "simulator/experiments/ring/ring_simulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/os/process_pool.hpp"

namespace factosim {

namespace {

/// Mean times of a simulated iteration, for all four combinations of a scenario's options.
struct RingSteps {
  Seconds reserved;          // reserved bandwidths, one message after the other: the case of T_step
  Seconds reserved_at_once;  // the same, both messages at once
  Seconds shared;            // links shared by messages in transit, one after the other
  Seconds shared_at_once;
};

/// A ring, the heuristic that found it, and the times of its iterations.
struct FoundRing {
  RingHeuristic heuristic;
  Ring ring;
  RingSteps simulated;
};

/// The rings that one run has found and simulated.
struct RingFindings {
  FoundRing chosen;
  RingOutcome outcome;              // of the simulation that the scenario asks for
  std::vector<FoundRing> compared;  // in the order of the scenario
};

/// Finds rings and simulates their iterations; searches once per method.
class RingFinder {
 public:
  explicit RingFinder(RingScenario const& scenario) : s_(scenario) {}

  [[nodiscard]] FoundRing found(RingHeuristic const& h) {
    FoundRing out{.heuristic = h, .ring = feasible(h), .simulated = {}};
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
  [[nodiscard]] Ring feasible(RingHeuristic const& h) {
    if (h.method == RingMethod::slice_or_shared) return find_ring(s_.problem(), h.method, h.refinement);
    if (!by_method_.contains(h.method))
      by_method_[h.method] = h.method == RingMethod::given ? *s_.given : find_ring(s_.problem(), h.method);
    return feasible_ring(s_.problem(), h.method, by_method_[h.method], h.refinement);
  }

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

nlohmann::ordered_json ring_json(ProcessorGraph const& graph, FoundRing const& found) {
  nlohmann::ordered_json paths = nlohmann::ordered_json::array();
  for (RingPath const& path : found.ring.paths) {
    paths.push_back(path_json(graph, path));
    paths.back()["bandwidth_Bps"] = path.bandwidth;
  }
  return {{"method", name_of(found.heuristic.method)},
          {"refinement", name_of(found.heuristic.refinement)},
          {"step_computed_s", found.ring.step_s},
          {"step_simulated_s",
           {{"reserved", found.simulated.reserved.value},
            {"reserved_at_once", found.simulated.reserved_at_once.value},
            {"shared", found.simulated.shared.value},
            {"shared_at_once", found.simulated.shared_at_once.value}}},
          {"order", order_json(graph, found.ring)},
          {"alpha", found.ring.alpha},
          {"paths", paths}};
}

nlohmann::ordered_json nodes_json(RingScenario const& s, RingFindings const& f) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const v : processors(s.platform.graph)) {
    Ring const& ring = f.chosen.ring;
    auto const place =
        static_cast<std::size_t>(std::find(ring.order.begin(), ring.order.end(), v) - ring.order.begin());
    bool const takes_part = place < ring.size();
    RingOutcome::Processor const p = takes_part ? f.outcome.processors[place] : RingOutcome::Processor{};
    nodes.push_back({{"id", v},
                     {"type", s.platform.graph.vertices[v].name},
                     {"in_ring", takes_part},
                     {"alpha", takes_part ? ring.alpha[place] : 0},
                     {"busy_s", p.computing.value},
                     {"sending_s", p.sending.value},
                     {"waiting_s", p.waiting.value},
                     {"end_s", p.end.value}});
  }
  return nodes;
}

/// Returns how much a is above b, "+1.25 %".
std::string percent_above(double a, double b, int digits = 2) { return format_change(a / b - 1, digits); }

/// Returns "slice-ring, max-min", for example.
std::string description(RingHeuristic const& h) {
  return fmt::format("{}, {}", name_of(h.method), name_of(h.refinement));
}

nlohmann::ordered_json ring_metrics(RingScenario const& s, RingFindings const& f) {
  FoundRing const& chosen = f.chosen;
  double speeds = 0;
  for (std::uint32_t const v : processors(s.platform.graph)) speeds += s.platform.graph.vertices[v].speed;
  nlohmann::ordered_json out = {{"processors_in_ring", chosen.ring.size()},
                                {"message_per_work", static_cast<double>(s.message_bytes) / s.work},
                                {"step_computed_s", chosen.ring.step_s},
                                {"step_simulated_s", f.outcome.step(s.simulation.iterations).value},
                                {"step_bound_s", s.work / speeds}};
  for (FoundRing const& found : f.compared)
    out[fmt::format("step_{}_{}_s", name_of(found.heuristic.method), name_of(found.heuristic.refinement))] =
        found.ring.step_s;
  return out;
}

/// Returns "nodes" and "ring" of result.json.
nlohmann::ordered_json ring_sections(RingScenario const& s, RingFindings const& f) {
  nlohmann::ordered_json ring = ring_json(s.platform.graph, f.chosen);
  ring["iterations"] = s.simulation.iterations;
  ring["step_s"] = f.outcome.step(s.simulation.iterations).value;
  ring["heuristics"] = nlohmann::ordered_json::array();
  for (FoundRing const& found : f.compared) ring["heuristics"].push_back(ring_json(s.platform.graph, found));
  return {{"nodes", nodes_json(s, f)}, {"ring", ring}};
}

std::string ring_summary(RingScenario const& s, RingFindings const& f) {
  std::string out;
  auto const row = [&](std::string_view label, std::string_view value) {
    out += fmt::format("{:<14}{}\n", label, value);
  };
  ProcessorGraph const& graph = s.platform.graph;
  Ring const& ring = f.chosen.ring;
  double const simulated = f.outcome.step(s.simulation.iterations).value;
  row("iteration", fmt::format("{} simulated, {} computed ({})", format_duration({simulated}),
                               format_duration({ring.step_s}), percent_above(simulated, ring.step_s)));
  row("makespan",
      fmt::format("{} of {} iterations", format_duration(f.outcome.makespan), s.simulation.iterations));
  std::vector<std::string> order;
  for (std::size_t i = 0; i < ring.size(); ++i)
    order.push_back(fmt::format("{} {:.1f} %", graph.vertices[ring.order[i]].name, 100 * ring.alpha[i]));
  row("ring", fmt::format("{} of {} processors, by {}: {}", ring.size(), processors(graph).size(),
                          description(f.chosen.heuristic), fmt::join(order, ", ")));
  RingSteps const& t = f.chosen.simulated;
  row("without", fmt::format("reservation {} ({}); both messages at once {}, with reservation {}",
                             format_duration(t.shared), percent_above(t.shared.value, t.reserved.value, 1),
                             format_duration(t.shared_at_once), format_duration(t.reserved_at_once)));
  for (FoundRing const& found : f.compared)
    row(&found == &f.compared.front() ? "compared" : "",
        fmt::format("{:<24}{:>10}  {:>9}  {} processors", description(found.heuristic),
                    format_duration({found.ring.step_s}), percent_above(found.ring.step_s, ring.step_s),
                    found.ring.size()));
  return out;
}

/// Returns slices as tasks, one worker per processor, and messages. Needs an outcome with records.
Trace ring_trace(RingScenario const& s, RingFindings const& f) {
  Trace trace;
  trace.source = "simulation";
  trace.format = "factosim";
  Ring const& ring = f.chosen.ring;
  trace.kernels.emplace_back().name = "slice";
  for (std::uint32_t i = 0; i < ring.size(); ++i) {
    trace.nodes.push_back({.name = s.platform.graph.vertices[ring.order[i]].name, .type = "processor"});
    trace.memory_nodes.push_back({.name = "ram", .node = NodeId{i}});
    trace.workers.push_back({.name = "cpu0", .node = NodeId{i}, .memory = MemoryNodeId{i}});
  }
  for (RingOutcome::Slice const& slice : f.outcome.slices) {
    trace.kernel.push_back(0);
    trace.worker.push_back(WorkerId{slice.place});
    trace.submit_s.push_back(slice.start.value);
    trace.start_s.push_back(slice.start.value);
    trace.end_s.push_back(slice.end.value);
    trace.priority.push_back(0);
    trace.footprint.push_back(0);
  }
  for (RingOutcome::Message const& m : f.outcome.messages)
    trace.messages.push_back({.from = NodeId{m.path / 2},
                              .to = NodeId{end_of_path(m.path, ring.size()) / 2},
                              .start_s = m.start.value,
                              .end_s = m.end.value,
                              .size = Bytes{s.message_bytes}});
  return trace;
}

}  // namespace

nlohmann::ordered_json order_json(ProcessorGraph const& graph, Ring const& ring) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::uint32_t const v : ring.order) out.push_back(graph.vertices[v].name);
  return out;
}

nlohmann::ordered_json path_json(ProcessorGraph const& graph, RingPath const& path) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (std::uint32_t const l : path.links) links.push_back(graph.links[l].name);
  return {{"from", graph.vertices[path.from].name}, {"to", graph.vertices[path.to].name}, {"links", links}};
}

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
