#pragma once

#include <filesystem>
#include <utility>

namespace factosim {

/// Throws InputError if `path` exists, without `force`; standard output ("-") never does.
void refuse_existing(std::filesystem::path const& path, bool force);

/// Throws InputError if `file` exists and may not be replaced: without `force`, or if it is no regular file, or an
/// input of this process.
void refuse_to_overwrite(std::filesystem::path const& file, bool force);

/// Creates a folder for results; call it after all checks of the input. Throws InputError.
void make_folder(std::filesystem::path const& folder);

/// Creates the folder of a file to write, if it is missing. Throws InputError.
void make_folder_of(std::filesystem::path const& file);

/// Keeps other processes with such a lock out of a folder. It ends with this object or the process, however that
/// ends. On file systems that lock files only (NFS) it leaves an empty file `lock` there.
class FolderLock {
 public:
  /// Throws InputError if another process has locked the folder. Without effect on file systems without locks.
  explicit FolderLock(std::filesystem::path const& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

 private:
  int descriptor_;  // negative: none
};

}  // namespace factosim
