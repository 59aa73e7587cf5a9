#include "simulator/os/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "factosim/error.hpp"

namespace factosim {

FolderLock::FolderLock(std::filesystem::path const& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(descriptor_);
  throw InputError(
      folder.string() + "#",
      "is in use by another run (the files of both would be mixed). Wait for it, or give another "
      "folder");
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace factosim
