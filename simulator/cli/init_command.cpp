#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/cli/usage.hpp"
#include "simulator/core/input_files.hpp"
#include "simulator/core/json_text.hpp"
#include "simulator/core/suggestion.hpp"
#include "simulator/os/atomic_file.hpp"
#include "simulator/scenario/distribution_keys.hpp"
#include "simulator/sched/policies.hpp"
#include "simulator/simulation/run.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct InitArguments {
  fs::path output = "scenario.json";
  std::string platform = "mirage", application = application_names().front(), distribution = "block-cyclic",
              scheduler = "dmdas";
  int nodes = 0;  // 0: those of the platform
  int nt = 20, nb = 0;
  std::string precision = "double";
  bool force = false;
};

std::vector<std::string> platform_names() {
  std::vector<std::string> out;
  for (auto const& [name, file] : shipped_files(ShippedKind::platform)) out.push_back(name);
  return out;
}

/// Asks on the terminal; an empty answer keeps the value. Repeats the question until `known`, if not empty, has the
/// answer.
void ask(std::string const& question, std::string& value, std::vector<std::string> const& known) {
  for (std::string answer;;) {
    fmt::print(stderr, "{}{} [{}]: ", question,
               known.empty() ? "" : fmt::format(" ({})", fmt::join(known, ", ")), value);
    if (!std::getline(std::cin, answer) || answer.empty()) return;
    if (known.empty() || std::ranges::find(known, answer) != known.end()) {
      value = answer;
      return;
    }
    fmt::print(stderr, "\"{}\" is not known. {}\n", answer, did_you_mean(answer, known));
  }
}

void ask(std::string const& question, int& value) {
  std::string text = fmt::format("{}", value);
  ask(question, text, {});
  value = std::atoi(text.c_str());
}

void ask_all(InitArguments& a) {
  ask("Platform", a.platform, platform_names());
  ask("Nodes, 0 for those of the platform", a.nodes);
  ask("Application", a.application, application_names());
  ask("Tiles a side (nt)", a.nt);
  ask("Distribution", a.distribution, distribution_names());
  ask("Policy", a.scheduler, names_of(described_policies()));
}

/// Returns the tile size with the most timings of the machine for the precision; of several the largest.
int usual_tile_size(Platform const& platform, Precision precision) {
  std::map<int, int> timings;
  for (NodeType const& type : platform.types) {
    if (type.kernels_file.empty()) continue;
    for (KernelTiming const& timing : read_kernel_model(type.kernels_file).timings)
      if (timing.nb > 0 && timing.precision == precision) ++timings[timing.nb];
  }
  auto const most = std::ranges::max_element(
      timings, {}, [](auto const& entry) { return std::pair(entry.second, entry.first); });
  return most == timings.end() ? 960 : most->first;
}

Json platform_key(InitArguments const& a, fs::path const& file) {
  Json out = {{"$comment", "a name (factosim list platforms), or the path of a platform file"},
              {"file", a.platform}};
  if (a.nodes == 0) return out;
  std::vector<NodeType> const types = read_platform_types(file).types;
  if (types.size() != 1)
    throw InputError("--nodes#",
                     fmt::format("counts nodes of one type (\"{}\" has {}). Leave it out, and give "
                                 "\"nodes\" in the scenario",
                                 a.platform, types.size()));
  out["nodes"] = Json::array({{{"type", types.front().name}, {"count", a.nodes}}});
  return out;
}

/// Returns a scenario in which each part has a comment.
Json commented_scenario(InitArguments const& a) {
  nlohmann::json const name = a.platform;
  fs::path const file =
      read_path_or_name(JsonReader(name, a.output.string(), "/platform"), ShippedKind::platform);
  Json const platform = platform_key(a, file);
  int nb = a.nb;
  if (nb == 0) {
    nlohmann::json const nodes = platform.value("nodes", Json());
    Platform const read = nodes.is_null()
                              ? read_platform(file)
                              : read_platform(file, JsonReader(nodes, a.output.string(), "/platform/nodes"));
    nb = usual_tile_size(read, a.precision == "single" ? Precision::single_ : Precision::double_);
  }
  return {
      {"$comment", Json::array({fmt::format("factosim run {}", a.output.string()),
                                "Any key can be changed for one run: --set nt=30 --set scheduler/type=ws",
                                "All keys, with their defaults: provenance/options of a result"})},
      {"format", "factosim-scenario"},
      {"version", 1},
      {"platform", platform},
      {"application",
       {{"$comment", "nt x nt tiles of nb x nb elements; nb must be a size that was measured on the machine"},
        {"type", a.application},
        {"nt", a.nt},
        {"nb", nb},
        {"precision", a.precision}}},
      {"distribution",
       {{"$comment", "which node owns which tile (factosim list distributions)"}, {"type", a.distribution}}},
      {"scheduler",
       {{"$comment", "policy of each node's runtime system (factosim list policies)"},
        {"type", a.scheduler}}}};
}

void init(InitArguments a, bool ask_first) {
  if (ask_first && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0) ask_all(a);
  refuse_to_overwrite(a.output, a.force);
  std::string const text = json_text(commented_scenario(a), 2) + "\n";
  (void)plan_simulation(
      scenario_of(nlohmann::json::parse(text), a.output.string()));  // throws before it is written
  make_folder_of(a.output);
  write_file_atomically(a.output, text);
  if (a.output != standard_stream)
    fmt::print("{}: {} of {} x {} tiles on {}\nfactosim run {}\n", a.output.string(), a.application, a.nt,
               a.nt, a.platform, a.output.string());
}

}  // namespace

void add_init_command(CLI::App& program) {
  auto const a = std::make_shared<InitArguments>();
  CLI::App* const command =
      program.add_subcommand("init", "Write a small scenario with comments to start from");
  command->add_option("-o,--output", a->output, "File to write, - for standard output")
      ->type_name("PATH")
      ->capture_default_str();
  command->add_option("--platform", a->platform, "Name or path of a platform")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--nodes", a->nodes, "Nodes; 0: those of the platform")
      ->check(CLI::Range(0, 1'000'000));
  command->add_option("--application", a->application, "What is computed")
      ->check(one_of(application_names()))
      ->capture_default_str();
  command->add_option("--nt", a->nt, "Tiles a side")->check(CLI::Range(1, 5000))->capture_default_str();
  command->add_option("--nb", a->nb, "Rows of a tile; by default the size with the most timings")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--precision", a->precision, "Of the matrix")
      ->check(one_of({"double", "single"}))
      ->capture_default_str();
  command->add_option("--distribution", a->distribution, "Which node owns which tile")
      ->check(one_of(distribution_names()))
      ->capture_default_str();
  command->add_option("--scheduler", a->scheduler, "Policy of each node")
      ->check(one_of(names_of(described_policies())))
      ->capture_default_str();
  command->add_flag("--force", a->force, "Replace a file that is there already");
  command->footer(
      "Example: factosim init --platform mirage --nt 30 -o my_scenario.json\n"
      "Without options, on a terminal, it asks.");
  command->callback([a, command] {
    bool given = false;
    for (CLI::Option const* option : command->get_options()) given = given || option->count() > 0;
    init(*a, !given);
  });
}

}  // namespace factosim
