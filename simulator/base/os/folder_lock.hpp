#pragma once

#include <filesystem>
#include <utility>

namespace factosim {

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
