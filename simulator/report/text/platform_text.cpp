#include "simulator/report/text/platform_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "platforms/bus_rates.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/format.hpp"

namespace factosim {

namespace {

using Row = std::vector<std::string>;

/// Formats rows with aligned columns; the last column is not padded.
std::string aligned(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (Row const& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (Row const& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c + 1 == row.size() ? row[c] : fmt::format("{:<{}}  ", row[c], widths[c]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string kernels_of(NodeType const& type) {
  if (type.cycle_time.value > 0) return format_duration(type.cycle_time) + " a tile update";
  return type.kernels_file.empty() ? "none" : std::filesystem::path(type.kernels_file).filename().string();
}

std::string ram_of(NodeType const& type) { return type.ram.value > 0 ? format_bytes(type.ram) : "no limit"; }

std::string network_lines(NetworkSpec const& network) {
  std::string out =
      fmt::format("network  switch: {}, wire {}\n", switch_text(network), wire_names.name_of(network.wire));
  for (Subnet const& subnet : network.subnets)
    out += fmt::format("         subnet {}: uplink {}\n", subnet.name, rate_text(subnet.uplink));
  return out;
}

}  // namespace

std::string platform_text(Platform const& platform) {
  std::vector<Row> rows{
      {"machine", "nodes", "cores", "GPUs", "RAM to GPU", "RAM", "network card", "kernels", ""}};
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    NodeType const& type = platform.types[t];
    rows.push_back({type.name, std::to_string(std::ranges::count(platform.nodes, t)),
                    std::to_string(type.cores), gpus_text(type), gpu_rates_text(type), ram_of(type),
                    cards_text(type.nics) + rate_text(type.nic), kernels_of(type),
                    type.estimate ? "ESTIMATE" : ""});
  }
  std::string out = aligned(rows) + network_lines(platform.network);
  if (platform.network.estimate) out += "         ESTIMATE: " + platform.network.provenance + "\n";
  for (NodeType const& type : platform.types)
    if (type.estimate) out += fmt::format("{}: ESTIMATE: {}\n", type.name, type.provenance);
  for (std::string const& finding : platform.findings) out += "finding  " + finding + "\n";
  return out;
}

}  // namespace factosim
