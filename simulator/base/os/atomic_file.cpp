#include "simulator/base/os/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".part";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Returns a number that no other user can predict, so that the name of a file with it is free.
std::uint64_t random_number() {
  std::uint64_t out = 0;
  if (::getrandom(&out, sizeof out, 0) != sizeof out)
    throw std::system_error(errno, std::generic_category(), "no random number");
  return out;
}

/// Returns NAME.HOST.PID.RANDOM.part, which identifies the writer on a file system that several machines share.
fs::path temporary_name(fs::path path) {
  path += fmt::format(".{}.{}.{:016x}{}", host_name(), ::getpid(), random_number(), ending);
  return path;
}

/// Returns the status of the file or link itself, if it exists.
std::optional<struct stat> status_of(fs::path const& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

char const* kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "symbolic link";
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "FIFO";
  return S_ISSOCK(mode) ? "socket" : "device";
}

/// Opens a new file with the permissions of the one that it will replace.
std::FILE* create(fs::path const& path, std::optional<struct stat> const& replaced) {
  constexpr int new_file = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int const descriptor = ::open(path.c_str(), new_file, replaced ? 0600 : 0666);
  if (descriptor < 0) return nullptr;
  constexpr mode_t permissions = 0777;
  if (!replaced || ::fchmod(descriptor, replaced->st_mode & permissions) == 0)
    return ::fdopen(descriptor, "wb");
  ::close(descriptor);
  return nullptr;
}

/// Calls a function that writes to the disk; not every file system has it.
void with_folder(fs::path const& folder, int (*sync)(int)) {
  int const descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)sync(descriptor);
  ::close(descriptor);
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
  name.resize(std::min(name.size(), name.rfind('.')));  // without the random number
  std::size_t const dot = name.rfind('.');
  if (dot == std::string::npos || !name.substr(0, dot).ends_with("." + host)) return false;
  auto const process = parsed<pid_t>(std::string_view(name).substr(dot + 1));
  return process && *process > 0 && ::kill(*process, 0) != 0 && errno == ESRCH;
}

/// All data that the signal handler uses is lock-free and needs no allocation.
struct Place {
  std::atomic<bool> taken = false;
  std::atomic<pid_t> owner = 0;  // 0: none. After fork() the child has a copy of its parent's entries.
  std::array<char, PATH_MAX> name{};
};
constexpr int places = 32;  // maximum number at once: result, traces, one per point of a sweep
std::array<Place, places> all;
std::array<Place, 8> new_folders;  // made by this process; the inner ones first

bool take(Place& place, char const* name, std::size_t length) {
  if (length >= PATH_MAX || place.owner.load() == ::getpid() || place.taken.exchange(true)) return false;
  std::memcpy(place.name.data(), name, length + 1);
  place.owner = ::getpid();
  return true;
}

/// What is printed when this process, and no child of it, is interrupted.
std::array<char, 2048> last_words{};
std::atomic<std::size_t> last_words_length = 0;
std::atomic<pid_t> speaker = 0;

extern "C" void remove_and_end(int signal) {
  UnfinishedFiles::remove_all();
  if (signal == SIGINT && speaker.load() == ::getpid())
    (void)!::write(STDERR_FILENO, last_words.data(), last_words_length.load());
  // The handler was installed for one signal only: raising it again runs the default action, which sets the exit
  // status.
  ::raise(signal);
}

}  // namespace

void require_replaceable(fs::path const& path) {
  if (path == standard_stream) return;
  auto const status = status_of(path);
  if (status && !S_ISREG(status->st_mode))
    throw InputError(path.string() + "#",
                     fmt::format("is a {} (only regular files are replaced). Give another name",
                                 kind_of(status->st_mode)));
  if (status && InputFiles::contain(path))
    throw InputError(path.string() + "#",
                     "is an input of this command (it would be lost). Give another name");
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  if (path_ == standard_stream) {
    file_ = std::tmpfile();
    if (file_ == nullptr) fail("cannot be buffered");
    return;
  }
  temporary_ = temporary_name(path_);
  require_replaceable(path_);
  file_ = create(temporary_, status_of(path_));
  if (file_ == nullptr) fail("cannot be created");
  UnfinishedFiles::add(temporary_.c_str());
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) discard(temporary_);
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

void AtomicFile::copy_to_standard_output() {
  std::rewind(file_);
  std::array<char, std::size_t{1} << 16U> piece{};
  while (std::size_t const size = std::fread(piece.data(), 1, piece.size(), file_))
    if (std::fwrite(piece.data(), 1, size, stdout) != size) fail("cannot be written");
  if (std::ferror(file_) != 0 || std::fflush(stdout) != 0) fail("cannot be written");
  std::fclose(std::exchange(file_, nullptr));
}

void AtomicFile::commit(Durable durable) {
  if (temporary_.empty()) return copy_to_standard_output();
  bool const sync = durable == Durable::at_commit;
  if (std::fflush(file_) != 0 || (sync && ::fsync(::fileno(file_)) != 0)) fail("cannot be written");
  require_replaceable(path_);  // a long time may have passed
  if (std::fclose(std::exchange(file_, nullptr)) != 0 ||
      std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    int const error = errno;
    discard(temporary_);
    errno = error;
    fail("cannot be written");
  }
  UnfinishedFiles::remove(temporary_.c_str());
  if (sync) with_folder(path_.parent_path(), ::fsync);
}

void write_file_atomically(fs::path const& path, std::string_view text, Durable durable) {
  AtomicFile file(path);
  file.write(text);
  file.commit(durable);
}

void sync_files(fs::path const& folder) { with_folder(folder, ::syncfs); }

void remove_abandoned_files(fs::path const& folder) {
  std::error_code error;
  std::string const host = host_name();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_left(entry->path().filename().string(), host)) {
      std::error_code ignored;
      fs::remove(entry->path(), ignored);
    }
}

void UnfinishedFiles::watch_signals() {
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (int const signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup ignores some signals
  }
  ::signal(SIGXFSZ, SIG_IGN);
}

void UnfinishedFiles::say_when_interrupted(std::string_view text) {
  std::string const line = fmt::format("\nfactosim: interrupted. {}\n", text);
  last_words_length = 0;
  speaker = ::getpid();
  std::copy_n(line.data(), std::min(line.size(), last_words.size()), last_words.data());
  last_words_length = std::min(line.size(), last_words.size());
}

void UnfinishedFiles::remove_all() {
  for (Place& place : all)
    if (place.owner.load() == ::getpid()) ::unlink(place.name.data());
  for (Place& place : new_folders)
    if (place.owner.load() == ::getpid()) ::rmdir(place.name.data());  // which leaves those with files
}

void UnfinishedFiles::add(char const* name) {
  std::size_t const length = std::strlen(name);
  (void)std::ranges::any_of(all, [&](Place& place) { return take(place, name, length); });
}

void UnfinishedFiles::remove(char const* name) {
  for (Place& place : all) {
    if (place.owner.load() != ::getpid() || std::strcmp(place.name.data(), name) != 0) continue;
    place.owner = 0;
    place.taken = false;
    return;
  }
}

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
  for (fs::path made = folder; !made.empty() && !fs::exists(made, error); made = made.parent_path())
    (void)std::ranges::any_of(new_folders,
                              [&](Place& p) { return take(p, made.c_str(), made.native().size()); });
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
