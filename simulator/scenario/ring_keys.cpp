#include "simulator/scenario/ring_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platforms/shipped_files.hpp"
#include "simulator/core/named_values.hpp"
#include "simulator/scenario/network_keys.hpp"

namespace factosim {

namespace {

constexpr NamedValues<RingExchange, 2> exchanges{
    .what = "exchange of a ring",
    .values = {
        {{RingExchange::one_after_the_other, "one-after-the-other"}, {RingExchange::at_once, "at-once"}}}};
constexpr NamedValues<RingBandwidth, 2> bandwidths{
    .what = "bandwidth of a ring",
    .values = {{{RingBandwidth::reserved, "reserved"}, {RingBandwidth::shared, "shared"}}}};

GraphPlatform read_ring_platform(JsonReader const& json, std::uint64_t seed) {
  if (json.is_string()) return read_processor_graph(read_path_or_name(json, ShippedKind::platform));
  JsonReader const random = json.at("random", "what to draw a graph by, where no file is named");
  json.finish();
  return draw_processor_graph(random, seed);
}

RingHeuristic read_heuristic(JsonReader const& json, GraphPlatform const& platform) {
  RingHeuristic h;
  if (auto const method = json.find("method")) {
    h.method = ring_method(method->one_of(ring_method_names()));
    std::size_t const count = processors(platform.graph).size();
    if (h.method == RingMethod::exact && count > max_processors_of_exact)
      method->fail(fmt::format(
          "is exact on {} processors (its time grows exponentially; {} are the most). Use \"search\"", count,
          max_processors_of_exact));
  }
  if (auto const refinement = json.find("refinement"))
    h.refinement = ring_refinement(refinement->one_of(ring_refinement_names()));
  return h;
}

/// The heuristics of the slides' table, their parts, and the search.
std::vector<RingHeuristic> all_heuristics() {
  return {{RingMethod::slice_ring, RingRefinement::max_min},
          {RingMethod::slice_ring, RingRefinement::quadratic},
          {RingMethod::shared_ring, RingRefinement::none},
          {RingMethod::shared_ring, RingRefinement::max_min},
          {RingMethod::shared_ring, RingRefinement::quadratic},
          {RingMethod::search, RingRefinement::quadratic}};
}

std::vector<RingHeuristic> read_compared(JsonReader const& json, GraphPlatform const& platform) {
  std::vector<RingHeuristic> out;
  for (JsonReader const& entry : json.elements()) {
    RingHeuristic const h = read_heuristic(entry, platform);
    entry.finish();
    if (std::find(out.begin(), out.end(), h) != out.end())
      entry.fail("stands there already (the result names each once). Remove it");
    out.push_back(h);
  }
  return out;
}

nlohmann::ordered_json effective_heuristic(RingHeuristic const& h) {
  return {{"method", name_of(h.method)}, {"refinement", name_of(h.refinement)}};
}

}  // namespace

RingScenario read_ring(JsonReader const& json, std::uint64_t seed) {
  RingScenario s;
  JsonReader const application = json.at("application");
  s.platform = read_ring_platform(json.at("platform", "the graph of processors"), seed);
  (void)application.at("type");
  s.work = application.at("work", "what all processors compute in an iteration, in the unit of their speeds")
               .positive();
  s.message_bytes = application.at("message_bytes", "what each neighbour is sent in an iteration")
                        .integer(0, 1'000'000'000'000'000);
  s.heuristic = read_heuristic(application, s.platform);
  s.compare = all_heuristics();
  if (auto const compare = application.find("compare")) s.compare = read_compared(*compare, s.platform);
  if (auto const iterations = application.find("iterations"))
    s.simulation.iterations = static_cast<int>(iterations->integer(1, 1'000'000));
  if (auto const exchange = application.find("exchange"))
    s.simulation.exchange = exchanges.named(exchange->one_of(exchanges.names()));
  if (auto const bandwidth = application.find("bandwidth"))
    s.simulation.bandwidth = bandwidths.named(bandwidth->one_of(bandwidths.names()));
  application.finish();
  if (auto const network = json.find("network")) {
    if (auto const model = network->find("model")) s.simulation.network.model = read_network_model(*model);
    if (auto const optim = network->find("optim"))
      s.simulation.network.lazy = optim->one_of({"Full", "Lazy"}) == "Lazy";
    network->finish();
  }
  json.finish();
  return s;
}

nlohmann::ordered_json effective_ring(RingScenario const& s) {
  nlohmann::ordered_json compare = nlohmann::ordered_json::array();
  for (RingHeuristic const& h : s.compare) compare.push_back(effective_heuristic(h));
  nlohmann::ordered_json application = {
      {"type", "ring"}, {"work", s.work}, {"message_bytes", s.message_bytes}};
  application.update(effective_heuristic(s.heuristic));
  application["compare"] = compare;
  application["iterations"] = s.simulation.iterations;
  application["exchange"] = exchanges.name_of(s.simulation.exchange);
  application["bandwidth"] = bandwidths.name_of(s.simulation.bandwidth);
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (auto const& [name, value] : network_settings(s.simulation.network)) settings[name] = value;
  return {{"platform", {{"source", s.platform.source}}},
          {"application", application},
          {"network", {{"model", name_of(s.simulation.network.model)}, {"settings", settings}}}};
}

}  // namespace factosim
