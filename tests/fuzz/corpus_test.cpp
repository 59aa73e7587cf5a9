// Initial inputs of the fuzzer and its former findings: each is read or refused with a message.

#include "tests/cli/program.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstring>

#include "simulator/scenario/simulation/resources.hpp"
#include "tests/fuzz/mutator.hpp"
#include "tests/fuzz/targets.hpp"

using namespace factosim;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> inputs_of(std::string_view target) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(testing::repository() / "tests/fuzz/corpus" / target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// SimGrid's files must be parsed before SimGrid is used in the process, which other tests have done.
constexpr std::string_view in_fresh_processes = "simgrid_xml";
constexpr int internal_error = 3;

/// Returns the exit code of a scenario whose network is in that file.
int read_by_program(testing::TemporaryFolder const& folder, std::string const& text) {
  std::string const scenario = (testing::repository() / "scenarios/first/lu_mirage.json").string();
  std::string const file = folder.write("net.xml", text).string();
  return testing::run_factosim("bounds '" + scenario + "' --set '/network={\"simgrid_xml\":{\"file\":\"" +
                               file + "\"}}'")
      .code;
}

/// The progress of a child process, in memory shared with its parent, so that it outlives a crash.
struct Progress {
  std::uint64_t inputs = 0;
  std::uint64_t outcomes = 0;     // different ones
  std::array<char, 400> problem;  // of an exception that is none of those permitted
  std::size_t size = 0;           // of the input that is being read
  std::array<char, testing::Mutator::max_size> input;
};

double number_from(char const* variable, double otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atof(text);
}

/// Returns a message without its place, and without what it repeats of the input: numbers and quoted text.
std::string kind_of(std::string_view message) {
  if (std::size_t const colon = message.find(": "); colon != std::string_view::npos)
    message.remove_prefix(colon + 2);
  std::string out;
  bool quoted = false;
  for (char const c : message) {
    if (c == '"') quoted = !quoted;
    if (!quoted && std::isdigit(static_cast<unsigned char>(c)) == 0) out += c;
  }
  return out.substr(0, 60);
}

/// Returns the kind of outcome of an input; other exceptions than those permitted leave it.
std::string outcome(testing::FuzzTarget const& target, fs::path const& folder, std::string_view input) {
  try {
    target.read(folder, input);
    return "accepted";
  } catch (InputError const& error) {
    return kind_of(error.what());
  } catch (InfeasibleError const& error) {
    return kind_of(error.what());
  }
}

/// Limits the address space of the process to 4 GB; not with sanitizers.
void limit_process() {
  if (testing::sanitized) return;
  constexpr rlim_t address_space = 4'000'000'000;
  rlimit const memory{address_space, address_space};
  ::setrlimit(RLIMIT_AS, &memory);
}
/// Limits the next input to 20 s of CPU (100 s with sanitizers).
void limit_input() {
  itimerval const timer{{0, 0}, {testing::sanitized ? 100 : 20, 0}};
  ::setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

/// Stores the shortest input of each new outcome in the corpus.
void keep(testing::FuzzTarget const& target, std::map<std::string, std::string> const& shortest) {
  constexpr std::size_t most = 40, largest = 1500;
  fs::path const folder = testing::repository() / "tests/fuzz/corpus" / target.name;
  std::size_t kept = 0;
  for (auto const& [kind, input] : shortest)
    if (!input.empty() && input.size() <= largest && kept++ < most)
      std::ofstream(folder / fmt::format("found-{:016x}", std::hash<std::string>{}(kind)), std::ios::binary)
          << input;
}

/// Messages that repeat unquoted words of the input would make each input new.
constexpr std::size_t most_kinds = 2000;

/// The child process: damages inputs until its time is up. An input with a new kind of outcome becomes one from
/// which others are made.
[[noreturn]] void fuzz(testing::FuzzTarget const& target, fs::path const& folder, double seconds,
                       Progress& progress) {
  limit_process();
  testing::Mutator mutator(static_cast<std::uint64_t>(number_from("FACTOSIM_FUZZ_SEED", 1)));
  std::map<std::string, std::string>
      seen;  // shortest input of each kind of outcome; empty: one of the corpus
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(testing::repository() / "tests/fuzz/corpus" / target.name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  try {
    for (fs::path const& file : files) {
      std::string text = testing::text_of(file);
      seen[outcome(target, folder, text)].clear();
      mutator.add(std::move(text));
    }
    for (double const end = process_cpu_seconds() + seconds; process_cpu_seconds() < end; ++progress.inputs) {
      std::string input = mutator.next();
      progress.size = input.size();
      std::memcpy(progress.input.data(), input.data(), input.size());
      limit_input();
      auto const [place, is_new] = seen.try_emplace(outcome(target, folder, input), input);
      if (is_new && seen.size() < most_kinds)
        mutator.add(std::move(input));
      else if (!is_new && input.size() < place->second.size())
        place->second = std::move(input);
      progress.outcomes = seen.size();
    }
  } catch (std::exception const& error) {
    std::strncpy(progress.problem.data(), error.what(), progress.problem.size() - 1);
    ::_exit(1);
  }
  if (std::getenv("FACTOSIM_FUZZ_KEEP") != nullptr) keep(target, seen);
  ::_exit(0);
}

/// SimGrid's files are read in processes of their own, which take too long here; tests/attack damages them.
constexpr std::string_view in_own_processes = "simgrid_xml";

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("every reader accepts its fuzzing inputs or refuses them with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      testing::TemporaryFolder const folder;
      auto const inputs = inputs_of(target.name);
      CHECK(!inputs.empty());
      for (fs::path const& input : inputs) {
        CAPTURE(input.string());
        std::string const text = testing::text_of(input);
        if (target.name == in_fresh_processes)
          CHECK(read_by_program(folder, text) != internal_error);
        else
          CHECK_NOTHROW(try_input(target, folder.path(), text));
      }
    }
  }

  TEST_CASE("truncated inputs are read or refused with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == in_fresh_processes) continue;
      testing::TemporaryFolder const folder;
      fs::path const input = inputs_of(target.name).front();
      CAPTURE(input.string());
      std::string const text = testing::text_of(input);
      std::size_t const step = std::max<std::size_t>(1, text.size() / 40);
      for (std::size_t at = 0; at < text.size(); at += step) {
        CAPTURE(at);
        CHECK_NOTHROW(try_input(target, folder.path(), std::string_view(text).substr(0, at)));
      }
    }
  }

  TEST_CASE("every reader accepts some of its inputs") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == in_fresh_processes) continue;
      testing::TemporaryFolder const folder;
      std::vector<fs::path> const inputs = inputs_of(target.name);
      CAPTURE(target.name);
      CHECK(std::any_of(inputs.begin(), inputs.end(), [&](fs::path const& input) {
        return testing::message_of([&] { target.read(folder.path(), testing::text_of(input)); }).empty();
      }));
    }
  }
}

