#include "simulator/os/atomic_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/os/unfinished_files.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".part";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Returns NAME.HOST.PID.part, which identifies the writer on a file system that several machines share.
fs::path temporary_name(fs::path path) {
  path += fmt::format(".{}.{}{}", host_name(), ::getpid(), ending);
  return path;
}

void discard(fs::path const& temporary) {
  std::error_code ignored;
  fs::remove(temporary, ignored);
  UnfinishedFiles::remove(temporary.c_str());
}

/// Returns true if the file belongs to a process of this machine that has ended.
bool is_left(std::string name, std::string const& host) {
  if (!name.ends_with(ending)) return false;
  name.resize(name.size() - ending.size());
  std::size_t const dot = name.rfind('.');
  if (dot == std::string::npos || !name.substr(0, dot).ends_with("." + host)) return false;
  pid_t process = 0;
  auto const [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), process);
  if (error != std::errc{} || end != name.data() + name.size() || process <= 0) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("cannot be created");
  UnfinishedFiles::add(temporary_.c_str());
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  discard(temporary_);
}

void AtomicFile::fail(std::string_view what) const {
  throw InputError(path_.string() + "#",
                   fmt::format("{} ({}). Check the folder, its permissions and the space left", what,
                               std::strerror(errno)));
}

void AtomicFile::write(std::string_view text) {
  if (text.empty()) return;  // an empty column, which may have no address
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail("cannot be written");
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0) fail("cannot be written");
  if (std::fclose(std::exchange(file_, nullptr)) != 0 ||
      std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    int const error = errno;
    discard(temporary_);
    errno = error;
    fail("cannot be written");
  }
  UnfinishedFiles::remove(temporary_.c_str());
}

void write_file_atomically(fs::path const& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void remove_abandoned_files(fs::path const& folder) {
  std::error_code error;
  std::string const host = host_name();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_left(entry->path().filename().string(), host)) {
      std::error_code ignored;
      fs::remove(entry->path(), ignored);
    }
}

}  // namespace factosim
