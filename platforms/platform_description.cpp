// Platforms as files and scenarios describe them: whole, merged from others, with variants of their node types.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "platforms/fabric.hpp"
#include "platforms/platform_composition.hpp"
#include "platforms/platform_fields.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

ValueRules node_list_rules() { return {node_list_rule()}; }

/// Reads "network" of a platform.
PlatformNetwork read_platform_network(JsonReader const& json) {
  check_fabrics(json);
  auto out = read_object<PlatformNetwork>(json);
  for (AnyField const& fabric : fabric_fields())
    if (auto const given = json.find(fabric.key.name); given && !out.spec.subnets.empty())
      given->fail(fmt::format(
          "a {} and subnets (a node would be behind two switches at once). Keep \"{}\" or \"subnets\"",
          name_of_fabric(out.spec.fabric), fabric.key.name));
  return out;
}

/// Reads the nodes of a part.
std::vector<NodeRun> read_nodes(JsonReader const& given, PlatformPart const& part) {
  JsonReader const json = given.by(node_list_rules);
  if (!json.value().is_array() && !part.types.empty())
    json.fail(
        fmt::format("{} is no list (of types of nodes and their numbers). Write "
                    "[{{\"type\": \"{}\", \"count\": 4}}]",
                    json_text(json.value()), part.types.begin()->first));
  std::vector<NodeRun> nodes;
  std::size_t count = 0;
  for (JsonReader const& entry : json.elements()) {
    auto const& run = nodes.emplace_back(read_object<NodeRun>(entry));
    if (part.find(run.type) == nullptr) {
      auto const names = std::views::keys(part.types);
      entry.at("type").fail(
          fmt::format("no node type is called \"{}\" (the platform does not describe it). {}", run.type,
                      use_one_of(run.type, std::vector<std::string>(names.begin(), names.end()))));
    }
    if (run.count > max_nodes - count)
      entry.fail(fmt::format("makes more than {} nodes (no cluster has so many). Use fewer", max_nodes));
    count += run.count;
  }
  if (count == 0) json.fail("no nodes (nothing could compute). List at least one {\"type\", \"count\"}");
  return nodes;
}

/// Adds the node types that an object describes to a part. A variant may be one of another variant.
class TypeReader {
 public:
  TypeReader(PlatformPart& part, JsonReader const& types) : part_(part) {
    for (auto const& [name, json] : types.members()) described_.emplace(name, json);
  }

  void read_all() {
    for (auto const& [name, json] : described_) (void)read(name, json);
  }

 private:
  NodeType const& read(std::string const& name, JsonReader const& json) {
    if (NodeType const* const type = part_.find(name); type != nullptr && read_.contains(name)) return *type;
    NodeType type = json.value().is_object() && json.value().contains("of") ? variant(name, json)
                                                                            : whole_type(name, json);
    check_subnet(type, json);
    part_.types.insert_or_assign(name, PlatformPart::Type{std::move(type), json.where()});
    read_.insert(name);
    return *part_.find(name);
  }

  NodeType whole_type(std::string const& name, JsonReader const& json) const {
    if (part_.find(name) != nullptr)
      json.fail(fmt::format(
          "describes a second node type \"{0}\", which a platform beside it has (nodes could mean either). "
          "Choose another name, or write {{\"of\": \"{0}\", ...}} to change some keys",
          name));
    NodeType type = read_node_type(name, json);
    if (part_.nic) {
      type.nic = *part_.nic;
      type.nics = part_.nics;
    }
    return type;
  }

  void check_subnet(NodeType const& type, JsonReader const& json) const {
    auto const& subnets = part_.network.subnets;
    if (type.subnet.empty() || std::ranges::find(subnets, type.subnet, &Subnet::name) != subnets.end())
      return;
    (json.value().contains("subnet") ? json.at("subnet") : json)
        .fail(fmt::format("no subnet is called \"{}\" (its uplink would be unknown). {}Add it to "
                          "network/subnets, or leave it out for the core switch",
                          type.subnet, did_you_mean(type.subnet, names_of(subnets))));
  }

