#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/plugin.h"
#include "factosim/version.hpp"
#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/base/plugin/plugin.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/runtime/engine/simgrid.hpp"

/// Ends the program at once, in place of the C library's function: a plug-in that calls it is named.
extern "C" FACTOSIM_EXPORT void _exit(int code) {
  factosim::PluginCall::on_exit();
  while (true) ::syscall(SYS_exit_group, code);
}

extern "C" FACTOSIM_EXPORT void _Exit(int code) noexcept { ::_exit(code); }

namespace {

using factosim::ExitCode;

/// Returns the arguments in reverse order, as CLI11 expects them. CLI11 would split a value in brackets: a space
/// before a JSON list, and before what could be one behind `--` (see record_command.cpp), prevents that.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> out;
  int const dashes = static_cast<int>(std::find(argv + 1, argv + argc, std::string_view("--")) - argv);
  for (int i = argc - 1; i > 0; --i) {
    std::string const text = argv[i];
    bool const filter = text.starts_with('[') && std::string_view(argv[i - 1]) == "--filter";
    bool const foreign = i > dashes && (text.starts_with('[') || text.starts_with(' '));
    out.push_back(filter || foreign ? " " + text : text);
  }
  return out;
}

/// Adds the options that every command has to all that have no commands of their own.
void complete_commands(CLI::App& app) {
  auto const commands = app.get_subcommands([](CLI::App const*) { return true; });
  for (CLI::App* command : commands) complete_commands(*command);
  if (commands.empty()) factosim::add_message_options(app);
}

ExitCode run(int argc, char** argv) {
  CLI::App program("Simulates task-based dense factorizations on heterogeneous clusters", "factosim");
  program.set_version_flag(
      "--version", fmt::format("factosim {} ({})\nSimGrid {}\nbuilt with {}; parts: {}", factosim::version(),
                               factosim::git_revision(), factosim::simgrid_version(), FACTOSIM_BUILT_WITH,
                               FACTOSIM_PARTS));
  program.require_subcommand(1);
  for (auto* const add :
       {factosim::add_run_command,      factosim::add_bounds_command,  factosim::add_distribute_command,
        factosim::add_sweep_command,    factosim::add_advise_command,  factosim::add_schedule_command,
        factosim::add_import_command,   factosim::add_convert_command, factosim::add_calibrate_command,
        factosim::add_export_command,   factosim::add_compare_command, factosim::add_record_command,
        factosim::add_report_command,   factosim::add_check_command,   factosim::add_reference_command,
        factosim::add_platform_command, factosim::add_list_command,    factosim::add_init_command,
        factosim::add_validate_command, factosim::add_help_command})
    add(program);
  complete_commands(program);
  factosim::set_help_format(program);
  program.footer(
      "factosim COMMAND --help explains each with an example; factosim list topics\n"
      "shows what else is explained, factosim help documents where the tutorial is.\n"
      "The variable FACTOSIM_INPUT_LIMITS raises the limits of input files, such as\n"
      "rows=1e9,bytes=64GB: see tests/robustness.md.");
  std::vector<std::string> const words(argv + 1, argv + argc);
  if (words.empty()) {
    factosim::print_error("factosim: a command is missing. See factosim --help");
    return ExitCode::bad_input;
  }
  if (words.front() == "complete") {  // for shells
    fmt::print("{}", factosim::completions(program, {words.begin() + 1, words.end()}));
    return ExitCode::success;
  }
  factosim::check_command_words(program, words);
  try {
    program.parse(arguments_of(argc, argv));
    return ExitCode::success;
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) {  // --help and --version
      program.exit(error);
      return ExitCode::success;
    }
    factosim::print_error("factosim: " + factosim::usage_message(program, error, words));
    return ExitCode::bad_input;
  }
}

/// Returns true if all of standard output was written. A failed write is an error: the caller would lose the
/// result.
bool output_written() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

ExitCode fail_to_print() {
  factosim::print_error(
      fmt::format("factosim: standard output cannot be written ({}). Make room, or print elsewhere",
                  std::strerror(errno)));
  return ExitCode::bad_input;
}

ExitCode run_and_report(int argc, char** argv) {
  try {
    ExitCode const code = run(argc, argv);
    return output_written() ? code : fail_to_print();
  } catch (...) {
    factosim::Failure const failure = factosim::current_failure();
    if (std::ferror(stdout) != 0) return fail_to_print();
    factosim::print_error("factosim: " + failure.message);
    return failure.code;
  }
}

/// Keeps files that are opened later from taking the place of closed standard streams. Writing to a closed standard
/// output stays an error.
void reserve_standard_streams() {
  for (int const stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      (void)::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/// Ends with a message if memory was exhausted before main or where nothing catches it, such as in a destructor. Without
/// memory for the exception itself there is none.
[[noreturn]] void terminate() {
  auto const error = std::current_exception();
  void* volatile const memory = std::malloc(BUFSIZ);  // volatile: compilers assume that it succeeds
  bool exhausted = !error && memory == nullptr;
  try {
    if (error) std::rethrow_exception(error);
  } catch (std::bad_alloc const&) {
    exhausted = true;
  } catch (...) {
  }
  if (!exhausted) std::abort();
  constexpr std::string_view message = "factosim: the memory is exhausted. Give the program more\n";
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(static_cast<int>(ExitCode::bad_input));
}

// Before the other static objects, whose construction may need more memory than there is.
[[gnu::init_priority(101)]] struct TerminateHandler {
  TerminateHandler() { std::set_terminate(terminate); }
} const terminate_handler;

}  // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  factosim::UnfinishedFiles::watch_signals();
  factosim::UnfinishedFiles::say_when_interrupted("Nothing is left half-written. Call it again");
  auto const code = static_cast<int>(run_and_report(argc, argv));
  factosim::UnfinishedFiles::remove_all();  // the empty folder of a run that failed
  return code;
}
