#include "platforms/disk_preset.hpp"

#include "factosim/error.hpp"
#include "platforms/link_reader.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"

namespace factosim {

namespace {

ValueRules disk_file_rules() { return {rule::object(disk_preset_table)}; }

std::vector<Key> disk_keys() {
  auto const rate = [](char const* name, char const* meaning) {
    return Key{.name = name, .value = {rule::object(link_table)}, .meaning = meaning, .required = true};
  };
  return {rate("read", "of a copy from the disk to RAM that is alone"),
          rate("write", "of a copy from RAM to the disk that is alone"),
          {.name = "half_duplex",
           .value = {rule::boolean()},
           .meaning = "reads and writes take turns; else they do not slow each other down",
           .default_value = DiskSpec{}.half_duplex},
          {.name = "size_bytes",
           .value = {rule::integer(1, max_bytes, "B")},
           .meaning = "size of the disk",
           .default_text = "no limit"},
          {.name = "model", .value = {rule::text()}, .meaning = "name of the disk", .default_value = ""},
          {.name = "estimate",
           .value = {rule::boolean()},
           .meaning = "values are assumed, of a data sheet or of another disk, not measured on the machine",
           .default_value = DiskSpec{}.estimate},
          {.name = "provenance",
           .value = {rule::text()},
           .meaning = "where the values come from",
           .default_value = ""}};
}

DiskSpec read_disk_keys(JsonReader const& json, std::string model) {
  DiskSpec out{.model = std::move(model),
               .read = read_link(json.at("read", "bandwidth and latency of reads")),
               .write = read_link(json.at("write", "bandwidth and latency of writes")),
               .provenance = {}};
  if (auto const half = json.find("half_duplex")) out.half_duplex = half->boolean();
  if (auto const size = json.find("size_bytes")) out.size = {size->integer()};
  if (auto const name = json.find("model")) out.model = name->string();
  if (auto const estimate = json.find("estimate")) out.estimate = estimate->boolean();
  if (auto const provenance = json.find("provenance")) out.provenance = provenance->string();
  json.finish();
  return out;
}

}  // namespace

ObjectKeys const& disk_table() {
  static ObjectKeys const table{
      .title = "disk",
      .meaning =
          "A disk of a node: a memory node of runs with `runtime/out_of_core`. Copies in one "
          "direction follow each other.",
      .keys = disk_keys()};
  return table;
}

ObjectKeys const& disk_preset_table() {
  static ObjectKeys const table{
      .title = "usual disk",
      .meaning = "A disk that platforms and scenarios can name. `factosim-disk`, version 1.",
      .keys = joined(file_keys("factosim-disk"), disk_keys())};
  return table;
}

DiskSpec read_disk_file(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(disk_file_rules);
  json.check_own_format("factosim-disk", 1);
  return read_disk_keys(json, file.stem().string());
}

DiskSpec read_disk(JsonReader const& json) {
  return json.is_string() ? read_disk_file(read_path_or_name(json, ShippedKind::disk))
                          : read_disk_keys(json, "");
}

DiskSpec assumed_disk() {
  auto const file = file_named(ShippedKind::disk, default_disk, "");
  if (!file)
    throw InputError(
        std::string("platforms/disks/") + default_disk + ".json",
        "is not there (a run out of core without a described disk takes it). Give \"runtime/disk\", "
        "or install the data files");
  return read_disk_file(*file);
}

}  // namespace factosim
