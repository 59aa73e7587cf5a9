#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/cli/help_topics.hpp"
#include "simulator/front/cli/shell_pages.hpp"
#include "simulator/front/cli/usage.hpp"

namespace factosim {

namespace {

/// Prints the help of a command, or a topic.
void help(CLI::App& program, std::vector<std::string> const& words) {
  CLI::App* app = &program;
  std::string parents;  // their names, as the help of a command shows them
  for (std::string const& word : words) {
    std::vector<std::string> known = command_names(*app);
    if (std::ranges::find(known, word) != known.end()) {
      parents += (parents.empty() ? "" : " ") + app->get_name();
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
    throw InputError(word, fmt::format("is no command and no topic (see factosim help). {}Use one of: {}",
                                       did_you_mean(word, known), fmt::join(known, ", ")));
  }
  fmt::print("{}", app->help(parents));
}

}  // namespace

void add_help_command(CLI::App& program) {
  auto const words = std::make_shared<std::vector<std::string>>();
  auto const share = std::make_shared<std::filesystem::path>();
  CLI::App* const command =
      program.add_subcommand("help", "Explain a command, or a topic (factosim list topics)");
  command->add_option("word", *words, "Command or topic; without it, all commands")->type_name("WORD");
  command->footer(
      "Example: factosim help run\n"
      "         factosim help settings");
  command
      ->add_option("--pages", *share,
                   "Write the manual pages and completions of shells below this folder instead")
      ->type_name("PATH");
  command->callback([words, share, &program] {
    if (share->empty()) return help(program, *words);
    write_shell_pages(*share, program);
  });
}

}  // namespace factosim
