#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/version.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"

namespace factosim {

namespace {

/// Lists where the documents are on this computer: beside the data of the installation, or in the project's source.
std::string documents() {
  std::string text =
      "Tutorial, how-tos, explanations, reference and glossary, in this order: begin\n"
      "with the first file below.\n"
      "The site of HTML pages has a search and needs no network.\n\n";
  bool found = false;
  for (std::filesystem::path const& data : data_folders())
    for (std::filesystem::path const& page :
         {data.parent_path() / "doc" / "factosim" / "html" / "index.html",
          data.parent_path() / "doc" / "factosim" / "scenarios" / "guide" / "README.md",
          data / "scenarios" / "guide" / "README.md"}) {
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(page, ignored)) continue;
      text += page.string() + "\n";
      found = true;
    }
  if (!found) text += "They are not installed here.\n";
  return text;
}

}  // namespace

std::vector<HelpTopic> const& help_topics() {
  static std::vector<HelpTopic> const topics = {
      {"documents", "where the tutorial and the other pages are", documents()},
      {"environment", "variables that change what the program does",
       "FACTOSIM_PATH  folders, with colons between, in which names of platforms,\n"
       "               kernel models, networks and disks are searched before those of\n"
       "               the installation: FOLDER/NAME.json, FOLDER/platforms/NAME.json,\n"
       "               FOLDER/models/kernels/NAME.json,\n"
       "               FOLDER/platforms/networks/NAME.json,\n"
       "               FOLDER/platforms/disks/NAME.json\n"
       "FACTOSIM_PLUGINS  folders, as above: plug-ins in them and below may be loaded.\n"
       "               Without it no scenario makes this program run code\n"
       "NO_COLOR       if it is not empty, messages have no colours; --color always\n"
       "               overrides it\n"},
      {"exit-codes", "what the exit code of a command says",
       "0  done\n"
       "2  the input is wrong: FILE#/json/pointer: problem (why). what to do\n"
       "3  the program is wrong: please report it with the scenario\n"
       "4  the input is right, and there is no solution: a node too small for its data\n"
       "5  a comparison or check found more than its tolerance\n"},
      {"messages", "errors, warnings, notes, progress",
       "All messages go to standard error, results to standard output.\n\n"
       "--quiet        errors only. Results keep their findings.\n"
       "--verbose      run: also bounds in parts, tasks by kernel, types of nodes;\n"
       "               compare: all tables; all commands: each warning on a line of its\n"
       "               own with whole paths; otherwise those with the same text are one\n"
       "--color WHEN   auto (on terminals, unless NO_COLOR is set), always or never\n"},
      {"names", "platforms and kernel models by name instead of by path",
       "\"platform\": \"mirage\", {\"file\": \"mirage\"} and \"kernels\": \"mirage\" name a file.\n"
       "Text with a slash is a path, relative to the folder of the file in which it\n"
       "stands. A name is searched in\n\n"
       "  1. the folder of that file: NAME, or NAME.json of a platform or kernel model\n"
       "  2. the folders of FACTOSIM_PATH\n"
       "  3. PREFIX/share/factosim of the installation\n"
       "  4. the folder of the project that the program was built from\n\n"
       "`factosim list platforms` and `factosim list kernels` show all names. Results\n"
       "record the file: provenance/platform and provenance/timings.\n"},
      {"scenario", "the file that says what to simulate",
       "A scenario is a JSON object. The smallest one:\n\n"
       "  {\"platform\": \"mirage\", \"application\": {\"type\": \"lu\", \"nt\": 20, \"nb\": 960}}\n\n"
       "platform      a name or a path; or {\"file\", \"nodes\": [{\"type\", \"count\"}, ...]}\n"
       "application   {\"type\", \"nt\", \"nb\", \"precision\", ...}  factosim list applications\n"
       "distribution  {\"type\", ...}                         factosim list distributions\n"
       "scheduler     {\"type\", ...}                         factosim list policies\n"
       "runtime, network, noise, outputs, seed, name           have defaults\n\n"
       "`format` (\"factosim-scenario\") and `version` (1) may be left out. `$schema` may be\n"
       "given, and any object may have a `$comment`. All other unknown keys are errors.\n"
       "`factosim init` writes a scenario with comments; `factosim validate` lists what\n"
       "is wrong in one.\n"},
      {"settings", "keys of a scenario from the command line: --set KEY=VALUE",
       "--set /application/nt=50   a JSON pointer into the scenario\n"
       "--set nt=50                its end, where only one key of the scenario ends so\n"
       "--set scheduler/type=ws    a longer end, where a short one is ambiguous\n"
       "--set platform=mirage      keys of the scenario itself come first\n"
       "--set ram_limit_bytes=8GiB a number may have a unit\n"
       "--set scheduler=null       takes a key away\n\n"
       "VALUE is JSON, or else text. --set may be repeated; settings apply in order.\n"
       "Results record them with whole pointers.\n"},
      {"streams", "standard input and output: -",
       "-  as the scenario, sweep or other JSON file to read is standard input; relative\n"
       "   paths in it then start from the current folder. As the file to write (-o -)\n"
       "   it is standard output, and the note about the file goes to standard error. A\n"
       "   file that is called - is ./-\n\n"
       "  factosim init -o - | factosim run - --set nt=30\n"},
  };
  return topics;
}

