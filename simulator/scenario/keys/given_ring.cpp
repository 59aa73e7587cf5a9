#include "simulator/scenario/keys/given_ring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "distributions/ring/widest_path.hpp"

namespace factosim {

namespace {

ObjectKeys const& path_table() {
  static ObjectKeys const table{.title = "path of a ring",
                                .meaning = "The route of a message between two neighbours of a given ring.",
                                .keys = {{.name = "from",
                                          .value = {rule::text()},
                                          .meaning = "name of the processor that sends",
                                          .required = true},
                                         {.name = "to",
                                          .value = {rule::text()},
                                          .meaning = "name of its successor or predecessor",
                                          .required = true},
                                         {.name = "links",
                                          .value = {rule::array({rule::text()}, 1)},
                                          .meaning = "names of links, in order of traversal, none twice",
                                          .required = true}}};
  return table;
}

std::uint32_t read_processor(JsonReader const& json, ProcessorGraph const& graph) {
  std::string const name = json.string();
  for (std::uint32_t const v : processors(graph))
    if (graph.vertices[v].name == name) return v;
  json.fail(
      fmt::format("no processor is called \"{}\" (only those that compute take part in a ring). Use a "
                  "name of the platform's \"processors\"",
                  name));
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
    json.fail(
        fmt::format("no link is called \"{}\" (a path consists of the platform's links). Use a name of "
                    "\"links\"",
                    name));
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
        fmt::format("is no message from \"{}\" to \"{}\" without a path (processors send to their "
                    "successor and their predecessor in \"order\", once each). Remove it",
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

}  // namespace

std::vector<Key> given_ring_keys() {
  return {
      {.name = "order",
       .value = {rule::array({rule::text()}, 1)},
       .meaning =
           "a ring of your own, for the method `given`: names of processors, each followed by its successor",
       .default_text = "none"},
      {.name = "paths",
       .value = {rule::array({rule::object(path_table)})},
       .meaning = "routes of its messages",
       .default_text = "a widest path for each message that is not named"}};
}

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

nlohmann::ordered_json effective_given_ring(ProcessorGraph const& graph, Ring const& ring) {
  nlohmann::ordered_json order = nlohmann::ordered_json::array(), paths = nlohmann::ordered_json::array();
  for (std::uint32_t const v : ring.order) order.push_back(graph.vertices[v].name);
  for (RingPath const& path : ring.paths) {
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (std::uint32_t const l : path.links) links.push_back(graph.links[l].name);
    paths.push_back(
        {{"from", graph.vertices[path.from].name}, {"to", graph.vertices[path.to].name}, {"links", links}});
  }
  return {{"order", order}, {"paths", paths}};
}

}  // namespace factosim
