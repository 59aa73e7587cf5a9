#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "distributions/ring/ring.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/experiments/ring/ring_simulation.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/scenario.hpp"

namespace factosim {

namespace {

// ---- a ring that the user gives ----

ObjectKeys const& path_table() {
  static ObjectKeys const table{
      "path of a ring",
      "The route of a message between two neighbours of a given ring.",
      {stated_key("from", {rule::text()}, "name of the processor that sends", {.required = true}),
       stated_key("to", {rule::text()}, "name of its successor or predecessor", {.required = true}),
       stated_key("links", {rule::array({rule::text()}, 1)},
                  "names of links, in order of traversal, none twice", {.required = true})}};
  return table;
}

std::uint32_t read_processor(JsonReader const& json, ProcessorGraph const& graph) {
  std::string const name = json.string();
  for (std::uint32_t const v : processors(graph))
    if (graph.vertices[v].name == name) return v;
  json.fail(
      fmt::format("no processor is called \"{}\" (only those that compute take part in a ring). {}Use a name "
                  "of the platform's \"processors\"",
                  name, did_you_mean(name, names_of(graph.vertices))));
}

Ring read_order(JsonReader const& json, ProcessorGraph const& graph) {
  Ring ring;
  for (JsonReader const& entry : json.elements()) {
    std::uint32_t const v = read_processor(entry, graph);
    if (std::find(ring.order.begin(), ring.order.end(), v) != ring.order.end())
      entry.fail(fmt::format("is \"{}\" again (a ring visits a processor once). Remove it", entry.string()));
    ring.order.push_back(v);
  }
  std::size_t const q = ring.size();
  if (q == 1) return ring;
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t const step : {std::size_t{1}, q - 1})
      ring.paths.push_back(
          {.from = ring.order[i], .to = ring.order[(i + step) % q], .links = {}, .bandwidth = 0});
  return ring;
}

/// Returns the link of that name that leads on from `at`, which it moves to the other end. The two directions of a
/// full-duplex link have the same name for the user.
std::uint32_t follow(JsonReader const& json, ProcessorGraph const& graph, std::uint32_t& at) {
  std::string const name = json.string();
  bool known = false;
  for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
    ProcessorGraph::Link const& link = graph.links[l];
    if (link.name != name && link.name != name + ":back") continue;
    known = true;
    if (link.from != at && !(link.either_way && link.to == at)) continue;
    at = link.from == at ? link.to : link.from;
    return l;
  }
  if (!known)
    json.fail(fmt::format(
        "no link is called \"{}\" (a path consists of the platform's links). {}Use a name of \"links\"", name,
        did_you_mean(name, names_of(graph.links))));
  json.fail(
      fmt::format("link \"{}\" does not lead on from \"{}\" (links follow each other from sender to "
                  "receiver). Reorder or replace it",
                  name, graph.vertices[at].name));
}

void read_path(JsonReader const& json, ProcessorGraph const& graph, Ring& ring) {
  std::uint32_t const from = read_processor(json.at("from", "the processor that sends"), graph);
  std::uint32_t const to = read_processor(json.at("to", "its successor or predecessor"), graph);
  auto const path = std::find_if(ring.paths.begin(), ring.paths.end(), [&](RingPath const& p) {
    return p.from == from && p.to == to && p.links.empty();
  });
  if (path == ring.paths.end())
    json.fail(
        fmt::format("is no message from \"{}\" to \"{}\" without a path (processors send to their successor "
                    "and their predecessor in \"order\", once each). Remove it",
                    graph.vertices[from].name, graph.vertices[to].name));
  JsonReader const links = json.at("links", "the names of the links");
  std::uint32_t at = from;
  for (JsonReader const& entry : links.elements()) {
    std::uint32_t const link = follow(entry, graph, at);
    if (std::find(path->links.begin(), path->links.end(), link) != path->links.end())
      entry.fail("is on the path already (the message would travel in a circle). Remove it");
    path->links.push_back(link);
  }
  if (at != to)
    links.fail(fmt::format("end at \"{}\" (the message goes to \"{}\"). Add the missing links",
                           graph.vertices[at].name, graph.vertices[to].name));
  json.finish();
}

/// Reads "order" and "paths"; nothing if neither is there. Messages without a path take a widest one, by the links'
/// whole bandwidths. Bandwidths and alpha are left open.
std::optional<Ring> read_given_ring(JsonReader const& application, ProcessorGraph const& graph) {
  auto const order = application.find("order");
  auto const paths = application.find("paths");
  if (!order && paths) paths->fail("are given without a ring (\"order\" is missing). Add \"order\"");
  if (!order) return std::nullopt;
  Ring ring = read_order(*order, graph);
  if (paths)
    for (JsonReader const& entry : paths->elements()) read_path(entry, graph, ring);
  WidestPaths const widest(graph);
  std::vector<double> const all = bandwidth_left(graph, {});
  for (RingPath& path : ring.paths)
    if (path.links.empty()) path = widest.widest(path.from, path.to, all);
  return ring;
}

// ---- the scenario ----

