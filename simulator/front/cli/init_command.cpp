#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>

#include "factosim/error.hpp"
#include "models/applications/application.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/runtime/policies/policies.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/scenario/simulation/run.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct InitArguments {
  CLI::App* command = nullptr;
  fs::path output;                     // empty: scenario.json, or EXAMPLE.json
  std::vector<std::string> platforms;  // empty: mirage; several are merged
  std::vector<std::string> nodes;      // COUNT or TYPE=COUNT; empty: those of the platform
  std::string application = application_names().front(), distribution = "block-cyclic", scheduler = "dmdas";
  std::string example;  // name; empty: none
  std::string graph;    // file of a graph; empty: an application on tiles
  int nt = 20, nb = 0;
  std::string precision;  // empty: double, or single if only that is measured
  bool force = false;
};

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
  value = parsed<int>(text).value_or(0);
}

void ask_all(InitArguments& a) {
  std::string platform = "mirage";
  int nodes = 0;
  ask("Platform", platform, shipped_names(ShippedKind::platform));
  ask("Nodes, 0 for those of the platform", nodes);
  a.platforms = {platform};
  if (nodes != 0) a.nodes = {std::to_string(nodes)};
  ask("Application", a.application, application_names());
  ask("Tiles a side (nt)", a.nt);
  ask("Distribution", a.distribution, distribution_names());
  ask("Policy", a.scheduler, names_of(described_policies()));
}

/// A precision and a tile size that a machine has timings of.
struct Measured {
  Precision precision;
  int nb;
};

/// Returns the precision asked for, or else double, unless only single has a timing of each kernel of the application; and
/// the tile size with the most timings in it, of several the largest.
Measured usual_measurements(Platform const& platform, std::string const& application,
                            std::string const& asked) {
  std::vector<KernelTiming> timings;
  for (NodeType const& type : platform.types)
    if (!type.kernels_file.empty())
      std::ranges::move(read_kernel_model(type.kernels_file).timings, std::back_inserter(timings));
  auto const known = applications();
  auto const named = [&](Application const& a) { return a.name == application; };
  std::vector<Kernel> const kernels = std::ranges::find_if(known, named)->get().kernels({});
  auto const serves = [&](Precision precision) {
    return std::ranges::all_of(kernels, [&](Kernel const& kernel) {
      return kernel.is_free || std::ranges::any_of(timings, [&](KernelTiming const& t) {
               return t.precision == precision && t.kernel == timing_name(kernel) &&
                      (t.application.empty() || t.application == application);
             });
    });
  };
  bool const only_single = !serves(Precision::double_) && serves(Precision::single_);
  Measured out{.precision = asked.empty() ? (only_single ? Precision::single_ : Precision::double_)
                                          : *precision_named(asked),
               .nb = 960};
  std::map<int, int> counts;
  for (KernelTiming const& t : timings)
    if (t.nb > 0 && t.precision == out.precision) ++counts[t.nb];
  auto const most = std::ranges::max_element(
      counts, {}, [](auto const& entry) { return std::pair(entry.second, entry.first); });
  if (most != counts.end()) out.nb = most->first;
  return out;
}

/// Returns a path from the current folder as one from the folder of the output, where the scenario is read; a name as it
/// is.
std::string from_output(std::string const& platform, fs::path const& output) {
  std::error_code ignored;
  fs::path const path = platform;
  if (output == standard_stream || path.is_absolute() ||
      !(fs::is_regular_file(path, ignored) || fs::is_directory(path, ignored)))
    return platform;
  return fs::absolute(path)
      .lexically_normal()
      .lexically_proximate(fs::absolute(output).lexically_normal().parent_path())
      .string();
}

/// Returns the node types of the platforms.
std::vector<std::string> type_names(InitArguments const& a) {
  std::vector<std::string> out;
  for (std::string const& platform : a.platforms) {
    nlohmann::json const name = platform;
    JsonReader const json(name, a.output.string(), "/platform");
    for (NodeType const& type : read_platform_types(read_path_or_name(json, ShippedKind::platform)).types)
      out.push_back(type.name);
  }
  return out;
}

