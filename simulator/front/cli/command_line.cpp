#include "simulator/front/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

namespace {

/// What an option takes, by the library's name of its type.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> placeholders{
    {{"TEXT", "TEXT"}, {"UINT", "N"}, {"INT", "N"}, {"FLOAT", "X"}, {"BOOLEAN", "BOOL"}}};

/// The heading of options that few calls of a command need.
constexpr char const* rarer_options = "More options";

/// What lines of a help hold at most, and where the descriptions of options begin.
constexpr std::size_t help_width = 80, help_column = 26;
/// The longest list of choices that stands beside its option.
constexpr std::size_t short_list = 24;

/// Returns what an option takes: PATH, or {a|b}; empty for flags.
std::string value_name(CLI::Option const& option) {
  if (option.get_type_size() == 0) return {};
  std::string type = option.get_type_name();
  if (std::size_t const list = type.find(":{"); list != std::string::npos) {
    type.erase(0, list + 1);
    std::ranges::replace(type, ',', '|');
    return type;
  }
  type.resize(std::min(type.size(), type.find(':')));
  for (auto const& [name, shown] : placeholders)
    if (type == name) return std::string(shown);
  return type;
}

/// Returns the text in lines that end before `help_width`; all but the first begin at the column.
std::string wrapped(std::string const& text, std::size_t column) {
  return fmt::format("{}",
                     fmt::join(broken_lines(text, help_width - column), "\n" + std::string(column, ' ')));
}

/// Returns an example of a call in lines that a shell reads as one.
std::string wrapped_command(std::string const& text) {
  if (text.size() <= help_width) return text;
  std::size_t const cut = text.rfind(" -", help_width - 2);
  if (cut == std::string::npos) return text;
  return text.substr(0, cut) + " \\\n" + wrapped_command(std::string(11, ' ') + text.substr(cut));
}

/// Returns a row of a help: a name, and what it is from the column of descriptions on.
std::string help_row(std::string const& name, std::string const& description) {
  std::string out = "  " + name;
  if (description.empty()) return out + "\n";
  out += out.size() + 2 > help_column ? "\n" + std::string(help_column, ' ')
                                      : std::string(help_column - out.size(), ' ');
  return out + wrapped(description, help_column) + "\n";
}

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option(CLI::Option const* option, bool is_positional) const override {
    std::string description = make_option_desc(option);
    if (has_long_list(*option)) description += fmt::format(": {}", fmt::join(choices_of(*option), ", "));
    return help_row(make_option_name(option, is_positional) + make_option_opts(option), description);
  }
  std::string make_help(CLI::App const* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string out = Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = out.find("\n\n\n")) != std::string::npos;) out.erase(at, 1);
    return out;
  }
  std::string make_subcommand(CLI::App const* command) const override {
    return help_row(command->get_display_name(true), command->get_description());
  }
  std::string make_footer(CLI::App const* command) const override {
    std::string out, prose;
    std::istringstream lines(command->get_footer());
    for (std::string line; std::getline(lines, line);)
      if (prose.empty() && (line.starts_with("Example") || line.starts_with(' ')))
        out += wrapped_command(line) + "\n";
      else
        prose += (prose.empty() ? "" : " ") + line;
    return out + wrapped(prose, 0) + (prose.empty() ? "" : "\n");
  }
  std::string make_description(CLI::App const* command) const override {
    return wrapped(command->get_description(), 0) + "\n";
  }
  std::string make_option_name(CLI::Option const* option, bool is_positional) const override {
    std::string name = Formatter::make_option_name(option, is_positional);
    name.resize(std::min(name.size(), name.find('{')));  // the value of a flag that switches off
    return name;
  }
  std::string make_option_usage(CLI::Option const* option) const override {
    std::string const name = make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }
  std::string make_option_opts(CLI::Option const* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string out = " " + (has_long_list(*option) ? "NAME" : value_name(*option));
    if (option->get_expected_max() > 1) out += option->get_delimiter() == '\0' ? " ..." : ",...";
    std::string value = option->get_default_str();
    std::erase_if(value, [](char c) { return c == '[' || c == ']'; });  // of a list
    if (!value.empty()) out += "=" + value;
    if (option->get_required() && option->nonpositional()) out += " " + get_label("REQUIRED");
    return out;
  }

 private:
  static bool has_long_list(CLI::Option const& option) {
    return !choices_of(option).empty() && value_name(option).size() > short_list;
  }
};

