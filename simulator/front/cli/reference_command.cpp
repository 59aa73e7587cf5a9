#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/front/reference/file_kinds.hpp"

namespace factosim {

namespace {

struct ReferenceArguments {
  std::string schema;
};

void print_reference(ReferenceArguments const& a) {
  auto const kind = std::ranges::find(file_kinds(), a.schema, &FileKind::name);
  fmt::print("{}", kind == file_kinds().end() ? reference_page() : json_text(json_schema(*kind), 2) + "\n");
}

}  // namespace

void add_reference_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "reference", "All keys of scenarios, platforms, kernel timings and sweeps",
                  print_reference, "Example: factosim reference --schema scenario > scenario.schema.json");
  options.add("--schema", a.schema, "Print the JSON Schema of one kind of file instead")
      ->check(one_of(names_of(file_kinds())));
}

}  // namespace factosim
