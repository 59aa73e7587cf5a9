#include "platforms/processor_graph_json.hpp"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <cmath>
#include <map>
#include <random>
#include <ranges>
#include <vector>

#include "platforms/platform_json.hpp"
#include "simulator/base/core/suggestion.hpp"

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
  static Object<O> const object("processor", "A processor, or without a speed a router.",
                                {field<&O::name>("name", "name in links", {.missing = "what links call it"}),
                                 field<&O::speed>("speed_per_s", {rule::non_negative("1/s")},
                                                  "units of work per second", {.default_text = "a router"}),
                                 field<&O::cycle_time>("cycle_time_s", {rule::non_negative("s")},
                                                       "time of a unit of work, instead of `speed_per_s`",
                                                       {.default_text = "a router"})});
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
      "link of a graph", "A link between two processors; there may be several.",
      {field<&O::name>("name", "name in results", {.missing = "what results call it"}),
       field<&O::from>("from", "name of a processor", {.missing = "the name of a processor"}),
       field<&O::to>("to", "name of a processor", {.missing = "the name of a processor"}),
       field<&O::bandwidth>("bandwidth_Bps", "bandwidth", {.missing = "bytes per second"}),
       field<&O::direction>("direction",
                            "`half-duplex`: both directions share the bandwidth; "
                            "`full-duplex`: two links, NAME and NAME:back; `one-way`"),
       field<&O::shared>("shared", "`false`: a backbone, each path over it may use all of the bandwidth"),
       field<&O::latency>("latency_s", "latency", {.default_value = 0})});
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
  if (place == places.end()) {
    auto const names = std::views::keys(places);
    json.fail(fmt::format(
        "no processor is called \"{}\" (a link joins two of them). {}Use a name of \"processors\"",
        json.string(), did_you_mean(json.string(), std::vector<std::string>(names.begin(), names.end()))));
  }
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

/// Own distributions: those of the standard library differ between implementations, its engine does not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
  bool chance(int percent) { return below(100) < static_cast<std::uint32_t>(percent); }
  /// Rounds to three digits, so that a graph can be written exactly.
  double logarithmic(double minimum, double maximum) {
    double const x = minimum * std::pow(maximum / minimum, below(1001) / 1000.0);
    double const unit = std::pow(10.0, std::floor(std::log10(x)) - 2);
    return std::round(x / unit) * unit;
  }

 private:
  std::mt19937_64 engine_;
};

/// Returns the field of the minimum and maximum that a value is drawn between.
template <auto least, auto most>
Field<RandomGraphOptions> range_field(char const* name, char const* unit, char const* meaning) {
  using O = RandomGraphOptions;
  return field<O>(
      name, {rule::array({rule::positive(unit)}, 2, 2)}, meaning,
      {.read =
           [](JsonReader const& json, O& o) {
             auto const ends = json.elements();
             if (ends.size() != 2)
               json.fail("is no range (a least and a most are drawn between). Write [least, most]");
             o.*least = ends[0].quantity();
             o.*most = ends[1].quantity();
             if (o.*most < o.*least) json.fail("is a range that ends before it starts. Write [least, most]");
           },
       .write =
           [](O const& o) {
             return nlohmann::ordered_json{o.*least, o.*most};
           }});
}

}  // namespace

/// "graph" of a platform. Its parts are understood together, by `read_processor_graph`.
Object<GraphPlatform> const& object_of(GraphPlatform const* /*any*/) {
  using O = GraphPlatform;
  static Object<O> const object(
      "graph", "A connected graph of processors.",
      {field<O>("processors", {rule::array(rules_of<ProcessorKeys>(), 1)}, "processors and routers",
                {.missing = "names and speeds; without a speed: a router"}),
       field<O>("links", {rule::array(rules_of<GraphLinkKeys>())}, "links between them",
                {.missing = "what joins the processors"}),
       field<&O::estimate>("estimate", "values are assumed, not measured"),
       field<&O::provenance>("provenance", "where the values come from")});
  return object;
}

