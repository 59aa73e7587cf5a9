#include "platforms/fabric_json.hpp"

#include <fmt/format.h>

#include "platforms/link_reader.hpp"
#include "platforms/platform_json.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_levels = 4;

/// `otherwise`: what holds without the key; empty: it is required.
Key key_of(char const* name, ValueRule value, char const* meaning, char const* otherwise) {
  return {.name = name,
          .value = {std::move(value)},
          .meaning = meaning,
          .required = *otherwise == 0,
          .default_text = otherwise};
}

Key count_key(char const* name, std::int64_t most, char const* unit, char const* meaning,
              char const* otherwise = "") {
  return key_of(name, rule::integer(1, most, unit), meaning, otherwise);
}

Key link_key(char const* name, char const* meaning, char const* otherwise = "") {
  return key_of(name, rule::object(link_table), meaning, otherwise);
}

ObjectKeys const& level_table() {
  static ObjectKeys const table{
      .title = "fat_tree level",
      .meaning = "Switches of one level and their links to the next one.",
      .keys = {count_key("down", 1'000'000, "", "nodes, or switches of the level below, under each switch"),
               count_key("up", 10'000, "switches", "of the next level that each switch is joined to"),
               count_key("parallel", 10'000, "links", "to each of them", "1"),
               link_key("uplink", "one of these links")}};
  return table;
}

ObjectKeys const& fat_tree_table() {
  static ObjectKeys const table{
      .title = "fat_tree",
      .meaning =
          "Levels of switches under a top that never limits (D-mod-k routing). `nodes_per_leaf`, `uplinks` "
          "and "
          "`uplink` describe one level, `levels` any number up to 4.",
      .keys = {
          {.name = "nodes_per_leaf",
           .value = {rule::integer(1, 1'000'000, "nodes")},
           .meaning = "nodes that a leaf switch joins, in the platform's order",
           .default_text = "required without `levels`",
           .source = "Zahavi, 2010"},
          count_key("uplinks", 10'000, "links", "links each way between a leaf and the spine",
                    "required without `levels`"),
          link_key("uplink", "one of them", "required without `levels`"),
          {.name = "levels",
           .value = {rule::array({rule::object(level_table)}, 1, max_levels)},
           .meaning = "levels of switches from the leaves up, without the top: two make a fat tree of three "
                      "levels",
           .default_text = "one, by the keys above",
           .source = "Zahavi, 2010; SimGrid `topo_parameters`"},
          {.name = "routing",
           .value = {rule::word({"minimal", "adaptive"})},
           .meaning = "`minimal`: the destination chooses the links (D-mod-k); `adaptive`: the least loaded "
                      "of four routes when the message starts",
           .default_value = "minimal"}}};
  return table;
}

/// The keys of groups that are joined in pairs around those of a group.
std::vector<Key> group_keys(std::vector<Key> inside, char const* local, char const* routing,
                            char const* source) {
  std::vector<Key> const before{count_key("groups", 100'000, "groups",
                                          "groups of the machine; nodes fill them in the platform's order",
                                          "as many as the nodes need")};
  return joined(joined(before, std::move(inside)),
                {link_key("local", local),
                 count_key("global_links", 10'000, "links", "links between two groups", "1"),
                 link_key("global", "one of them"),
                 {.name = "routing",
                  .value = {rule::word(routing_names.names())},
                  .meaning = routing,
                  .default_value = "minimal",
                  .source = source}});
}

ObjectKeys const& dragonfly_table() {
  static ObjectKeys const table{
      .title = "dragonfly",
      .meaning = "Groups of switches. All switches of a group are joined in pairs, and so are all groups.",
      .keys = group_keys(
          {count_key("switches_per_group", 10'000, "switches", "switches of a group"),
           count_key("nodes_per_switch", 1'000'000, "nodes", "cards of nodes at a switch")},
          "link between two switches of a group",
          "`minimal`: over a link between the two groups that the destination chooses; `valiant`: through a "
          "third group, drawn from sender and receiver; `adaptive`: the least loaded when the message "
          "starts, "
          "of all minimal routes and three through other groups, or inside a group other switches, whose "
          "load "
          "counts twice",
          "Kim et al., 2008; Singh, 2005")};
  return table;
}

ObjectKeys const& dragonfly_plus_table() {
  static ObjectKeys const table{
      .title = "dragonfly_plus",
      .meaning =
          "Groups of leaf and spine switches. Each leaf of a group is joined to each of its spines, and "
          "all groups are joined in pairs, at spines.",
      .keys = group_keys(
          {count_key("leaves_per_group", 10'000, "switches", "leaf switches of a group"),
           count_key("spines_per_group", 10'000, "switches", "spine switches of a group"),
           count_key("nodes_per_leaf", 1'000'000, "nodes", "cards of nodes at a leaf")},
          "link between a leaf and a spine",
          "`minimal`: over the spine, or the link between the two groups, that the destination chooses; "
          "`valiant`: through a third group, drawn from sender and receiver; `adaptive`: the least loaded "
          "when "
          "the message starts, of all minimal routes and three through other groups, whose load counts twice",
          "Shpiner et al., 2017")};
  return table;
}

std::uint32_t count(JsonReader const& json) { return static_cast<std::uint32_t>(json.integer()); }

FatTree read_fat_tree(JsonReader const& json) {
  FatTree tree;
  if (auto const levels = json.find("levels")) {
    for (char const* const key : {"nodes_per_leaf", "uplinks", "uplink"})
      if (auto const other = json.find(key))
        other->fail(fmt::format(
            "stands beside \"levels\" (which describes the leaves too). Keep \"levels\" or \"{}\"", key));
    std::size_t const given = levels->elements().size();
    if (given == 0 || given > max_levels)
      levels->fail(
          fmt::format("has {} levels (routes have room for {}, and the leaves are one). Give 1 to {}", given,
                      max_levels, max_levels));
    for (JsonReader const& entry : levels->elements()) {
      FatTreeLevel level{.down = count(entry.at("down", "what each switch joins")),
                         .up = count(entry.at("up", "switches above each switch")),
                         .uplink = read_link(entry.at("uplink", "a link upwards"))};
      if (auto const parallel = entry.find("parallel")) level.parallel = count(*parallel);
      entry.finish();
      tree.levels.push_back(level);
    }
  } else {
    tree.levels.push_back({.down = count(json.at("nodes_per_leaf", "nodes that a leaf switch joins")),
                           .up = count(json.at("uplinks", "links each way between a leaf and the spine")),
                           .uplink = read_link(json.at("uplink", "one of them"))});
  }
  if (auto const routing = json.find("routing")) tree.routing = routing_names.named(routing->one_of());
  json.finish();
  return tree;
}

/// Reads what both kinds of groups have.
template <class Groups>
void read_groups(Groups& out, JsonReader const& json) {
  if (auto const groups = json.find("groups")) out.groups = count(*groups);
  out.local = read_link(json.at("local", "between two switches of a group"));
  if (auto const links = json.find("global_links")) out.global_links = count(*links);
  out.global = read_link(json.at("global", "between two groups"));
  if (auto const routing = json.find("routing")) out.routing = routing_names.named(routing->one_of());
  json.finish();
}

Dragonfly read_dragonfly(JsonReader const& json) {
  Dragonfly out;
  out.switches = count(json.at("switches_per_group", "switches of a group"));
  out.nodes_per_switch = count(json.at("nodes_per_switch", "cards of nodes at a switch"));
  read_groups(out, json);
  return out;
}

DragonflyPlus read_dragonfly_plus(JsonReader const& json) {
  DragonflyPlus out;
  out.leaves = count(json.at("leaves_per_group", "leaf switches of a group"));
  out.spines = count(json.at("spines_per_group", "spine switches of a group"));
  out.nodes_per_leaf = count(json.at("nodes_per_leaf", "cards of nodes at a leaf"));
  read_groups(out, json);
  return out;
}

std::string routing_json(Routing routing) {
  return routing == Routing::minimal ? ""
                                     : fmt::format(", \"routing\": \"{}\"", routing_names.name_of(routing));
}

std::string tree_json(FatTree const& tree) {
  FatTreeLevel const& leaf = tree.levels.front();
  std::string const routing = routing_json(tree.routing);
  if (tree.levels.size() == 1 && leaf.parallel == 1)
    return fmt::format("{{\"nodes_per_leaf\": {}, \"uplinks\": {}, \"uplink\": {}{}}}", leaf.down, leaf.up,
                       link_json(leaf.uplink), routing);
  std::string levels;
  for (FatTreeLevel const& l : tree.levels)
    levels += fmt::format("{}{{\"down\": {}, \"up\": {}, \"parallel\": {}, \"uplink\": {}}}",
                          levels.empty() ? "" : ", ", l.down, l.up, l.parallel, link_json(l.uplink));
  return fmt::format("{{\"levels\": [{}]{}}}", levels, routing);
}

/// `inside`: the sizes of a group, as members of the object.
template <class Groups>
std::string groups_json(Groups const& d, std::string const& inside) {
  return fmt::format("{{{}{}, \"local\": {}, \"global_links\": {}, \"global\": {}{}}}",
                     d.groups > 0 ? fmt::format("\"groups\": {}, ", d.groups) : "", inside,
                     link_json(d.local), d.global_links, link_json(d.global), routing_json(d.routing));
}

std::string dragonfly_json(Dragonfly const& d) {
  return groups_json(
      d, fmt::format("\"switches_per_group\": {}, \"nodes_per_switch\": {}", d.switches, d.nodes_per_switch));
}

std::string dragonfly_plus_json(DragonflyPlus const& d) {
  return groups_json(
      d, fmt::format("\"leaves_per_group\": {}, \"spines_per_group\": {}, \"nodes_per_leaf\": {}", d.leaves,
                     d.spines, d.nodes_per_leaf));
}

}  // namespace

std::vector<Key> fabric_keys() {
  return {{.name = "fat_tree",
           .value = {rule::object(fat_tree_table)},
           .meaning = "a fat tree; excludes `subnets`",
           .default_text = "none"},
          {.name = "dragonfly",
           .value = {rule::object(dragonfly_table)},
           .meaning = "a dragonfly; excludes `subnets` and `fat_tree`",
           .default_text = "none"},
          {.name = "dragonfly_plus",
           .value = {rule::object(dragonfly_plus_table)},
           .meaning = "a dragonfly+; excludes `subnets`, `fat_tree` and `dragonfly`",
           .default_text = "none"}};
}

void read_fabric(Fabric& fabric, JsonReader const& network) {
  bool has_one = false;
  auto const find = [&](char const* key) {
    auto const found = network.find(key);
    if (found && has_one)
      found->fail(
          "a second fabric (a node would be behind two switches at once). Keep one of \"fat_tree\", "
          "\"dragonfly\" and \"dragonfly_plus\"");
    has_one = has_one || found;
    return found;
  };
  if (auto const tree = find("fat_tree")) fabric = read_fat_tree(*tree);
  if (auto const dragonfly = find("dragonfly")) fabric = read_dragonfly(*dragonfly);
  if (auto const plus = find("dragonfly_plus")) fabric = read_dragonfly_plus(*plus);
}

std::pair<std::string, std::string> fabric_json(Fabric const& fabric) {
  if (auto const* const tree = std::get_if<FatTree>(&fabric)) return {"fat_tree", tree_json(*tree)};
  if (auto const* const d = std::get_if<Dragonfly>(&fabric)) return {"dragonfly", dragonfly_json(*d)};
  if (auto const* const d = std::get_if<DragonflyPlus>(&fabric))
    return {"dragonfly_plus", dragonfly_plus_json(*d)};
  return {};
}

}  // namespace factosim