namespace {

namespace fs = std::filesystem;

/// Calls `use` with a program and all commands below it.
void for_each_command(CLI::App const& app, std::function<void(CLI::App const&)> const& use) {
  use(app);
  for (CLI::App const* command : app.get_subcommands([](CLI::App const*) { return true; }))
    for_each_command(*command, use);
}

/// Escapes text for roff: a hyphen is a minus sign, and no line is a request.
std::string roff(std::string const& text) {
  std::string out;
  for (char const c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Returns the name of a command's page: factosim-import-starpu-model.
std::string page_name(CLI::App const& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// ---- completions: shells ask the program that is typed, by `factosim complete WORD...` ----

constexpr char const* bash_completion =
    "_factosim() {\n"
    "  local IFS=$'\\n'\n"
    "  COMPREPLY=($(\"${COMP_WORDS[0]/#\\~/$HOME}\" complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" "
    "2>/dev/null))\n"
    "  [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
    "}\n"
    "complete -o default -F _factosim factosim\n";
constexpr char const* zsh_completion =
    "#compdef factosim\n"
    "local -a found=(\"${(@f)$(\"${words[1]/#\\~/$HOME}\" complete \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\")\n"
    "compadd -- ${found:#}\n"
    "_files\n";
constexpr char const* fish_completion =
    "complete -c factosim -a '(set -l typed (commandline -opc) (commandline -ct); "
    "$typed[1] complete $typed[2..] 2>/dev/null)'\n";

/// Returns the help of a program or a command, also while a command runs (CLI::App::help is then that of the command).
std::string help_of(CLI::App const& command) {
  return command.get_formatter()->make_help(&command, full_name(command), CLI::AppFormatMode::Normal);
}

/// Returns the manual page of a program or a command, in roff: its help, as it is printed.
std::string manual_page(CLI::App const& command) {
  CLI::App const* const parent = command.get_parent();
  std::string const name = page_name(command);
  std::string out = fmt::format(".TH {} 1 \"\" \"factosim {}\" \"factosim\"\n.SH NAME\n{} \\- {}\n", name,
                                version(), roff(name), roff(command.get_description()));
  out += fmt::format(".SH DESCRIPTION\n.nf\n.in 0\n{}.fi\n", roff(help_of(command)));
  if (parent != nullptr) out += fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", roff(page_name(*parent)));
  return out;
}

/// Writes the manual pages and completions below the `share` folder of an installation. Throws InputError.
void write_shell_pages(fs::path const& share, CLI::App const& program) {
  auto const write = [&](fs::path const& file, std::string const& text) { write_output(share / file, text); };
  for_each_command(program, [&](CLI::App const& command) {
    write(fs::path("man/man1") / (page_name(command) + ".1"), manual_page(command));
  });
  write("bash-completion/completions/factosim", bash_completion);
  for (char const* const folder :
       {"site-functions", "vendor-completions"})  // the latter of Debian's packages
    write(fs::path("zsh") / folder / "_factosim", zsh_completion);
  write("fish/vendor_completions.d/factosim.fish", fish_completion);
}

struct HelpArguments {
  CLI::App* program = nullptr;
  std::vector<std::string> words;
  fs::path share;
};

/// Prints the help of a command, or a topic.
void help(CLI::App& program, std::vector<std::string> const& words) {
  CLI::App* app = &program;
  for (std::string const& word : words) {
    std::vector<std::string> known = command_names(*app);
    if (std::ranges::find(known, word) != known.end()) {
      app = app->get_subcommand(word);
      continue;
    }
    if (app == &program) {
      for (HelpTopic const& topic : help_topics())
        if (word == topic.name) {
          fmt::print("{}", topic.text);
          return;
        }
      for (std::string& name : names_of(help_topics())) known.push_back(std::move(name));
    }
    throw InputError(word, "is no command and no topic (see factosim help). " + use_one_of(word, known));
  }
  fmt::print("{}", help_of(*app));
}

void explain(HelpArguments const& a) {
  if (a.share.empty())
    help(*a.program, a.words);
  else
    write_shell_pages(a.share, *a.program);
}

}  // namespace

void add_help_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "help", "Explain a command, or a topic (factosim list topics)", explain,
                  "Example: factosim help run\n"
                  "         factosim help settings\n"
                  "         factosim help import starpu-model\n"
                  "For completion from a build folder: factosim help --pages DIR, then source "
                  "DIR/bash-completion/completions/factosim; it asks the program that is typed.");
  a.program = &program;
  options.add("word", a.words, "Command or topic; without it, all commands", "WORD");
  options.path("--pages", a.share,
               "Write the manual pages and completions of shells below this folder instead");
}

}  // namespace factosim
