// The functions of libomp that programs of clang, flang and Intel's compilers call.
#include <cstdarg>
#include <set>

#include "openmp_tasks.hpp"

namespace factosim::record {

namespace {

/// Source of both: openmp/runtime/src/kmp.h of LLVM 19.
struct KmpTask {
  void* shared;
  int (*routine)(int, KmpTask*);
  int part;
  void* destructors;
  int priority;  // only if the flag says so
};
struct KmpDependence {
  void const* address;
  std::size_t bytes;
  unsigned char kind;
};
enum : int { has_priority = 0x20, is_detachable = 0x40 };

/// What is known of tasks that are allocated, or run.
struct KmpTasks {
  std::set<KmpTask*> prioritized;
  std::vector<KmpTask*> running;
  bool goes_on = false;                        // the last one that runs, with its next part: it is untied
  std::map<void const*, std::string> kernels;  // [function]
};
KmpTasks& tasks() {
  static KmpTasks& all = *new KmpTasks;
  return all;
}

std::vector<Dependence> dependences(int count, KmpDependence const* array) {
  std::vector<Dependence> result;
  for (int i = 0; i < count; ++i) {
    unsigned const kind = array[i].kind;
    if ((kind & 0x80U) != 0)
      Channel::get().refuse("depends on omp_all_memory, which the recorder does not read");
    result.push_back({array[i].address,
                      (kind & 8U) != 0   ? Dependence::inoutset
                      : (kind & 4U) != 0 ? Dependence::mutexinoutset
                      : (kind & 2U) != 0 ? Dependence::inout
                                         : Dependence::in,
                      array[i].bytes});
  }
  return result;
}

/// `caller`: an address in the function that creates the task, by which kernels are named, too: clang's have similar names.
OpenmpTask task_of(KmpTask* task, void const* caller, bool defers) {
  auto const function = reinterpret_cast<void const*>(task->routine);
  std::string& kernel = tasks().kernels[function];
  if (kernel.empty()) kernel = place_of(static_cast<char const*>(caller) - 1) + '\n' + place_of(function);
  int const priority = tasks().prioritized.erase(task) > 0 ? task->priority : 0;
  return {kernel, priority, defers};
}

/// Calls a function with the arguments of a parallel region, which know their number.
template <std::size_t... I, class Function>
void fork(Function* next, void* location, int count, void (*region)(int*, int*, ...), va_list list,
          std::index_sequence<I...>) {
  void* arguments[sizeof...(I)] = {};
  if (std::size_t(count) > sizeof...(I))
    Channel::get().refuse(
        "has a parallel region of more than 128 variables (the recorder passes on so many)");
  for (int i = 0; i < count; ++i) arguments[i] = va_arg(list, void*);
  next(location, count, region, arguments[I]...);
}

}  // namespace
}  // namespace factosim::record

using namespace factosim::record;

extern "C" {

KmpTask* __kmpc_omp_task_alloc(void* location, int thread, int flags, std::size_t size, std::size_t shared,
                               int (*routine)(int, KmpTask*)) {
  FACTOSIM_NEXT(__kmpc_omp_task_alloc);
  if ((flags & is_detachable) != 0)
    Channel::get().refuse(
        "uses detach (__kmpc_omp_task_alloc), which the recorder does not read. Leave the clause out");
  KmpTask* const task = next(location, thread, flags, size, shared, routine);
  if ((flags & has_priority) != 0) tasks().prioritized.insert(task);
  return task;
}

/// A task that the program runs itself, at once. Those of libgomp's functions, which libomp has too, are told there.
void __kmpc_omp_task_begin_if0(void* location, int thread, KmpTask* task) {
  FACTOSIM_NEXT(__kmpc_omp_task_begin_if0);
  if (!called_by_library(__builtin_return_address(0)) && !is_included()) {
    if (!executes())
      tell(Event::omitted, "undeferred tasks without their results: the program runs them itself");
    OpenmpProgram::get().begin(task_of(task, __builtin_return_address(0), false));
  }
  next(location, thread, task);
}

void __kmpc_omp_task_complete_if0(void* location, int thread, KmpTask* task) {
  FACTOSIM_NEXT(__kmpc_omp_task_complete_if0);
  next(location, thread, task);
  if (!called_by_library(__builtin_return_address(0)) && !is_included()) OpenmpProgram::get().end();
}

}  // extern "C"

