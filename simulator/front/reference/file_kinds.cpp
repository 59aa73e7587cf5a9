#include "simulator/front/reference/file_kinds.hpp"

#include <algorithm>

#include "models/kernel_model_json.hpp"
#include "platforms/disk_preset.hpp"
#include "platforms/network_preset.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/tasks/schedule/schedule_json.hpp"

namespace factosim {

namespace {

void add_tables(ValueRules const& rules, std::vector<KeysFunction>& out) {
  for (ValueRule const& rule : rules) {
    if (rule.keys != nullptr && std::ranges::find(out, rule.keys) == out.end()) out.push_back(rule.keys);
    add_tables(rule.items, out);
  }
}

}  // namespace

std::vector<FileKind> const& file_kinds() {
  static std::vector<FileKind> const kinds{
      {"scenario", scenario_table}, {"platform", platform_table}, {"network", network_preset_table},
      {"kernels", kernels_table},   {"sweep", sweep_table},       {"result", result_table},
      {"schedule", schedule_table}, {"disk", disk_preset_table}};
  return kinds;
}

std::string slug(ObjectKeys const& table) {
  std::string out = table.title;
  std::ranges::replace(out, ' ', '-');
  return out;
}

std::vector<KeysFunction> tables_within(ObjectKeys const& table) {
  std::vector<KeysFunction> out;
  for (Key const& key : table.keys) add_tables(key.value, out);
  for (ObjectKeys::Variant const& variant : table.variants) {
    for (Key const& key : variant.keys) add_tables(key.value, out);
    add_tables(variant.others, out);
  }
  return out;
}

std::string unit_of(ValueRules const& rules) {
  for (ValueRule const& rule : rules) {
    if (!rule.unit.empty()) return rule.unit;
    if (std::string unit = unit_of(rule.items); !unit.empty()) return unit;
  }
  return {};
}

}  // namespace factosim
