#pragma once

#include <filesystem>
#include <string_view>

namespace factosim {

/// A file without a name, in memory; child processes may open it too.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  ~MemoryFile();
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;

  [[nodiscard]] std::filesystem::path path() const;

 private:
  int descriptor_;
};

}  // namespace factosim