/// Returns the list of nodes that --nodes asks for.
Json nodes_key(InitArguments const& a) {
  std::vector<std::string> const types = type_names(a);
  Json out = Json::array();
  for (std::string const& text : a.nodes) {
    auto const equal = text.rfind('=');
    std::string const number = equal == std::string::npos ? text : text.substr(equal + 1);
    std::string const type = equal == std::string::npos ? types.front() : text.substr(0, equal);
    auto const count = parsed<std::uint32_t>(number);
    if (!count || number.size() >= 8)
      throw InputError(
          "--nodes#",
          fmt::format("\"{}\" counts no nodes (COUNT or TYPE=COUNT is expected). Write --nodes {}=4", text,
                      types.front()));
    if (equal == std::string::npos && *count > 0 && (types.size() != 1 || a.nodes.size() != 1))
      throw InputError(
          "--nodes#",
          fmt::format("\"{}\" counts nodes of one type (there are {}: {}). Write --nodes {}={} for each",
                      text, types.size(), fmt::join(types, ", "), types.front(), text));
    if (std::ranges::find(types, type) == types.end())
      throw InputError("--nodes#",
                       fmt::format("no node type is called \"{}\" (the platform does not describe it). {}",
                                   type, use_one_of(type, types)));
    if (*count > 0) out.push_back({{"type", type}, {"count", *count}});
  }
  return out;
}

Json platform_key(InitArguments const& a) {
  Json out = {{"$comment", "a name (factosim list platforms), or the path of a platform file"}};
  if (a.platforms.size() == 1)
    out["file"] = a.platforms.front();
  else
    out["merge"] = a.platforms;
  if (!a.nodes.empty())
    if (Json nodes = nodes_key(a); !nodes.empty()) out["nodes"] = std::move(nodes);
  return out;
}

/// Returns the head of a scenario, with comments.
Json scenario_head(InitArguments const& a, Json const& platform, char const* change) {
  return {{"$comment", Json::array({fmt::format("factosim run {}", a.output.string()),
                                    fmt::format("Any key can be changed for one run: {}", change),
                                    "All keys, with their defaults: provenance/options of a result"})},
          {"format", "factosim-scenario"},
          {"version", 1},
          {"platform", platform}};
}

Json scheduler_key(InitArguments const& a) {
  return {{"$comment", "policy of each node's runtime system (factosim list policies)"},
          {"type", a.scheduler}};
}

/// Returns a scenario of the tasks in a file.
Json graph_scenario(InitArguments const& a, Json const& platform) {
  Json out = scenario_head(a, platform, "--set scheduler/type=ws");
  out["application"] = {{"$comment",
                         "tasks of a file; \"durations\": those of the \"file\", or of the \"platform\"'s "
                         "kernel files by the names of the kernels and \"nb\""},
                        {"type", "graph"},
                        {"file", from_output(a.graph, a.output)}};
  if (a.nb > 0) out["application"]["nb"] = a.nb;
  out["scheduler"] = scheduler_key(a);
  return out;
}

/// Returns a scenario in which each part has a comment.
Json commented_scenario(InitArguments const& a) {
  Json const platform = platform_key(a);
  if (!a.graph.empty()) return graph_scenario(a, platform);
  nlohmann::json const value = platform;
  Platform const read = read_platform(JsonReader(value, a.output.string(), "/platform"));
  Measured const measured = usual_measurements(read, a.application, a.precision);
  Json out = scenario_head(a, platform, "--set nt=30 --set scheduler/type=ws");
  out["application"] = {
      {"$comment", "nt x nt tiles of nb x nb elements; nb must be a size that was measured on the machine"},
      {"type", a.application},
      {"nt", a.nt},
      {"nb", a.nb > 0 ? a.nb : measured.nb},
      {"precision", name_of(measured.precision)}};
  out["distribution"] = {{"$comment", "which node owns which tile (factosim list distributions)"},
                         {"type", a.distribution}};
  out["scheduler"] = scheduler_key(a);
  return out;
}

/// Returns true if no option was given.
bool is_plain(CLI::App const& command) {
  return std::ranges::all_of(command.get_options(), [](auto const* option) { return option->count() == 0; });
}

