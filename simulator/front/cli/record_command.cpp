#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "factosim/error.hpp"
#include "platforms/python_package.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/front/cli/command_line.hpp"
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
  int ranks = 0, rank = -1;  // rank: that of this run with each_rank
  std::size_t tasks = 0;
  double seconds = 0;
  std::int64_t bytes = 0;
  std::string stub;
  bool execute = false, each_rank = false, force = false, json = false;
};

/// Sets the variables of the program, which this process passes on, except those that the user has set. Returns those of its
/// runtime.
RecordJson prepare_environment(RecordArguments const& a, bool of_starpu) {
  std::string const home = (record::cache_folder() / "starpu").string();
  for (auto const& [name, value] :
       std::initializer_list<std::pair<char const*, std::string>>{{"STARPU_NCPU", "1"},
                                                                  {"STARPU_NCUDA", "0"},
                                                                  {"STARPU_NOPENCL", "0"},
                                                                  {"STARPU_NHIP", "0"},
                                                                  {"STARPU_SCHED", "lws"},
                                                                  {"STARPU_SILENT", "1"},
                                                                  {"STARPU_FXT_TRACE", "0"},
                                                                  {"STARPU_WORKERS_NOBIND", "1"},
                                                                  {"STARPU_PROFILING", a.execute ? "1" : "0"},
                                                                  {"STARPU_HOME", home},
                                                                  {"OMP_NUM_THREADS", "1"},
                                                                  {"KMP_WARNINGS", "0"},
                                                                  {"OPENBLAS_NUM_THREADS", "1"}})
    ::setenv(name, value.c_str(), 0);
  if (!of_starpu) ::setenv("OMP_THREAD_LIMIT", "1", 1);  // which runs each task where it is created
  if (a.bytes > 0) ::setenv("FACTOSIM_RECORD_BYTES", std::to_string(a.bytes).c_str(), 1);
  if (a.execute) ::setenv("FACTOSIM_RECORD_EXECUTE", "1", 1);
  if (!a.stub.empty()) ::setenv("FACTOSIM_RECORD_STUB", a.stub.c_str(), 1);
  if (a.ranks > 0) ::setenv("FACTOSIM_RECORD_RANKS", std::to_string(a.ranks).c_str(), 1);
  if (a.rank >= 0) ::setenv("FACTOSIM_RECORD_RANK", std::to_string(a.rank).c_str(), 1);
  std::map<std::string, std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string const text = *entry;
        text.starts_with(of_starpu ? "STARPU_" : "OMP_") && !text.starts_with("STARPU_HOME="))
      out[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  return out;
}

/// Returns how the program ended, with what that means; empty if it ended as it should.
std::string ending_text(Ending const& ending, record::Recorder const& recorder) {
  std::string const after = fmt::format("after {} tasks", grouped(recorder.tasks().size()));
  std::string const call = recorder.call().empty() ? "" : fmt::format(" in {}", recorder.call());
  if (ending.stop == Ending::Stop::tasks)
    return fmt::format("the program was stopped {}, as --tasks asks", after);
  if (ending.stop == Ending::Stop::seconds)
    return fmt::format("the program was stopped {}, as --seconds asks{}", after,
                       call.empty() ? "" : ", while it waited" + call);
  if (ending.stop == Ending::Stop::hang)
    return fmt::format("the program was stopped {}, since it waited{} for what only kernels do", after, call);
  if (ending.signal == 0 && ending.exit_code == 0) return "";
  return fmt::format("the program {} {}; its results were not computed",
                     ending.signal != 0
                         ? fmt::format("was ended by a signal ({})", ::strsignal(ending.signal))
                         : fmt::format("ended with {}", ending.exit_code),
                     after);
}

/// Throws InputError if what was recorded is not what the program does.
void check_recording(std::string const& program, std::string const& runtime, RecordArguments const& a,
                     Ending const& ending, record::Recorder const& recorder) {
  auto const refuse = [&program](std::string const& text) { throw InputError(program + "#", text); };
  std::string const ended = ending.signal != 0 ? fmt::format("it was ended by signal {}", ending.signal)
                                               : fmt::format("it ended with {}", ending.exit_code);
  if (!recorder.refusal().empty()) refuse(recorder.refusal());
  if (recorder.library().empty())
    refuse(fmt::format("has not loaded {} ({}). Name the program that uses it", runtime, ended));
  if (recorder.library() != recorder.headers())
    refuse(fmt::format(
        "uses StarPU {}, but the headers beside it are of {} (structures differ). Give --starpu PREFIX",
        recorder.library(), recorder.headers()));
  if (!a.execute && recorder.kernels_run() > 0)
    refuse(
        fmt::format("has run {} kernels that the recorder did not see (its StarPU is static, or built with "
                    "-Bsymbolic). Link it with a shared one",
                    grouped(recorder.kernels_run())));
  if (recorder.tasks().empty())
    refuse(fmt::format("submits no task ({}; nothing is written). {}", ended,
                       ending.exit_code == 77 ? "It skips itself: give it more cores by STARPU_NCPU"
                                              : "Check its arguments"));
}

