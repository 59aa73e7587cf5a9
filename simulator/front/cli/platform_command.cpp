#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "platforms/bus_rates.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figures.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

std::string kernels_of(NodeType const& type) {
  if (type.cycle_time.value > 0) return format_duration(type.cycle_time) + " a tile update";
  return type.kernels_file.empty() ? "none" : fs::path(type.kernels_file).filename().string();
}

std::string ram_of(NodeType const& type) { return type.ram.value > 0 ? format_bytes(type.ram) : "no limit"; }

std::string network_lines(NetworkSpec const& network) {
  std::string out =
      fmt::format("network  switch: {}, wire {}\n", switch_text(network), wire_names.name_of(network.wire));
  for (Subnet const& subnet : network.subnets)
    out += fmt::format("         subnet {}: uplink {}\n", subnet.name, rate_text(subnet.uplink));
  return out;
}

/// Formats the node types of a platform, their nodes and their network for a terminal.
std::string platform_text(Platform const& platform) {
  std::vector<std::vector<std::string>> rows{
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

struct PlatformArguments {
  std::string platform;
  fs::path output;
  bool json = false, force = false;
};

/// Reads the platform of a scenario, or a platform by its name or path.
Platform shown_platform(std::string const& given) {
  nlohmann::json const name = given;
  fs::path const file = given == standard_stream || fs::exists(given)
                            ? fs::path(given)
                            : read_path_or_name(JsonReader(name, "platform"), ShippedKind::platform);
  nlohmann::json const document = parse_json_file(file);
  if (document.is_object() && document.contains("application"))
    return read_platform(JsonReader(document, file.string()).at("platform", "the machines"));
  return read_platform_types(file);
}

void show(PlatformArguments const& a) {
  if (!a.output.empty()) {
    if (a.output != standard_stream) check_figure_name(a.output);
    refuse_to_overwrite(a.output, a.force);
  }
  Platform const platform = shown_platform(a.platform);
  if (!a.output.empty()) {
    std::string const title = fs::path(a.platform).stem().string();
    write_figure(a.output, machine_figure(platform, title));
    print_written(a.output, fmt::format("kinds of machines: {}, nodes: {}", platform.types.size(),
                                        platform.nodes.size()));
  } else if (a.json) {
    fmt::print("{}", platform_json(platform, fs::current_path()));
  } else {
    fmt::print("{}", platform_text(platform));
  }
}

}  // namespace

void add_platform_command(CLI::App& program) {
  CLI::App* const command = program.add_subcommand("platform", "Show the machines of a platform");
  command->require_subcommand(1);
  command->footer(
      "Example: factosim platform show mirage\n"
      "factosim platform show --help explains it.");
  auto [options, a] = add_command(*command, "show", "Print the machines and their rates, or draw them", show,
                                  "Example: factosim platform show sirocco -o sirocco.svg\n"
                                  "         factosim platform show my_scenario.json");
  options.add("platform", a.platform, "Name or path of a platform, or path of a scenario", "PLATFORM")
      ->required();
  options.path(
      "-o,--output", a.output,
      "Picture to write (.svg, .pdf, .png; its rates: .csv; all of it: .json); - for SVG on standard output");
  options.json(a.json, "Print the platform as one file: merged, with its variants whole");
  options.force(a.force, "Replace a file that is there already");
}

}  // namespace factosim
