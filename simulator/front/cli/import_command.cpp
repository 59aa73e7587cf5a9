#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/network_preset.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/starpu_timings.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Arguments of all imports.
struct CommonImport {
  std::vector<fs::path> folders;
  std::vector<std::string> hosts, names;
  std::string provenance;
  fs::path output;
  bool force = false;
};

/// Throws InputError unless there is no name, or one for each host.
void check_names(std::vector<std::string> const& names, std::size_t hosts) {
  if (!names.empty() && names.size() != hosts)
    throw InputError(
        "--name#",
        fmt::format("{} names for {} hosts (each machine has one). Give one for each --host, or none",
                    names.size(), hosts));
  for (std::string const& name : names)
    if (name.empty() || name.find('/') != std::string::npos || std::ranges::count(names, name) > 1)
      throw InputError("--name#", fmt::format("\"{}\" is no name for one machine (it must be unique, not "
                                              "empty, without slashes). Give another",
                                              name));
}

void add_hosts(CommandOptions& options, CommonImport& a) {
  options.repeated(
      "--host", a.hosts,
      "Name of the machine in the files (STARPU_HOSTNAME), if there are several; may be repeated", "NAME");
  options.repeated("--name", a.names,
                   "Name to give the machine, instead of that of the host; one for each --host", "NAME");
}

void add_files(CommandOptions& options, CommonImport& a) {
  options.output(a.output);
  options.provenance(a.provenance);
  options.force(a.force, "Replace a file that is there already");
}

// ---- factosim import starpu-platform ----

constexpr LinkRate default_nic{BytesPerSecond{4e9}, Seconds{1e-6}};
constexpr Bytes default_ram{std::int64_t{64} << 30};

struct PlatformImport : CommonImport {
  std::string nic;
  std::optional<std::int64_t> ram;
  fs::path kernels;
};

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
  auto const fail = [&] {
    throw InputError(
        "--nic#",
        fmt::format("\"{}\" is no network card (a bandwidth and a latency are expected, each with its unit). "
                    "Write 12.5GB/s,1us or 100Gb/s,1us, or the name of a network (factosim list networks)",
                    text));
  };
  auto const comma = text.find(',');
  if (comma == std::string::npos) {
    if (std::isdigit(static_cast<unsigned char>(text.front())) != 0 && !fs::exists(text)) fail();
    nlohmann::json const name = text;
    NetworkPreset const network = read_network_preset(JsonReader(name, "--nic"));
    return {.nic = network.nic,
            .nics = network.nics,
            .network = network.spec,
            .text = fmt::format("Network card of {}.", network.name),
            .estimate = network.spec.estimate};
  }
  auto const positive = [&](std::string const& quantity, std::string_view unit) {
    double const value = parsed<double>(quantity).value_or(stated_quantity(quantity, unit).value);
    if (!(value > 0) || value > largest_quantity) fail();
    return value;
  };
  return {.nic = {BytesPerSecond{positive(text.substr(0, comma), "B/s")},
                  Seconds{positive(text.substr(comma + 1), "s")}},
          .network = {},
          .text = fmt::format("Network card {}: as given to the import.", text)};
}

/// Returns the folder with the bus calibration of each host: the first that has it.
std::map<std::string, fs::path> folders_of_hosts(std::vector<fs::path> const& folders) {
  std::map<std::string, fs::path> out;
  for (fs::path const& folder : folders)
    for (std::string const& host : starpu_bus_hosts(folder)) out.try_emplace(host, folder);
  if (out.empty())
    throw InputError(folders.front().string() + "#",
                     "holds no bus measurements (files HOST.config, HOST.bandwidth, ...). Give the folder "
                     "that holds bus/ or sampling/bus/");
  return out;
}

fs::path folder_of(std::string const& host, std::map<std::string, fs::path> const& folders) {
  if (auto const found = folders.find(host); found != folders.end()) return found->second;
  std::vector<std::string> known;
  for (auto const& [name, folder] : folders) known.push_back(name);
  throw InputError(folders.begin()->second.string() + "#",
                   fmt::format("no bus measurements of host \"{}\" (files are called HOST.config, "
                               "HOST.bandwidth, ...). {}Give one of the hosts there are: {}",
                               host, did_you_mean(host, known), fmt::join(known, ", ")));
}

