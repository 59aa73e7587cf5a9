#include "simulator/base/os/unfinished_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace factosim {

namespace {

/// All data that the signal handler uses is lock-free and needs no allocation.
struct Place {
  std::atomic<bool> taken = false;
  std::atomic<pid_t> owner = 0;  // 0: none. After fork() the child has a copy of its parent's entries.
  std::array<char, PATH_MAX> name{};
};
constexpr int places = 32;  // maximum number at once: result, traces, one per point of a sweep
std::array<Place, places> all;

extern "C" void remove_and_end(int signal) {
  UnfinishedFiles::remove_all();
  // The handler was installed for one signal only: raising it again runs the default action, which sets the exit
  // status.
  ::raise(signal);
}

}  // namespace

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

void UnfinishedFiles::remove_all() {
  for (Place& place : all)
    if (place.owner.load() == ::getpid()) ::unlink(place.name.data());
}

void UnfinishedFiles::add(char const* name) {
  std::size_t const length = std::strlen(name);
  if (length >= PATH_MAX) return;
  for (Place& place : all) {
    if (place.owner.load() == ::getpid() || place.taken.exchange(true)) continue;
    std::memcpy(place.name.data(), name, length + 1);
    place.owner = ::getpid();
    return;
  }
}

void UnfinishedFiles::remove(char const* name) {
  for (Place& place : all) {
    if (place.owner.load() != ::getpid() || std::strcmp(place.name.data(), name) != 0) continue;
    place.owner = 0;
    place.taken = false;
    return;
  }
}

}  // namespace factosim
