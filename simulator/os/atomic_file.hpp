#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

namespace factosim {

/// A file that appears complete or not at all: it is written under another name in the same folder and renamed
/// by `commit()`. Without a commit, the written data are removed. Throws InputError if the folder cannot be
/// written or is full.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  void write(std::string_view text);
  /// Replaces an existing file.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
};

void write_file_atomically(std::filesystem::path const& path, std::string_view text);

/// Removes the unfinished files (AtomicFile) that killed processes of this machine left in a folder.
void remove_abandoned_files(std::filesystem::path const& folder);

}  // namespace factosim
