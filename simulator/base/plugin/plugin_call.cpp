#include "simulator/base/plugin/plugin.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// Memory for the handler: a crash may have exhausted the stack.
constexpr std::size_t handler_stack = std::size_t{64} << 10U;

void print(char const* text) {
  // Nothing can be done about an error here.
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

thread_local PluginCall::Current PluginCall::current;

PluginCall::~PluginCall() {
  if (std::fegetround() != FE_TONEAREST || ::fegetexcept() != 0) std::fesetenv(FE_DFL_ENV);
  current = before_;
}

/// Calls only functions that a signal handler may call.
void PluginCall::end(char const* what) {
  for (char const* const part : {current.file->where.c_str(), ": ", current.file->name.c_str(), what,
                                 current.function, ". Run it in a debugger\n"})
    print(part);
  current = {};
  UnfinishedFiles::remove_all();
  ::_exit(static_cast<int>(ExitCode::bad_input));
}

void PluginCall::on_crash(int signal) {
  if (current.file == nullptr) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  end(signal == SIGSEGV || signal == SIGBUS ? " crashed (invalid memory access) in "
      : signal == SIGFPE                    ? " crashed (invalid arithmetic operation) in "
      : signal == SIGILL                    ? " crashed (invalid instruction) in "
                                            : " crashed (abort) in ");
}

void PluginCall::on_exit() {
  if (current.file != nullptr) end(" ended the program in ");
}

void PluginCall::watch_crashes() {
  static bool const once = [] {
    static std::array<char, handler_stack> stack;
    stack_t on{};
    on.ss_sp = stack.data();
    on.ss_size = stack.size();
    ::sigaltstack(&on, nullptr);
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (int const signal : crashes) ::sigaction(signal, &action, nullptr);
    std::atexit(on_exit);
    ::at_quick_exit(on_exit);
    return true;
  }();
  static_cast<void>(once);
}

void fail_with(PluginFile const& file, std::span<factosim_key const> keys, factosim_problem const& problem) {
  std::string const text(problem.text, ::strnlen(problem.text, sizeof problem.text));
  bool const of_key = problem.key >= 0 && static_cast<std::size_t>(problem.key) < keys.size();
  std::string where = file.where;
  if (of_key)
    where = where.substr(0, where.rfind('/') + 1) + keys[static_cast<std::size_t>(problem.key)].name;
  throw InputError(where,
                   text.empty()
                       ? fmt::format("{} refuses its keys (it does not say why). Ask its author", file.name)
                       : fmt::format("{} says: {}", file.name, text));
}

}  // namespace factosim
