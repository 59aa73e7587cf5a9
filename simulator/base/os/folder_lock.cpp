#include "simulator/base/os/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Returns false if the file system has no such locks. Closes the descriptor and throws InputError if another process
/// has the lock.
bool lock(int descriptor, std::filesystem::path const& folder) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) return false;
  ::close(descriptor);
  throw InputError(
      folder.string() + "#",
      "is in use by another run (the files of both would be mixed). Wait for it, or give another "
      "folder");
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