  NodeType variant(std::string const& name, JsonReader const& json) {
    JsonReader const of = json.at("of", "the node type whose values it has");
    std::string const base = of.string();
    auto const own = described_.find(base);
    if (own == described_.end() || base == name) {  // a platform beside it has it
      if (NodeType const* const type = part_.find(base)) return read_derived_type(name, json, *type);
      of.fail(fmt::format("no node type is called \"{}\" (a variant has the values of another one). {}", base,
                          known_types(base, name)));
    }
    if (!open_.insert(name).second)
      of.fail(fmt::format(
          "\"{}\" is a variant of itself (no node type says its values). Describe one of them whole", name));
    NodeType const type = read(base, own->second);
    open_.erase(name);
    return read_derived_type(name, json, type);
  }

  [[nodiscard]] std::string known_types(std::string const& word, std::string const& but) const {
    std::set<std::string> names;
    for (auto const& [name, type] : part_.types) names.insert(name);
    for (auto const& [name, json] : described_) names.insert(name);
    names.erase(but);
    if (names.empty()) return "Add the platform that has it to \"merge\"";
    return use_one_of(word, std::vector<std::string>(names.begin(), names.end())) +
           "; or add the platform that has it to \"merge\"";
  }

  PlatformPart& part_;
  std::map<std::string, JsonReader> described_;
  std::set<std::string> read_, open_;
};

/// Reads files of platforms and what they merge.
class DescriptionReader {
 public:
  /// Reads a file; its nodes, if it has some.
  PlatformPart file(fs::path const& path) {
    nlohmann::json const parsed = parse_json_file(path);
    JsonReader const json = JsonReader(parsed, path.string()).by(platform_file_rules);
    json.check_own_format("factosim-platform", 1);
    if (auto const graph = json.find("graph"))
      graph->fail(
          "is a graph of processors (its messages take ways that only the application \"ring\" chooses). Use "
          "a platform with \"node_types\"");
    bool const merges = json.is_object() && parsed.contains("merge");
    auto const merge = merges ? std::optional(json.at("merge")) : std::nullopt;
    auto const types = merges ? json.find("node_types") : json.at("node_types", "the kinds of machines");
    auto const network = merges ? json.find("network") : json.at("network", "how nodes are joined");
    auto const nodes = json.find("nodes");
    auto const costs = json.find("runtime");
    auto const findings = json.find("findings");
    json.finish();

    open_.push_back(canonical(path));
    PlatformPart out = merge ? merged(*merge) : PlatformPart{};
    open_.pop_back();
    if (!merge || network) out.network_of = path.stem().string();
    if (costs) {
      out.worker_costs = read_object<WorkerCosts>(*costs);
      out.costs_of = path.stem().string();
    }
    extend(out, types, network);
    if (findings) out.add_findings(findings->strings());
    if (types && out.types.empty())
      types->fail("no node types (nothing could compute). Describe at least one");
    if (nodes) out.nodes = read_nodes(*nodes, out);
    return out;
  }

  /// Reads "merge": the parts of all platforms, without their nodes.
  PlatformPart merged(JsonReader const& json) {
    PlatformPart out;
    for (JsonReader const& entry : json.elements()) {
      auto const file_key = entry.is_object() ? entry.at("file", "the platform's file") : entry;
      auto const prefix = entry.is_object() ? entry.find("prefix") : std::nullopt;
      if (entry.is_object()) entry.finish();
      fs::path const path = read_path_or_name(file_key, ShippedKind::platform);
      if (std::ranges::find(open_, canonical(path)) != open_.end())
        file_key.fail("merges this file again (nothing would say what is in it). Remove it from \"merge\"");
      PlatformPart part = file(path);
      if (prefix) part.rename(prefix->string());
      out.add(std::move(part), entry);
    }
    if (out.types.empty()) json.fail("is empty (nothing could compute). Name at least one platform");
    return out;
  }