GraphPlatform read_ring_platform(JsonReader const& json, std::uint64_t seed) {
  if (json.is_string()) return read_processor_graph(read_path_or_name(json, ShippedKind::platform));
  JsonReader const random = json.at("random", "what to draw a graph by, where no file is named");
  json.finish();
  return draw_processor_graph(random, seed);
}

Fields<RingHeuristic> heuristic_fields(std::string const& default_method = {}) {
  return {field<&RingHeuristic::method>("method", "algorithm that finds the ring",
                                        {.default_text = default_method}),
          field<&RingHeuristic::refinement>("refinement", "how the links of the ring are shared")};
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
  static Object<RingHeuristic> const object("heuristic", "A heuristic that results compare.",
                                            heuristic_fields());
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
  static ObjectKeys const table{"platform of a ring",
                                "A graph of processors that is drawn. Instead of the object, the path of "
                                "a platform with a `graph` may be given.",
                                {stated_key("random", {rule::object(table_of<RandomGraphOptions>)},
                                            "what the graph is drawn by", {.required = true})}};
  return table;
}

/// Keys of a ring that the user gives, which is read before.
Fields<RingScenario> given_fields() {
  using S = RingScenario;
  return {
      field<S>("order", {rule::array({rule::text()}, 1)},
               "a ring of your own, for the method `given`: names of processors, each followed by "
               "its successor",
               {.default_text = "none",
                .write =
                    [](S const& s) {
                      return s.given ? order_json(s.platform.graph, *s.given) : nlohmann::ordered_json();
                    }}),
      field<S>("paths", {rule::array({rule::object(path_table)})}, "routes of its messages",
               {.default_text = "a widest path for each message that is not named", .write = [](S const& s) {
                  nlohmann::ordered_json out;
                  if (s.given) out = nlohmann::ordered_json::array();
                  for (RingPath const& path : s.given ? s.given->paths : std::vector<RingPath>{})
                    out.push_back(path_json(s.platform.graph, path));
                  return out;
                }})};
}

Fields<RingSimulationOptions> simulation_fields() {
  using O = RingSimulationOptions;
  return {field<&O::iterations>("iterations", {rule::integer(1, 1'000'000, "iterations")},
                                "simulated iterations"),
          field<&O::exchange>("exchange", "a processor's two messages, one after the other or at once"),
          field<&O::bandwidth>(
              "bandwidth",
              "`reserved`: what the ring set aside for each message; `shared`: by the messages in flight")};
}

/// The keys of the application; the platform and a given ring are there before they are read.
Fields<RingScenario> ring_fields() {
  using S = RingScenario;
  Fields<S> out{field<&S::work>(
                    "work", {rule::positive()},
                    "W: work of all processors in an iteration, in the unit of their speeds",
                    {.missing = "what all processors compute in an iteration, in the unit of their speeds"}),
                field<&S::message_bytes>("message_bytes", {rule::integer(0, 1'000'000'000'000'000, "B")},
                                         "H: size of the message to each neighbour in an iteration",
                                         {.missing = "what each neighbour is sent in an iteration"})};
  out += within<&S::heuristic>(
      heuristic_fields(fmt::format("`{}`; `given` with an `order`", name_of(RingHeuristic{}.method))));
  out += given_fields();
  out += {field<&S::compare>("compare", "further heuristics that the result evaluates",
                             {.default_text = "slice-ring, shared-ring and search", .read = read_compared})};
  out += within<&S::simulation>(simulation_fields());
  return out;
}

std::vector<Key> ring_scenario_keys() {
  return {
      stated_key("platform", {rule::path(), rule::object(drawn_platform_table)},
                 "path of a platform with a `graph`, or an object that says how to draw one",
                 {.required = true}),
      or_name(stated_key("network", {rule::object(table_of<NetworkOptions>)},
                         "how links are shared; an object, or its model", {.default_text = "all defaults"}),
              "model")};
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

Experiment experiment_of(RingScenario scenario) {
  auto const s = std::make_shared<RingScenario const>(std::move(scenario));
  constexpr double seconds_per_message = 72e-6;  // an iteration of a processor, in a ring of 7
  double const messages = static_cast<double>(s->simulation.iterations) *
                          static_cast<double>(processors(s->platform.graph).size());
  return {.work = {{.count = messages,
                    .things = "messages",
                    .memory_bytes = program_bytes,
                    .cpu_s = seconds_per_message * messages},
                   max_simulations_s,
                   "#/application/iterations",
                   "Use fewer iterations"},
          .effective = [s] { return effective_ring(*s); },
          .run = [s](bool with_trace) { return simulate_ring_experiment(*s, with_trace); }};
}

}  // namespace

ExperimentKind ring_experiment() {
  return {.name = "ring",
          .description = "iterations on a ring of processors over links to be chosen",
          .meaning = "Iterations on a ring of processors.",
          .application_keys = [] { return keys_of(ring_fields()); },
          .scenario_keys = ring_scenario_keys,
          .read = [](JsonReader const& json,
                     std::uint64_t seed) { return experiment_of(read_ring(json, seed)); }};
}

}  // namespace factosim
