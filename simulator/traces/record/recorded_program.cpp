#include "simulator/traces/record/recorded_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/process_pool.hpp"
#include "simulator/base/os/text_file.hpp"

namespace factosim::record {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(char const* what) { throw std::system_error(errno, std::generic_category(), what); }

/// Returns the processor time that a process or thread has taken; 0 if it is gone. `folder`: its folder in /proc.
double processor_seconds(std::string const& folder) {
  std::ifstream in(folder + "/stat");
  std::string text;
  std::getline(in, text, '\0');
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

[[noreturn]] void become(std::vector<std::string> const& command, RunOptions const& options, int channel,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = std::min<rlim_t>(stack.rlim_max, rlim_t{1} << 30U);
  ::setrlimit(RLIMIT_STACK, &stack);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  int const open = ::dup(channel);  // not closed by exec
  ::setenv("FACTOSIM_RECORD_FD", std::to_string(open).c_str(), 1);
  char const* const others = std::getenv("LD_PRELOAD");
  std::string const preload = options.shim.string() + (others == nullptr ? "" : std::string(":") + others);
  ::setenv("LD_PRELOAD", preload.c_str(), 1);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (std::string const& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

/// The end of the channel from which events are read.
class EventReader {
 public:
  explicit EventReader(int channel) : channel_(channel) { ::fcntl(channel, F_SETFL, O_NONBLOCK); }
  ~EventReader() { ::close(channel_); }
  EventReader(EventReader const&) = delete;
  EventReader& operator=(EventReader const&) = delete;

  /// Waits up to 0.2 s for events and hands over whole ones. Returns false if none came.
  bool read(Recorder& recorder, std::size_t max_tasks) {
    pollfd poll{.fd = channel_, .events = POLLIN, .revents = 0};
    ::poll(&poll, 1, 200);
    std::size_t const kept = bytes_.size();
    bytes_.resize(kept + room);
    ssize_t const got = ::read(channel_, bytes_.data() + kept, room);
    bytes_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::span const words(reinterpret_cast<std::uint64_t const*>(bytes_.data()), bytes_.size() / 8);
    std::size_t at = 0;
    while (at < words.size()) {
      std::size_t const length = words[at] >> 8U & 0xffffffU;
      if (length == 0 || length > words.size() - at) break;
      if (max_tasks == 0 || recorder.tasks().size() < max_tasks) recorder.take(words.subspan(at, length));
      at += length;
    }
    bytes_.erase(0, 8 * at);
    return got > 0;
  }

 private:
  static constexpr std::size_t room = std::size_t{1} << 18U;  // bytes
  int channel_;
  std::string bytes_;
};

/// Tells whether a program waits for ever: for some seconds no event comes, and its first thread takes no processor time while
/// the host waits in a call of StarPU, or none of its threads does. Workers of StarPU take some even if there are no tasks.
class Watchdog {
 public:
  void saw_event() { since_.reset(); }
  bool bites(Recorder const& recorder) {
    if (recorder.process() == 0) return false;
    std::string const process = fmt::format("/proc/{}", recorder.process());
    bool const in_call = !recorder.call().empty();
    double const now_s =
        processor_seconds(in_call ? fmt::format("{}/task/{}", process, recorder.process()) : process);
    if (!since_) {
      since_ = Clock::now();
      processor_s_ = now_s;
    }
    return seconds_since(*since_) > patience_s && now_s - processor_s_ < idle_s;
  }

 private:
  static constexpr double patience_s = 5, idle_s = 0.1;
  std::optional<Clock::time_point> since_;
  double processor_s_ = 0;  // then
};

/// Returns why the program has to be stopped now.
Ending::Stop stop_now(RunOptions const& options, Recorder const& recorder, Clock::time_point start,
                      Watchdog& watchdog) {
  if (options.max_tasks > 0 && recorder.tasks().size() >= options.max_tasks) return Ending::Stop::tasks;
  if (options.max_seconds > 0 && seconds_since(start) >= options.max_seconds) return Ending::Stop::seconds;
  return options.watch && watchdog.bites(recorder) ? Ending::Stop::hang : Ending::Stop::none;
}

}  // namespace

Ending run_recorded(std::vector<std::string> const& command, RunOptions const& options, Recorder& recorder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("a pipe cannot be made");
  ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  Clock::time_point const start = Clock::now();
  pid_t const parent = ::getpid(), child = ::fork();
  if (child == 0) become(command, options, ends[1], parent);
  int const error = errno;
  ::close(ends[1]);
  EventReader events(ends[0]);
  errno = error;
  if (child < 0) fail("a process cannot be started");
  Ending out;
  Watchdog watchdog;
  int status = 0;
  bool ended = false;
  while (!ended) {
    ended = ::waitpid(child, &status, WNOHANG) == child;
    while (events.read(recorder, options.max_tasks)) {
      watchdog.saw_event();
      if (!ended && out.stop == Ending::Stop::none) break;
    }
    if (ended || out.stop != Ending::Stop::none) continue;
    out.stop = stop_now(options, recorder, start, watchdog);
    if (out.stop == Ending::Stop::none) continue;
    ::kill(child, SIGKILL);
    if (recorder.process() != child && recorder.process() > 0) ::kill(recorder.process(), SIGKILL);
  }
  out.seconds = seconds_since(start);
  if (WIFEXITED(status)) out.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  return out;
}

using Json = nlohmann::ordered_json;

namespace {

Json device_names(std::uint64_t devices) {
  Json out = Json::array();
  for (auto const& [bit, name] :
       {std::pair{on_cpu, "cpu"}, {on_cuda, "cuda"}, {on_opencl, "opencl"}, {on_hip, "hip"}})
    if ((devices & bit) != 0) out.push_back(name);
  return out;
}

Json kernel_json(Kernel const& kernel, std::string const& name) {
  Json out{{"kernel", name}};
  if (!kernel.symbol.empty()) {
    out["symbol"] = kernel.symbol;
    out["footprint"] = fmt::format("{:08x}", kernel.footprint);
    if (!kernel.codelet.empty()) out["codelet"] = kernel.codelet;
  }
  if ((kernel.flags & takes_no_time) != 0) {
    out["free"] = true;
    return out;
  }
  out["asynchronous_on_gpu"] = (kernel.flags & asynchronous) != 0;
  if (kernel.devices != 0) out["devices"] = device_names(kernel.devices);
  if (kernel.same_bytes) out["size"] = kernel.bytes;
  if (kernel.same_flops && kernel.flops > 0) out["flops"] = kernel.flops;
  for (auto const& [device, samples] : kernel.samples) {
    std::string const prefix = device == on_cpu ? "cpu" : "cuda";
    auto const count = static_cast<double>(samples.count);
    double const mean = samples.sum_s / count;
    out[prefix + "_s"] = mean;
    if (device != on_cpu) continue;
    out["deviation_s"] = std::sqrt(std::max(0.0, samples.squares_s2 / count - mean * mean));
    out["samples"] = samples.count;
  }
  return out;
}

Json datum_json(Datum const& datum, std::size_t number) {
  Json out{{"data", fmt::format("d{}", number)}, {"bytes", datum.bytes}};
  if (datum.place.size() == 2 && datum.place[0] >= 0 && datum.place[1] >= 0) {
    out["m"] = datum.place[0];
    out["n"] = datum.place[1];
  }
  if (datum.owner >= 0) out["owner"] = datum.owner;
  if (!datum.ordered) out["ordered"] = false;
  if (datum.parent >= 0) out["parent"] = fmt::format("d{}", datum.parent);
  return out;
}

std::string mode_text(std::uint64_t mode) {
  if ((mode & reduces) != 0) return "X";
  if ((mode & scratch) != 0) return "S";
  return fmt::format("{}{}{}", (mode & reads) != 0 ? "R" : "", (mode & writes) != 0 ? "W" : "",
                     (mode & commutes) != 0 ? "C" : "");
}

/// What stands for StarPU's largest and smallest priority, which only mean that a task comes before or after all others.
struct Extremes {
  int most = 0, least = 0;

  explicit Extremes(std::vector<Task> const& tasks) {
    for (Task const& task : tasks)
      if (task.priority != INT_MAX && task.priority != INT_MIN) {
        most = std::max(most, task.priority + 1);
        least = std::min(least, task.priority - 1);
      }
  }
  [[nodiscard]] int of(int priority) const {
    return priority == INT_MAX ? most : priority == INT_MIN ? least : priority;
  }
};

/// Writes the line of a task. `kernel`: its name in JSON.
void write_task(TextFile& out, Recorder const& recorder, std::size_t id, std::string const& kernel,
                Extremes const& extremes) {
  Task const& task = recorder.tasks()[id];
  out.put(R"({{"task": "{}", "kernel": {})", id, kernel);
  std::vector<std::string> accesses;
  for (Access const& access : task.accesses)
    accesses.push_back(fmt::format(R"(["d{}", "{}"])", access.datum, mode_text(access.mode)));
  if (!accesses.empty()) out.put(R"(, "accesses": [{}])", fmt::join(accesses, ", "));
  if (auto const earlier = recorder.dependencies(task); !earlier.empty())
    out.put(R"(, "depends_on": ["{}"])", fmt::join(earlier, R"(", ")"));
  if (task.submitted_by >= 0) out.put(R"(, "submitted_by": "{}")", task.submitted_by);
  if (int const priority = extremes.of(task.priority); priority != 0)
    out.put(R"(, "priority": {})", priority);
  if (!task.ordered) out.put(R"(, "ordered": false)");
  if (task.node >= 0) out.put(R"(, "node": {})", task.node);
  if (!task.workers.empty()) out.put(R"(, "workers": [{}])", fmt::join(task.workers, ", "));
  if (task.cpu_s >= 0) out.put(R"(, "cpu_s": {})", task.cpu_s);
  if (!recorder.kernels()[task.kernel].same_flops && task.flops > 0) out.put(R"(, "flops": {})", task.flops);
  out.put("}}\n");
}

/// The function at "FILE+PLACE", and its line; empty if unknown.
struct Function {
  std::string name, line;
};

Function function_at(std::string const& place) {
  std::size_t const plus = place.rfind('+');
  std::string const file = place.substr(0, plus);
  std::string const address = fmt::format("{:#x}", std::stoull(place.substr(plus + 1)));
  std::istringstream answer(run_program({"addr2line", "-ifCe", file, address}, "").out);
  Function out;
  for (std::string name, source; std::getline(answer, name) && std::getline(answer, source);)
    out = {name, source.substr(source.rfind(':') + 1)};  // the last one is not inlined
  if (out.name.empty() || out.name == "??")
    out.name = fmt::format("{}+{}", std::filesystem::path(file).filename().string(), address);
  if (out.line.find_first_not_of("0123456789") != std::string::npos || out.line == "0") out.line.clear();
  return out;
}

/// Returns the name of the function of an OpenMP task; of two that which creates the task, with line or name of the other.
std::string openmp_name(std::string const& lines) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.find('+') == std::string::npos) {
      out += (out.empty() ? "" : " ") + line;
      continue;
    }
    Function const function = function_at(line);
    out.resize(std::min(out.size(), out.find(".omp_outlined")));
    out += out.empty() || function.line.empty() ? function.name : ":" + function.line;
  }
  return out;
}

}  // namespace

