#pragma once

#include <filesystem>

namespace factosim {

/// The files that this process has read as inputs, so that none is overwritten by its outputs. State of the whole
/// process, as its files are.
class InputFiles {
 public:
  /// To be called by every reader of a file that a user names.
  static void add(std::filesystem::path const& file);
  /// Returns true if the file, under this or another name, was added.
  [[nodiscard]] static bool contain(std::filesystem::path const& file);
};

}  // namespace factosim