/// Returns the file with the kernel timings of a machine.
fs::path kernels_of(std::string const& name, PlatformImport const& a) {
  if (a.kernels.empty()) return a.output.parent_path() / (name + ".kernels.json");
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
  type.ram = a.ram ? Bytes{*a.ram} : default_ram;
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
  auto const cards = a.nic.empty() ? std::nullopt : std::optional(read_cards(a.nic));
  for (fs::path& folder : a.folders)
    if (fs::is_regular_file(folder)) folder = folder.parent_path();  // one of the files
  auto const folders = folders_of_hosts(a.folders);
  if (a.hosts.empty())
    for (auto const& [host, folder] : folders) a.hosts.push_back(host);
  check_names(a.names, a.hosts.size());
  Platform platform;
  std::vector<Finding> findings;
  for (std::size_t h = 0; h < a.hosts.size(); ++h) {
    StarpuBusImport import = read_starpu_bus(folder_of(a.hosts[h], folders), a.hosts[h]);
    if (!a.names.empty()) import.type.name = a.names[h];
    complete(import.type, a, cards, platform.findings);
    findings.insert(findings.end(), import.findings.begin(), import.findings.end());
    platform.nodes.push_back(static_cast<std::uint32_t>(platform.types.size()));
    platform.types.push_back(std::move(import.type));
  }
  if (cards) platform.network = cards->network;
  for (std::string const& finding : platform.findings) findings.push_back({a.output.string(), 0, finding});
  for (Finding const& finding : findings)
    if (finding.kind == Finding::Kind::lasting) platform.findings.push_back(lasting_text(finding));
  warn_of(findings);
  for (NodeType const& type : platform.types)
    if (!fs::exists(type.kernels_file))
      print_note(fmt::format("note: kernel timings are expected in {} (factosim import starpu-model)",
                             type.kernels_file));
  write_output(a.output, platform_json(platform, a.output.parent_path()));
  std::string machines;
  for (NodeType const& type : platform.types)
    machines += fmt::format("{}{}{} cores, {} GPUs, {} links", machines.empty() ? "" : "; ",
                            platform.types.size() > 1 ? type.name + ": " : "", type.cores, type.gpus.size(),
                            type.bus.links.size());
  print_written(a.output, machines);
}

void add_starpu_platform(CLI::App& import) {
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
  add_hosts(options, a);
  options.path("--kernels", a.kernels,
               "Kernel timings: a file, or a folder with a file NAME.json for each machine");
  options.add("--nic", a.nic,
              "Network card: the name of a network (factosim list networks), or BANDWIDTH,LATENCY such as "
              "12.5GB/s,1us",
              "NETWORK");
  options.size("--ram", a.ram, "Size of the RAM, such as 192GB (10^9 bytes each) or 192GiB");
  add_files(options, a);
}

// ---- factosim import starpu-model, starpu-timings ----

struct ImportArguments : CommonImport {
  std::vector<std::string> renames;
  bool keep_implausible = false, drop_implausible = false;

  [[nodiscard]] ImplausibleTiming implausible() const {
    return keep_implausible   ? ImplausibleTiming::keep
           : drop_implausible ? ImplausibleTiming::leave_out
                              : ImplausibleTiming::refuse;
  }
};

/// Returns the models of the GPUs from the bus measurements beside the performance models; empty without them.
DeviceModels gpu_models(ImportArguments const& arguments, std::string const& host) {
  DeviceModels models;
  for (std::filesystem::path const& folder : arguments.folders) {
    try {
      auto const gpus = read_starpu_bus(folder, host).type.gpus;
      for (std::size_t i = 0; i < gpus.size(); ++i) models[fmt::format("cuda{}", i)] = gpus[i].model;
    } catch (InputError const&) {  // no bus measurements there
    }
  }
  return models;
}

