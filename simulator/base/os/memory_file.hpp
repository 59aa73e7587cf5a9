#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace factosim {

/// A file without a name, in memory; child processes may open it, and share it if they are forked. Throws
/// std::system_error if it cannot be created or written.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {});
  MemoryFile(MemoryFile&& other) noexcept;
  ~MemoryFile();

  void append(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;  // -1 after a move
};

}  // namespace factosim