  /// Adds a network and node types that stand beside other platforms, or alone.
  static void extend(PlatformPart& part, std::optional<JsonReader> const& types,
                     std::optional<JsonReader> const& network) {
    if (network) part.set_network(read_platform_network(*network));
    if (types) TypeReader(part, *types).read_all();
  }

 private:
  static fs::path canonical(fs::path const& path) {
    std::error_code ignored;
    return fs::weakly_canonical(path, ignored);
  }

  std::vector<fs::path> open_;  // that are being read
};

/// Returns the platform of a part. One of one node type has a node, if it states none; another one must state some, `where`.
Platform with_nodes(PlatformPart part, JsonReader const& json, char const* where) {
  Platform out = std::move(part).whole();
  if (out.nodes.empty() && out.types.size() == 1) out.nodes = {0};
  if (out.nodes.empty())
    json.fail(
        fmt::format("the key \"nodes\" is missing (there are {} node types to choose from). Add [{{\"type\", "
                    "\"count\"}}, ...] {}",
                    out.types.size(), where));
  return out;
}

/// Removes node types without nodes, so that their kernel timings are not read.
void keep_used_types(Platform& platform) {
  std::map<std::uint32_t, std::uint32_t> place;  // by old place
  for (std::uint32_t const node : platform.nodes) place.emplace(node, 0);
  std::vector<NodeType> types;
  for (auto& [before, now] : place) {
    now = static_cast<std::uint32_t>(types.size());
    types.push_back(std::move(platform.types[before]));
  }
  platform.types = std::move(types);
  for (std::uint32_t& node : platform.nodes) node = place.at(node);
}

}  // namespace

Platform read_platform(fs::path const& file) {
  nlohmann::json const nothing;
  return with_nodes(DescriptionReader().file(file), JsonReader(nothing, file.string()),
                    "here or in the scenario");
}

Platform read_platform_types(fs::path const& file) {
  Platform platform = DescriptionReader().file(file).whole();
  if (platform.nodes.empty())
    for (std::uint32_t t = 0; t < platform.types.size(); ++t) platform.nodes.push_back(t);
  return platform;
}

Platform read_platform(JsonReader const& given) {
  JsonReader const json = given.by(platform_rules);
  if (json.is_string()) return read_platform(read_path_or_name(json, ShippedKind::platform));
  DescriptionReader reader;
  bool const merges = json.is_object() && json.value().contains("merge");
  auto const source = merges ? json.at("merge") : json.at("file", "the platform's file");
  auto const file = merges ? fs::path() : read_path_or_name(source, ShippedKind::platform);
  auto const types = json.find("node_types");
  auto const network = json.find("network");
  auto const nodes = json.find("nodes");
  auto const powers = json.find("power");
  auto const caps = json.find("gpu_caps_W");
  auto const co2 = json.find("co2_g_per_kWh");
  json.finish();
  PlatformPart part = merges ? reader.merged(source) : reader.file(file);
  DescriptionReader::extend(part, types, network);
  if (nodes) part.nodes = read_nodes(*nodes, part);
  nlohmann::json const nothing;
  bool const here = merges || types;
  Platform platform = with_nodes(std::move(part), here ? json : JsonReader(nothing, file.string()),
                                 here ? "beside it" : "here or in the scenario");
  for (NodeType& type : platform.types) {
    auto const power = powers ? powers->find(type.name) : std::nullopt;
    if (power) type.power = read_object<PowerSpec>(*power);
    auto const own_caps = caps ? caps->find(type.name) : std::nullopt;
    if (own_caps) read_gpu_caps(type, *own_caps);
    if (own_caps || power) check_gpu_caps(type, own_caps ? *own_caps : *power);
  }
  if (powers) powers->finish();
  if (caps) caps->finish();
  if (co2) platform.co2_per_kwh = co2->quantity();
  keep_used_types(platform);
  return platform;
}

}  // namespace factosim