RecordJson summary_json(record::Recorder const& recorder, std::vector<std::string> const& names,
                        RecordJson const& head, fs::path const& file, double seconds) {
  RecordJson kernels = RecordJson::object();
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
  auto const count = [](std::uint64_t n, char const* thing) {
    return fmt::format("{} {}{}", grouped(n), thing, n == 1 ? "" : "s");
  };
  std::uint64_t const run = summary["kernels_run"];
  print_note(fmt::format("{} of {}, {}, {} data of {}; {}; {}", count(summary["tasks"], "task"),
                         count(summary["tasks_by_kernel"].size(), "kernel"),
                         grouped(summary["dependencies"]) + " dependencies", grouped(summary["data"]),
                         format_bytes(Bytes{summary["bytes"].get<std::int64_t>()}),
                         run == 0 ? "no kernel was run" : "kernels were run",
                         format_duration(Seconds{summary["seconds"].get<double>()})));
  for (auto const& finding : summary["recorded"]["findings"]) print_warning(finding.get<std::string>());
}

/// Returns what the graph does not show, or assumes. `policy`: of StarPU, as the user has set it; `end`: how the program ended.
std::vector<std::string> findings_of(record::Recorder const& recorder, RecordArguments const& a,
                                     bool of_starpu, std::string const& policy, std::string const& end) {
  std::vector<std::string> findings = recorder.findings();
  if (!end.empty()) findings.push_back(end);
  if (!policy.empty() &&
      std::ranges::all_of(recorder.tasks(), [](auto const& task) { return task.priority == 0; }))
    findings.push_back(
        fmt::format("all priorities are 0, as policies without them make them: STARPU_SCHED is {}", policy));
  if (!of_starpu && !a.execute)
    findings.emplace_back(
        "not in the graph: tasks that tasks create, since these were not run. Give --execute if there are "
        "any");
  auto const unknown = std::ranges::count(recorder.data(), 0U, &record::Datum::bytes);
  if (!of_starpu && unknown > 0)
    findings.push_back(fmt::format(
        "not in the graph: the sizes of {} data, taken as 0 (gcc's programs know places only). Give --bytes",
        unknown));
  if (a.ranks > 1 && a.rank < 0)
    findings.emplace_back(
        "not in the graph: what the program does on other ranks than 0 only, such as hints for their own "
        "data");
  return findings;
}

constexpr PythonPackage joiner{.folder = "ranks", .action = "joined"};

void record_program(RecordArguments const& a);

/// Records the program as each of its ranks, one after the other, and joins their graphs.
void record_each_rank(RecordArguments const& a, fs::path const& program, fs::path const& file) {
  struct Folder {
    fs::path const path = record::cache_folder() / fmt::format("ranks-{}", ::getpid());
    ~Folder() { fs::remove_all(path); }
  } const folder;
  std::vector<std::string> parts;
  RecordArguments one = a;
  one.each_rank = one.json = false;
  for (one.rank = 0; one.rank < a.ranks; ++one.rank) {
    one.output = folder.path / fmt::format("{}.jsonl", one.rank);
    record_program(one);
    parts.push_back(one.output.string());
  }
  auto answer = RecordJson::parse(run_in_python(joiner, parts, "", program.string() + "#"));
  write_output(file, answer["text"]);
  answer.erase("text");
  answer["file"] = file.string();
  for (auto const& finding : answer["findings"]) print_warning(finding.get<std::string>());
  if (a.json) return print_json(answer);
  print_note(fmt::format("wrote {}: {} tasks of {} ranks", file.string(), grouped(answer["tasks"]), a.ranks));
}

