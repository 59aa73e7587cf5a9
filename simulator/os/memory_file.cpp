#include "simulator/os/memory_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace factosim {

MemoryFile::MemoryFile(std::string_view content) : descriptor_(::memfd_create("factosim", MFD_CLOEXEC)) {
  for (std::size_t written = 0; descriptor_ >= 0 && written < content.size();) {
    ssize_t const n = ::write(descriptor_, content.data() + written, content.size() - written);
    if (n < 0) throw std::system_error(errno, std::generic_category(), "a file in memory cannot be written");
    written += static_cast<std::size_t>(n);
  }
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "a file in memory cannot be created");
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::filesystem::path MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace factosim
