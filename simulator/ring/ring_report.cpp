#include "simulator/ring/ring_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "simulator/core/format.hpp"

namespace factosim {

namespace {

nlohmann::ordered_json path_json(ProcessorGraph const& graph, RingPath const& path) {
  nlohmann::ordered_json links = nlohmann::ordered_json::array();
  for (std::uint32_t const l : path.links) links.push_back(graph.links[l].name);
  return {{"from", graph.vertices[path.from].name},
          {"to", graph.vertices[path.to].name},
          {"links", links},
          {"bandwidth_Bps", path.bandwidth}};
}

nlohmann::ordered_json ring_json(ProcessorGraph const& graph, FoundRing const& found) {
  nlohmann::ordered_json order = nlohmann::ordered_json::array(), paths = nlohmann::ordered_json::array();
  for (std::uint32_t const v : found.ring.order) order.push_back(graph.vertices[v].name);
  for (RingPath const& path : found.ring.paths) paths.push_back(path_json(graph, path));
  return {{"method", name_of(found.heuristic.method)},
          {"refinement", name_of(found.heuristic.refinement)},
          {"step_computed_s", found.ring.step_s},
          {"step_simulated_s",
           {{"reserved", found.simulated.reserved.value},
            {"reserved_at_once", found.simulated.reserved_at_once.value},
            {"shared", found.simulated.shared.value},
            {"shared_at_once", found.simulated.shared_at_once.value}}},
          {"order", order},
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

/// Returns 100 (a / b - 1).
double percent_above(double a, double b) { return 100 * (a / b - 1); }

void add_row(fmt::memory_buffer& out, std::string_view label, std::string_view value) {
  fmt::format_to(std::back_inserter(out), "{:<14}{}\n", label, value);
}

}  // namespace

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

nlohmann::ordered_json ring_sections(RingScenario const& s, RingFindings const& f) {
  nlohmann::ordered_json ring = ring_json(s.platform.graph, f.chosen);
  ring["iterations"] = s.simulation.iterations;
  ring["step_s"] = f.outcome.step(s.simulation.iterations).value;
  ring["heuristics"] = nlohmann::ordered_json::array();
  for (FoundRing const& found : f.compared) ring["heuristics"].push_back(ring_json(s.platform.graph, found));
  return {{"nodes", nodes_json(s, f)}, {"ring", ring}};
}

std::string ring_summary(RingScenario const& s, RingFindings const& f) {
  fmt::memory_buffer out;
  auto const row = [&](std::string_view label, std::string_view value) { add_row(out, label, value); };
  ProcessorGraph const& graph = s.platform.graph;
  Ring const& ring = f.chosen.ring;
  double const simulated = f.outcome.step(s.simulation.iterations).value;
  row("iteration", fmt::format("{} simulated, {} computed ({:+.2f} %)", format_duration({simulated}),
                               format_duration({ring.step_s}), percent_above(simulated, ring.step_s)));
  row("makespan",
      fmt::format("{} of {} iterations", format_duration(f.outcome.makespan), s.simulation.iterations));
  std::vector<std::string> order;
  for (std::size_t i = 0; i < ring.size(); ++i)
    order.push_back(fmt::format("{} {:.1f} %", graph.vertices[ring.order[i]].name, 100 * ring.alpha[i]));
  row("ring", fmt::format("{} of {} processors, by {}: {}", ring.size(), processors(graph).size(),
                          description(f.chosen.heuristic), fmt::join(order, ", ")));
  RingSteps const& t = f.chosen.simulated;
  row("without", fmt::format("reservation {} ({:+.1f} %); both messages at once {}, with reservation {}",
                             format_duration(t.shared), percent_above(t.shared.value, t.reserved.value),
                             format_duration(t.shared_at_once), format_duration(t.reserved_at_once)));
  for (FoundRing const& found : f.compared)
    row(&found == &f.compared.front() ? "compared" : "",
        fmt::format("{:<24}{:>10}  {:>+7.2f} %  {} processors", description(found.heuristic),
                    format_duration({found.ring.step_s}), percent_above(found.ring.step_s, ring.step_s),
                    found.ring.size()));
  return fmt::to_string(out);
}

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
                              .size = Bytes{s.message_bytes},
                              .handle = {},
                              .producer = {},
                              .consumer = {}});
  return trace;
}

}  // namespace factosim
