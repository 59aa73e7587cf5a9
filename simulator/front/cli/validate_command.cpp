#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/reference/file_kinds.hpp"
#include "simulator/scenario/keys/removed.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

struct ValidateArguments {
  std::vector<fs::path> files;
  bool json = false;
};

FileKind const& kind_of(nlohmann::json const& document, fs::path const& file) {
  for (FileKind const& kind : file_kinds())
    if (kind.read && document.is_object() &&
        document.value("format", nlohmann::json()) == fmt::format("factosim-{}", kind.name))
      return kind;
  if (document.is_object() && document.contains("format") && document["format"].is_string()) {
    auto const format = document["format"].get<std::string>();
    if (std::string const why = why_removed(RemovedFrom::file_formats, format); !why.empty())
      throw InputError(file.string() + "#/format", fmt::format("is \"{}\" {}", format, why));
  }
  for (FileKind const& kind : file_kinds())
    if (std::ranges::any_of(kind.marks, [&](std::string_view mark) {
          return document.is_object() && document.contains(mark);
        }))
      return kind;
  throw InputError(file.string() + "#",
                   "is not a file of factosim (neither \"format\" nor its keys show its kind). Give a "
                   "scenario, platform, kernel model or sweep, or add \"format\"");
}

/// Returns the place "FILE#/pointer" that a message begins with.
std::string place_of(std::string const& message) {
  return message.substr(0, message.find(": ", std::min(message.size(), message.find('#'))));
}

/// Calls a reader and returns all mistakes that it finds. What is right is read once, as every other command reads it.
std::vector<std::string> problems_of(std::function<void()> const& read) {
  try {
    read();
    return {};
  } catch (InputError const&) {  // read again for the others
  }
  ProblemCollection problems;
  try {
    read();
  } catch (InputError const& error) {
    std::string const text = error.what(), place = place_of(text);
    problems.add(place, text.substr(std::min(text.size(), place.size() + 2)));
  } catch (std::exception const&) {
    if (problems.messages().empty())
      throw;  // otherwise a value that was assumed for a wrong one may be the reason
  }
  return problems.messages();
}

std::string counted(std::size_t problems) {
  return problems == 1 ? "1 problem" : fmt::format("{} problems", problems);
}

struct Validated {
  fs::path file;
  std::string kind;
  std::vector<std::string> problems;
};

Validated validated(fs::path const& file) {
  Validated out{.file = file, .kind = "no kind of file that is known", .problems = {}};
  try {
    nlohmann::json const document = parse_json_file(file);
    FileKind const& kind = kind_of(document, file);
    out.kind = kind.called;
    if (file == standard_stream && kind.name != "scenario")
      throw InputError("-#",
                       "is standard input (only scenarios are read from there). Give the path of a file");
    out.problems = problems_of([&] { kind.read(document, file); });
    if (out.problems.empty() && kind.check) kind.check(document, file);
  } catch (InputError const& error) {
    out.problems.emplace_back(error.what());
  } catch (InfeasibleError const& error) {
    out.problems.push_back(fmt::format("{}#: {}", file.string(), error.what()));
  }
  return out;
}

void validate(ValidateArguments const& arguments) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::size_t problems = 0;
  fs::path first;
  for (fs::path const& file : arguments.files) {
    Validated const result = validated(file);
    for (std::string const& problem : result.problems) print_error("factosim: " + problem);
    if (problems == 0 && !result.problems.empty()) first = file;
    problems += result.problems.size();
    list.push_back({{"file", file.string()}, {"kind", result.kind}, {"problems", result.problems}});
    if (!arguments.json)
      fmt::print("{}: {}, {}\n", file.string(), result.kind,
                 result.problems.empty() ? "no problem" : counted(result.problems.size()));
  }
  if (arguments.json) print_json(list);
  if (problems > 0)
    throw InputError(first.string() + "#", fmt::format("{} in all files (see above). Correct {}",
                                                       counted(problems), problems == 1 ? "it" : "them"));
}

}  // namespace

void add_validate_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "validate", "Report what is wrong in scenarios, sweeps, platforms and kernel models", validate,
      "Example: factosim validate scenarios/first/lu_mirage.json platforms/mirage.json\n"
      "Nothing is simulated. Files that a scenario names are checked with it.");
  options.path("files", a.files, "Files to check; - for a scenario on standard input")->required();
  options.json(a.json, "Print all problems as JSON on standard output");
}

}  // namespace factosim
