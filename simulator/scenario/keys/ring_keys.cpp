#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "platforms/shipped_files.hpp"
#include "simulator/experiments/ring/ring_experiment.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/given_ring.hpp"
#include "simulator/scenario/keys/network_keys.hpp"

namespace factosim {

namespace {

GraphPlatform read_ring_platform(JsonReader const& json, std::uint64_t seed) {
  if (json.is_string()) return read_processor_graph(read_path_or_name(json, ShippedKind::platform));
  JsonReader const random = json.at("random", "what to draw a graph by, where no file is named");
  json.finish();
  return draw_processor_graph(random, seed);
}

Fields<RingHeuristic> heuristic_fields(std::string const& default_method = {}) {
  return {field<&RingHeuristic::method>(
              {.name = "method", .meaning = "algorithm that finds the ring", .default_text = default_method}),
          field<&RingHeuristic::refinement>(
              {.name = "refinement", .meaning = "how the links of the ring are shared"})};
}

/// Checks the method of an object.
void check_method(JsonReader const& json, RingHeuristic const& h, RingScenario const& s) {
  auto const method = json.find("method");
  if (!method) return;
  if (h.method == RingMethod::given && !s.given)
    method->fail("is \"given\" (the application has no \"order\"). Add one, or name another method");
  std::size_t const count = processors(s.platform.graph).size();
  if (h.method == RingMethod::exact && count > max_processors_of_exact)
    method->fail(fmt::format(
        "is exact on {} processors (its time grows exponentially; {} are the most). Use \"search\"", count,
        max_processors_of_exact));
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

}  // namespace

Object<RingHeuristic> const& object_of(RingHeuristic const* /*any*/) {
  static Object<RingHeuristic> const object(
      {.title = "heuristic", .meaning = "A heuristic that results compare.", .fields = heuristic_fields()});
  return object;
}

namespace {

void read_compared(JsonReader const& json, RingScenario& s) {
  s.compare.clear();
  for (JsonReader const& entry : json.elements()) {
    auto const h = read_object<RingHeuristic>(entry);
    check_method(entry, h, s);
    if (std::ranges::find(s.compare, h) != s.compare.end())
      entry.fail("stands there already (the result names each once). Remove it");
    s.compare.push_back(h);
  }
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

/// Keys of a ring that the user gives, which is read before.
Fields<RingScenario> given_fields() {
  Fields<RingScenario> out;
  for (Key const& key : given_ring_keys())
    out.push_back(field<RingScenario>(key, {.write = [name = key.name](RingScenario const& s) {
                                        return s.given
                                                   ? effective_given_ring(s.platform.graph, *s.given).at(name)
                                                   : nlohmann::ordered_json();
                                      }}));
  return out;
}

Fields<RingSimulationOptions> simulation_fields() {
  using O = RingSimulationOptions;
  return {
      field<&O::iterations>({.name = "iterations",
                             .value = {rule::integer(1, 1'000'000, "iterations")},
                             .meaning = "simulated iterations"}),
      field<&O::exchange>(
          {.name = "exchange", .meaning = "a processor's two messages, one after the other or at once"}),
      field<&O::bandwidth>(
          {.name = "bandwidth",
           .meaning =
               "`reserved`: what the ring set aside for each message; `shared`: by the messages in flight"})};
}

/// The keys of the application; the platform and a given ring are there before they are read.
Fields<RingScenario> ring_fields() {
  using S = RingScenario;
  return Fields<S>{
             field<&S::work>(
                 {.name = "work",
                  .value = {rule::positive()},
                  .meaning = "W: work of all processors in an iteration, in the unit of their speeds",
                  .required = true,
                  .missing = "what all processors compute in an iteration, in the unit of their speeds"}),
             field<&S::message_bytes>({.name = "message_bytes",
                                       .value = {rule::integer(0, 1'000'000'000'000'000, "B")},
                                       .meaning = "H: size of the message to each neighbour in an iteration",
                                       .required = true,
                                       .missing = "what each neighbour is sent in an iteration"})} +
         within<&S::heuristic>(heuristic_fields(
             fmt::format("`{}`; `given` with an `order`", name_of(RingHeuristic{}.method)))) +
         given_fields() +
         Fields<S>{field<&S::compare>({.name = "compare",
                                       .meaning = "further heuristics that the result evaluates",
                                       .default_text = "slice-ring, shared-ring and search"},
                                      {.read = read_compared})} +
         within<&S::simulation>(simulation_fields());
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
  s.given = read_given_ring(application, s.platform.graph);
  if (s.given) s.heuristic.method = RingMethod::given;
  s.compare = all_heuristics();
  read_fields(application, ring_fields(), s);
  application.finish();
  check_method(application, s.heuristic, s);
  auto const is_given = [](RingHeuristic const& h) { return h.method == RingMethod::given; };
  if (s.given && !is_given(s.heuristic) && std::ranges::none_of(s.compare, is_given))
    application.at("order").fail(
        "has no effect (neither \"method\" nor \"compare\" is \"given\"). Remove it, or use the method "
        "\"given\"");
  if (auto const network = json.find("network")) read_object(*network, s.simulation.network);
  json.finish();
  return s;
}

nlohmann::ordered_json effective_ring(RingScenario const& s) {
  nlohmann::ordered_json application = {{"type", "ring"}};
  write_fields(application, ring_fields(), s);
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
          .application_keys = [] { return keys_of(ring_fields()); },
          .scenario_keys = ring_scenario_keys,
          .read = [](JsonReader const& json, std::uint64_t seed) -> std::unique_ptr<Experiment const> {
            return std::make_unique<RingExperiment>(read_ring(json, seed));
          }};
}

}  // namespace factosim
