#pragma once

#include <link.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "channel.hpp"

extern "C" {
[[gnu::weak]] int omp_get_level();
[[gnu::weak]] int omp_in_final();
}

/// What the parts of OpenMP's shim share: one for the functions that gcc's programs call, one for clang's.
namespace factosim::record {

/// A storage location in a `depend` clause. `kind`: the number that omp.h gives it. `bytes`: 0 if they are unknown.
struct Dependence {
  enum Kind : std::uintptr_t { in = 1, inout = 3, mutexinoutset = 4, inoutset = 5 };
  void const* address;
  std::uintptr_t kind;
  std::uint64_t bytes = 0;

  /// Accesses of an inoutset run side by side, as reductions do.
  [[nodiscard]] std::uint64_t mode() const {
    if (kind == inoutset) return reduces;
    return kind == in ? reads : reads | writes | (kind == mutexinoutset ? commutes : 0);
  }
};

/// Returns "FILE+PLACE" of an address.
inline std::string place_of(void const* address) {
  Dl_info info;
  struct link_map* map = nullptr;
  dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP);
  char program[4096] = {};
  if (*map->l_name == '\0') (void)::readlink("/proc/self/exe", program, sizeof program - 1);
  return (*map->l_name == '\0' ? program : map->l_name) +
         ('+' + std::to_string(std::uintptr_t(address) - map->l_addr));
}

/// Returns whether a task that is created now is a part of the present one, since that is final.
inline bool is_included() {
  bool const included = omp_in_final() != 0;
  if (included) tell(Event::omitted, "tasks that final tasks include: they are parts of these");
  return included;
}

/// A task construct. `kernel`: the place of its function, or before it, with a line break, one in that which creates it.
struct OpenmpTask {
  std::string kernel;
  int priority = 0;
  bool deferred = true;  // the program goes on before it has ended
  std::vector<Dependence> dependences{};
};

/// Tells the tasks of a program whose only thread runs each task where it is created, if at all: an order that OpenMP allows. A
/// task that creates tasks is told in parts: one up to each wait for them. All are named by their numbers, from 1.
class OpenmpProgram {
 public:
  static OpenmpProgram& get() {
    (void)Channel::get();
    static OpenmpProgram& program = *new OpenmpProgram;  // never destroyed: the program may still end
    return program;
  }

  /// A task begins. Where there could be no other thread it is not deferred.
  void begin(OpenmpTask const& task) {
    if (std::this_thread::get_id() != thread_)
      Channel::get().refuse("creates tasks in several threads of its own (the recorder stands for one)");
    Pause const pause(*this);
    Running running{task};
    running.task.deferred = task.deferred && omp_get_level() > 0;
    if (running.task.deferred) settle();
    running.part = running.first = running.waited = ++last_;
    for (Dependence const& dependence : task.dependences) use(running, dependence);
    for (Dependence const& dependence : std::exchange(awaited_, {})) use(running, dependence);
    tell_part(running, running_.back().part);
    if (running_.size() > 1)
      tell(Event::omitted, "starts of nested tasks before the task that creates them ends or waits");
    running_.push_back(std::move(running));
  }

  /// The present task ends.
  void end() {
    Pause const pause(*this);
    settle();
    Running const done = std::move(running_.back());
    running_.pop_back();
    if (executes()) tell(Event::ran, done.part, on_cpu, done.seconds);
    running_.back().children.push_back(done.part);
    if (!done.task.deferred) await({done.part}, "an undeferred task");
  }

  void begin_group() {
    Pause const pause(*this);
    settle();
    running_.back().groups.push_back(last_);
  }

  /// The present task has waited: for its children, for its descendants, or for those of the last group, which ends.
  enum class Awaited { children, descendants, group };
  void wait(Awaited what, char const* call) {
    Pause const pause(*this);
    settle();
    Running& running = running_.back();
    if (what == Awaited::children) return await(running.children, call);
    std::uint64_t before = running.waited;
    if (what == Awaited::group && !running.groups.empty()) {
      before = std::max(before, running.groups.back());
      running.groups.pop_back();
    }
    std::vector<std::uint64_t> tasks;
    while (before < last_) tasks.push_back(++before);
    await(std::move(tasks), call);
  }

  /// A loop of tasks begins, which runs as a part of the present task.
  void include_loop(char const* call) {
    if (!executes() || running_.size() == 1)
      Channel::get().refuse("uses taskloop (" + std::string(call) +
                            "), which the recorder does not read outside tasks that run. Give --execute, or "
                            "write it as tasks");
    tell(Event::omitted, "loops of tasks: they are parts of the tasks that have them");
  }

