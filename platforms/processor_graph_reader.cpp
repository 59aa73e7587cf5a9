#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <vector>

#include "platforms/platform_json.hpp"
#include "platforms/processor_graph_json.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

std::optional<std::pair<std::uint32_t, std::uint32_t>> unreachable_processors(ProcessorGraph const& graph) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> ways(graph.vertices.size());
  for (ProcessorGraph::Link const& link : graph.links) {
    boost::add_edge(link.from, link.to, ways);
    if (link.either_way) boost::add_edge(link.to, link.from, ways);
  }
  std::vector<std::size_t> component(graph.vertices.size());
  boost::strong_components(
      ways, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, ways)));
  std::optional<std::uint32_t> first;
  for (std::uint32_t v = 0; v < graph.vertices.size(); ++v) {
    if (!graph.vertices[v].computes()) continue;
    if (!first) first = v;
    // Boost numbers components in reverse topological order: a lower number does not reach a higher one.
    if (component[v] < component[*first]) return std::pair(v, *first);
    if (component[v] > component[*first]) return std::pair(*first, v);
  }
  return std::nullopt;
}

namespace {

using Places = std::map<std::string, std::uint32_t>;

/// A processor as its keys state it.
struct ProcessorKeys {
  std::string name;
  std::optional<double> speed, cycle_time;
};

Object<ProcessorKeys> const& object_of(ProcessorKeys const* /*any*/) {
  using O = ProcessorKeys;
  static Object<O> const object(
      {.title = "processor",
       .meaning = "A processor, or without a speed a router.",
       .fields = {field<&O::name>({.name = "name",
                                   .meaning = "name in links",
                                   .required = true,
                                   .missing = "what links call it"}),
                  field<&O::speed>({.name = "speed_per_s",
                                    .value = {rule::non_negative("1/s")},
                                    .meaning = "units of work per second",
                                    .default_text = "a router"}),
                  field<&O::cycle_time>({.name = "cycle_time_s",
                                         .value = {rule::non_negative("s")},
                                         .meaning = "time of a unit of work, instead of `speed_per_s`",
                                         .default_text = "a router"})}});
  return object;
}

enum class Direction { half_duplex, full_duplex, one_way };

constexpr NamedValues<Direction, 3> names_of(Direction /*any*/) {
  return {"direction",
          {{{Direction::half_duplex, "half-duplex"},
            {Direction::full_duplex, "full-duplex"},
            {Direction::one_way, "one-way"}}}};
}

/// A link as its keys state it.
struct GraphLinkKeys {
  std::string name, from, to;
  BytesPerSecond bandwidth;
  Direction direction = Direction::half_duplex;
  bool shared = true;
  Seconds latency{0};
};

Object<GraphLinkKeys> const& object_of(GraphLinkKeys const* /*any*/) {
  using O = GraphLinkKeys;
  static Object<O> const object(
      {.title = "link of a graph",
       .meaning = "A link between two processors; there may be several.",
       .fields = {
           field<&O::name>({.name = "name",
                            .meaning = "name in results",
                            .required = true,
                            .missing = "what results call it"}),
           field<&O::from>({.name = "from",
                            .meaning = "name of a processor",
                            .required = true,
                            .missing = "the name of a processor"}),
           field<&O::to>({.name = "to",
                          .meaning = "name of a processor",
                          .required = true,
                          .missing = "the name of a processor"}),
           field<&O::bandwidth>({.name = "bandwidth_Bps",
                                 .meaning = "bandwidth",
                                 .required = true,
                                 .missing = "bytes per second"}),
           field<&O::direction>({.name = "direction",
                                 .meaning = "`half-duplex`: both directions share the bandwidth; "
                                            "`full-duplex`: two links, NAME and NAME:back; `one-way`"}),
           field<&O::shared>(
               {.name = "shared",
                .meaning = "`false`: a backbone, each path over it may use all of the bandwidth"}),
           field<&O::latency>({.name = "latency_s", .meaning = "latency", .default_value = 0})}});
  return object;
}

double speed_of(ProcessorKeys const& keys, JsonReader const& json) {
  if (keys.speed && keys.cycle_time)
    json.at("cycle_time_s")
        .fail("stands beside \"speed_per_s\" (they say the same, one over the other). Remove one of them");
  if (keys.speed) return *keys.speed;
  double const seconds = keys.cycle_time.value_or(0);
  return seconds > 0 ? 1 / seconds : 0;
}

Places read_vertices(ProcessorGraph& graph, JsonReader const& json) {
  Places places;
  bool computes = false;
  for (JsonReader const& entry : json.elements()) {
    auto const keys = read_object<ProcessorKeys>(entry);
    ProcessorGraph::Vertex const vertex{.name = keys.name, .speed = speed_of(keys, entry)};
    if (!places.try_emplace(vertex.name, static_cast<std::uint32_t>(graph.vertices.size())).second)
      entry.at("name").fail(
          fmt::format("a second processor \"{}\" (links could mean either). Rename one", vertex.name));
    computes |= vertex.computes();
    graph.vertices.push_back(vertex);
  }
  if (!computes)
    json.fail(
        "no processor computes (all are routers). Give one at least a \"speed_per_s\" or \"cycle_time_s\" "
        "above zero");
  return places;
}

std::uint32_t read_end(JsonReader const& json, Places const& places) {
  auto const place = places.find(json.string());
  if (place == places.end())
    json.fail(
        fmt::format("no processor is called \"{}\" (a link joins two of them). Use a name of \"processors\"",
                    json.string()));
  return place->second;
}

void read_link(ProcessorGraph& graph, JsonReader const& json, Places const& places, Places& links) {
  auto const keys = read_object<GraphLinkKeys>(json);
  ProcessorGraph::Link link{.name = keys.name,
                            .from = read_end(json.at("from"), places),
                            .to = read_end(json.at("to"), places),
                            .bandwidth = keys.bandwidth,
                            .either_way = keys.direction == Direction::half_duplex,
                            .shared = keys.shared,
                            .latency = keys.latency};
  if (link.from == link.to)
    json.at("to").fail(
        fmt::format("is \"{}\" as well (a link joins two different processors). Remove the link",
                    graph.vertices[link.to].name));
  if (!links.try_emplace(link.name, static_cast<std::uint32_t>(graph.links.size())).second)
    json.at("name").fail(
        fmt::format("a second link \"{}\" (results could mean either). Rename one", link.name));
  graph.links.push_back(link);
  if (keys.direction != Direction::full_duplex) return;
  std::swap(link.from, link.to);
  link.name += ":back";
  links.try_emplace(link.name, static_cast<std::uint32_t>(graph.links.size()));
  graph.links.push_back(link);
}

void check_connected(ProcessorGraph const& graph, JsonReader const& links) {
  if (auto const pair = unreachable_processors(graph))
    links.fail(
        fmt::format("no way leads from \"{}\" to \"{}\" (the graph is disconnected, and any two processors "
                    "may have to talk). Add links, or make \"{}\" a router",
                    graph.vertices[pair->first].name, graph.vertices[pair->second].name,
                    graph.vertices[pair->second].name));
}

/// "graph" of a platform. Its parts are understood together, by `read_processor_graph`.
Object<GraphPlatform> const& graph_object() {
  using O = GraphPlatform;
  static Object<O> const object(
      {.title = "graph",
       .meaning = "A connected graph of processors.",
       .fields = {field<O>({.name = "processors",
                            .value = {rule::array(rules_of<ProcessorKeys>(), 1)},
                            .meaning = "processors and routers",
                            .required = true,
                            .missing = "names and speeds; without a speed: a router"}),
                  field<O>({.name = "links",
                            .value = {rule::array(rules_of<GraphLinkKeys>())},
                            .meaning = "links between them",
                            .required = true,
                            .missing = "what joins the processors"}),
                  field<&O::estimate>({.name = "estimate", .meaning = "values are assumed, not measured"}),
                  field<&O::provenance>({.name = "provenance", .meaning = "where the values come from"})}});
  return object;
}

}  // namespace

ObjectKeys const& graph_table() { return graph_object().keys; }

GraphPlatform read_processor_graph(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(platform_file_rules);
  json.check_own_format("factosim-platform", 1);
  JsonReader const body =
      json.at("graph", "processors and links; this application chooses the ways of its messages itself");
  json.finish();

  GraphPlatform platform;
  platform.source = file.string();
  read_object(body, graph_object(), &platform);
  Places const places = read_vertices(platform.graph, body.at("processors"));
  JsonReader const links = body.at("links");
  Places names;
  for (JsonReader const& entry : links.elements()) read_link(platform.graph, entry, places, names);
  check_connected(platform.graph, links);
  return platform;
}

}  // namespace factosim
