#include "platforms/platform_fields.hpp"

#include <fmt/format.h>

#include "platforms/platform_limits.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

/// `bandwidth`: what messages call it where it is missing.
Fields<LinkRate> rate_fields(char const* bandwidth) {
  return {field<&LinkRate::bandwidth>("bandwidth_Bps", "bandwidth, each way", {.missing = bandwidth}),
          field<&LinkRate::latency>("latency_s", "latency", {.missing = "seconds"})};
}

}  // namespace

Object<LinkRate> const& object_of(LinkRate const* /*any*/) {
  static Object<LinkRate> const object("link", "A link between nodes and switches.",
                                       rate_fields("bytes per second, each way"));
  return object;
}

Object<LinkSpec> const& object_of(LinkSpec const* /*any*/) {
  static Object<LinkSpec> const object(
      "bus link", "A link inside a node.",
      Fields<LinkSpec>{
          field<&LinkSpec::name>("name", "name in routes", {.missing = "what routes call the link"})} +
          within<&LinkSpec::rate>(rate_fields("bytes per second")));
  return object;
}

namespace {

constexpr std::size_t max_levels = 4, max_points = 1000;
constexpr int after_others = 1;  // rank of these keys in a platform's network

/// Returns the field of a number from 1 to `most`, or of a link, of objects that are required to have it.
template <auto member>
auto count_field(char const* name, std::int64_t most, char const* unit, char const* meaning,
                 char const* missing = "") {
  return field<member>(name, {rule::integer(1, most, unit)}, meaning, {.required = true, .missing = missing});
}
template <auto member>
auto link_field(char const* meaning, char const* name, char const* missing) {
  return field<member>(name, meaning, {.missing = missing});
}

/// Returns a key of the leaves of a tree that has no other levels.
template <auto member>
Field<FatTree> leaf_field(char const* name, ValueRules rules, char const* meaning, char const* source = "") {
  return field<FatTree>(
      name, std::move(rules), meaning,
      {.default_text = "required without `levels`",
       .source = source,
       .applies =
           [](FatTree const& tree) { return tree.levels.size() == 1 && tree.levels.front().parallel == 1; },
       .read =
           [](JsonReader const& json, FatTree& tree) {
             if (tree.levels.empty()) tree.levels.emplace_back();
             read_value(json, tree.levels.front().*member);
           },
       .write = [](FatTree const& tree) { return written(tree.levels.front().*member); }});
}

/// Throws InputError unless a tree is described by its levels, or by all keys of its leaves.
void check_leaves(JsonReader const& json) {
  auto const levels = json.find("levels");
  for (auto const& [key, meaning] : {std::pair{"nodes_per_leaf", "nodes that a leaf switch joins"},
                                     {"uplinks", "links each way between a leaf and the spine"},
                                     {"uplink", "one of them"}}) {
    if (!levels)
      (void)json.at(key, meaning);
    else if (auto const other = json.find(key))
      other->fail(fmt::format(
          "stands beside \"levels\" (which describes the leaves too). Keep \"levels\" or \"{}\"", key));
  }
}

/// The keys of groups that are joined in pairs around those of a group.
template <class Groups>
Fields<Groups> group_fields(Fields<Groups> const& inside, char const* local, char const* routing,
                            char const* source) {
  Fields<Groups> const groups{
      field<&Groups::groups>("groups", {rule::integer(1, 100'000, "groups")},
                             "groups of the machine; nodes fill them in the platform's order",
                             {.default_text = "as many as the nodes need",
                              .applies = [](Groups const& g) { return g.groups > 0; }})};
  return groups + inside +
         Fields<Groups>{link_field<&Groups::local>(local, "local", "between two switches of a group"),
                        field<&Groups::global_links>("global_links", {rule::integer(1, 10'000, "links")},
                                                     "links between two groups", {.default_text = "1"}),
                        link_field<&Groups::global>("one of them", "global", "between two groups"),
                        field<&Groups::routing, routing_names>("routing", routing,
                                                               {.source = source, .echo = Echo::if_changed})};
}

template <class Kind>
Field<NetworkSpec> fabric_field(char const* name, char const* meaning) {
  return field<NetworkSpec>(name, rules_of<Kind>(), meaning,
                            {.default_text = "none",
                             .rank = after_others,
                             .read =
                                 [](JsonReader const& json, NetworkSpec& network) {
                                   if constexpr (std::is_same_v<Kind, FatTree>) check_leaves(json);
                                   network.fabric = read_object<Kind>(json);
                                 },
                             .write =
                                 [](NetworkSpec const& network) {
                                   auto const* const fabric = std::get_if<Kind>(&network.fabric);
                                   return fabric == nullptr ? nlohmann::ordered_json() : written(*fabric);
                                 }});
}

/// Sizes and bandwidths of messages as their keys state them.
struct EfficiencyKeys {
  std::optional<double> half_bandwidth_bytes;
  std::vector<std::int64_t> bytes;
  std::vector<double> bandwidth;
};

Object<EfficiencyKeys> const& object_of(EfficiencyKeys const* /*any*/) {
  using O = EfficiencyKeys;
  auto const measured = [](O const& o) { return !o.bytes.empty(); };
  static Object<O> const object(
      "efficiency",
      "Bandwidth of messages by their size, relative to that of the links; in addition to "
      "latencies. A message takes its links as long as if it were larger.",
      {field<&O::half_bandwidth_bytes>(
           "half_bandwidth_bytes", {rule::number(0, 1e15, "B")},
           "size at which half of the bandwidth is reached: n / (n + this) of it for n bytes",
           {.default_text = "0; excludes the others", .source = "Hockney, 1994, n_1/2"}),
       field<&O::bytes>("bytes", {rule::array({rule::integer(1, max_bytes, "B")}, 1, max_points)},
                        "sizes that were measured, increasing",
                        {.default_text = "none", .applies = measured}),
       field<&O::bandwidth>(
           "bandwidth_Bps", {rule::array({rule::positive("B/s")}, 1, max_points)},
           "bandwidth of each of these sizes; the largest is that of the links. Excess bytes "
           "are interpolated linearly, and constant outside",
           {.default_text = "none", .applies = measured})});
  return object;
}

MessageEfficiency read_efficiency(JsonReader const& json) {
  auto const keys = read_object<EfficiencyKeys>(json);
  auto const bytes = json.find("bytes"), bandwidth = json.find("bandwidth_Bps");
  MessageEfficiency out;
  if (keys.half_bandwidth_bytes) {
    if (bytes || bandwidth)
      json.at("half_bandwidth_bytes")
          .fail(
              "stands beside measured sizes (either says how bandwidth depends on size). Keep "
              "\"half_bandwidth_bytes\", or \"bytes\" and \"bandwidth_Bps\"");
    out.half_bandwidth_bytes = *keys.half_bandwidth_bytes;
    return out;
  }
  auto const sizes = json.at("bytes", "sizes that were measured").elements();
  auto const rates = json.at("bandwidth_Bps", "bandwidth of each size").elements();
  if (sizes.empty() || sizes.size() > max_points)
    bytes->fail(
        fmt::format("has {} sizes (1 to {} are interpolated). Give some of them", sizes.size(), max_points));
  if (sizes.size() != rates.size())
    bandwidth->fail(fmt::format("{} bandwidths for {} sizes (each size has one). Give {}", rates.size(),
                                sizes.size(), sizes.size()));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.measured.emplace_back(Bytes{keys.bytes[i]}, BytesPerSecond{keys.bandwidth[i]});
    if (i > 0 && keys.bytes[i] <= keys.bytes[i - 1])
      sizes[i].fail("is not above the size before it (sizes are interpolated in order). Sort them");
  }
  return out;
}

nlohmann::ordered_json written_efficiency(MessageEfficiency const& efficiency) {
  EfficiencyKeys keys;
  if (efficiency.measured.empty()) {
    if (efficiency.half_bandwidth_bytes == 0) return {};
    keys.half_bandwidth_bytes = efficiency.half_bandwidth_bytes;
  }
  for (auto const& [size, rate] : efficiency.measured) {
    keys.bytes.push_back(size.value);
    keys.bandwidth.push_back(rate.value);
  }
  return written(keys);
}

}  // namespace

Object<FatTreeLevel> const& object_of(FatTreeLevel const* /*any*/) {
  using O = FatTreeLevel;
  static Object<O> const object(
      "fat_tree level", "Switches of one level and their links to the next one.",
      {count_field<&O::down>("down", 1'000'000, "",
                             "nodes, or switches of the level below, under each switch",
                             "what each switch joins"),
       count_field<&O::up>("up", 10'000, "switches", "of the next level that each switch is joined to",
                           "switches above each switch"),
       field<&O::parallel>("parallel", {rule::integer(1, 10'000, "links")}, "to each of them",
                           {.default_text = "1"}),
       link_field<&O::uplink>("one of these links", "uplink", "a link upwards")});
  return object;
}

Object<FatTree> const& object_of(FatTree const* /*any*/) {
  using O = FatTree;
  static Object<O> const object(
      "fat_tree",
      "Levels of switches under a top that never limits (D-mod-k routing). `nodes_per_leaf`, "
      "`uplinks` and `uplink` describe one level, `levels` any number up to 4.",
      {leaf_field<&FatTreeLevel::down>("nodes_per_leaf", {rule::integer(1, 1'000'000, "nodes")},
                                       "nodes that a leaf switch joins, in the platform's order",
                                       "Zahavi, 2010"),
       leaf_field<&FatTreeLevel::up>("uplinks", {rule::integer(1, 10'000, "links")},
                                     "links each way between a leaf and the spine"),
       leaf_field<&FatTreeLevel::uplink>("uplink", rules_of<LinkRate>(), "one of them"),
       field<&O::levels>(
           "levels", {rule::array(rules_of<FatTreeLevel>(), 1, max_levels)},
           "levels of switches from the leaves up, without the top: two make a fat tree of "
           "three levels",
           {.default_text = "one, by the keys above",
            .source = "Zahavi, 2010; SimGrid `topo_parameters`",
            .applies = [](O const& o) { return o.levels.size() > 1 || o.levels.front().parallel > 1; },
            .check =
                [](JsonReader const& json, O const& o) {
                  if (o.levels.empty() || o.levels.size() > max_levels)
                    json.fail(fmt::format(
                        "has {} levels (routes have room for {}, and the leaves are one). Give 1 to {}",
                        o.levels.size(), max_levels, max_levels));
                }}),
       field<&O::routing, routing_names>(
           "routing", {rule::word({"minimal", "adaptive"})},
           "`minimal`: the destination chooses the links (D-mod-k); `adaptive`: the least "
           "loaded of four routes when the message starts",
           {.echo = Echo::if_changed})});
  return object;
}

Object<Dragonfly> const& object_of(Dragonfly const* /*any*/) {
  using O = Dragonfly;
  static Object<O> const object(
      "dragonfly", "Groups of switches. All switches of a group are joined in pairs, and so are all groups.",
      group_fields<O>(
          {count_field<&O::switches>("switches_per_group", 10'000, "switches", "switches of a group"),
           count_field<&O::nodes_per_switch>("nodes_per_switch", 1'000'000, "nodes",
                                             "cards of nodes at a switch")},
          "link between two switches of a group",
          "`minimal`: over a link between the two groups that the destination chooses; `valiant`: through a "
          "third group, drawn from sender and receiver; `adaptive`: the least loaded when the message "
          "starts, of all minimal routes and three through other groups, or inside a group other switches, "
          "whose load counts twice",
          "Kim et al., 2008; Singh, 2005"));
  return object;
}

Object<DragonflyPlus> const& object_of(DragonflyPlus const* /*any*/) {
  using O = DragonflyPlus;
  static Object<O> const object(
      "dragonfly_plus",
      "Groups of leaf and spine switches. Each leaf of a group is joined to each of its spines, "
      "and all groups are joined in pairs, at spines.",
      group_fields<O>(
          {count_field<&O::leaves>("leaves_per_group", 10'000, "switches", "leaf switches of a group"),
           count_field<&O::spines>("spines_per_group", 10'000, "switches", "spine switches of a group"),
           count_field<&O::nodes_per_leaf>("nodes_per_leaf", 1'000'000, "nodes", "cards of nodes at a leaf")},
          "link between a leaf and a spine",
          "`minimal`: over the spine, or the link between the two groups, that the destination chooses; "
          "`valiant`: through a third group, drawn from sender and receiver; `adaptive`: the least loaded "
          "when the message starts, of all minimal routes and three through other groups, whose load counts "
          "twice",
          "Shpiner et al., 2017"));
  return object;
}

Fields<NetworkSpec> fabric_fields() {
  return {fabric_field<FatTree>("fat_tree", "a fat tree; excludes `subnets`"),
          fabric_field<Dragonfly>("dragonfly", "a dragonfly; excludes `subnets` and `fat_tree`"),
          fabric_field<DragonflyPlus>("dragonfly_plus",
                                      "a dragonfly+; excludes `subnets`, `fat_tree` and `dragonfly`")};
}

void check_fabrics(JsonReader const& network) {
  bool has_one = false;
  for (AnyField const& fabric : fabric_fields()) {
    auto const found = network.find(fabric.key.name);
    if (found && has_one)
      found->fail(
          "a second fabric (a node would be behind two switches at once). Keep one of \"fat_tree\", "
          "\"dragonfly\" and \"dragonfly_plus\"");
    has_one = has_one || found;
  }
}

Field<NetworkSpec> efficiency_field() {
  return field<NetworkSpec>(
      "efficiency", rules_of<EfficiencyKeys>(), "how the bandwidth of messages depends on their size",
      {.default_text = "it does not",
       .rank = after_others,
       .read = [](JsonReader const& json,
                  NetworkSpec& network) { network.efficiency = read_efficiency(json); },
       .write = [](NetworkSpec const& network) { return written_efficiency(network.efficiency); }});
}

}  // namespace factosim
