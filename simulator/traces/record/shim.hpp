#pragma once

#include <dlfcn.h>
#include <starpu.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "events.hpp"

/// What the parts of the shim share. They are compiled with the user's compiler (C++17) against the user's StarPU.
namespace factosim::record {

/// Writes events to the descriptor FACTOSIM_RECORD_FD at once, so that they survive the program. The state of the whole
/// process, which is never destroyed: other threads may still use it when the program ends.
class Channel {
 public:
  static Channel& get() {
    static Channel& channel = *new Channel;
    return channel;
  }

  /// A lock for several events in a row; a thread may hold it more than once.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }

  template <class... Fields>
  void write(Event kind, Fields const&... fields) {
    auto const locked = lock();
    std::size_t const start = words_.size();
    words_.push_back(0);
    (put(fields), ...);
    words_[start] =
        std::uint64_t(kind) | std::uint64_t(words_.size() - start) << 8 | std::uint64_t(::getpid()) << 32;
    bool const waits = kind == Event::task_new || kind == Event::datum;  // for a task
    if (!waits || words_.size() > enough) send();
  }

  /// Ends the program, which cannot be recorded.
  [[noreturn]] void refuse(std::string const& why) {
    write(Event::refused, why);
    ::_exit(refused_exit);
  }

 private:
  static constexpr int refused_exit = 70;
  static constexpr std::size_t enough = 4096;  // words that wait

  Channel() {
    char const* const number = std::getenv("FACTOSIM_RECORD_FD");
    descriptor_ = number == nullptr ? -1 : std::atoi(number);
    int version[3] = {};
    starpu_get_version(&version[0], &version[1], &version[2]);
    auto const text = [](int a, int b, int c) {
      return std::to_string(a) + '.' + std::to_string(b) + '.' + std::to_string(c);
    };
    std::string const library = text(version[0], version[1], version[2]);
    std::string const headers = text(STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION);
    write(Event::library, library, headers);
    if (library != headers) ::_exit(refused_exit);  // the layout of structures differs
  }

  template <class Number>
  void put(Number number) {
    if constexpr (std::is_same_v<Number, double>)
      std::memcpy(&words_.emplace_back(), &number, sizeof number);
    else if constexpr (std::is_pointer_v<Number>)
      words_.push_back(reinterpret_cast<std::uintptr_t>(number));
    else
      words_.push_back(static_cast<std::uint64_t>(number));
  }
  void put(char const* text) { put(std::string(text == nullptr ? "" : text)); }
  void put(std::string const& text) {
    words_.push_back(text.size());
    std::size_t const at = words_.size();
    words_.resize(at + (text.size() + 7) / 8);
    std::memcpy(words_.data() + at, text.data(), text.size());
  }
  template <class Number>
  void put(std::vector<Number> const& numbers) {
    for (Number const number : numbers) put(number);
  }

  void send() {
    auto const* at = reinterpret_cast<char const*>(words_.data());
    for (std::size_t left = 8 * words_.size(); left > 0 && descriptor_ >= 0;) {
      ssize_t const written = ::write(descriptor_, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ::_exit(refused_exit);  // `factosim record` has closed the pipe
      at += written;
      left -= static_cast<std::size_t>(written);
    }
    words_.clear();
  }

  std::recursive_mutex mutex_;
  int descriptor_;
  std::vector<std::uint64_t> words_;
};

template <class... Fields>
void tell(Event kind, Fields const&... fields) {
  Channel::get().write(kind, fields...);
}

template <class Function>
Function next_function(Function, char const* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) Channel::get().refuse(std::string(name) + " is not found behind the recorder");
  return reinterpret_cast<Function>(found);
}

/// What the shim has to know of an address.
struct Known {
  bool described = false;
  starpu_data_handle_t whole = nullptr;   // that a datum is a part of
  int owner = -1;                         // of a datum; -1: no call has told
  std::uint64_t where = 0;                // of a codelet, as the program says; StarPU changes it
  struct starpu_codelet* copy = nullptr;  // of a codelet
};
/// Returns what is known of all data and codelets. To be used with the channel locked.
inline std::unordered_map<void const*, Known>& known() {
  static auto& all = *new std::unordered_map<void const*, Known>;
  return all;
}

/// The node of the next submission of this thread by the program's own word; -1: by its data.
extern thread_local int explicit_node;
/// What this thread acquires with a callback: StarPU submits a task without data for it.
extern thread_local starpu_data_handle_t acquired;
extern thread_local enum starpu_data_access_mode acquired_mode;

/// Returns whether kernels run.
bool executes();

/// Returns whether StarPU, MPI or the shim has called the function that would return to this address.
bool called_by_library(void* address);

/// Tells what a datum is, once. To be called with the channel locked.
void describe(starpu_data_handle_t handle);

/// A wait of the host, as long as this object exists; those that StarPU does within one, and those of callbacks, are none.
class HostWait {
 public:
  HostWait(Wait what, std::uint64_t subject, char const* call);
  ~HostWait();
  HostWait(HostWait const&) = delete;
  HostWait& operator=(HostWait const&) = delete;

 private:
  static thread_local int depth_;
  Wait what_;
  std::uint64_t subject_;
  bool outermost_;
};

}  // namespace factosim::record

/// `next`: the function of this name that the program would call without the shim.
#define FACTOSIM_NEXT(function) \
  static auto* const next = factosim::record::next_function(&function, #function)
