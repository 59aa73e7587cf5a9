#include "platforms/network_preset.hpp"

#include "platforms/platform_fields.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

/// A file of a usual network.
Object<NetworkPreset> const& network_file() {
  using O = NetworkPreset;
  static Object<O> const object(
      "usual network", "A network that platforms and scenarios can name. `factosim-network`, version 1.",
      fields_of_file<O>("factosim-network") + within<&O::spec>(fabric_fields()) +
          within<&O::spec>(Fields<NetworkSpec>{efficiency_field()}) +
          Fields<O>{field<&O::nics>("nics", {rule::integer(1, 64, "cards")}, "cards of a node"),
                    field<&O::nic>("nic",
                                   "the card of each node; a message crosses two, so its "
                                   "latency is half that of a message",
                                   {.missing = "the card of each node"})} +
          within<&O::spec>(Fields<NetworkSpec>{
              field<&NetworkSpec::wire, wire_names>(
                  "wire", "how messages from one node to another share their connection"),
              field<&NetworkSpec::estimate>("estimate", "values are assumed or of other machines")}) +
          Fields<O>{field<&O::description>("description", "one line about it")} +
          within<&O::spec>(Fields<NetworkSpec>{
              field<&NetworkSpec::provenance>("provenance", "where the values come from")}));
  return object;
}

ValueRules network_file_rules() { return {rule::object(network_preset_table)}; }

}  // namespace

ObjectKeys const& network_preset_table() { return network_file().keys; }

NetworkPreset read_network_file(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(network_file_rules);
  json.check_own_format("factosim-network", 1);
  check_fabrics(json);
  NetworkPreset out;
  out.name = file.stem().string();
  read_object(json, network_file(), &out);
  return out;
}

NetworkPreset read_network_preset(JsonReader const& json) {
  return read_network_file(read_path_or_name(json, ShippedKind::network));
}

}  // namespace factosim
