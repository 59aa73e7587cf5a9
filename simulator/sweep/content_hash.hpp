#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace factosim {

/// 16 hexadecimal digits (XXH3, 64 bits).
[[nodiscard]] std::string content_hash(std::string_view bytes);

/// Hashes of documents and of the files that they name, and that those name in turn. Each file is read once.
class FileHasher {
 public:
  /// Changes with the document and with the bytes of every file that a string in it names; relative paths
  /// start from `folder`. Where the files lie does not matter.
  [[nodiscard]] std::string of(nlohmann::json const& document, std::filesystem::path const& folder);

 private:
  void add_files(std::string& text, nlohmann::json const& value, std::filesystem::path const& folder);
  std::string const& of_file(std::filesystem::path const& file);

  std::map<std::filesystem::path, std::string> known_;     // of files; empty while one is being read
  std::map<std::string, std::filesystem::path> resolved_;  // by folder and string; empty: names no file
};

}  // namespace factosim
