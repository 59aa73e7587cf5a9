#pragma once

#include <string>
#include <vector>

namespace factosim {

/// Something that a user can name, with one line about it.
struct CatalogueEntry {
  std::string name, description;
  std::string file{};  // where it is described; empty: in the program
};

/// A kind of things that `factosim list` lists.
struct Catalogue {
  char const* name;
  char const* description;
  std::vector<CatalogueEntry> (*entries)();
};

/// All kinds, in the order of the help. Their entries come from the tables that readers use.
[[nodiscard]] std::vector<Catalogue> const& catalogues();

/// Returns a catalogue as a table of lines "  NAME  DESCRIPTION".
[[nodiscard]] std::string table_of(std::vector<CatalogueEntry> const& entries);

}  // namespace factosim
