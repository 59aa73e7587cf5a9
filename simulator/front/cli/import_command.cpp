#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/runnable.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/cli/network_cards.hpp"
#include "simulator/front/cli/starpu_folder.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/import/starpu_timings.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// Arguments of the imports; each has some of them.
struct ImportArguments {
  std::vector<fs::path> folders;
  std::vector<std::string> hosts, names;
  std::string provenance;
  fs::path output;
  bool force = false;
  // of machines
  std::string nic;
  std::optional<std::int64_t> ram;
  fs::path kernels;
  // of timings
  std::vector<std::string> renames;
  bool keep_implausible = false, drop_implausible = false;

  [[nodiscard]] ImplausibleTiming implausible() const {
    return keep_implausible   ? ImplausibleTiming::keep
           : drop_implausible ? ImplausibleTiming::leave_out
                              : ImplausibleTiming::refuse;
  }
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

/// Adds what all imports have.
void add_common(CommandOptions& options, ImportArguments& a, char const* folders) {
  options.path("folder", a.folders, folders)->required()->expected(1, 16);
  options.output(a.output);
  options.provenance(a.provenance);
  options.force(a.force, "Replace a file that is there already");
  options.repeated(
      "--host", a.hosts,
      "Name of the machine in the files (STARPU_HOSTNAME), if there are several; may be repeated", "NAME");
  options.repeated("--name", a.names,
                   "Name to give the machine, instead of that of the host; one for each --host", "NAME");
}

// ---- machines ----

constexpr LinkRate default_nic{BytesPerSecond{4e9}, Seconds{1e-6}};
constexpr Bytes default_ram{std::int64_t{64} << 30};

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
fs::path kernels_of(std::string const& name, ImportArguments const& a) {
  if (a.kernels.empty()) return a.output.parent_path() / (name + ".kernels.json");
  if (fs::is_directory(a.kernels) || !a.kernels.has_filename() || a.hosts.size() > 1)
    return a.kernels / (name + ".json");
  if (!fs::exists(a.kernels))
    if (auto const shipped = file_named(ShippedKind::kernels, a.kernels.string(), ".")) return *shipped;
  return a.kernels;
}

/// Completes a machine: StarPU's files describe neither the network card nor the RAM.
void complete(NodeType& type, ImportArguments const& a, std::optional<GivenCards> const& cards,
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
  type.estimate = !a.ram;
}

struct PlatformImport {
  Platform platform;
  std::vector<std::string> hosts;  // of its types
  std::vector<Finding> findings;
};

/// Reads the machines of `a.hosts`, or all that are there.
PlatformImport read_platform(ImportArguments const& a) {
  refuse_to_overwrite(a.output, a.force);
  auto const cards = a.nic.empty() ? std::nullopt : std::optional(read_cards(a.nic));
  auto const folders = folders_of_hosts(a.folders);
  PlatformImport out{.platform = {}, .hosts = a.hosts, .findings = {}};
  auto& [platform, hosts, findings] = out;
  if (hosts.empty())
    for (auto const& [host, folder] : folders) hosts.push_back(host);
  check_names(a.names, hosts.size());
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    StarpuBusImport import = read_starpu_bus(folder_of(hosts[h], folders), hosts[h]);
    if (!a.names.empty()) import.type.name = a.names[h];
    complete(import.type, a, cards, platform.findings);
    findings.insert(findings.end(), import.findings.begin(), import.findings.end());
    platform.nodes.push_back(static_cast<std::uint32_t>(platform.types.size()));
    platform.types.push_back(std::move(import.type));
  }
  if (cards) platform.network = cards->network;
  platform.network.estimate = !cards || cards->estimate;
  for (std::string const& finding : platform.findings) findings.push_back({a.output.string(), 0, finding});
  for (Finding const& finding : findings)
    if (finding.kind == Finding::Kind::lasting) platform.findings.push_back(lasting_text(finding));
  return out;
}

