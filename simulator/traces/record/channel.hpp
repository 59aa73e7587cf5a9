#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "events.hpp"

/// What all shims share. They are compiled with the user's compiler (C++17).
namespace factosim::record {

/// Returns the version of the runtime's library, and that of the headers which the shim was compiled with; of each shim.
std::pair<std::string, std::string> versions();

/// Returns whether kernels run.
inline bool executes() {
  static bool const chosen = std::getenv("FACTOSIM_RECORD_EXECUTE") != nullptr;
  return chosen;
}

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
    auto const [library, headers] = versions();
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

/// Returns whether a runtime, MPI or the shim has called the function that would return to this address.
inline bool called_by_library(void* address) {
  Dl_info place;
  if (dladdr(address, &place) == 0 || place.dli_fname == nullptr) return false;
  for (char const* const name : {"libstarpu", "libmpi", "libopen", "/factosim/record-", "libomp.", "libiomp"})
    if (std::strstr(place.dli_fname, name) != nullptr) return true;
  return false;
}

}  // namespace factosim::record

/// `next`: the function of this name that the program would call without the shim.
#define FACTOSIM_NEXT(function) \
  static auto* const next = factosim::record::next_function(&function, #function)
