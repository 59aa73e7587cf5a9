#include "simulator/front/cli/help_topics.hpp"

#include <filesystem>

#include "platforms/shipped_files.hpp"

namespace factosim {

namespace {

/// Lists where the documents are on this computer: beside the data of the installation, or in the project's source.
std::string documents() {
  std::string text =
      "Tutorial, how-tos, explanations, reference and glossary, in this order: begin with the first file "
      "below.\n"
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
       "FACTOSIM_PATH  folders, with colons between, in which names of platforms, kernel models, networks\n"
       "               and disks are searched before those of the installation: FOLDER/NAME.json,\n"
       "               FOLDER/platforms/NAME.json, FOLDER/models/kernels/NAME.json,\n"
       "               FOLDER/platforms/networks/NAME.json,\n"
       "               FOLDER/platforms/disks/NAME.json\n"
       "FACTOSIM_PLUGINS  folders, as above: plug-ins in them and below may be loaded. Without it no\n"
       "               scenario makes this program run code\n"
       "NO_COLOR       if it is not empty, messages have no colours; --color always overrides it\n"},
      {"exit-codes", "what the exit code of a command says",
       "0  done\n"
       "2  the input is wrong: FILE#/json/pointer: problem (why). what to do\n"
       "3  the program is wrong: please report it with the scenario\n"
       "4  the input is right, and there is no solution: a node too small for its tiles, ...\n"
       "5  a comparison or check found more than its tolerance\n"},
      {"messages", "errors, warnings, notes, progress",
       "All messages go to standard error, results to standard output.\n\n"
       "--quiet        errors only. Results keep their findings.\n"
       "--verbose      each warning on a line of its own with whole paths; otherwise those with the same\n"
       "               text are one line\n"
       "--color WHEN   auto (on terminals, unless NO_COLOR is set), always or never\n"},
      {"names", "platforms and kernel models by name instead of by path",
       "\"platform\": \"mirage\", {\"file\": \"mirage\"} and \"kernels\": \"mirage\" name a file. Text with "
       "a slash\n"
       "is a path, relative to the folder of the file in which it stands. A name is searched in\n\n"
       "  1. the folder of that file: NAME, or NAME.json if it is a platform, or a kernel model\n"
       "  2. the folders of FACTOSIM_PATH\n"
       "  3. PREFIX/share/factosim of the installation\n"
       "  4. the folder of the project that the program was built from\n\n"
       "`factosim list platforms` and `factosim list kernels` show all names. Results record the file: "
       "provenance/platform\n"
       "and provenance/timings.\n"},
      {"scenario", "the file that says what to simulate",
       "A scenario is a JSON object. The smallest one:\n\n"
       "  {\"platform\": \"mirage\", \"application\": {\"type\": \"lu\", \"nt\": 20, \"nb\": 960}}\n\n"
       "platform      a name or a path; or {\"file\", \"nodes\": [{\"type\", \"count\"}, ...]}\n"
       "application   {\"type\", \"nt\", \"nb\", \"precision\", ...}     factosim list applications\n"
       "distribution  {\"type\", ...}                            factosim list distributions\n"
       "scheduler     {\"type\", ...}                            factosim list policies\n"
       "runtime, network, noise, outputs, seed, name           have defaults\n\n"
       "`format` (\"factosim-scenario\") and `version` (1) may be left out. `$schema` may be given, and any "
       "object may\n"
       "have a `$comment`. All other unknown keys are errors. `factosim init` writes a scenario with "
       "comments;\n"
       "`factosim validate` lists what is wrong in one.\n"},
      {"settings", "keys of a scenario from the command line: --set KEY=VALUE",
       "--set /application/nt=50   a JSON pointer into the scenario\n"
       "--set nt=50                its end, where only one key of the scenario ends so\n"
       "--set scheduler/type=ws    a longer end, where a short one is ambiguous\n"
       "--set platform=mirage      keys of the scenario itself come first\n\n"
       "VALUE is JSON, or else text. --set may be repeated; settings apply in order. Results record them "
       "with whole\n"
       "pointers.\n"},
      {"streams", "standard input and output: -",
       "-  as the scenario, sweep or other JSON file to read is standard input; relative paths in it then "
       "start from\n"
       "   the current folder. As the file to write (-o -) it is standard output, and the note about the "
       "file goes to\n"
       "   standard error. A file that is called - is ./-\n\n"
       "  factosim init -o - | factosim run - --set nt=30\n"},
  };
  return topics;
}

}  // namespace factosim
