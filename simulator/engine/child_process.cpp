#include "simulator/engine/child_process.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace factosim {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr char returned = 'r', threw = 't';  // first byte of the reply

void send(int end, std::string const& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    ssize_t const count = write(end, text.data() + sent, text.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    sent += static_cast<std::size_t>(count);
  }
}

std::string receive(int end) {
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (true) {
    ssize_t const count = read(end, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

[[noreturn]] void be_child(int end, std::FILE* printed, std::function<std::string()> const& work) {
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(fileno(printed), STDOUT_FILENO);
  dup2(fileno(printed), STDERR_FILENO);
  try {
    send(end, returned + work());
  } catch (std::exception const& error) {
    send(end, threw + std::string(error.what()));
  } catch (...) {
    send(end, threw + std::string("unknown error"));
  }
  _exit(0);  // runs no exit handlers: they belong to the parent
}

std::string first_line(std::FILE* file) {
  std::rewind(file);
  std::string line;
  for (int c = 0; (c = std::fgetc(file)) != EOF && (c != '\n' || line.empty());)
    if (c != '\n') line += static_cast<char>(c);
  return line;
}

}  // namespace

std::string in_child_process(std::function<std::string()> const& work) {
  File const printed(std::tmpfile(), &std::fclose);
  std::array<int, 2> ends{};
  if (!printed || pipe(ends.data()) != 0) throw ChildFailure("no pipe or file to a child process");
  std::fflush(nullptr);  // or the child might write it again
  pid_t const child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], printed.get(), work);
  }
  close(ends[1]);
  std::string reply = child < 0 ? std::string() : receive(ends[0]);
  close(ends[0]);
  int status = 0;
  if (child < 0) throw ChildFailure("no child process");
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (reply.starts_with(threw)) throw ChildFailure(reply.substr(1));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !reply.starts_with(returned)) {
    std::string const words = first_line(printed.get());
    throw ChildFailure(!words.empty()        ? words
                       : WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                             : "ended without a word");
  }
  return reply.substr(1);
}

}  // namespace factosim
