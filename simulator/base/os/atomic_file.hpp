#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

namespace factosim {

/// Throws InputError unless the path is free, names a regular file that this process has not read as an input, or is
/// "-", standard output: devices, FIFOs, folders and symbolic links are never replaced.
void require_replaceable(std::filesystem::path const& path);

/// When a file is on the disk.
enum class Durable {
  at_commit,
  at_sync,  // after `sync_files` of its folder: for many small files that can be made again
};

/// A file that appears complete or not at all, also after a power failure: it is written under another, random
/// name in the same folder, which must not exist, and renamed by `commit()` after it is on the disk. A file that
/// is replaced passes its permissions on. Without a commit, the written data are removed. "-" is standard output,
/// which gets all data at `commit()`. Throws InputError if the file may not be replaced, or the folder cannot be
/// written or is full.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;

  void write(std::string_view text);
  /// Replaces an existing file.
  void commit(Durable durable = Durable::at_commit);

 private:
  [[noreturn]] void fail(std::string_view what) const;
  void copy_to_standard_output();

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
};

void write_file_atomically(std::filesystem::path const& path, std::string_view text,
                           Durable durable = Durable::at_commit);

/// Waits until all files in the file system of a folder are on the disk.
void sync_files(std::filesystem::path const& folder);

/// Removes the unfinished files (AtomicFile) that killed processes of this machine left in a folder.
void remove_abandoned_files(std::filesystem::path const& folder);

/// Incomplete files of this process, which are removed if a signal ends it. State of the whole process, as
/// signals are.
class UnfinishedFiles {
 public:
  /// Makes SIGINT, SIGTERM, SIGHUP and SIGXCPU remove the files before they end the process. Exceeding the
  /// maximum size of a file then fails with EFBIG instead of ending the process. To be called by main().
  static void watch_signals();

  /// Files beyond the first 32 at once, and files with too long paths, remain after a signal.
  static void add(char const* name);
  static void remove(char const* name);
  /// Sets what is printed when Ctrl-C ends this process: what is kept, and how to go on.
  static void say_when_interrupted(std::string_view text);
  /// Removes the files of this process, and the folders that it made and left empty. May be called by a signal handler.
  static void remove_all();
};

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