GraphPlatform read_processor_graph(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(platform_file_rules);
  json.check_own_format("factosim-platform", 1);
  JsonReader const body =
      json.at("graph", "processors and links; this application chooses the ways of its messages itself");
  json.finish();

  auto platform = read_object<GraphPlatform>(body);
  platform.source = file.string();
  Places const places = read_vertices(platform.graph, body.at("processors"));
  JsonReader const links = body.at("links");
  Places names;
  for (JsonReader const& entry : links.elements()) read_link(platform.graph, entry, places, names);
  check_connected(platform.graph, links);
  return platform;
}

Object<RandomGraphOptions> const& object_of(RandomGraphOptions const* /*any*/) {
  using O = RandomGraphOptions;
  static Object<O> const object(
      "random graph", "A connected graph that is drawn: a random tree and further links.",
      {field<&O::processors>("processors", {rule::integer(1, 1000, "processors")}, "processors that compute",
                             {.missing = "how many compute"}),
       field<&O::routers>("routers", {rule::integer(0, 1000, "routers")}, "vertices that do not compute"),
       field<&O::extra_links>("extra_links", {rule::integer(0, 10'000, "links")},
                              "links in addition to the tree; may be parallel"),
       range_field<&O::min_speed, &O::max_speed>("speed_per_s", "1/s", "minimum and maximum speed"),
       range_field<&O::min_bandwidth, &O::max_bandwidth>("bandwidth_Bps", "B/s",
                                                         "minimum and maximum bandwidth"),
       field<O>("seed", {rule::integer(0, INT64_MAX)}, "seed of the drawing",
                {.default_text = "the scenario's"})});
  return object;
}

ProcessorGraph random_processor_graph(RandomGraphOptions const& o, std::uint64_t seed) {
  Draw draw(seed);
  ProcessorGraph graph;
  auto const vertices = static_cast<std::uint32_t>(o.processors + o.routers);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    bool const computes = v < static_cast<std::uint32_t>(o.processors);
    graph.vertices.push_back({.name = fmt::format("{}{}", computes ? "P" : "R", v),
                              .speed = computes ? draw.logarithmic(o.min_speed, o.max_speed) : 0});
  }
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    ProcessorGraph::Link link{.name = fmt::format("l{}", graph.links.size()),
                              .from = a,
                              .to = b,
                              .bandwidth = {draw.logarithmic(o.min_bandwidth, o.max_bandwidth)},
                              .either_way = !draw.chance(o.one_way_percent),
                              .shared = !draw.chance(o.backbone_percent),
                              .latency = {0}};
    graph.links.push_back(link);
    if (link.either_way) return;
    std::swap(link.from, link.to);
    link.name += ":back";
    graph.links.push_back(link);
  };
  std::vector<std::uint32_t> order(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) order[v] = v;
  for (std::uint32_t i = vertices; i-- > 1;) std::swap(order[i], order[draw.below(i + 1)]);
  for (std::uint32_t i = 1; i < vertices; ++i) join(order[i], order[draw.below(i)]);
  for (int e = 0; e < o.extra_links && vertices > 1; ++e) {
    std::uint32_t const a = draw.below(vertices), b = draw.below(vertices - 1);
    join(a, b < a ? b : b + 1);
  }
  return graph;
}

GraphPlatform draw_processor_graph(JsonReader const& given, std::uint64_t seed) {
  JsonReader const json = given.by(rules_of<RandomGraphOptions>);
  auto const o = read_object<RandomGraphOptions>(json);
  if (auto const own = json.find("seed")) seed = static_cast<std::uint64_t>(own->integer());
  return {.source = fmt::format("random, seed {}", seed),
          .graph = random_processor_graph(o, seed),
          .estimate = true,
          .provenance = "drawn at random"};
}

}  // namespace factosim
