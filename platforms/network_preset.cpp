#include "platforms/network_preset.hpp"

#include "platforms/fabric_json.hpp"
#include "platforms/link_reader.hpp"
#include "platforms/message_efficiency.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

ValueRules network_file_rules() { return {rule::object(network_preset_table)}; }

}  // namespace

ObjectKeys const& network_preset_table() {
  static ObjectKeys const table{
      .title = "usual network",
      .meaning = "A network that platforms and scenarios can name. `factosim-network`, version 1.",
      .keys = joined(
          joined(file_keys("factosim-network"), fabric_keys()),
          {efficiency_key(),
           {.name = "nics",
            .value = {rule::integer(1, 64, "cards")},
            .meaning = "cards of a node",
            .default_value = NetworkPreset{}.nics},
           {.name = "nic",
            .value = {rule::object(link_table)},
            .meaning =
                "the card of each node; a message crosses two, so its latency is half that of a message",
            .required = true},
           {.name = "wire",
            .value = {rule::word(wire_names.names())},
            .meaning = "how messages from one node to another share their connection",
            .default_value = wire_names.name_of(NetworkPreset{}.wire)},
           {.name = "estimate",
            .value = {rule::boolean()},
            .meaning = "values are assumed or of other machines",
            .default_value = NetworkPreset{}.estimate},
           {.name = "description",
            .value = {rule::text()},
            .meaning = "one line about it",
            .default_value = ""},
           {.name = "provenance",
            .value = {rule::text()},
            .meaning = "where the values come from",
            .default_value = ""}})};
  return table;
}

NetworkSpec NetworkPreset::network() const {
  NetworkSpec out;
  out.fabric = fabric;
  out.efficiency = efficiency;
  out.wire = wire;
  out.estimate = estimate;
  out.provenance = provenance;
  return out;
}

NetworkPreset read_network_file(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(network_file_rules);
  json.check_own_format("factosim-network", 1);
  NetworkPreset out{.name = file.stem().string(),
                    .nic = read_link(json.at("nic", "the card of each node")),
                    .description = {},
                    .provenance = {}};
  read_fabric(out.fabric, json);
  read_efficiency(out.efficiency, json);
  if (auto const nics = json.find("nics")) out.nics = static_cast<std::uint32_t>(nics->integer());
  if (auto const wire = json.find("wire")) out.wire = wire_names.named(wire->one_of());
  if (auto const estimate = json.find("estimate")) out.estimate = estimate->boolean();
  if (auto const description = json.find("description")) out.description = description->string();
  if (auto const provenance = json.find("provenance")) out.provenance = provenance->string();
  json.finish();
  return out;
}

NetworkPreset read_network_preset(JsonReader const& json) {
  return read_network_file(read_path_or_name(json, ShippedKind::network));
}

}  // namespace factosim
