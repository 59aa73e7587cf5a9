#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// Hashes documents with the files that they name, recursively. Each file is read once.
class FileHasher {
 public:
  /// Depends on the document and on the bytes of every file named by a string in it, but not on the location
  /// of the files; relative paths start from `folder`, and names are those of `shipped_files`.
  [[nodiscard]] std::string of(nlohmann::json const& document, std::filesystem::path const& folder);

 private:
  /// `key`: the key of the value, which determines the kind of a named file.
  void add_files(std::string& text, nlohmann::json const& value, std::filesystem::path const& folder,
                 std::string_view key = {});
  std::string const& of_file(std::filesystem::path const& file);

  std::map<std::filesystem::path, std::string> known_;     // of files; empty while the file is being read
  std::map<std::string, std::filesystem::path> resolved_;  // by folder and string; empty: not a file
};

}  // namespace factosim