  /// The present task waits for those that depend on the locations.
  void wait_for(std::vector<Dependence> const& dependences) {
    Pause const pause(*this);
    settle();
    awaited_ = dependences;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr char const* empty_task = "taskwait";

  /// A task that runs; the first one stands for the program itself.
  struct Running {
    OpenmpTask task{};
    std::uint64_t first = 0, part = 0;            // its first part, and the present one
    std::uint64_t waited = 0;                     // for all tasks up to this one
    std::map<void const*, std::uint64_t> data{};  // that it depends on: handles
    std::vector<std::uint64_t> accesses{};        // handle and mode of each
    std::vector<std::uint64_t> children{};        // last parts of those that it has not waited for; ascending
    std::vector<std::uint64_t> groups{};          // the last parts before them
    double seconds = 0;                           // that its present part has run itself
  };

  /// No task's clock runs while this object exists.
  struct Pause {
    OpenmpProgram& program;
    explicit Pause(OpenmpProgram& p) : program(p) {
      Clock::time_point const start = std::exchange(program.since_, Clock::now());
      program.running_.back().seconds += std::chrono::duration<double>(program.since_ - start).count();
    }
    ~Pause() { program.since_ = Clock::now(); }
  };

  /// Children of one task depend on each other; a location that this one depends on, too, is the same datum for them.
  void use(Running& task, Dependence const& dependence) {
    static char const* const given = std::getenv("FACTOSIM_RECORD_BYTES");
    std::uint64_t handle = 0;
    for (auto outer = running_.rbegin(); outer != running_.rend() && handle == 0; ++outer)
      if (auto const found = outer->data.find(dependence.address); found != outer->data.end())
        handle = found->second;
    if (handle == 0)
      handle = handles_.try_emplace({running_.back().first, dependence.address}, handles_.size() + 1)
                   .first->second;
    std::uint64_t const bytes =
        dependence.bytes == 0 && given != nullptr ? std::strtoull(given, nullptr, 10) : dependence.bytes;
    auto const [known, is_new] = bytes_.try_emplace(handle, bytes);
    if (is_new || bytes > known->second)
      tell(Event::datum, handle, 0, known->second = bytes, 1, -1, -1, 0, 0, 0);
    if (task.data.try_emplace(dependence.address, handle).second) {
      task.accesses.insert(task.accesses.end(), {handle, dependence.mode()});
      return;
    }
    for (std::size_t i = 0; i < task.accesses.size(); i += 2)
      if (task.accesses[i] == handle) task.accesses[i + 1] |= dependence.mode();
  }

  void tell_part(Running const& running, std::uint64_t creator) {
    std::string const& kernel = running.task.kernel;
    tell(Event::task, running.part, creator,
         has_codelet | own_time | (kernel == empty_task ? takes_no_time : 0), running.task.priority, 0, 0.0,
         0, 0, on_cpu, -1, kernel + (running.part == running.first ? "" : "\nafter its wait"), "", "", 0,
         running.accesses);
  }

  /// `tasks`: ascending.
  void await(std::vector<std::uint64_t> tasks, char const* call) {
    if (tasks.empty()) return;
    Running& running = running_.back();
    bool const all = tasks.size() == last_ - running.waited;
    auto& children = running.children;
    children.erase(std::remove_if(children.begin(), children.end(),
                                  [&tasks](std::uint64_t child) {
                                    return std::binary_search(tasks.begin(), tasks.end(), child);
                                  }),
                   children.end());
    if (running.first != 0) {
      if (executes()) tell(Event::ran, running.part, on_cpu, std::exchange(running.seconds, 0));
      tasks.push_back(std::exchange(running.part, ++last_));
      tell(Event::dependency, 0, running.part, tasks);
      tell_part(running, tasks.back());
    }
    if (all) running.waited = last_;
    for (std::uint64_t const task : running.first != 0 ? std::vector<std::uint64_t>()
                                    : all              ? std::vector{last_}
                                                       : tasks) {
      tell(Event::wait, all ? Wait::all : Wait::task, task, call);
      tell(Event::waited, all ? Wait::all : Wait::task, task);
    }
  }

  /// A wait for locations that no undeferred task follows is a task of its own, which takes no time.
  void settle() {
    if (awaited_.empty()) return;
    begin({empty_task, 0, false});
    end();
  }

  std::vector<Running> running_ = std::vector<Running>(1);
  std::map<std::pair<std::uint64_t, void const*>, std::uint64_t>
      handles_;                                   // [creator of the task that uses it, location]
  std::map<std::uint64_t, std::uint64_t> bytes_;  // [handle]
  std::vector<Dependence> awaited_;  // by the undeferred task that begins next, or else by the present one
  std::uint64_t last_ = 0;           // part
  Clock::time_point since_ = Clock::now();
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace factosim::record

/// A function of the runtime's, of up to eight words, after which the present task has waited.
#define FACTOSIM_SYNCHRONIZES(function, awaited)                                                    \
  std::uintptr_t function(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d,   \
                          std::uintptr_t e, std::uintptr_t f, std::uintptr_t g, std::uintptr_t h) { \
    FACTOSIM_NEXT(function);                                                                        \
    std::uintptr_t const result = next(a, b, c, d, e, f, g, h);                                     \
    OpenmpProgram::get().wait(OpenmpProgram::Awaited::awaited, #function);                          \
    return result;                                                                                  \
  }

/// A taskloop, of up to twelve words.
#define FACTOSIM_LOOPS(function)                                                                          \
  void function(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c, std::uintptr_t d, std::uintptr_t e, \
                std::uintptr_t f, std::uintptr_t g, std::uintptr_t h, std::uintptr_t i, std::uintptr_t j, \
                std::uintptr_t k, std::uintptr_t l) {                                                     \
    FACTOSIM_NEXT(function);                                                                              \
    if (!called_by_library(__builtin_return_address(0))) OpenmpProgram::get().include_loop(#function);    \
    next(a, b, c, d, e, f, g, h, i, j, k, l);                                                             \
  }

/// A function of the runtime's whose tasks the recorder does not read.
#define FACTOSIM_UNREAD(function, construct)                                     \
  void function() {                                                              \
    Channel::get().refuse("uses " construct " (" #function                       \
                          "), which the recorder does not read. Write its work " \
                          "as task constructs");                                 \
  }
