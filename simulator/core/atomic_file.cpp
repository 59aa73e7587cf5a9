#include "simulator/core/atomic_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "simulator/core/error.hpp"

namespace factosim {

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += fmt::format(".{}.part", ::getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("cannot be created");
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::fail(std::string_view what) const {
  throw InputError(path_.string() + "#",
                   fmt::format("{} ({}). Check the folder, its permissions and the space left", what,
                               std::strerror(errno)));
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot be written");
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail("cannot be written");
  if (std::fclose(std::exchange(file_, nullptr)) != 0 ||
      std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    int const error = errno;
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    errno = error;
    fail("cannot be written");
  }
}

void write_file_atomically(std::filesystem::path const& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace factosim
