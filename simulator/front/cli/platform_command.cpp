#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "platforms/bus_rates.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/machine_picture.hpp"
#include "simulator/report/figures/picture_file.hpp"
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

/// The rates of the network cards and between the memories of each node type, for .csv files.
Table rates_of(Platform const& platform) {
  Table out{.columns = {"machine", "nodes", "from", "to", "bandwidth_Bps", "latency_s"},
            .parameters = {},
            .rows = {}};
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    NodeType const& type = platform.types[t];
    auto const nodes = std::ranges::count(platform.nodes, t);
    auto const add = [&](std::string const& from, std::string const& to, LinkRate const& rate) {
      out.rows.push_back({type.name, nodes, from, to, rate.bandwidth.value, rate.latency.value});
    };
    add("node", "switch", type.nic);
    std::size_t const memories = type.memory_node_count();
    for (std::size_t from = 0; from < memories; ++from)
      for (std::size_t to = 0; to < memories && memories > 1; ++to)
        if (!type.bus.routes[from * memories + to].empty())
          add(memory_node_name(type, from), memory_node_name(type, to), route_rate(type, from, to));
  }
  return out;
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
    write_figure(a.output, {.svg = draw_machines(platform, title), .numbers = rates_of(platform)});
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
                   "Picture to write (.svg, .pdf, .png; its rates: .csv); - for SVG on standard output")
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
