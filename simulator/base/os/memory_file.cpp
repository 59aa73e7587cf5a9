#include "simulator/base/os/memory_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace factosim {

namespace {

[[noreturn]] void memory_file_failed(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

MemoryFile::MemoryFile(std::string_view content) : descriptor_(::memfd_create("factosim", MFD_CLOEXEC)) {
  if (descriptor_ < 0) memory_file_failed("a file in memory cannot be created");
  append(content);
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MemoryFile::append(std::string_view text) {
  while (!text.empty()) {
    ssize_t const written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) memory_file_failed("a file in memory cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string MemoryFile::text() const {
  std::string out;
  std::array<char, 4096> chunk;
  while (true) {
    ssize_t const got = ::pread(descriptor_, chunk.data(), chunk.size(), static_cast<off_t>(out.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) memory_file_failed("a file in memory cannot be read");
    if (got == 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

std::filesystem::path MemoryFile::path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

}  // namespace factosim
