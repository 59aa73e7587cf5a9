#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace factosim::testing {

/// The root of the repository: tests read what it ships. (Only places.cpp depends on where this stands, so
/// that other places share what a compiler cache holds.)
std::filesystem::path repository();
/// The built program.
std::string program();

/// Folder of the measured files with which imports are compared; unset on most machines.
inline std::optional<std::filesystem::path> real_data() {
  char const* folder = std::getenv("FACTOSIM_DATA");
  return folder == nullptr ? std::nullopt : std::optional<std::filesystem::path>(folder);
}

inline std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A folder of files for one test, removed after it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "factosim-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(TemporaryFolder const&) = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;

  std::filesystem::path write(std::string const& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::filesystem::remove(path_ / name);  // ext4 waits for the disk when a truncated file is closed
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  [[nodiscard]] std::filesystem::path operator/(std::string const& name) const { return path_ / name; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The message of the exception that `call` throws; empty when it throws none.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "";
}

}  // namespace factosim::testing