namespace {

/// Runs a task as an undeferred one, if at all.
int run_task(void* location, int thread, KmpTask* task, OpenmpTask const& told) {
  static auto* const begin = next_function(&__kmpc_omp_task_begin_if0, "__kmpc_omp_task_begin_if0");
  static auto* const complete = next_function(&__kmpc_omp_task_complete_if0, "__kmpc_omp_task_complete_if0");
  OpenmpProgram::get().begin(told);
  begin(location, thread, task);
  tasks().running.push_back(task);
  do {
    tasks().goes_on = false;
    if (executes()) task->routine(thread, task);
  } while (tasks().goes_on);
  tasks().running.pop_back();
  complete(location, thread, task);
  OpenmpProgram::get().end();
  return 0;
}

}  // namespace

extern "C" {

int __kmpc_omp_task(void* location, int thread, KmpTask* task) {
  FACTOSIM_NEXT(__kmpc_omp_task);
  if (!tasks().running.empty() && tasks().running.back() == task) {
    tasks().goes_on = true;
    return 0;
  }
  if (is_included()) return next(location, thread, task);
  return run_task(location, thread, task, task_of(task, __builtin_return_address(0), true));
}

int __kmpc_omp_task_with_deps(void* location, int thread, KmpTask* task, int count, KmpDependence* array,
                              int other_count, KmpDependence* others) {
  FACTOSIM_NEXT(__kmpc_omp_task_with_deps);
  if (is_included()) return next(location, thread, task, count, array, other_count, others);
  OpenmpTask told = task_of(task, __builtin_return_address(0), true);
  told.dependences = dependences(count, array);
  for (Dependence const& other : dependences(other_count, others)) told.dependences.push_back(other);
  return run_task(location, thread, task, told);
}

/// Before an undeferred task, whose dependences they are, or alone.
void __kmpc_omp_wait_deps(void*, int, int count, KmpDependence* array, int, KmpDependence*) {
  OpenmpProgram::get().wait_for(dependences(count, array));
}
void __kmpc_omp_taskwait_deps_51(void*, int, int count, KmpDependence* array, int, KmpDependence*, int) {
  OpenmpProgram::get().wait_for(dependences(count, array));
}

void __kmpc_taskgroup(void* location, int thread) {
  FACTOSIM_NEXT(__kmpc_taskgroup);
  OpenmpProgram::get().begin_group();
  next(location, thread);
}

void __kmpc_fork_call(void* location, int count, void (*region)(int*, int*, ...), ...) {
  FACTOSIM_NEXT(__kmpc_fork_call);
  va_list list;
  va_start(list, region);
  fork(next, location, count, region, list, std::make_index_sequence<128>());
  va_end(list);
  OpenmpProgram::get().wait(OpenmpProgram::Awaited::descendants, "__kmpc_fork_call");
}

FACTOSIM_SYNCHRONIZES(__kmpc_end_taskgroup, group)
FACTOSIM_SYNCHRONIZES(__kmpc_omp_taskwait, children)
FACTOSIM_SYNCHRONIZES(__kmpc_barrier, descendants)
FACTOSIM_SYNCHRONIZES(__kmpc_cancel_barrier, descendants)
FACTOSIM_SYNCHRONIZES(__kmpc_end_serialized_parallel, descendants)
FACTOSIM_SYNCHRONIZES(__kmpc_fork_call_if, descendants)

FACTOSIM_LOOPS(__kmpc_taskloop)
FACTOSIM_LOOPS(__kmpc_taskloop_5)
FACTOSIM_UNREAD(__kmpc_fork_teams, "teams")
FACTOSIM_UNREAD(__kmpc_omp_target_task_alloc, "target nowait")

}  // extern "C"
