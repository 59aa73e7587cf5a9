#include "factosim/error.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/python_package.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/front/cli/command_line.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
  fs::path input, output;
  std::string kind, platform;
  bool force = false, json = false;
};

constexpr PythonPackage converters{.folder = "convert", .action = "converted"};

/// Returns the type of the first nodes of a platform; empty without a platform.
std::string first_type(std::string const& platform) {
  if (platform.empty()) return {};
  nlohmann::json const name = platform;
  JsonReader const json(name, "--platform");
  return read_platform_types(read_path_or_name(json, ShippedKind::platform)).types.front().name;
}

void convert_file(ConvertArguments const& a) {
  if (a.json && a.output == standard_stream)
    throw InputError("--json#",
                     "would be mixed with the file (both go to standard output). Give --output FILE");
  if (a.input == standard_stream && a.output.empty())
    throw InputError("--output#", "is missing (standard input has no name). Give --output FILE");
  if (a.input != standard_stream) InputFiles::add(a.input);
  std::string const name = a.input.string();
  std::error_code ignored;
  std::string const platform =
      fs::is_regular_file(a.platform, ignored) ? fs::absolute(a.platform).string() : a.platform;
  auto answer = nlohmann::ordered_json::parse(run_in_python(
      converters, {name, a.kind, platform, first_type(platform)}, read_input(a.input), name + "#"));
  fs::path const file =
      a.output.empty() ? fs::path(a.input.stem().string() + answer["ending"].get<std::string>()) : a.output;
  refuse_to_overwrite(file, a.force);
  write_output(file, answer["text"]);
  for (auto const& finding : answer["findings"]) print_warning(name + ": " + finding.get<std::string>());
  if (!a.json) return print_written(file, answer["summary"].get<std::string>());
  answer.erase("text");
  answer["file"] = file.string();
  print_json(answer);
}

}  // namespace

void add_convert_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "convert", "Make a graph, scenario or sweep of another tool's file that is not read as it is",
      convert_file,
      "Example: factosim convert Montage_100.xml -o montage.jsonl\n"
      "         factosim init --graph montage.jsonl -o montage.json\n"
      "         factosim convert HPL.dat --platform mirage -o hpl.json\n"
      "Needs python3. What is left out is printed, and kept in the file. See scenarios/graphs.md.");
  options.path("input", a.input, "File to convert, also compressed; - for standard input")->required();
  options.path("-o,--output", a.output,
               "File to write; without it INPUT with another ending in the current folder");
  options.choice("--from", a.kind, "Its kind, where the beginning does not show it",
                 {"dax", "formatted-tasks", "hpl"});
  options.add("--platform", a.platform, "Platform of a scenario, by name or path: HPL.dat names none",
              "NAME");
  options.force(a.force);
  options.json(a.json);
}

}  // namespace factosim
