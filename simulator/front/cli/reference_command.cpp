#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/reference/json_schema.hpp"
#include "simulator/front/reference/reference_page.hpp"

namespace factosim {

void add_reference_command(CLI::App& program) {
  auto const schema = std::make_shared<std::string>();
  CLI::App* const command =
      program.add_subcommand("reference", "All keys of scenarios, platforms, kernel timings and sweeps");
  command->add_option("--schema", *schema, "Print the JSON Schema of one kind of file instead")
      ->check(CLI::IsMember(names_of(file_kinds())));
  command->footer("Example: factosim reference --schema scenario > scenario.schema.json");
  command->callback([schema] {
    auto const kind = std::ranges::find(file_kinds(), *schema, &FileKind::name);
    fmt::print("{}", kind == file_kinds().end() ? reference_page() : json_text(json_schema(*kind), 2) + "\n");
  });
}

}  // namespace factosim
