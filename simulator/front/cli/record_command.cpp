#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "factosim/error.hpp"
#include "simulator/base/core/format.hpp"
#include "simulator/base/os/output_files.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/traces/record/graph_writer.hpp"
#include "simulator/traces/record/recorded_program.hpp"
#include "simulator/traces/record/shim_library.hpp"

extern char** environ;

namespace factosim {

namespace {

namespace fs = std::filesystem;
using record::Ending;
using RecordJson = nlohmann::ordered_json;

struct RecordArguments {
  std::vector<std::string> command;
  fs::path output, starpu;
  int ranks = 0;
  std::size_t tasks = 0;
  double seconds = 0;
  std::string stub;
  bool execute = false, force = false, json = false;
};

/// Returns the variables that are set for the program; those that the user has set stay.
std::map<std::string, std::string> environment_of(RecordArguments const& a) {
  std::map<std::string, std::string> out{{"STARPU_NCPU", "1"},
                                         {"STARPU_NCUDA", "0"},
                                         {"STARPU_NOPENCL", "0"},
                                         {"STARPU_NHIP", "0"},
                                         {"STARPU_SCHED", "lws"},
                                         {"STARPU_SILENT", "1"},
                                         {"STARPU_FXT_TRACE", "0"},
                                         {"STARPU_WORKERS_NOBIND", "1"},
                                         {"STARPU_HOME", (record::cache_folder() / "starpu").string()},
                                         {"OPENBLAS_NUM_THREADS", "1"}};
  std::erase_if(out, [](auto const& entry) { return std::getenv(entry.first.c_str()) != nullptr; });
  if (a.execute) out["FACTOSIM_RECORD_EXECUTE"] = out["STARPU_PROFILING"] = "1";
  if (!a.stub.empty()) out["FACTOSIM_RECORD_STUB"] = a.stub;
  if (a.ranks > 0) out["FACTOSIM_RECORD_RANKS"] = std::to_string(a.ranks);
  return out;
}

/// Returns StarPU's variables as the program sees them.
RecordJson starpu_variables(std::map<std::string, std::string> own) {
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string const text = *entry; text.starts_with("STARPU_"))
      own.try_emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  RecordJson out = RecordJson::object();
  for (auto const& [name, value] : own)
    if (name.starts_with("STARPU_") && name != "STARPU_HOME") out[name] = value;
  return out;
}

std::string ending_text(Ending const& ending, record::Recorder const& recorder) {
  std::string const after = fmt::format("after {} tasks", grouped(recorder.tasks().size()));
  std::string const call = recorder.call().empty() ? "" : fmt::format(" in {}", recorder.call());
  switch (ending.stop) {
    case Ending::Stop::tasks:
      return fmt::format("the program was stopped {}, as --tasks asks", after);
    case Ending::Stop::seconds:
      return fmt::format("the program was stopped {}, as --seconds asks{}", after,
                         call.empty() ? "" : ", while it waited" + call);
    case Ending::Stop::hang:
      return fmt::format("the program was stopped {}, since it waited{} for what only kernels do", after,
                         call);
    case Ending::Stop::none:
      break;
  }
  if (ending.signal != 0)
    return fmt::format("the program was ended by a signal ({}) {}", ::strsignal(ending.signal), after);
  if (ending.exit_code != 0) return fmt::format("the program ended with {} {}", ending.exit_code, after);
  return "";
}

/// Throws InputError if what was recorded is not what the program does.
void check_recording(std::string const& program, RecordArguments const& a, Ending const& ending,
                     record::Recorder const& recorder) {
  std::string const where = program + "#";
  std::string const ended = ending.signal != 0 ? fmt::format("it was ended by signal {}", ending.signal)
                                               : fmt::format("it ended with {}", ending.exit_code);
  if (!recorder.refusal().empty()) throw InputError(where, recorder.refusal());
  if (recorder.library().empty())
    throw InputError(
        where, fmt::format("has not loaded StarPU ({}). Name the program itself, not one that starts it "
                           "without its environment",
                           ended));
  if (recorder.library() != recorder.headers())
    throw InputError(
        where, fmt::format("uses StarPU {}, but the headers beside it are of {} (structures differ). Give "
                           "the right ones by --starpu PREFIX",
                           recorder.library(), recorder.headers()));
  if (!a.execute && recorder.kernels_run() > 0)
    throw InputError(
        where, fmt::format("has run {} kernels that the recorder did not see (it is linked with a static "
                           "StarPU, or one built with -Bsymbolic). Link it with a shared one",
                           grouped(recorder.kernels_run())));
  if (recorder.tasks().empty())
    throw InputError(where,
                     fmt::format("submits no task ({}; nothing is written). Check its arguments", ended));
}

RecordJson summary_json(record::Recorder const& recorder, RecordJson const& head, fs::path const& file,
                        double seconds) {
  RecordJson kernels = RecordJson::object();
  std::vector<std::string> const names = kernel_names(recorder);
  std::uint64_t bytes = 0, run = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    kernels[names[k]] = recorder.kernels()[k].tasks;
    for (auto const& [device, samples] : recorder.kernels()[k].samples) run += samples.count;
  }
  for (record::Datum const& datum : recorder.data()) bytes += datum.parent < 0 ? datum.bytes : 0;
  return {{"file", file.string()},
          {"tasks", recorder.tasks().size()},
          {"tasks_by_kernel", kernels},
          {"dependencies", recorder.edges()},
          {"data", recorder.data().size()},
          {"bytes", bytes},
          {"kernels_run", run},
          {"seconds", seconds},
          {"recorded", head}};
}