void record_program(RecordArguments const& given) {
  RecordArguments a = given;
  for (std::string& word : a.command)
    if (word.starts_with(' ')) word.erase(0, 1);  // put there against splitting: see main.cpp
  fs::path const program = record::program_file(a.command.front());
  fs::path const file = a.output.empty() ? fs::path(program.filename().string() + ".jsonl") : a.output;
  refuse_to_overwrite(file, a.force);
  if (a.json && file == standard_stream)
    throw InputError("--json#",
                     "would be mixed with the graph (both go to standard output). Give --output FILE");
  if (a.each_rank) return record_each_rank(a, program, file);
  record::ShimLibrary const shim = record::shim_library(program, a.starpu, a.ranks > 0);
  char const* const policy = std::getenv("STARPU_SCHED");
  std::string const own_policy = policy == nullptr ? "" : policy;
  if (!shim.of_starpu() && (a.ranks > 0 || !a.stub.empty()))
    throw InputError(a.ranks > 0 ? "--ranks#" : "--stub#",
                     "is for programs of StarPU (this one has tasks of OpenMP). Leave it out");
  RecordJson const environment = prepare_environment(a, shim.of_starpu());
  if (file != standard_stream) make_folder_of(file);
  record::Recorder recorder;
  Ending const ending = run_recorded(
      a.command, {.shim = shim.file, .max_tasks = a.tasks, .max_seconds = a.seconds, .watch = !a.execute},
      recorder);
  if (ending.stop == Ending::Stop::none || recorder.tasks().empty())
    check_recording(program.string(), shim.runtime, a, ending, recorder);
  std::string const end = ending_text(ending, recorder);
  RecordJson head{
      {"program", program.filename().string()},
      {"arguments", std::vector(a.command.begin() + 1, a.command.end())},
      {"runtime", shim.of_starpu() ? "StarPU " + recorder.library() : "OpenMP by " + shim.runtime},
      {"recorder", shim.hash},
      {"environment", environment},
      {"ranks", std::max(a.ranks, 1)},
      {"executed", a.execute},
      {"exit", ending.signal != 0 ? 128 + ending.signal : ending.exit_code},
      {"complete", ending.signal == 0},
      {"findings", findings_of(recorder, a, shim.of_starpu(), own_policy, end)}};
  if (a.rank >= 0)
    for (record::Datum const& datum : recorder.data()) head["tags"].push_back(datum.tag);
  std::vector<std::string> const names = kernel_names(recorder);
  write_graph(file, program.filename().string(), head, recorder, names);
  RecordJson const summary = summary_json(recorder, names, head, file, ending.seconds);
  if (a.rank < 0) print_summary(summary);
  if (a.json) print_json(summary);
  if (ending.stop == Ending::Stop::hang)
    throw InputError(
        program.string() + "#",
        fmt::format("waits for ever ({}; {} has the tasks so far). Record it with --execute, or stop it "
                    "earlier by --tasks or --seconds",
                    end, file.string()));
  if (!a.json && a.rank < 0) print_note(fmt::format("wrote {}", file.string()));
}

}  // namespace

void add_record_command(CLI::App& program) {
  auto [options, a] = add_command(
      program, "record",
      "Run a program of StarPU or OpenMP without its kernels, and write its tasks as a graph", record_program,
      "Example: factosim record -- ./cholesky_implicit -size 19200 -nblocks 20\n"
      "         factosim init --graph cholesky_implicit.jsonl -o cholesky.json\n"
      "The program is not modified. A library that is compiled for its shared StarPU (1.3 to "
      "1.5), or OpenMP, on\n"
      "first use tells what it submits. Its output goes to standard error. Exit code 2: it cannot be "
      "recorded, or waited\n"
      "for ever; what it submitted until then is kept.");
  options.add("program", a.command, "The program and its arguments, after --", "PROGRAM")
      ->required()
      ->expected(1, 1 << 20);
  options.path("-o,--output", a.output, "Graph to write; without it PROGRAM.jsonl in the current folder");
  CLI::Option* const execute =
      options.flag("--execute", a.execute, "Run the kernels, and write their durations on this machine");
  CLI::Option* const ranks =
      options
          .positive("--ranks", a.ranks,
                    "Let one process stand for so many ranks of StarPU-MPI, if each rank inserts every task")
          ->excludes(execute);
  options
      .flag("--each-rank", a.each_rank,
            "Run it once as each of the ranks, if each inserts its own tasks only")
      ->needs(ranks);
  options.add("--stub", a.stub, "Value of numbers that the program reads back, in place of results", "X")
      ->check(CLI::Number)
      ->excludes(execute);
  options.positive("--tasks", a.tasks, "Stop the program after so many tasks");
  options.positive("--seconds", a.seconds, "Stop the program after so many seconds");
  options.positive("--bytes", a.bytes,
                   "Size of each datum of an OpenMP program if its compiler does not tell (gcc)");
  options.path("--starpu", a.starpu, "Where its StarPU is installed, if that is not where its library is");
  options.force(a.force);
  options.json(a.json);
}

}  // namespace factosim
