#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figure_file.hpp"
#include "simulator/report/figures/machine_figure.hpp"
#include "simulator/report/text/platform_text.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

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
    make_folder_of(a.output);
    std::string const title = fs::path(a.platform).stem().string();
    write_figure(a.output, machine_figure(platform, title));
    print_written(a.output, fmt::format("{} kinds of machines, {} nodes", platform.types.size(),
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
  auto const a = std::make_shared<PlatformArguments>();
  CLI::App* const show_command =
      command->add_subcommand("show", "Print the machines and their rates, or draw them");
  show_command->add_option("platform", a->platform, "Name or path of a platform, or path of a scenario")
      ->type_name("PLATFORM")
      ->required();
  show_command
      ->add_option("-o,--output", a->output,
                   "Picture to write (.svg, .pdf, .png; its rates: .csv; all of it: .json); - for SVG on "
                   "standard output")
      ->type_name("PATH");
  show_command->add_flag("--json", a->json,
                         "Print the platform as one file: merged, with its variants whole");
  show_command->add_flag("--force", a->force, "Replace a file that is there already");
  show_command->footer(
      "Example: factosim platform show sirocco -o sirocco.svg\n"
      "         factosim platform show my_scenario.json");
  show_command->callback([a] { show(*a); });
}

}  // namespace factosim
