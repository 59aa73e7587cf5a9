#include <fmt/format.h>

#include <memory>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/front/cli/catalogue.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/cli/usage.hpp"

namespace factosim {

namespace {

struct ListArguments {
  std::string kind;
  bool json = false;
};

std::vector<CatalogueEntry> entries_of(std::string const& kind) {
  std::vector<CatalogueEntry> kinds;
  for (Catalogue const& catalogue : catalogues()) {
    if (kind == catalogue.name) return catalogue.entries();
    kinds.push_back({catalogue.name, catalogue.description});
  }
  return kinds;
}

void list(ListArguments const& arguments) {
  std::vector<CatalogueEntry> const entries = entries_of(arguments.kind);
  if (!arguments.json) {
    fmt::print("{}", table_of(entries));
    return;
  }
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (CatalogueEntry const& entry : entries) {
    out.push_back({{"name", entry.name}, {"description", entry.description}});
    if (!entry.file.empty()) out.back()["file"] = entry.file;
  }
  fmt::print("{}\n", json_text(out, 2));
}

}  // namespace

void add_list_command(CLI::App& program) {
  auto const arguments = std::make_shared<ListArguments>();
  CLI::App* const command =
      program.add_subcommand("list", "What a scenario can name: platforms, policies, distributions, ...");
  command->add_option("kind", arguments->kind, "What to list; without it, what can be listed")
      ->check(one_of(names_of(catalogues())));
  command->add_flag("--json", arguments->json, "Print the list as JSON on standard output");
  command->footer(
      "Example: factosim list platforms\n"
      "         factosim list policies --json");
  command->callback([arguments] { list(*arguments); });
}

}  // namespace factosim