/// Returns {FROM, TO} of each FROM=TO.
std::map<std::string, std::string> renames_of(ImportArguments const& arguments) {
  std::map<std::string, std::string> out;
  for (std::string const& text : arguments.renames) {
    auto const equal = text.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
      throw InputError(
          "--rename#",
          fmt::format("\"{}\" does not rename a kernel (FROM=TO is expected). Write --rename gemm=syrk",
                      text));
    out[text.substr(0, equal)] = text.substr(equal + 1);
  }
  return out;
}

/// Returns the file of each machine: the output, or NAME.json in it if it is a folder or there are several machines.
fs::path output_of(ImportArguments const& arguments, std::string const& name, std::size_t machines) {
  fs::path const& out = arguments.output;
  if (out == standard_stream && machines > 1)
    throw InputError("--output#",
                     "is standard output, for several machines (each has a file). Give a folder");
  bool const in_folder = machines > 1 || fs::is_directory(out) || !out.has_filename();
  return in_folder && out != standard_stream ? out / (name + ".json") : out;
}

void import_models(ImportArguments const& arguments) {
  std::vector<std::string> hosts = arguments.hosts;
  if (hosts.empty()) hosts.emplace_back();  // the only one
  check_names(arguments.names, hosts.size());
  auto const renames = renames_of(arguments);
  fs::path const& first =
      arguments.folders.front();  // perhaps platform_file.rec, which has fields with names
  bool const records =
      fs::is_regular_file(first) && first_line(first).find_first_of("%:") != std::string::npos;
  std::vector<std::pair<fs::path, StarpuImport>> imports;  // all are read before anything is written
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    StarpuImportOptions const options{.host = hosts[h],
                                      .machine = arguments.names.empty() ? "" : arguments.names[h],
                                      .provenance = arguments.provenance,
                                      .devices = gpu_models(arguments, hosts[h]),
                                      .implausible = arguments.implausible(),
                                      .renames = renames};
    StarpuImport import =
        records ? read_starpu_timings(first, options) : read_starpu_models(arguments.folders, options);
    fs::path const output = output_of(arguments, import.model.machine, hosts.size());
    refuse_to_overwrite(output, arguments.force);
    imports.emplace_back(output, std::move(import));
  }
  for (auto const& [output, import] : imports) {
    warn_of(import.findings);
    write_output(output, kernel_model_json(import.model));
    print_written(output, fmt::format("{} timings of {}", import.model.timings.size(), import.model.machine));
  }
}

void add_starpu_model(CLI::App& import) {
  auto [options, a] =
      add_command(import, "starpu-model", "Kernel timings from StarPU's performance models", import_models,
                  "Example: factosim import starpu-model ~/.starpu --host mirage -o mirage.json\n"
                  "With several hosts, -o is a folder: each has a file HOST.json there.");
  import.get_subcommand("starpu-model")->alias("starpu-timings");
  options
      .path("folder", a.folders,
            "Folders with StarPU's performance models: ~/.starpu, or one that holds codelets/45; or a file, "
            "also "
            "StarVZ's platform_file.rec")
      ->required()
      ->expected(1, 16);
  add_files(options, a);
  add_hosts(options, a);
  options.repeated("--rename", a.renames,
                   "FROM=TO: read the codelet FROM as the known codelet TO, or use the timings of the kernel "
                   "FROM for TO too, as gemm=syrk; may be repeated",
                   "FROM=TO");
  CLI::Option* const keep =
      options.flag("--keep-implausible", a.keep_implausible,
                   "Keep timings faster than the hardware; each result that uses the file says so");
  options.flag("--drop-implausible", a.drop_implausible, "Leave out timings faster than the hardware")
      ->excludes(keep);
}

}  // namespace

void add_import_command(CLI::App& program) {
  CLI::App* const command =
      program.add_subcommand("import", "Turn measurements of other tools into models and platforms");
  command->require_subcommand(1);
  command->footer(
      "Example: factosim import starpu-model ~/.starpu --host mirage -o mirage.json\n"
      "factosim import COMMAND --help explains each.");
  add_starpu_model(*command);
  add_starpu_platform(*command);
}

}  // namespace factosim