TEST_SUITE("property") {
  TEST_CASE("damaged inputs of every reader are read or refused with a message within a bounded time") {
    double const seconds = number_from("FACTOSIM_FUZZ_SECONDS", 0.5);
    void* const shared =
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == in_own_processes) continue;
      CAPTURE(target.name);
      testing::TemporaryFolder const folder;
      Progress& progress = *new (shared) Progress{};
      pid_t const child = ::fork();
      if (child == 0) fuzz(target, folder.path(), seconds, progress);
      int status = 0;
      ::waitpid(child, &status, 0);
      bool const fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      MESSAGE(fmt::format("{:13} {:7} inputs, {:4} kinds of outcomes", target.name, progress.inputs,
                          progress.outcomes));
      CHECK(progress.inputs > 0);
      if (fine) continue;
      fs::path const finding = fs::temp_directory_path() / fmt::format("finding-{}", target.name);
      std::ofstream(finding, std::ios::binary)
          .write(progress.input.data(), static_cast<std::streamsize>(progress.size));
      FAIL_CHECK(fmt::format("input {} ends with {} {} {}: stored as {}", progress.inputs,
                             WIFSIGNALED(status) ? "signal" : "exit code",
                             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                             progress.problem.data(), finding.string()));
    }
    ::munmap(shared, sizeof(Progress));
  }
}
