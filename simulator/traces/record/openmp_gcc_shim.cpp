// The functions of libgomp that gcc's programs call. Loaded, with those of libomp, into the program that `factosim record`
// runs, before OpenMP's library.
#include "openmp_tasks.hpp"

namespace factosim::record {

std::pair<std::string, std::string> versions() { return {"OpenMP", "OpenMP"}; }

namespace {

/// Lets the channel tell its version early; programs that run before the recorded one, such as a shell, have no OpenMP.
[[gnu::constructor]] void greet() {
  if (omp_get_level != nullptr) (void)OpenmpProgram::get();
}

/// Flags of GOMP_task. Source: gomp-constants.h of gcc 12.
enum : unsigned { has_dependences = 1 << 3, has_priority = 1 << 4, is_detachable = 1 << 13 };

/// Reads the array of a depend clause: number; that of outputs; addresses. Or 0; number; those of outputs, mutexinoutset
/// and inputs; addresses, the last ones of depend objects.
std::vector<Dependence> dependences(void** array) {
  auto const number = [array](std::size_t i) { return reinterpret_cast<std::uintptr_t>(array[i]); };
  bool const is_short = number(0) != 0;
  std::size_t const count = number(is_short ? 0 : 1), outputs = number(is_short ? 1 : 2);
  std::size_t const exclusive = is_short ? outputs : outputs + number(3);
  std::size_t const plain = is_short ? count : exclusive + number(4);
  std::vector<Dependence> out;
  for (std::size_t i = 0; i < count; ++i) {
    void* const address = array[i + (is_short ? 2 : 5)];
    if (address == nullptr)
      Channel::get().refuse("depends on omp_all_memory, which the recorder does not read");
    auto** const object = static_cast<void**>(address);
    out.push_back(i >= plain ? Dependence{object[0], reinterpret_cast<std::uintptr_t>(object[1])}
                             : Dependence{address, i < outputs     ? Dependence::inout
                                                   : i < exclusive ? Dependence::mutexinoutset
                                                                   : Dependence::in});
  }
  std::rotate(out.begin(), out.begin() + std::ptrdiff_t(outputs), out.end());  // as sources mostly name them
  return out;
}

}  // namespace
}  // namespace factosim::record

using namespace factosim::record;

extern "C" {

/// If it runs, then as an undeferred task: the library copies its arguments, and runs it at once.
void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,
               bool defers, unsigned flags, void** depend, int priority, void* event) {
  FACTOSIM_NEXT(GOMP_task);
  if ((flags & is_detachable) != 0)
    Channel::get().refuse("uses detach (GOMP_task), which the recorder does not read. Leave the clause out");
  if (is_included()) return next(body, data, copy, size, alignment, false, flags, depend, priority, event);
  OpenmpTask task{place_of(reinterpret_cast<void const*>(body))};
  if ((flags & has_priority) != 0) task.priority = priority;
  if ((flags & has_dependences) != 0) task.dependences = dependences(depend);
  task.deferred = defers;
  OpenmpProgram::get().begin(task);
  unsigned const others = flags & ~unsigned(has_dependences | has_priority);
  if (executes()) next(body, data, copy, size, alignment, false, others, nullptr, 0, nullptr);
  OpenmpProgram::get().end();
}

void GOMP_taskwait_depend(void** depend) { OpenmpProgram::get().wait_for(dependences(depend)); }

void GOMP_taskgroup_start() {
  FACTOSIM_NEXT(GOMP_taskgroup_start);
  OpenmpProgram::get().begin_group();
  next();
}

FACTOSIM_SYNCHRONIZES(GOMP_taskgroup_end, group)
FACTOSIM_SYNCHRONIZES(GOMP_taskwait, children)
/// Barriers, and ends of regions and loops, which have one.
// clang-format off
#define FACTOSIM_BARRIERS(each)                                                                      \
  each(GOMP_barrier) each(GOMP_barrier_cancel) each(GOMP_loop_end) each(GOMP_loop_end_cancel)        \
  each(GOMP_sections_end) each(GOMP_sections_end_cancel) each(GOMP_parallel) each(GOMP_parallel_end) \
  each(GOMP_parallel_reductions) each(GOMP_parallel_sections) each(GOMP_parallel_loop_static)        \
  each(GOMP_parallel_loop_dynamic) each(GOMP_parallel_loop_guided) each(GOMP_parallel_loop_runtime)  \
  each(GOMP_parallel_loop_nonmonotonic_dynamic) each(GOMP_parallel_loop_nonmonotonic_guided)         \
  each(GOMP_parallel_loop_nonmonotonic_runtime) each(GOMP_parallel_loop_maybe_nonmonotonic_runtime)  \
  each(GOMP_teams_reg)
// clang-format on
#define FACTOSIM_BARRIER(function) FACTOSIM_SYNCHRONIZES(function, descendants)
FACTOSIM_BARRIERS(FACTOSIM_BARRIER)

FACTOSIM_LOOPS(GOMP_taskloop)
FACTOSIM_LOOPS(GOMP_taskloop_ull)
FACTOSIM_UNREAD(GOMP_target, "target")
FACTOSIM_UNREAD(GOMP_target_ext, "target")
FACTOSIM_UNREAD(GOMP_target_enter_exit_data, "target")

}  // extern "C"
