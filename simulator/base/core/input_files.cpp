#include "simulator/base/core/input_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/base/core/foreign_format.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

std::mutex access;
std::set<std::filesystem::path> known;
std::map<std::filesystem::path, std::string> namers;

std::string read_error(int error) {
  if (error == ENOENT || error == ENOTDIR) return "no such file";
  if (error == EACCES || error == EPERM) return "no permission";
  return error == EISDIR ? "it is a folder" : std::strerror(error);
}

class Descriptor {
 public:
  explicit Descriptor(std::filesystem::path const& file)
      : number_(file == standard_stream ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                        : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Returns the files whose names may be meant by one that does not exist.
std::string similar_file(std::filesystem::path const& file) {
  std::vector<std::string> names;
  std::error_code error;
  auto const folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  constexpr std::size_t most = 10'000;
  for (auto const& entry : std::filesystem::directory_iterator(folder, error)) {
    names.push_back(entry.path().filename().string());
    if (names.back() == file.filename().string() + ".json" || names.size() > most) break;
  }
  return did_you_mean(file.filename().string(), names);
}

[[noreturn]] void refuse(std::filesystem::path const& file, std::string_view why, std::string_view remedy) {
  std::lock_guard const guard(access);
  auto const namer = namers.find(file);
  throw InputError(
      file.string() + "#",
      fmt::format("cannot be read ({}{}). {}", why,
                  namer == namers.end() ? "" : fmt::format("; named by {}", namer->second), remedy));
}

/// Returns whether the path is a name of a descriptor that this process has.
bool is_descriptor(std::string const& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

/// Refuses what InputFiles::add says. Opening a FIFO would wait for a writer.
void require_file(std::filesystem::path const& file, InputLimit limit, std::string_view remedy) {
  struct stat status {};
  if (file == standard_stream || ::stat(file.c_str(), &status) != 0) return;  // opening it tells why
  if (S_ISREG(status.st_mode))
    check_input(limit, static_cast<std::uint64_t>(status.st_size), file.string() + "#");
  else if (!S_ISDIR(status.st_mode) && !is_descriptor(file.string()))
    refuse(file,
           S_ISFIFO(status.st_mode)   ? "it is a FIFO, not a regular file"
           : S_ISSOCK(status.st_mode) ? "it is a socket, not a regular file"
                                      : "it is a device, not a regular file",
           remedy);
}

/// Reads the file in pieces, as far as the limit allows.
void read_within(InputLimit limit, std::filesystem::path const& file, std::string_view remedy,
                 std::function<void(std::string_view)> const& use) {
  require_path(file.string() + "#", file.string());
  auto const fail = [&](int error) { fail_to_read(file, error, remedy); };
  require_file(file, limit, remedy);
  Descriptor const open(file);
  struct stat status {};
  if (open.number() < 0 || ::fstat(open.number(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  bool const regular = S_ISREG(status.st_mode);
  constexpr std::int64_t smallest_piece = 1 << 12, largest_piece = 1 << 18;  // bytes
  std::string piece(
      static_cast<std::size_t>(std::clamp<std::int64_t>(status.st_size + 1, smallest_piece, largest_piece)),
      '\0');
  std::int64_t total = 0;
  for (ssize_t got = 1; got != 0; total += std::max<ssize_t>(got, 0)) {
    got = ::read(open.number(), piece.data(), piece.size());
    if (got < 0 && errno != EINTR) fail(errno);
    check_input(limit, static_cast<std::uint64_t>(total + std::max<ssize_t>(got, 0)), file.string() + "#");
    if (got > 0) use({piece.data(), static_cast<std::size_t>(got)});
  }
  if (regular && total < status.st_size) refuse(file, "it became shorter while it was read", remedy);
}

}  // namespace

void InputFiles::add(std::filesystem::path const& file) {
  require_file(file, InputLimit::bytes, "Check the path");
  std::lock_guard const guard(access);
  known.insert(file);
}

void InputFiles::name(std::filesystem::path const& file, std::string const& where) {
  std::lock_guard const guard(access);
  namers[file] = where;
}

bool InputFiles::contain(std::filesystem::path const& file) {
  std::lock_guard const guard(access);
  return std::ranges::any_of(known, [&](std::filesystem::path const& input) {
    std::error_code ignored;  // an input that is gone is no file that exists
    return std::filesystem::equivalent(input, file, ignored);
  });
}

void require_path(std::string_view where, std::string_view path) {
  if (path.find('\0') == std::string_view::npos) return;
  std::string place(where);
  std::ranges::replace(place, '\0', '?');  // it would end the message
  throw InputError(place, "is a path with a NUL character (the name of no file has one). Remove it");
}

void fail_to_read(std::filesystem::path const& file, int error, std::string_view remedy) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    throw std::system_error(error, std::generic_category(), file.string() + "#: cannot be read");
  if (error == EISDIR) refuse(file, read_error(error), "Name a file in it");
  std::string const similar = error == ENOENT ? similar_file(file) : "";
  refuse(file, read_error(error), similar + std::string(remedy));
}

void read_pieces(std::filesystem::path const& file, std::string_view remedy,
                 std::function<void(std::string_view)> const& use) {
  read_within(InputLimit::bytes, file, remedy, use);
}

std::string read_input(std::filesystem::path const& file, std::string_view remedy) {
  std::error_code error;
  std::uintmax_t const size = std::filesystem::file_size(file, error);
  std::string out;
  if (!error && size <= input_limit(InputLimit::text))
    out.reserve(size);  // otherwise up to three times as much
  read_within(InputLimit::text, file, remedy, [&](std::string_view piece) { out += piece; });
  return out;
}

std::string read_input_text(std::filesystem::path const& file, std::string_view remedy) {
  InputFiles::add(file);
  std::string text = read_input(file, remedy);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw InputError(file.string() + "#", "is text in UTF-16 (only UTF-8 is read). Save it as UTF-8");
  if (std::size_t const nul = text.find('\0'); nul != std::string::npos) {
    refuse_raw_trace(file);
    if (text.starts_with("\x1f\x8b")) refuse_foreign(file, text, "text");
    throw InputError(
        file.string() + "#",
        fmt::format("has a NUL character in line {} (text in UTF-8 has none). Give a text file in UTF-8",
                    1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n')));
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

}  // namespace factosim
