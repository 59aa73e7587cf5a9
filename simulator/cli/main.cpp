#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/cli/command_line.hpp"
#include "simulator/engine/simgrid.hpp"
#include "simulator/os/unfinished_files.hpp"
#include "factosim/version.hpp"

namespace {

// Exit codes of the contract.
constexpr int done = 0;
constexpr int bad_input = 2;
constexpr int internal_error = 3;
constexpr int infeasible = 4;
constexpr int out_of_tolerance = 5;

int fail(int code, std::exception const& error) {
  fmt::print(stderr, "factosim: {}\n", error.what());
  return code;
}

/// Returns the arguments in reverse order, as CLI11 expects. CLI11 would split a value in brackets; a space
/// before a JSON list prevents that.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> out;
  for (int i = argc - 1; i > 0; --i) {
    std::string const text = argv[i];
    out.push_back(text.starts_with('[') && std::string_view(argv[i - 1]) == "--filter" ? " " + text : text);
  }
  return out;
}

int run(int argc, char** argv) {
  CLI::App program("Simulates task-based dense factorizations on heterogeneous clusters", "factosim");
  program.set_version_flag("--version", fmt::format("factosim {} ({})\nSimGrid {}", factosim::version(),
                                                    factosim::git_revision(), factosim::simgrid_version()));
  program.require_subcommand(1);
  factosim::add_run_command(program);
  factosim::add_bounds_command(program);
  factosim::add_distribute_command(program);
  factosim::add_sweep_command(program);
  factosim::add_advise_command(program);
  factosim::add_import_command(program);
  factosim::add_calibrate_command(program);
  factosim::add_export_command(program);
  factosim::add_compare_command(program);
  factosim::add_report_command(program);
  factosim::add_check_command(program);
  program.footer("factosim COMMAND --help explains each with an example.");
  try {
    program.parse(arguments_of(argc, argv));
    return done;
  } catch (CLI::ParseError const& error) {
    return program.exit(error) == 0 ? done : bad_input;
  }
}

/// Returns whether standard output was written; a failed write is an error, since the caller would lose the
/// result.
bool printed() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

int fail_to_print() {
  fmt::print(stderr, "factosim: standard output cannot be written ({}). Make room, or print elsewhere\n",
             std::strerror(errno));
  return bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  factosim::UnfinishedFiles::watch_signals();
  try {
    int const code = run(argc, argv);
    return printed() ? code : fail_to_print();
  } catch (std::bad_alloc const&) {
    std::fputs(
        "factosim: the memory is exhausted (the machine, its control group or ulimit has no more). Use fewer "
        "tiles or nodes, or a machine with more memory\n",
        stderr);
    return bad_input;
  } catch (factosim::InputError const& error) {
    return fail(bad_input, error);
  } catch (factosim::InfeasibleError const& error) {
    return fail(infeasible, error);
  } catch (factosim::ToleranceError const& error) {
    return fail(out_of_tolerance, error);
  } catch (std::exception const& error) {
    return std::ferror(stdout) != 0 ? fail_to_print() : fail(internal_error, error);
  }
}
