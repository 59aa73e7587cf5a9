#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace factosim {

/// A file that appears whole or not at all: written under another name in the same folder, renamed by
/// `commit()`. Without a commit, what was written is removed. Throws InputError where the folder cannot be
/// written to or is full.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  void write(std::string_view text);
  /// Replaces a file of that name.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
};

void write_file_atomically(std::filesystem::path const& path, std::string_view text);

}  // namespace factosim
