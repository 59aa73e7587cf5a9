#include <algorithm>
#include <array>

#include "platforms/platform_fields.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/base/core/json_layout.hpp"

namespace factosim {

namespace {

/// One link, route or node list entry a line.
bool in_lines(std::string_view parent, std::string_view key) {
  static constexpr std::array keys{"",     "node_types", "network", "nodes",     "findings",      "gpus",
                                   "bus",  "links",      "routes",  "predicted", "bandwidth_Bps", "latency_s",
                                   "disk", "subnets"};
  return parent == "node_types" || std::ranges::find(keys, key) != keys.end();
}

std::vector<NodeRun> runs_of(Platform const& platform) {
  std::vector<NodeRun> runs;
  std::uint32_t type = 0;
  for (std::uint32_t const node : platform.nodes) {
    if (runs.empty() || node != type) runs.push_back({.type = platform.types[node].name});
    ++runs.back().count;
    type = node;
  }
  return runs;
}

}  // namespace

std::string platform_json(Platform const& platform, std::filesystem::path const& folder) {
  nlohmann::ordered_json out{{"format", "factosim-platform"}, {"version", 1}};
  for (NodeType type : platform.types) {
    if (std::filesystem::path const kernels = type.kernels_file; !kernels.empty())
      type.kernels_file = kernels.lexically_proximate(folder).generic_string();
    out["node_types"][type.name] = written_node_type(type);
  }
  write_fields(out["network"], network_fields(), platform.network);
  out["nodes"] = written(runs_of(platform));
  if (platform.worker_costs) out["runtime"] = written(*platform.worker_costs);
  if (!platform.findings.empty()) out["findings"] = platform.findings;
  return json_file_text(out, in_lines);
}

}  // namespace factosim
