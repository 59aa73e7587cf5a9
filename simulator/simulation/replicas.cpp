#include "simulator/simulation/replicas.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "factosim/error.hpp"
#include "simulator/simulation/result_assembly.hpp"
#include "simulator/simulation/simulate.hpp"

namespace factosim {

namespace {

[[noreturn]] void fail_with_errno(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t const written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // nobody listens any more
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int descriptor) {
  std::string bytes;
  char buffer[4096];
  while (true) {
    ssize_t const got = ::read(descriptor, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_with_errno("cannot read from a replica");
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

constexpr int failed = 1;
constexpr int infeasible = 2;
constexpr int no_memory = 3;

/// The work of the child process: writes the number, or says what went wrong and ends with `failed` or
/// `infeasible`.
[[noreturn]] void answer(int descriptor, std::function<double()> const& work) {
  int code = failed;
  try {
    double const value = work();
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    write_all(descriptor, {bytes, sizeof bytes});
    code = 0;
  } catch (InfeasibleError const& error) {
    code = infeasible;
    write_all(descriptor, error.what());
  } catch (std::bad_alloc const&) {
    code = no_memory;
  } catch (std::exception const& error) {
    write_all(descriptor, error.what());
  }
  ::_exit(code);  // leaves alone what belongs to the parent: its files, and what runs at its exit
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail_with_errno("cannot wait for a replica");
  return status;
}

/// What `work` returns in a copy of this process.
double in_own_process(std::function<double()> const& work) {
  int ends[2];
  if (::pipe(ends) != 0) fail_with_errno("cannot make a pipe");
  pid_t const child = ::fork();
  if (child < 0) fail_with_errno("cannot start a process for a replica");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // what ends the run ends its replicas
    ::close(ends[0]);
    answer(ends[1], work);
  }
  ::close(ends[1]);
  std::string const bytes = read_all(ends[0]);
  ::close(ends[0]);
  int const status = wait_for(child);
  if (WIFSIGNALED(status))
    throw std::runtime_error(fmt::format("a replica was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) == infeasible) throw InfeasibleError(bytes);
  if (WEXITSTATUS(status) == no_memory) throw std::bad_alloc();
  double value = 0;
  if (WEXITSTATUS(status) != 0 || bytes.size() != sizeof value)
    throw std::runtime_error("a replica failed: " + bytes);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool some_timing_varies(TaskPlan const& p) {
  return std::any_of(p.machine.type_of.begin(), p.machine.type_of.end(), [&](std::uint32_t type) {
    auto const& deviations = p.machine.types[type].deviations;
    return std::any_of(deviations.begin(), deviations.end(), [](double d) { return d > 0; });
  });
}

}  // namespace

std::vector<Seconds> simulate_further_replicas(TaskPlan const& plan, int count,
                                               std::function<void()> const& replica_done) {
  std::vector<Seconds> makespans;
  for (int i = 1; i < count; ++i) {
    std::uint64_t const seed = plan.scenario.seed + static_cast<std::uint64_t>(i);
    makespans.push_back(
        Seconds{in_own_process([&] { return simulate_with_seed(plan, seed, nullptr, {}).makespan.value; })});
    replica_done();
  }
  return makespans;
}

Replicas summarize_replicas(TaskPlan const& plan, Seconds first, std::vector<Seconds> const& further) {
  std::vector<Seconds> makespans{first};
  makespans.insert(makespans.end(), further.begin(), further.end());
  Replicas out;
  std::vector<double> seconds, rates;
  for (Seconds const makespan : makespans) {
    out.seeds.push_back(plan.scenario.seed + out.seeds.size());
    seconds.push_back(makespan.value);
    rates.push_back(gflops(plan, makespan));
  }
  out.makespan_s = spread_of(std::move(seconds));
  out.gflops = spread_of(std::move(rates));
  return out;
}

bool depends_on_seed(TaskPlan const& p) {
  PlacedScenario const& s = p.scenario;
  if (s.scheduler.type == "random" || s.noise.worker_speed_deviation > 0) return true;
  switch (s.noise.distribution) {
    case NoiseDistribution::none:
      return false;
    case NoiseDistribution::normal:
    case NoiseDistribution::lognormal:
      return s.noise.scale > 0 && some_timing_varies(p);
    case NoiseDistribution::empirical:
      return s.noise.scale > 0;
  }
  return true;
}

}  // namespace factosim
