#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <vector>

#include "platforms/platform_json.hpp"
#include "platforms/processor_graph_json.hpp"

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

double read_speed(JsonReader const& json) {
  auto const speed = json.find("speed_per_s");
  auto const cycle_time = json.find("cycle_time_s");
  if (speed && cycle_time)
    cycle_time->fail(
        "stands beside \"speed_per_s\" (they say the same, one over the other). Remove one of them");
  if (speed) return speed->quantity();
  double const seconds = cycle_time ? cycle_time->quantity() : 0;
  return seconds > 0 ? 1 / seconds : 0;
}

Places read_vertices(ProcessorGraph& graph, JsonReader const& json) {
  Places places;
  bool computes = false;
  for (JsonReader const& entry : json.elements()) {
    JsonReader const name = entry.at("name", "what links call it");
    ProcessorGraph::Vertex const vertex{.name = name.string(), .speed = read_speed(entry)};
    entry.finish();
    if (!places.try_emplace(vertex.name, static_cast<std::uint32_t>(graph.vertices.size())).second)
      name.fail(fmt::format("a second processor \"{}\" (links could mean either). Rename one", vertex.name));
    computes |= vertex.computes();
    graph.vertices.push_back(vertex);
  }
  if (!computes)
    json.fail(
        "no processor computes (all are routers). Give one at least a \"speed_per_s\" or \"cycle_time_s\" "
        "above "
        "zero");
  return places;
}

std::uint32_t read_end(JsonReader const& json, Places const& places) {
  auto const place = places.find(json.string());
  if (place == places.end())
    json.fail(
        fmt::format("no processor is called \"{}\" (a link joins two of them). Use a name of "
                    "\"processors\"",
                    json.string()));
  return place->second;
}

void read_link(ProcessorGraph& graph, JsonReader const& json, Places const& places, Places& links) {
  JsonReader const name = json.at("name", "what results call it");
  JsonReader const to = json.at("to", "the name of a processor");
  ProcessorGraph::Link link{.name = name.string(),
                            .from = read_end(json.at("from", "the name of a processor"), places),
                            .to = read_end(to, places),
                            .bandwidth = {json.at("bandwidth_Bps", "bytes per second").quantity()},
                            .either_way = true,
                            .shared = true,
                            .latency = {0}};
  std::string direction = "half-duplex";
  if (auto const given = json.find("direction")) direction = given->one_of();
  if (auto const shared = json.find("shared")) link.shared = shared->boolean();
  if (auto const latency = json.find("latency_s")) link.latency = {latency->quantity()};
  json.finish();
  if (link.from == link.to)
    to.fail(fmt::format("is \"{}\" as well (a link joins two different processors). Remove the link",
                        graph.vertices[link.to].name));
  if (!links.try_emplace(link.name, static_cast<std::uint32_t>(graph.links.size())).second)
    name.fail(fmt::format("a second link \"{}\" (results could mean either). Rename one", link.name));
  link.either_way = direction == "half-duplex";
  graph.links.push_back(link);
  if (direction != "full-duplex") return;
  std::swap(link.from, link.to);
  link.name += ":back";
  links.try_emplace(link.name, static_cast<std::uint32_t>(graph.links.size()));
  graph.links.push_back(link);
}

void check_connected(ProcessorGraph const& graph, JsonReader const& links) {
  if (auto const pair = unreachable_processors(graph))
    links.fail(fmt::format(
        "no way leads from \"{}\" to \"{}\" (the graph is disconnected, and any two processors may "
        "have to talk). Add links, or make \"{}\" a router",
        graph.vertices[pair->first].name, graph.vertices[pair->second].name,
        graph.vertices[pair->second].name));
}

}  // namespace

GraphPlatform read_processor_graph(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(platform_file_rules);
  json.check_own_format("factosim-platform", 1);
  JsonReader const body =
      json.at("graph", "processors and links; this application chooses the ways of its messages itself");
  json.finish();

  GraphPlatform platform;
  platform.source = file.string();
  if (auto const estimate = body.find("estimate")) platform.estimate = estimate->boolean();
  if (auto const provenance = body.find("provenance")) platform.provenance = provenance->string();
  Places const places =
      read_vertices(platform.graph, body.at("processors", "names and speeds; without a speed: a router"));
  JsonReader const links = body.at("links", "what joins the processors");
  body.finish();
  Places names;
  for (JsonReader const& entry : links.elements()) read_link(platform.graph, entry, places, names);
  check_connected(platform.graph, links);
  return platform;
}

}  // namespace factosim
