// factosim import starpu-platform
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "factosim/error.hpp"
#include "platforms/network_preset.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

constexpr LinkRate default_nic{BytesPerSecond{4e9}, Seconds{1e-6}};
constexpr Bytes default_ram{std::int64_t{64} << 30};

struct PlatformImport {
  std::vector<fs::path> folders;
  std::vector<std::string> hosts, names;
  std::string nic;
  std::optional<std::uint64_t> ram;
  fs::path kernels, output;
  std::string provenance;
  bool force = false;
};

using Units = std::map<std::string, double>;

/// Reads "12.5GB/s": a positive number and one of the units. Nothing for other text.
std::optional<double> quantity_of(std::string const& text, Units const& units) {
  char* end = nullptr;
  double const value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  auto const known = units.find(unit);
  if (end == text.c_str() || known == units.end() || !(value > 0) || value * known->second > largest_quantity)
    return {};
  return value * known->second;
}

/// The network cards that the user states.
struct GivenCards {
  LinkRate nic;
  std::uint32_t nics = 1;
  NetworkSpec network;
  std::string text;  // for the provenance of each machine
  bool estimate = false;
};

/// Reads --nic: BANDWIDTH,LATENCY, or the name or the file of a network.
GivenCards read_cards(std::string const& text) {
  auto const comma = text.find(',');
  if (comma == std::string::npos) {
    nlohmann::json const name = text;
    NetworkPreset const network = read_network_preset(JsonReader(name, "--nic"));
    return {.nic = network.nic,
            .nics = network.nics,
            .network = network.spec,
            .text = fmt::format("Network card of {}.", network.name),
            .estimate = network.spec.estimate};
  }
  static Units const rates{{"B/s", 1}, {"kB/s", 1e3},     {"MB/s", 1e6},     {"GB/s", 1e9},
                           {"", 1},    {"Mb/s", 1e6 / 8}, {"Gb/s", 1e9 / 8}, {"Gbit/s", 1e9 / 8}};
  static Units const times{{"s", 1}, {"", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  auto const bandwidth = quantity_of(text.substr(0, comma), rates);
  auto const latency = quantity_of(text.substr(comma + 1), times);
  if (!bandwidth || !latency)
    throw InputError(
        "--nic#",
        fmt::format("\"{}\" is no network card (a bandwidth and a latency are expected, each with its unit). "
                    "Write 12.5GB/s,1us or 100Gb/s,1us, or the name of a network (factosim list networks)",
                    text));
  return {.nic = {BytesPerSecond{*bandwidth}, Seconds{*latency}},
          .network = {},
          .text = fmt::format("Network card {}: as given to the import.", text)};
}

std::vector<std::string> known_hosts(std::vector<fs::path> const& folders) {
  std::vector<std::string> out;
  for (fs::path const& folder : folders)
    for (std::string& host : starpu_bus_hosts(folder))
      if (std::ranges::find(out, host) == out.end()) out.push_back(std::move(host));
  return out;
}

/// Returns the folder that holds the bus calibration of a host.
fs::path folder_of(std::string const& host, std::vector<fs::path> const& folders) {
  for (fs::path const& folder : folders) {
    auto const hosts = starpu_bus_hosts(folder);
    if (std::ranges::find(hosts, host) != hosts.end()) return folder;
  }
  std::vector<std::string> const known = known_hosts(folders);
  throw InputError(
      folders.front().string() + "#",
      fmt::format(
          "no bus measurements of host \"{}\" (files are called HOST.config, HOST.bandwidth, ...). {}{}",
          host, did_you_mean(host, known),
          known.empty() ? "Give the folder that holds bus/ or sampling/bus/"
                        : fmt::format("Give one of the hosts there are: {}", fmt::join(known, ", "))));
}

/// Returns the file with the kernel timings of a machine.
fs::path kernels_of(std::string const& name, PlatformImport const& a) {
  if (a.kernels.empty())
    return (a.output.parent_path() / "../models/kernels" / (name + ".json")).lexically_normal();
  if (fs::is_directory(a.kernels) || !a.kernels.has_filename() || a.hosts.size() > 1)
    return a.kernels / (name + ".json");
  if (!fs::exists(a.kernels))
    if (auto const shipped = file_named(ShippedKind::kernels, a.kernels.string(), ".")) return *shipped;
  return a.kernels;
}

/// Completes a machine: StarPU's files describe neither the network card nor the RAM.
void complete(NodeType& type, PlatformImport const& a, std::optional<GivenCards> const& cards,
              std::vector<std::string>& findings) {
  type.kernels_file = kernels_of(type.name, a);
  type.provenance = a.provenance;
  auto const add = [&](std::string const& text) {
    type.provenance += (type.provenance.empty() ? "" : " ") + text;
  };
  type.nic = cards ? cards->nic : default_nic;
  if (cards) type.nics = cards->nics;
  type.ram = a.ram ? Bytes{static_cast<std::int64_t>(*a.ram)} : default_ram;
  if (cards) add(cards->text);
  if (a.ram) add(fmt::format("RAM {}: as given to the import.", format_bytes(type.ram)));
  std::string invented;
  if (!cards) invented = "the network card (4 GB/s, 1 us)";
  if (!a.ram) invented += std::string(invented.empty() ? "" : " and ") + "the RAM (64 GiB)";
  if (!invented.empty())
    findings.push_back(
        fmt::format("{}: {} {} not measured: StarPU's files do not contain {}. Correct {}, then remove "
                    "\"estimate\" and this finding",
                    type.name, invented, !cards && !a.ram ? "are defaults," : "is a default,",
                    !cards && !a.ram ? "them" : "it", !cards && !a.ram ? "them" : "it"));
  if (cards && cards->estimate)
    findings.push_back(
        fmt::format("{}: the network card is that of the network {}, not measured here", type.name, a.nic));
  type.estimate = !invented.empty() || (cards && cards->estimate);
}

void import_platform(PlatformImport const& given) {
  PlatformImport a = given;
  refuse_to_overwrite(a.output, a.force);
  for (fs::path& folder : a.folders)
    if (fs::is_regular_file(folder)) folder = folder.parent_path();  // one of the files
  if (a.hosts.empty()) a.hosts = known_hosts(a.folders);
  if (a.hosts.empty())
    throw InputError(a.folders.front().string() + "#",
                     "holds no bus measurements (files HOST.config, HOST.bandwidth, ...). Give the folder "
                     "that holds bus/ or sampling/bus/");
  check_names(a.names, a.hosts.size());
  auto const cards = a.nic.empty() ? std::nullopt : std::optional(read_cards(a.nic));
  if (a.ram && (*a.ram == 0 || *a.ram > static_cast<std::uint64_t>(max_bytes)))
    throw InputError("--ram#",
                     "is no size of a RAM (it must be above 0 and at most 2^60 bytes). Write 192GB");
  Platform platform;
  std::vector<Finding> findings;
  for (std::size_t h = 0; h < a.hosts.size(); ++h) {
    StarpuBusImport import = read_starpu_bus(folder_of(a.hosts[h], a.folders), a.hosts[h]);
    if (!a.names.empty()) import.type.name = a.names[h];
    complete(import.type, a, cards, platform.findings);
    findings.insert(findings.end(), import.findings.begin(), import.findings.end());
    platform.nodes.push_back(static_cast<std::uint32_t>(platform.types.size()));
    platform.types.push_back(std::move(import.type));
  }
  if (cards) platform.network = cards->network;
  for (std::string const& finding : platform.findings) findings.push_back({a.output.string(), 0, finding});
  warn_of(findings);
  for (NodeType const& type : platform.types)
    if (!fs::exists(type.kernels_file))
      print_note(fmt::format("note: kernel timings are expected in {}", type.kernels_file));
  write_output(a.output, platform_json(platform, a.output.parent_path()));
  std::string machines;
  for (NodeType const& type : platform.types)
    machines += fmt::format("{}{}{} cores, {} GPUs, {} links", machines.empty() ? "" : "; ",
                            platform.types.size() > 1 ? type.name + ": " : "", type.cores, type.gpus.size(),
                            type.bus.links.size());
  print_written(a.output, machines);
}

}  // namespace

void add_import_platform_command(CLI::App& import) {
  auto [options, a] = add_command(import, "starpu-platform",
                                  "Machines from StarPU's bus measurements, as one platform", import_platform,
                                  "Example: factosim import starpu-platform ~/.starpu --host mirage --nic "
                                  "infiniband-edr --ram 192GB -o mirage.json\n"
                                  "Without --host: all machines that are there.");
  options
      .path("folder", a.folders,
            "Folders with StarPU's bus measurements: ~/.starpu, or one that holds bus/; or a file of them")
      ->required()
      ->expected(1, 16);
  options.hosts(a.hosts, a.names);
  options.path("--kernels", a.kernels,
               "Kernel timings: a file, or a folder with a file NAME.json for each machine");
  options.add("--nic", a.nic,
              "Network card: the name of a network (factosim list networks), or BANDWIDTH,LATENCY such as "
              "12.5GB/s,1us",
              "NETWORK");
  options.add("--ram", a.ram, "Size of the RAM, such as 192GB")->transform(CLI::AsSizeValue(false));
  options.output(a.output);
  options.provenance(a.provenance);
  options.force(a.force, "Replace a file that is there already");
}

}  // namespace factosim