/// Returns the command that the arguments name: "run" or "import starpu-model".
CLI::App const& parsed_command(CLI::App const& program) {
  CLI::App const* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

std::vector<std::string> option_names(CLI::App const& command) {
  std::vector<std::string> out;
  for (CLI::Option const* option : command.get_options())
    for (std::string const& name : option->get_lnames()) out.push_back("--" + name);
  return out;
}

/// Returns "It is one of factosim run, factosim sweep. ": the commands that have an option; empty if none has.
std::string commands_with(CLI::App const& command, std::string const& option) {
  CLI::App const* program = &command;
  while (program->get_parent() != nullptr) program = program->get_parent();
  std::vector<std::string> names;
  for (CLI::App const* other : program->get_subcommands([](CLI::App const*) { return true; }))
    if (other->get_option_no_throw(option) != nullptr) names.push_back(full_name(*other));
  return names.empty() ? "" : fmt::format("It is one of {}. ", fmt::join(names, ", "));
}

/// Returns the message about an option that the command does not have.
std::string unknown_option(CLI::App const& command, std::string const& argument, std::string const& next) {
  std::string const name = argument.substr(0, argument.find('='));
  std::vector<std::string> const known = option_names(command);
  bool const is_short = !name.starts_with("--");
  std::string hint = did_you_mean(is_short && name.size() == 2 ? "-" + name : name, known);
  if (is_short && hint.empty())
    for (std::string const& option : known)
      if (hint.empty() && option.starts_with("-" + name)) hint = fmt::format("Did you mean \"{}\"? ", option);
  bool const is_long = !is_short && name.size() > 2 && hint.empty();
  if (is_long) hint = commands_with(command, name);
  if (is_long && std::ranges::find(known, "--set") != known.end()) {
    std::string const value = name != argument                          ? argument.substr(name.size() + 1)
                              : !next.empty() && !next.starts_with('-') ? next
                                                                        : "VALUE";
    hint += fmt::format("A key of the scenario is set by --set {}={}. ",
                        name.substr(std::min(name.size(), name.find_first_not_of('-'))), value);
  }
  return fmt::format("{}: is no option of {}. {}See {} --help", name, full_name(command), hint,
                     full_name(command));
}

/// Returns the message about arguments that a command does not take, without its last sentence.
std::string too_many(CLI::App const& command, std::vector<std::string> const& extras,
                     std::string const& first_argument) {
  if (first_argument.starts_with('-'))
    return fmt::format("{}: stands before the command (options follow it). Write {} ... {}", first_argument,
                       full_name(command), first_argument);
  std::vector<std::string> takes;
  for (CLI::Option const* option :
       command.get_options([](CLI::Option const* o) { return o->get_positional(); }))
    takes.push_back(option->get_name());
  return fmt::format(
      "{}: is one argument too many ({} takes: {}). Remove it, or put quotes around text with spaces",
      extras.front(), full_name(command),
      takes.empty() ? "options only" : fmt::format("{}", fmt::join(takes, ", ")));
}

}  // namespace

std::string full_name(CLI::App const& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::vector<std::string> choices_of(CLI::Option const& option) {
  std::vector<std::string> out;
  std::string const list = value_name(option);
  if (!list.starts_with('{')) return out;
  std::istringstream words(list.substr(1, list.size() - 2));
  for (std::string word; std::getline(words, word, '|');) out.push_back(word);
  return out;
}

CLI::Validator one_of(std::vector<std::string> names, std::optional<RemovedFrom> earlier) {
  std::string const description = fmt::format("{{{}}}", fmt::join(names, ","));
  return CLI::Validator(
      [names = std::move(names), earlier](std::string const& value) {
        if (std::ranges::find(names, value) != names.end()) return std::string();
        if (std::string const why = earlier ? why_removed(*earlier, value) : ""; !why.empty())
          return fmt::format("\"{}\" is not available any more {}", value, why);
        return fmt::format("\"{}\" is not known. {}", value, use_one_of(value, names));
      },
      description);
}

std::vector<std::string> command_names(CLI::App const& app) {
  std::vector<std::string> out;
  for (CLI::App const* command : app.get_subcommands([](CLI::App const*) { return true; }))
    out.push_back(command->get_name());
  return out;
}

CLI::Validator number_within(double low, double high, bool whole, bool without_low) {
  std::string const wanted = whole ? "a whole number" : "a number";
  std::string const range = std::isfinite(high) ? fmt::format("from {} to {}", low, high)
                                                : fmt::format("{} {}", without_low ? "above" : "from", low);
  return CLI::Validator(
      [=](std::string const& text) {
        auto const value = parsed<double>(text);
        if (value && std::isfinite(*value) && *value >= low && *value <= high &&
            !(without_low && *value == low) && !(whole && *value != std::floor(*value)))
          return std::string();
        return fmt::format("\"{}\" is not possible ({} {} is expected). Give one", text, wanted, range);
      },
      "");
}

void set_help_format(CLI::App& program) {
  auto const format = std::make_shared<HelpFormat>();
  program.formatter(format);
  for (CLI::App* command : program.get_subcommands([](CLI::App const*) { return true; }))
    set_help_format(*command);
}

void check_command_words(CLI::App const& program, std::vector<std::string> const& arguments) {
  CLI::App const* app = &program;
  for (std::string const& word : arguments) {
    std::vector<std::string> const names = command_names(*app);
    if (names.empty() || word.starts_with('-')) return;
    if (std::string const why = app == &program ? why_removed(RemovedFrom::commands, word) : ""; !why.empty())
      throw InputError(word, fmt::format("is not a command any more {}", why));
    if (app->get_subcommands([&](CLI::App const* command) { return command->check_name(word); }).empty()) {
      std::string const name = full_name(*app);
      if (std::error_code ignored; std::filesystem::exists(word, ignored))
        throw InputError(
            word, fmt::format("is a file (a command comes first). Use {} {} {}{}", name, names.front(), word,
                              app->get_name() == "import" ? ", or factosim convert " + word : ""));
      throw InputError(word, fmt::format("is no command of {}. {}", name, use_one_of(word, names)));
    }
    app = app->get_subcommand(word);
  }
}

std::string usage_message(CLI::App const& program, CLI::ParseError const& error,
                          std::vector<std::string> const& arguments) {
  CLI::App const& command = parsed_command(program);
  // A misspelt option may be what is missing.
  if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr ||
      dynamic_cast<CLI::RequiredError const*>(&error) != nullptr) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::string const& argument = arguments[i];
      if (!argument.starts_with('-') || argument == "-" || argument == "--") continue;
      std::string const name = argument.substr(0, argument.find('='));
      if (command.get_option_no_throw(name) == nullptr)
        return unknown_option(command, argument, i + 1 < arguments.size() ? arguments[i + 1] : "");
    }
  }
  std::string text = error.what();
  std::string const name = text.substr(0, text.find_first_of(" :"));
  CLI::Option const* const option = command.get_option_no_throw(name);
  if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr)
    text = too_many(command, program.remaining(true), arguments.front());
  else if (option != nullptr && dynamic_cast<CLI::RequiredError const*>(&error) != nullptr)
    text = fmt::format(
        "{}: is missing ({}). Add {}", name, option->get_description(),
        choices_of(*option).empty() ? "it" : fmt::format("one of: {}", fmt::join(choices_of(*option), ", ")));
  else if (option != nullptr && dynamic_cast<CLI::ArgumentMismatch const*>(&error) != nullptr)
    text = fmt::format("{}: has no {} behind it ({}). Add it", name, value_name(*option),
                       option->get_description());
  else if (dynamic_cast<CLI::ConversionError const*>(&error) != nullptr)
    text = fmt::format("{} (its value has another form). Correct it", text);
  return fmt::format("{}. See {} --help", text, full_name(command));
}