/// Writes a shipped scenario or sweep, and beside it the file that its application names.
void write_example(InitArguments const& a) {
  auto const examples = shipped_files(ShippedKind::example);
  auto const found = examples.find(a.example);
  if (found == examples.end()) {
    std::vector<std::string> const names = shipped_names(ShippedKind::example);
    throw InputError("--example#",
                     fmt::format("no example is called \"{}\". {}", a.example, use_one_of(a.example, names)));
  }
  fs::path const& file = found->second;
  nlohmann::json const document = parse_json_file(file);
  bool const is_sweep = document.contains("points");
  fs::path const output = a.output.empty() ? fs::path(a.example + ".json") : a.output;
  std::vector<std::pair<fs::path, fs::path>> copies{{file, output}};
  if (nlohmann::json::json_pointer const named("/application/file"); document.contains(named)) {
    fs::path const name = document.at(named).get<std::string>();
    if (output == standard_stream)
      throw InputError("--output#", fmt::format("the example {} has a second file, {}. Write it to a file",
                                                a.example, name.string()));
    copies.emplace_back(file.parent_path() / name, output.parent_path() / name);
  }
  for (auto const& [from, to] : copies) refuse_to_overwrite(to, a.force);
  for (auto const& [from, to] : copies) write_output(to, read_input(from));
  if (output == standard_stream) return;
  fmt::print("{}: {}\nfactosim {} {}\n", output.string(), document.at("$comment").get<std::string>(),
             is_sweep ? "sweep" : "run", output.string());
}

void init(InitArguments const& arguments) {
  if (!arguments.example.empty()) {
    write_example(arguments);
    return;
  }
  InitArguments a = arguments;
  if (a.output.empty()) a.output = "scenario.json";
  if (is_plain(*a.command) && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0) ask_all(a);
  if (a.platforms.empty()) a.platforms = {"mirage"};
  std::string const given = fmt::format("{}", fmt::join(a.platforms, " and "));
  for (std::string& platform : a.platforms) platform = from_output(platform, a.output);
  refuse_to_overwrite(a.output, a.force);
  std::string const text = json_text(commented_scenario(a), 2) + "\n";
  SimulationPlan const plan = plan_simulation(
      scenario_of(nlohmann::json::parse(text), a.output.string()));  // throws before it is written
  write_output(a.output, text);
  if (a.output == standard_stream) return;
  if (!a.graph.empty())
    fmt::print("{}: {} tasks of {} on {}\nfactosim run {}\n", a.output.string(), task_count(plan), a.graph,
               given, a.output.string());
  else
    fmt::print("{}: {} of {} x {} tiles on {}\nfactosim run {}\n", a.output.string(), a.application, a.nt,
               a.nt, given, a.output.string());
}

}  // namespace

void add_init_command(CLI::App& program) {
  auto [options, a] = add_command(program, "init", "Write a small scenario with comments to start from", init,
                                  "Example: factosim init --platform mirage --nt 30 -o my_scenario.json\n"
                                  "         factosim init --example mixed-cluster\n"
                                  "Without options, on a terminal, it asks.");
  a.command = program.get_subcommand("init");
  CLI::Option* const output = options.path(
      "-o,--output", a.output,
      "File to write, - for standard output; scenario.json by default, or NAME.json of an example");
  CLI::Option* const force = options.force(a.force, "Replace a file that is there already");
  CLI::Option* const example =
      options.add("--example", a.example,
                  "Copy one of the scenarios and sweeps that factosim list examples describes", "NAME");
  options.repeated("--platform", a.platforms,
                   "Name or path of a platform, mirage by default; several, each with --platform, are merged",
                   "NAME");
  options.repeated(
      "--nodes", a.nodes,
      "Nodes, or TYPE=COUNT of a node type, which may be repeated; those of the platform by default",
      "COUNT");
  options.choice("--application", a.application, "What is computed", application_names())
      ->capture_default_str();
  options.path("--graph", a.graph, "File or folder of a graph of tasks, instead of an application");
  options.range("--nt", a.nt, "Tiles a side", 1, 5000)->capture_default_str();
  options.range("--nb", a.nb, "Rows of a tile; by default the size with the most timings", 1, 1'000'000);
  options.more();
  options.choice("--precision", a.precision,
                 "Of the matrix; by default double, or single if only that is measured",
                 names_of(precisions));
  options.choice("--distribution", a.distribution, "Which node owns which tile", distribution_names())
      ->capture_default_str();
  options.choice("--scheduler", a.scheduler, "Policy of each node", names_of(described_policies()))
      ->capture_default_str();
  for (CLI::Option* const other : a.command->get_options())
    if (other != output && other != force && other != example && other != a.command->get_help_ptr())
      example->excludes(other);
}

}  // namespace factosim
