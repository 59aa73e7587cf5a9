#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/scheduler.hpp"
#include "models/applications/application.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

using Words = std::vector<std::string>;

/// Returns the names that an option, a key of --set or an argument takes.
Words names_for(std::string_view what) {
  if (what.ends_with("platform") || what.ends_with("platform/file"))
    return shipped_names(ShippedKind::platform);
  if (what == "--example") return shipped_names(ShippedKind::example);
  if (what == "--nic") return shipped_names(ShippedKind::network);
  if (what == "--figure") return figure_names();
  if (what == "--kernels") return shipped_names(ShippedKind::kernels);
  if (what == "scheduler" || what == "scheduler/type") return scheduler_names();
  if (what == "distribution" || what == "distribution/type") return distribution_names();
  if (what == "application/type") return application_names();
  if (what == "word") return names_of(help_topics());
  return {};
}

/// Returns the keys of --set, with = behind them: of the scenario that is typed, or of a usual one. Those whose last name no
/// other has, by that, too.
Words keys_for(Words const& typed) {
  nlohmann::json document = {{"platform", "mirage"},
                             {"application", {{"type", application_names().front()}}}};
  for (std::string const& word : typed)
    if (std::error_code ignored; std::filesystem::is_regular_file(word, ignored)) try {
        document = parse_json_file(word);
        break;
      } catch (std::exception const&) {  // it is no scenario
      }
  Words out;
  std::map<std::string, int> last_names;
  for (std::string const& pointer : key_pointers(document)) {
    out.push_back(pointer.substr(1) + "=");
    if (auto const slash = pointer.rfind('/'); slash > 0) ++last_names[pointer.substr(slash + 1)];
  }
  for (auto const& [name, count] : last_names)
    if (count == 1) out.push_back(name + "=");
  return out;
}

/// Returns what may stand after the typed words of a command.
Words words_after(CLI::App const& command, Words const& typed) {
  Words out = command_names(command);
  std::string const last = typed.empty() ? "" : typed.back();
  if (last == "=" && typed.size() > 1) return names_for(typed[typed.size() - 2]);
  if (CLI::Option const* const option = command.get_option_no_throw(last);
      option != nullptr && option->nonpositional() && option->get_type_size() != 0) {
    if (last == "--set") return keys_for(typed);
    Words choices = choices_of(*option);
    return choices.empty() ? names_for(last) : choices;
  }
  for (CLI::Option const* option : command.get_options()) {
    Words const choices = choices_of(*option);
    for (std::string const& name : option->get_lnames()) out.push_back("--" + name);
    if (option->nonpositional()) continue;
    for (std::string const& name : choices.empty() ? names_for(option->get_name()) : choices)
      out.push_back(name);
  }
  return out;
}

}  // namespace

std::string completions(CLI::App const& program, std::vector<std::string> typed) {
  CLI::App const* command = &program;
  std::string const begun = typed.empty() ? "" : typed.back();
  if (!typed.empty()) typed.pop_back();
  for (std::string const& word : typed) {
    auto const below = command_names(*command);
    if (std::ranges::find(below, word) != below.end()) command = command->get_subcommand(word);
  }
  auto const equal = begun.find('=');
  std::string const key = begun.substr(0, equal);
  bool const is_setting = equal != std::string::npos && !typed.empty() && typed.back() == "--set";
  Words found;
  if (is_setting)
    for (std::string const& name : names_for(key)) found.push_back(fmt::format("{}={}", key, name));
  else if (begun == "=")  // bash parts words there
    found = typed.empty() ? Words{} : names_for(typed.back());
  else
    found = words_after(*command, typed);
  std::string out;
  for (std::string const& word : found)
    if (begun == "=" || word.starts_with(begun)) out += word + "\n";
  return out;
}

}  // namespace factosim
