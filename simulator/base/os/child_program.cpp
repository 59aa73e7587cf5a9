#include "simulator/base/os/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "factosim/error.hpp"
#include "simulator/base/os/memory_file.hpp"

extern char** environ;

namespace factosim {

namespace {

/// What happens to the descriptors of a child before it starts.
class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(SpawnActions const&) = delete;
  SpawnActions& operator=(SpawnActions const&) = delete;

  void read_from(std::string const& path) {
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path.c_str(), O_RDONLY, 0);
  }
  void write_to(int descriptor, MemoryFile const& file) {
    ::posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), descriptor);
  }
  [[nodiscard]] posix_spawn_file_actions_t const* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

}  // namespace

FinishedProgram run_program(std::vector<std::string> const& command, std::string_view input) {
  FACTOSIM_EXPECT(!command.empty(), "a command has a name");
  MemoryFile const in(input), out, err;
  SpawnActions actions;
  actions.read_from(in.path().string());
  actions.write_to(STDOUT_FILENO, out);
  actions.write_to(STDERR_FILENO, err);
  std::vector<char*> arguments;
  for (std::string const& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int const error =
      ::posix_spawnp(&child, arguments.front(), actions.get(), nullptr, arguments.data(), environ);
  if (error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR) return {};
  if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), command.front());
  return {.started = true,
          .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = out.text(),
          .err = err.text()};
}

}  // namespace factosim