void print_summary(RecordJson const& summary) {
  std::uint64_t const run = summary["kernels_run"];
  print_note(fmt::format("{} tasks of {} kernels, {} dependencies, {} data of {}; {}; {}",
                         grouped(summary["tasks"]), summary["tasks_by_kernel"].size(),
                         grouped(summary["dependencies"]), grouped(summary["data"]),
                         format_bytes(Bytes(summary["bytes"].get<std::int64_t>())),
                         run == 0 ? "no kernel was run" : grouped(run) + " kernels were run",
                         format_duration(Seconds(summary["seconds"].get<double>()))));
  for (auto const& finding : summary["recorded"]["findings"]) print_warning(finding.get<std::string>());
}

void record_program(RecordArguments const& a) {
  fs::path const program = record::program_file(a.command.front());
  fs::path const file = a.output.empty() ? fs::path(program.filename().string() + ".jsonl") : a.output;
  refuse_to_overwrite(file, a.force);
  record::ShimLibrary const shim = record::shim_library(program, a.starpu, a.ranks > 0);
  auto const environment = environment_of(a);
  make_folder(record::cache_folder());
  record::Recorder recorder;
  Ending const ending = run_recorded(a.command,
                                     {.shim = shim.file,
                                      .environment = environment,
                                      .max_tasks = a.tasks,
                                      .max_seconds = a.seconds,
                                      .watch = !a.execute},
                                     recorder);
  if (ending.stop == Ending::Stop::none || recorder.tasks().empty())
    check_recording(program.string(), a, ending, recorder);
  std::string const end = ending_text(ending, recorder);
  bool const results = a.execute || ending.stop != Ending::Stop::none;
  std::vector<std::string> findings = recorder.findings();
  if (!end.empty()) findings.push_back(results ? end : end + "; its results were not computed");
  if (char const* const policy = std::getenv("STARPU_SCHED"))
    findings.push_back(
        fmt::format("STARPU_SCHED is {}: a policy without priorities makes all of them 0", policy));
  RecordJson head{{"program", program.filename().string()},
                  {"arguments", std::vector(a.command.begin() + 1, a.command.end())},
                  {"runtime", "StarPU " + recorder.library()},
                  {"recorder", shim.hash},
                  {"environment", starpu_variables(environment)},
                  {"ranks", std::max(a.ranks, 1)},
                  {"executed", a.execute},
                  {"exit", ending.signal != 0 ? 128 + ending.signal : ending.exit_code},
                  {"complete", ending.signal == 0},
                  {"findings", findings}};
  write_graph(file, program.filename().string(), head, recorder);
  RecordJson const summary = summary_json(recorder, head, file, ending.seconds);
  print_summary(summary);
  if (a.json) print_json(summary);
  if (ending.stop == Ending::Stop::hang)
    throw InputError(
        program.string() + "#",
        fmt::format("waits for ever ({}; {} has the tasks so far). Record it with --execute, or stop it "
                    "earlier by --tasks or --seconds",
                    end, file.string()));
  if (!a.json) print_note(fmt::format("wrote {}", file.string()));
}

}  // namespace

void add_record_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "record",
                  "Run a StarPU program without its kernels, and write its tasks as a graph", record_program,
                  "Example: factosim record -- ./cholesky_implicit -size 19200 -nblocks 20\n"
                  "         factosim init --graph cholesky_implicit.jsonl -o cholesky.json\n"
                  "The program runs unmodified with its own shared StarPU (1.3 to 1.5); a library that is "
                  "compiled on first use\n"
                  "for it tells what it submits. Its output goes to standard error. Exit code 2: it cannot "
                  "be recorded, or\n"
                  "it waited for ever; what it submitted until then is kept.");
  options.add("command", a.command, "The program and its arguments, after --", "PROGRAM")
      ->required()
      ->expected(1, 1 << 20);
  options.path("-o,--output", a.output, "Graph to write; without it PROGRAM.jsonl in the current folder");
  options.positive("--ranks", a.ranks,
                   "Let one process stand for so many ranks of StarPU-MPI, if each rank inserts every task");
  CLI::Option* const execute =
      options.flag("--execute", a.execute, "Run the kernels, and write their durations on this machine");
  options.add("--stub", a.stub, "Value of numbers that the program reads back, in place of results", "X")
      ->check(CLI::Number)
      ->excludes(execute);
  options.positive("--tasks", a.tasks, "Stop the program after so many tasks");
  options.positive("--seconds", a.seconds, "Stop the program after so many seconds");
  options.path("--starpu", a.starpu, "Where its StarPU is installed, if that is not where its library is");
  options.force(a.force);
  options.json(a.json);
}

}  // namespace factosim
