#include "platforms/presets.hpp"

#include "factosim/error.hpp"
#include "platforms/platform_fields.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"

namespace factosim {

namespace {

/// The disk that is assumed where a run computes out of core and its node types have none.
constexpr char const* default_disk = "sata-ssd";

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

namespace {

Fields<DiskSpec> disk_fields() {
  using O = DiskSpec;
  return {
      field<&O::read>("read", "of a copy from the disk to RAM that is alone",
                      {.missing = "bandwidth and latency of reads"}),
      field<&O::write>("write", "of a copy from RAM to the disk that is alone",
                       {.missing = "bandwidth and latency of writes"}),
      field<&O::half_duplex>("half_duplex",
                             "reads and writes take turns; else they do not slow each other down"),
      field<&O::size>(
          "size_bytes", {rule::integer(1, max_bytes, "B")}, "size of the disk",
          {.default_text = "no limit", .rank = 1, .applies = [](O const& o) { return o.size.value > 0; }}),
      field<&O::model>("model", "name of the disk", {.rank = -1}),
      field<&O::estimate>(
          "estimate", "values are assumed, of a data sheet or of another disk, not measured on the machine"),
      field<&O::provenance>("provenance", "where the values come from")};
}

/// A file of a usual disk.
Object<DiskSpec> const& disk_file() {
  static Object<DiskSpec> const object(
      "usual disk", "A disk that platforms and scenarios can name. `factosim-disk`, version 1.",
      fields_of_file<DiskSpec>("factosim-disk") + disk_fields());
  return object;
}

ValueRules disk_file_rules() { return {rule::object(disk_preset_table)}; }

}  // namespace

Object<DiskSpec> const& object_of(DiskSpec const* /*any*/) {
  static Object<DiskSpec> const object(
      "disk",
      "A disk of a node: a memory node of runs with `runtime/out_of_core`. Copies in one "
      "direction follow each other.",
      disk_fields());
  return object;
}

ObjectKeys const& disk_preset_table() { return disk_file().keys; }

DiskSpec read_disk_file(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(disk_file_rules);
  json.check_own_format("factosim-disk", 1);
  DiskSpec out;
  out.model = file.stem().string();
  read_object(json, disk_file(), &out);
  return out;
}

DiskSpec read_disk(JsonReader const& json) {
  return json.is_string() ? read_disk_file(read_path_or_name(json, ShippedKind::disk))
                          : read_object<DiskSpec>(json);
}

DiskSpec assumed_disk() {
  auto const file = file_named(ShippedKind::disk, default_disk, "");
  if (!file)
    throw InputError(std::string("platforms/disks/") + default_disk + ".json",
                     "is not there (a run out of core without a described disk takes it). Give "
                     "\"runtime/disk\", or install the data files");
  return read_disk_file(*file);
}

}  // namespace factosim
