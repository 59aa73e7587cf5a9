#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace factosim::testing {

/// A reader of foreign input with minimal surroundings: an input is the text of its file or, for readers of
/// several files, sections that begin with a line "=== NAME".
struct FuzzTarget {
  std::string_view name;  // also the folder of its inputs in tests/fuzz/corpus
  void (*read)(std::filesystem::path const& folder, std::string_view input);
};

/// One target per reader.
std::span<FuzzTarget const> fuzz_targets();

/// Reads an input in files of `folder`. InputError and InfeasibleError are valid outcomes; any other
/// exception propagates and is a finding.
void try_input(FuzzTarget const& target, std::filesystem::path const& folder, std::string_view input);

}  // namespace factosim::testing
