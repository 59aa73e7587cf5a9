#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/shipped_files.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/experiments/ring/ring_experiment.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/given_ring.hpp"
#include "simulator/scenario/keys/network_keys.hpp"

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

RingHeuristic read_heuristic(JsonReader const& json, RingScenario const& s, RingMethod by_default) {
  RingHeuristic h{.method = by_default};
  if (auto const method = json.find("method")) {
    h.method = ring_method(method->one_of());
    if (h.method == RingMethod::given && !s.given)
      method->fail("is \"given\" (the application has no \"order\"). Add one, or name another method");
    std::size_t const count = processors(s.platform.graph).size();
    if (h.method == RingMethod::exact && count > max_processors_of_exact)
      method->fail(fmt::format(
          "is exact on {} processors (its time grows exponentially; {} are the most). Use \"search\"", count,
          max_processors_of_exact));
  }
  if (auto const refinement = json.find("refinement")) h.refinement = ring_refinement(refinement->one_of());
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

std::vector<RingHeuristic> read_compared(JsonReader const& json, RingScenario const& s) {
  std::vector<RingHeuristic> out;
  for (JsonReader const& entry : json.elements()) {
    RingHeuristic const h = read_heuristic(entry, s, RingHeuristic{}.method);
    entry.finish();
    if (std::find(out.begin(), out.end(), h) != out.end())
      entry.fail("stands there already (the result names each once). Remove it");
    out.push_back(h);
  }
  return out;
}

std::vector<Key> heuristic_keys() {
  RingHeuristic const defaults;
  return {{.name = "method",
           .value = {rule::word(ring_method_names())},
           .meaning = "algorithm that finds the ring",
           .default_value = name_of(defaults.method)},
          {.name = "refinement",
           .value = {rule::word(ring_refinement_names())},
           .meaning = "how the links of the ring are shared",
           .default_value = name_of(defaults.refinement)}};
}

ObjectKeys const& heuristic_table() {
  static ObjectKeys const table{
      .title = "heuristic", .meaning = "A heuristic that results compare.", .keys = heuristic_keys()};
  return table;
}

ObjectKeys const& drawn_platform_table() {
  static ObjectKeys const table{
      .title = "platform of a ring",
      .meaning =
          "A graph of processors that is drawn. Instead of the object, the path of a "
          "platform with a `graph` may be given.",
      .keys = {{.name = "random",
                .value = {rule::object(random_graph_table)},
                .meaning = "what the graph is drawn by",
                .required = true}}};
  return table;
}

nlohmann::ordered_json effective_heuristic(RingHeuristic const& h) {
  return {{"method", name_of(h.method)}, {"refinement", name_of(h.refinement)}};
}

std::vector<Key> ring_application_keys() {
  RingSimulationOptions const defaults;
  std::vector<Key> heuristic = heuristic_keys();
  heuristic.front().default_text =
      fmt::format("`{}`; `given` with an `order`", name_of(RingHeuristic{}.method));
  heuristic.front().default_value = {};
  return joined(
      {{.name = "work",
        .value = {rule::positive()},
        .meaning = "W: work of all processors in an iteration, in the unit of their speeds",
        .required = true},
       {.name = "message_bytes",
        .value = {rule::integer(0, 1'000'000'000'000'000, "B")},
        .meaning = "H: size of the message to each neighbour in an iteration",
        .required = true}},
      joined(
          joined(heuristic, given_ring_keys()),
          {{.name = "compare",
            .value = {rule::array({rule::object(heuristic_table)})},
            .meaning = "further heuristics that the result evaluates",
            .default_text = "slice-ring, shared-ring and search"},
           {.name = "iterations",
            .value = {rule::integer(1, 1'000'000, "iterations")},
            .meaning = "simulated iterations",
            .default_value = defaults.iterations},
           {.name = "exchange",
            .value = {rule::word(exchanges.names())},
            .meaning = "a processor's two messages, one after the other or at once",
            .default_value = exchanges.name_of(defaults.exchange)},
           {.name = "bandwidth",
            .value = {rule::word(bandwidths.names())},
            .meaning =
                "`reserved`: what the ring set aside for each message; `shared`: by the messages in flight",
            .default_value = bandwidths.name_of(defaults.bandwidth)}}));
}

std::vector<Key> ring_scenario_keys() {
  return {{.name = "platform",
           .value = {rule::path(), rule::object(drawn_platform_table)},
           .meaning = "path of a platform with a `graph`, or an object that says how to draw one",
           .required = true},
          {.name = "network",
           .value = {rule::object(table_of<NetworkOptions>)},
           .meaning = "how links are shared",
           .default_text = "all defaults"}};
}

RingScenario read_ring(JsonReader const& json, std::uint64_t seed) {
  RingScenario s;
  JsonReader const application = json.at("application");
  s.platform = read_ring_platform(json.at("platform", "the graph of processors"), seed);
  (void)application.at("type");
  s.work = application.at("work", "what all processors compute in an iteration, in the unit of their speeds")
               .quantity();
  s.message_bytes = application.at("message_bytes", "what each neighbour is sent in an iteration").integer();
  s.given = read_given_ring(application, s.platform.graph);
  s.heuristic = read_heuristic(application, s, s.given ? RingMethod::given : RingHeuristic{}.method);
  s.compare = all_heuristics();
  if (auto const compare = application.find("compare")) s.compare = read_compared(*compare, s);
  auto const is_given = [](RingHeuristic const& h) { return h.method == RingMethod::given; };
  if (s.given && !is_given(s.heuristic) && std::none_of(s.compare.begin(), s.compare.end(), is_given))
    application.at("order").fail(
        "has no effect (neither \"method\" nor \"compare\" is \"given\"). Remove it, or use the method "
        "\"given\"");
  if (auto const iterations = application.find("iterations"))
    s.simulation.iterations = static_cast<int>(iterations->integer());
  if (auto const exchange = application.find("exchange"))
    s.simulation.exchange = exchanges.named(exchange->one_of());
  if (auto const bandwidth = application.find("bandwidth"))
    s.simulation.bandwidth = bandwidths.named(bandwidth->one_of());
  application.finish();
  if (auto const network = json.find("network")) read_object(*network, s.simulation.network);
  json.finish();
  return s;
}

nlohmann::ordered_json effective_ring(RingScenario const& s) {
  nlohmann::ordered_json compare = nlohmann::ordered_json::array();
  for (RingHeuristic const& h : s.compare) compare.push_back(effective_heuristic(h));
  nlohmann::ordered_json application = {
      {"type", "ring"}, {"work", s.work}, {"message_bytes", s.message_bytes}};
  application.update(effective_heuristic(s.heuristic));
  if (s.given) application.update(effective_given_ring(s.platform.graph, *s.given));
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

class RingExperiment final : public Experiment {
 public:
  explicit RingExperiment(RingScenario scenario) : s_(std::move(scenario)) {}

  [[nodiscard]] ExperimentWork work() const override {
    constexpr double seconds_per_message = 72e-6;  // an iteration of a processor, in a ring of 7
    double const messages = static_cast<double>(s_.simulation.iterations) *
                            static_cast<double>(processors(s_.platform.graph).size());
    return {{.count = messages,
             .things = "messages",
             .memory_bytes = program_bytes,
             .cpu_s = seconds_per_message * messages},
            max_simulations_s,
            "#/application/iterations",
            "Use fewer iterations"};
  }
  [[nodiscard]] ExperimentResult run(bool with_trace) const override {
    return simulate_ring_experiment(s_, with_trace);
  }
  [[nodiscard]] nlohmann::ordered_json effective() const override { return effective_ring(s_); }

 private:
  RingScenario s_;
};

}  // namespace

ExperimentKind ring_experiment() {
  return {.name = "ring",
          .description = "iterations on a ring of processors over links to be chosen",
          .meaning = "Iterations on a ring of processors.",
          .application_keys = ring_application_keys,
          .scenario_keys = ring_scenario_keys,
          .read = [](JsonReader const& json, std::uint64_t seed) -> std::unique_ptr<Experiment const> {
            return std::make_unique<RingExperiment>(read_ring(json, seed));
          }};
}

}  // namespace factosim
