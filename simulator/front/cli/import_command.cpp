#include <fmt/format.h>

#include <map>
#include <utility>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/starpu_bus.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/traces/import/starpu_timings.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct ImportArguments {
  std::vector<fs::path> folders;
  std::vector<std::string> hosts, names, renames;
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

void write_model(KernelModel const& model, std::vector<Finding> const& findings, fs::path const& output) {
  warn_of(findings);
  write_output(output, kernel_model_json(model));
  print_written(output, fmt::format("{} timings of {}", model.timings.size(), model.machine));
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
  std::vector<std::pair<fs::path, StarpuImport>> imports;  // all are read before anything is written
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    StarpuImport import =
        read_starpu_models(arguments.folders, {.host = hosts[h],
                                               .machine = arguments.names.empty() ? "" : arguments.names[h],
                                               .provenance = arguments.provenance,
                                               .devices = gpu_models(arguments, hosts[h]),
                                               .implausible = arguments.implausible(),
                                               .renames = renames});
    fs::path const output = output_of(arguments, import.model.machine, hosts.size());
    refuse_to_overwrite(output, arguments.force);
    imports.emplace_back(output, std::move(import));
  }
  for (auto const& [output, import] : imports) write_model(import.model, import.findings, output);
}

void import_timings(ImportArguments const& arguments) {
  refuse_to_overwrite(arguments.output, arguments.force);
  StarpuTimings const import = read_starpu_timings(arguments.folders.front(), arguments.hosts.front(),
                                                   arguments.provenance, arguments.implausible());
  write_model(import.model, import.findings, arguments.output);
}

void add_common(CommandOptions& options, ImportArguments& a, int max_folders, std::string const& source) {
  options.path("folder", a.folders, source)->required()->expected(1, max_folders);
  options.output(a.output);
  options.provenance(a.provenance);
  options.force(a.force, "Replace a file that is there already");
}

void add_implausible(CommandOptions& options, ImportArguments& a) {
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
  add_common(options, a, 16,
             "Folders with StarPU's performance models: ~/.starpu, or one that holds codelets/45; or a file");
  options.hosts(a.hosts, a.names);
  options.repeated("--rename", a.renames,
                   "FROM=TO: read the codelet FROM as the known codelet TO, or use the timings of the kernel "
                   "FROM for TO too, as gemm=syrk; may be repeated",
                   "FROM=TO");
  add_implausible(options, a);
}

void add_starpu_timings(CLI::App& import) {
  auto [options, a] = add_command(
      import, "starpu-timings", "Kernel timings from StarPU's or StarVZ's platform_file.rec", import_timings,
      "Example: factosim import starpu-timings trace/platform_file.rec --host mirage -o mirage.json");
  add_common(options, a, 1, "The file platform_file.rec");
  options.add("--host", a.hosts, "Name of the machine in the files (STARPU_HOSTNAME)", "NAME")
      ->required()
      ->expected(1);
  add_implausible(options, a);
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
  add_starpu_timings(*command);
  add_import_platform_command(*command);
}

}  // namespace factosim