std::vector<std::string> kernel_names(Recorder const& recorder) {
  std::map<std::string, int> footprints;
  for (Kernel const& kernel : recorder.kernels()) ++footprints[kernel.symbol];
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (Kernel const& kernel : recorder.kernels()) {
    std::string name = recorder.library() == "OpenMP" ? openmp_name(kernel.codelet)
                       : kernel.symbol.empty()        ? kernel.codelet
                                                      : kernel.symbol;
    if (!kernel.symbol.empty() && footprints[name] > 1) name += fmt::format(":{:08x}", kernel.footprint);
    while (!taken.insert(name).second) name += " (codelet)";
    names.push_back(name);
  }
  return names;
}

void write_graph(std::filesystem::path const& file, std::string const& name, Json const& head,
                 Recorder const& recorder, std::vector<std::string> names) {
  Extremes const extremes(recorder.tasks());
  TextFile out(file);
  out.put("{}\n",
          json_text(Json{{"format", "factosim-graph"}, {"version", 2}, {"name", name}, {"recorded", head}}));
  for (std::size_t k = 0; k < names.size(); ++k)
    out.put("{}\n", json_text(kernel_json(recorder.kernels()[k], names[k])));
  for (std::size_t d = 0; d < recorder.data().size(); ++d)
    out.put("{}\n", json_text(datum_json(recorder.data()[d], d)));
  for (std::string& kernel : names) kernel = json_text(std::string_view(kernel));
  auto remark = recorder.remarks().begin();
  for (std::size_t id = 0; id <= recorder.tasks().size(); ++id) {
    for (; remark != recorder.remarks().end() && remark->task == id; ++remark) out.put("{}\n", remark->text);
    if (id < recorder.tasks().size())
      write_task(out, recorder, id, names[recorder.tasks()[id].kernel], extremes);
  }
  out.commit();
}

}  // namespace factosim::record
