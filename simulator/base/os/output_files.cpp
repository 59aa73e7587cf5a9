#include "simulator/base/os/output_files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

void refuse_existing(std::filesystem::path const& path, bool force) {
  std::error_code ignored;  // a path that cannot exist is refused when it is written
  if (!force && path != standard_stream && std::filesystem::exists(path, ignored))
    throw InputError(path.string() + "#",
                     "exists already (it would be overwritten). Choose another name, or give --force");
}

void refuse_to_overwrite(std::filesystem::path const& file, bool force) {
  require_replaceable(file);
  refuse_existing(file, force);
}

void make_folder(std::filesystem::path const& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string() + "#",
                     fmt::format("cannot be created ({}). Give a folder you may write to", error.message()));
}

void make_folder_of(std::filesystem::path const& file) {
  if (file.has_parent_path()) make_folder(file.parent_path());
}

namespace {

/// Returns false if the file system has no such locks. Closes the descriptor and throws InputError if another process
/// has the lock.
bool lock(int descriptor, std::filesystem::path const& folder) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) return false;
  ::close(descriptor);
  throw InputError(
      folder.string() + "#",
      "is in use by another run (the files of both would be mixed). Wait for it, or give another folder");
}

}  // namespace

FolderLock::FolderLock(std::filesystem::path const& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || lock(descriptor_, folder)) return;
  ::close(descriptor_);
  descriptor_ = ::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) (void)lock(descriptor_, folder);
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace factosim