CLI::Option* CommandOptions::repeated(std::string const& name, std::vector<std::string>& values,
                                      std::string const& help, std::string const& shown) {
  return add(name, values, help, shown)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* CommandOptions::size(std::string const& name, std::optional<std::int64_t>& bytes,
                                  std::string const& help) {
  auto const reader = [name, &bytes](std::string const& text) {
    StatedQuantity const size = stated_quantity(text, "B");
    bool const possible = size.value >= 1 && size.value <= std::ldexp(1, 60);
    if (!size.mistake.empty() || !possible)
      throw InputError(
          name + "#",
          fmt::format("\"{}\" is not a memory size (a number above 0 with its unit is expected: 10^9 bytes "
                      "are 1GB, 2^30 are 1GiB). Write 64GB or 64GiB",
                      text));
    bytes = std::llround(size.value);
  };
  return read(name, reader, help, "SIZE");
}

void CommandOptions::force_large(bool& value) {
  flag("--force-large", value,
       "Begin even where more memory is likely to be needed than there is, or very much time")
      ->group(rarer_options);
}

void CommandOptions::more() { command_->option_defaults()->group(rarer_options); }

void CommandOptions::jobs(int& value, std::string_view things) {
  range("--jobs", value, fmt::format("{} at once; one a core by default", things), 1, 100'000);
}

void CommandOptions::scenario(ScenarioArguments& arguments) {
  path("scenario", arguments.file, "Scenario file (JSON), or - for standard input")->required();
  repeated("--set", arguments.settings,
           "Override a key of the scenario, such as nt=50 or /application/nt=50; may be repeated",
           "KEY=VALUE");
  json(arguments.json);
}

void CommandOptions::output(std::filesystem::path& value, std::string const& help) {
  path("-o,--output", value, help)->required();
}

void CommandOptions::provenance(std::string& value) {
  add("--provenance", value, "Who measured what, kept in the file", "TEXT");
}

void print_json(nlohmann::ordered_json const& json) { fmt::print("{}\n", json_text(json, 2)); }

std::string aligned(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (auto const& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c + 1 == row.size() ? row[c] : fmt::format("{:<{}}  ", row[c], widths[c]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

void write_output(std::filesystem::path const& file, std::string const& text) {
  if (file.empty()) return;
  make_folder_of(file);
  write_file_atomically(file, text);
}

void print_written(std::filesystem::path const& file, std::string_view text) {
  if (file == standard_stream)
    print_note(fmt::format("standard output: {}", text));
  else
    fmt::print("{}: {}\n", file.string(), text);
}

}  // namespace factosim
