#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/trace/import/starpu_timings.hpp"

namespace factosim {

namespace {

struct ImportArguments {
  std::vector<std::filesystem::path> folders;
  std::string host;
  std::string provenance;
  std::filesystem::path output;
  bool force = false;
  bool keep_implausible = false, drop_implausible = false;

  [[nodiscard]] ImplausibleTiming implausible() const {
    return keep_implausible   ? ImplausibleTiming::keep
           : drop_implausible ? ImplausibleTiming::leave_out
                              : ImplausibleTiming::refuse;
  }
};

/// Returns the models of the GPUs from the bus measurements beside the performance models; empty without them.
DeviceModels gpu_models(ImportArguments const& arguments) {
  DeviceModels models;
  for (std::filesystem::path const& folder : arguments.folders) {
    try {
      auto const gpus = read_starpu_bus(folder, arguments.host).type.gpus;
      for (std::size_t i = 0; i < gpus.size(); ++i) models[fmt::format("cuda{}", i)] = gpus[i].model;
    } catch (InputError const&) {  // no bus measurements there
    }
  }
  return models;
}

void write_model(KernelModel const& model, std::vector<Finding> const& findings,
                 ImportArguments const& arguments) {
  warn_of(findings);
  make_folder_of(arguments.output);
  write_file_atomically(arguments.output, kernel_model_json(model));
  print_written(arguments.output, fmt::format("{} timings of {}", model.timings.size(), model.machine));
}

void import_model(ImportArguments const& arguments) {
  refuse_to_overwrite(arguments.output, arguments.force);
  StarpuImport const import = read_starpu_models(arguments.folders, {.host = arguments.host,
                                                                     .machine = {},
                                                                     .provenance = arguments.provenance,
                                                                     .devices = gpu_models(arguments),
                                                                     .implausible = arguments.implausible()});
  write_model(import.model, import.findings, arguments);
}

void import_timings(ImportArguments const& arguments) {
  refuse_to_overwrite(arguments.output, arguments.force);
  StarpuTimings const import = read_starpu_timings(arguments.folders.front(), arguments.host,
                                                   arguments.provenance, arguments.implausible());
  write_model(import.model, import.findings, arguments);
}

/// Completes the node: StarPU's files describe neither the network card nor the RAM.
Platform platform_of(NodeType type, ImportArguments const& arguments) {
  type.kernels_file =
      (arguments.output.parent_path() / "../models/kernels" / (arguments.host + ".json")).lexically_normal();
  type.provenance = arguments.provenance;
  type.nic = {BytesPerSecond{4e9}, Seconds{1e-6}};
  type.ram = Bytes{std::int64_t{64} << 30};
  type.estimate = true;
  Platform platform;
  platform.findings.push_back(fmt::format(
      "{}: the network card (4 GB/s, 1 us) and the RAM (64 GiB) are defaults, not measured: StarPU's "
      "files do not contain them. Correct them, then remove \"estimate\" and this finding",
      type.name));
  platform.types.push_back(std::move(type));
  platform.nodes = {0};
  return platform;
}

void import_platform(ImportArguments const& arguments) {
  refuse_to_overwrite(arguments.output, arguments.force);
  StarpuBusImport import = read_starpu_bus(arguments.folders.front(), arguments.host);
  Platform const platform = platform_of(std::move(import.type), arguments);
  import.findings.push_back({arguments.output.string(), 0, platform.findings.front()});
  warn_of(import.findings);
  print_note(fmt::format("note: kernel timings are expected in {}", platform.types.front().kernels_file));
  make_folder_of(arguments.output);
  write_file_atomically(arguments.output, platform_json(platform, arguments.output.parent_path()));
  NodeType const& type = platform.types.front();
  print_written(arguments.output, fmt::format("{} cores, {} GPUs, {} links", type.cores, type.gpus.size(),
                                              type.bus.links.size()));
}

void add_arguments(CLI::App& command, ImportArguments& arguments, int max_folders,
                   std::string const& source) {
  command.add_option("folder", arguments.folders, source)
      ->type_name("PATH")
      ->required()
      ->expected(1, max_folders);
  command.add_option("--host", arguments.host, "Name of the machine in the files (STARPU_HOSTNAME)")
      ->type_name("NAME")
      ->required();
  command.add_option("-o,--output", arguments.output, "File to write; - for standard output")
      ->type_name("PATH")
      ->required();
  command.add_option("--provenance", arguments.provenance, "Who measured what, kept in the file")
      ->type_name("TEXT");
  command.add_flag("--force", arguments.force, "Replace a file that is there already");
}

void add_implausible_arguments(CLI::App& command, ImportArguments& arguments) {
  CLI::Option* const keep =
      command.add_flag("--keep-implausible", arguments.keep_implausible,
                       "Keep timings faster than the hardware; each result that uses the file says so");
  command
      .add_flag("--drop-implausible", arguments.drop_implausible,
                "Leave out timings faster than the hardware")
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
  auto const model = std::make_shared<ImportArguments>();
  CLI::App* const model_command =
      command->add_subcommand("starpu-model", "Kernel timings from StarPU's performance models");
  add_arguments(*model_command, *model, 16,
                "Folders with StarPU's performance models: ~/.starpu, or one that holds codelets/45");
  add_implausible_arguments(*model_command, *model);
  model_command->footer("Example: factosim import starpu-model ~/.starpu --host mirage -o mirage.json");
  model_command->callback([model] { import_model(*model); });

  auto const timings = std::make_shared<ImportArguments>();
  CLI::App* const timings_command =
      command->add_subcommand("starpu-timings", "Kernel timings from StarPU's or StarVZ's platform_file.rec");
  add_arguments(*timings_command, *timings, 1, "The file platform_file.rec");
  add_implausible_arguments(*timings_command, *timings);
  timings_command->footer(
      "Example: factosim import starpu-timings trace/platform_file.rec --host mirage -o mirage.json");
  timings_command->callback([timings] { import_timings(*timings); });

  auto const platform = std::make_shared<ImportArguments>();
  CLI::App* const platform_command =
      command->add_subcommand("starpu-platform", "A machine from StarPU's bus measurements");
  add_arguments(*platform_command, *platform, 1, "Folder with StarPU's bus measurements: ~/.starpu");
  platform_command->footer("Example: factosim import starpu-platform ~/.starpu --host mirage -o mirage.json");
  platform_command->callback([platform] { import_platform(*platform); });
}

}  // namespace factosim