void write_platform(ImportArguments const& a, PlatformImport const& import) {
  warn_of(import.findings);
  Platform const& platform = import.platform;
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

void import_platform(ImportArguments const& given) {
  ImportArguments a = given;
  for (fs::path& folder : a.folders) folder = starpu_folder(folder);
  write_platform(a, read_platform(a));
}

void add_cards(CommandOptions& options, ImportArguments& a) {
  options.add("--nic", a.nic,
              "Network card: the name of a network (factosim list networks), or BANDWIDTH,LATENCY such as "
              "12.5GB/s,1us",
              "NETWORK");
  options.size("--ram", a.ram, "Size of the RAM, such as 192GB (10^9 bytes each) or 192GiB");
}

void add_starpu_platform(CLI::App& import) {
  auto [options, a] = add_command(import, "starpu-platform",
                                  "Machines from StarPU's bus measurements, as one platform", import_platform,
                                  "Example: factosim import starpu-platform ~/.starpu --host mirage --nic "
                                  "infiniband-edr --ram 192GB -o mirage.json\n"
                                  "Without --host: all machines that are there.");
  add_common(options, a,
             "Folders with StarPU's bus measurements: ~/.starpu, or one that holds bus/; or a file of them");
  options.path("--kernels", a.kernels,
               "Kernel timings: a file, or a folder with a file NAME.json for each machine");
  add_cards(options, a);
}

// ---- kernel timings ----

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

struct ModelImport {
  fs::path output;
  StarpuImport import;
};

/// Reads the timings of the machines of `arguments.hosts`, or of the only one there is. `output`: the file of a machine of
/// that name.
template <class Output>
std::vector<ModelImport> read_models(ImportArguments const& arguments, Output const& output) {
  std::vector<std::string> hosts = arguments.hosts;
  if (hosts.empty()) hosts.emplace_back();  // the only one
  check_names(arguments.names, hosts.size());
  auto const renames = renames_of(arguments);
  fs::path const& first =
      arguments.folders.front();  // perhaps platform_file.rec, which has fields with names
  bool const records =
      fs::is_regular_file(first) && first_line(first).find_first_of("%:") != std::string::npos;
  std::vector<ModelImport> imports;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    StarpuImportOptions const options{.host = hosts[h],
                                      .machine = arguments.names.empty() ? "" : arguments.names[h],
                                      .provenance = arguments.provenance,
                                      .devices = gpu_models(arguments, hosts[h]),
                                      .implausible = arguments.implausible(),
                                      .renames = renames};
    StarpuImport import =
        records ? read_starpu_timings(first, options) : read_starpu_models(arguments.folders, options);
    fs::path const file = output(import.model.machine);
    refuse_to_overwrite(file, arguments.force);
    imports.push_back({file, std::move(import)});
  }
  return imports;
}

void write_models(std::vector<ModelImport> const& imports) {
  for (auto const& [output, import] : imports) {
    warn_of(import.findings);
    write_output(output, kernel_model_json(import.model));
    print_written(output, fmt::format("{} timings of {}", import.model.timings.size(), import.model.machine));
  }
}

void import_models(ImportArguments const& given) {
  ImportArguments a = given;
  for (fs::path& folder : a.folders)
    if (!fs::is_regular_file(folder)) folder = starpu_folder(folder);
  write_models(read_models(a, [&a](std::string const& name) {
    return output_of(a, name, std::max<std::size_t>(a.hosts.size(), 1));
  }));
}

void add_timing_options(CommandOptions& options, ImportArguments& a) {
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

void add_starpu_model(CLI::App& import) {
  auto [options, a] =
      add_command(import, "starpu-model", "Kernel timings from StarPU's performance models", import_models,
                  "Example: factosim import starpu-model ~/.starpu --host mirage -o mirage.json\n"
                  "With several hosts, -o is a folder: each has a file HOST.json there.");
  import.get_subcommand("starpu-model")->alias("starpu-timings");
  add_common(options, a,
             "Folders with StarPU's performance models: ~/.starpu, or one that holds codelets/45; or a "
             "file, also StarVZ's platform_file.rec");
  add_timing_options(options, a);
}

// ---- machines with their timings ----

/// All is read before anything is written.
void import_starpu(ImportArguments const& given) {
  ImportArguments a = given;
  for (fs::path& folder : a.folders) folder = starpu_folder(folder);
  PlatformImport const machines = read_platform(a);
  a.hosts = machines.hosts;
  auto const models = read_models(a, [&](std::string const& name) { return kernels_of(name, a); });
  write_models(models);
  write_platform(a, machines);
  for (ModelImport const& each : models)
    for (std::string const& line : runnable_applications(each.import.model)) print_note(line);
}

void add_starpu(CLI::App& import) {
  auto [options, a] = add_command(
      import, "starpu", "Machines with their kernel timings, from StarPU's measurements", import_starpu,
      "Example: factosim import starpu ~/.starpu --host mirage --nic infiniband-edr --ram 192GB "
      "-o mirage.json\n"
      "Writes mirage.json and mirage.kernels.json. Without --host: all machines that are there.");
  add_common(options, a,
             "Folders with StarPU's measurements: ~/.starpu, or one that holds bus/ and codelets/");
  add_cards(options, a);
  add_timing_options(options, a);
}

}  // namespace

void add_import_command(CLI::App& program) {
  CLI::App* const command =
      program.add_subcommand("import", "Turn measurements of other tools into models and platforms");
  command->require_subcommand(1);
  command->footer(
      "Example: factosim import starpu ~/.starpu --nic infiniband-edr --ram 192GB -o machine.json\n"
      "factosim import COMMAND --help explains each.");
  add_starpu(*command);
  add_starpu_model(*command);
  add_starpu_platform(*command);
}

}  // namespace factosim
