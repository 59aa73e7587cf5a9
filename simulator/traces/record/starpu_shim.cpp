// Loaded into the program that `factosim record` runs, before StarPU's library: tells what is submitted, and lets tasks end
// without their kernels.
#include <starpu_scheduler.h>

#include <cstdarg>
#include <optional>
#include <utility>

#include "shim.hpp"

#undef starpu_task_submit  // a macro in versions that record source lines

namespace factosim::record {

thread_local int explicit_node = -1;
thread_local starpu_data_handle_t acquired = nullptr;
thread_local enum starpu_data_access_mode acquired_mode = STARPU_NONE;

std::pair<std::string, std::string> versions() {
  int version[3] = {};
  starpu_get_version(&version[0], &version[1], &version[2]);
  auto const text = [](int a, int b, int c) {
    return std::to_string(a) + '.' + std::to_string(b) + '.' + std::to_string(c);
  };
  return {text(version[0], version[1], version[2]),
          text(STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION)};
}

namespace {

/// Lets the channel tell its version early; programs that run before the recorded one, such as a shell, have no StarPU.
[[gnu::constructor]] void greet() {
  if (dlsym(RTLD_DEFAULT, "starpu_get_version") != nullptr) (void)Channel::get();
}

std::uint64_t devices_of(struct starpu_task const& task) {
  struct starpu_codelet const& codelet = *task.cl;
  bool cpu = codelet.cpu_funcs[0] != nullptr, cuda = codelet.cuda_funcs[0] != nullptr, hip = false;
#if STARPU_MINOR_VERSION >= 4
  hip = codelet.hip_funcs[0] != nullptr;
#else
  cpu = cpu || codelet.cpu_func != nullptr;
  cuda = cuda || codelet.cuda_func != nullptr;
#endif
  bool const own = task.where > 0 && (std::uint64_t(task.where) & STARPU_NOWHERE) == 0;
  Known& entry = known()[task.cl];
  if (!std::exchange(entry.described, true)) entry.where = codelet.where;
  std::uint64_t const where =
      own ? std::uint64_t(task.where) : entry.where;  // 0: wherever there is a function
  auto const allowed = [where](std::uint64_t device) { return where == 0 || (where & device) != 0; };
  return (cpu && allowed(STARPU_CPU) ? on_cpu : 0) | (cuda && allowed(STARPU_CUDA) ? on_cuda : 0) |
         (codelet.opencl_funcs[0] != nullptr && allowed(STARPU_OPENCL) ? on_opencl : 0) | (hip ? on_hip : 0);
}

std::uint64_t flags_of(struct starpu_task const& task) {
  bool const context = task.sched_ctx != 0 && task.sched_ctx < STARPU_NMAX_SCHED_CTXS;
  std::uint64_t flags = (task.use_tag ? has_tag : 0) | (task.sequential_consistency ? 0 : unordered) |
                        (task.regenerate ? regenerates : 0) | (context ? in_context : 0);
  struct starpu_codelet const* const codelet = task.cl;
  if (codelet == nullptr) return flags | takes_no_time;
  flags |= has_codelet;
  if ((codelet->cuda_flags[0] & STARPU_CUDA_ASYNC) != 0) flags |= asynchronous;
  if (codelet->model != nullptr && codelet->model->size_base != nullptr) flags |= sized;
  return (codelet->where & STARPU_NOWHERE) != 0 ? flags | takes_no_time : flags;
}

/// Returns the workers that may run a task, after their number; 0: all.
std::vector<std::uint64_t> workers_of(struct starpu_task const& task) {
  if (task.execute_on_a_specific_worker) return {1, task.workerid};
  std::vector<std::uint64_t> out(1);
  for (unsigned worker = 0; worker < 32 * task.workerids_len; ++worker)
    if ((task.workerids[worker / 32] >> (worker % 32) & 1U) != 0) out.push_back(worker);
  out[0] = out.size() - 1;
  return out;
}

std::uint64_t access_mode(int mode) {
  return (mode & STARPU_R ? reads : 0) | (mode & STARPU_W ? writes : 0) |
         (mode & STARPU_SCRATCH ? scratch : 0) | (mode & STARPU_REDUX ? reduces : 0) |
         (mode & STARPU_COMMUTE ? commutes : 0);
}

/// Returns handle and mode of each access of a task.
std::vector<std::uint64_t> accesses_of(struct starpu_task* task) {
  std::vector<std::uint64_t> out;
  auto const add = [&out](starpu_data_handle_t handle, std::uint64_t mode) {
    describe(handle);
    out.push_back(reinterpret_cast<std::uintptr_t>(handle));
    out.push_back(mode);
  };
  unsigned const buffers = task->cl == nullptr ? 0 : STARPU_TASK_GET_NBUFFERS(task);
  unsigned char const* const ordered = task->handles_sequential_consistency;
  for (unsigned b = 0; b < buffers; ++b)
    add(STARPU_TASK_GET_HANDLE(task, b), access_mode(STARPU_TASK_GET_MODE(task, b)) |
                                             (ordered != nullptr && ordered[b] == 0 ? not_ordered : 0));
  if (acquired != nullptr) add(acquired, access_mode(acquired_mode));
  return out;
}

void tell_task(struct starpu_task* task) {
  std::vector<std::uint64_t> const accesses = accesses_of(task);
  struct starpu_codelet* const codelet = task->cl;
  struct starpu_perfmodel* const model = codelet == nullptr ? nullptr : codelet->model;
  std::uint64_t const flags = flags_of(*task);
  char const* const name = codelet == nullptr         ? nullptr
                           : codelet->name != nullptr ? codelet->name
                                                      : codelet->cpu_funcs_name[0];
  tell(Event::task, task, starpu_task_get_current(), flags, task->priority, task->tag_id, task->flops,
       codelet == nullptr ? 0 : starpu_task_footprint(model, task, nullptr, 0),
       (flags & sized) != 0 ? model->size_base(task, 0) : 0, codelet == nullptr ? 0 : devices_of(*task),
       explicit_node, name, model == nullptr ? nullptr : model->symbol, task->name, workers_of(*task),
       accesses);
}

/// Makes reductions of a task writes: StarPU ends a reduction only over workers that have run a part of it.
void write_reductions(struct starpu_task* task) {
  unsigned const buffers = STARPU_TASK_GET_NBUFFERS(task);
  bool const of_codelet = task->cl->nbuffers != STARPU_VARIABLE_NBUFFERS && task->dyn_modes == nullptr;
  for (unsigned b = 0; b < buffers; ++b) {
    if ((STARPU_TASK_GET_MODE(task, b) & STARPU_REDUX) == 0) continue;
    if (!of_codelet) {
      STARPU_TASK_SET_MODE(task, STARPU_W, b);
      continue;
    }
    struct starpu_codelet*& copy = known()[task->cl].copy;
    if (copy == nullptr) {
      copy = new starpu_codelet(*task->cl);
      if (auto*& modes = copy->dyn_modes; modes != nullptr)
        modes = (new std::vector(modes, modes + buffers))->data();
    }
    task->cl = copy;
    known()[copy].copy = copy;
    STARPU_CODELET_SET_MODE(copy, STARPU_W, b);
  }
}

/// The callback of a task whose kernel is timed.
struct OwnCallback {
  void (*function)(void*);
  void* argument;
  bool free_argument;
};

void tell_duration(void* argument) {
  auto* const own = static_cast<OwnCallback*>(argument);
  struct starpu_task* const task = starpu_task_get_current();
  struct starpu_profiling_task_info* const info = task->profiling_info;
  task->callback_func = own->function;
  task->callback_arg = own->argument;
  task->callback_arg_free = own->free_argument;
  delete own;
  if (info != nullptr && info->workerid >= 0) {
    auto const type = starpu_worker_get_type(info->workerid);
    tell(Event::ran, task,
         type == STARPU_CPU_WORKER    ? on_cpu
         : type == STARPU_CUDA_WORKER ? on_cuda
                                      : 0,
         1e-6 * starpu_timing_timespec_delay_us(&info->start_time, &info->end_time));
  }
  if (task->callback_func != nullptr) task->callback_func(task->callback_arg);
}

void time_kernel(struct starpu_task* task) {
  auto* const function = task->callback_func != nullptr ? task->callback_func : task->cl->callback_func;
  task->callback_arg = new OwnCallback{function, task->callback_arg, task->callback_arg_free != 0};
  task->callback_func = tell_duration;
  task->callback_arg_free = 0;
}

/// StarPU's own tasks: for acquisitions, and to keep data consistent.
bool is_internal(struct starpu_task const& task) {
  if (task.name == nullptr || acquired != nullptr) return false;
  for (char const* const name : {"_starpu_", "starpu_data_", "redux_task", "convert_data", "conversion_task",
                                 "cuda_malloc_pinned", "cuda_free_pinned", "ucontrol"})
    if (std::strncmp(task.name, name, std::strlen(name)) == 0) return true;
  return false;
}

int submit(struct starpu_task* task, int (*next)(struct starpu_task*)) {
  if (is_internal(*task)) return next(task);
  {
    auto const locked = Channel::get().lock();
    tell_task(task);
    acquired = nullptr;
    if (task->cl != nullptr && executes()) {
      time_kernel(task);
    } else if (task->cl != nullptr) {
      task->where = STARPU_NOWHERE;
      task->execute_on_a_specific_worker = 0;  // one that is nowhere would be refused
      task->workerids_len = 0;
      write_reductions(task);
    }
  }
  std::optional<HostWait> wait;
  if (task->synchronous)
    wait.emplace(Wait::task, std::uint64_t(task), "starpu_task_submit of a synchronous task");
  int const error = next(task);
  if (error != 0) tell(Event::omitted, "calls of starpu_task_submit that failed, with their tasks in it");
  return error;
}

}  // namespace
}  // namespace factosim::record

using namespace factosim::record;

extern "C" {

int starpu_task_submit(struct starpu_task* task) {
  FACTOSIM_NEXT(starpu_task_submit);
  return submit(task, next);
}
#if STARPU_MINOR_VERSION >= 4
int starpu_task_submit_nodeps(struct starpu_task* task) {
  FACTOSIM_NEXT(starpu_task_submit_nodeps);
  return submit(task, next);
}
#endif

void starpu_task_init(struct starpu_task* task) {
  FACTOSIM_NEXT(starpu_task_init);
  next(task);
  tell(Event::task_new, task);
}

// Explicit dependencies. Those with a variable number of arguments go on as arrays.

void starpu_task_declare_deps_array(struct starpu_task* task, unsigned count, struct starpu_task* earlier[]) {
  FACTOSIM_NEXT(starpu_task_declare_deps_array);
  tell(Event::dependency, 0, task, std::vector(earlier, earlier + count));
  next(task, count, earlier);
}

void starpu_task_declare_end_deps_array(struct starpu_task* task, unsigned count,
                                        struct starpu_task* earlier[]) {
  FACTOSIM_NEXT(starpu_task_declare_end_deps_array);
  tell(Event::dependency, 1, task, std::vector(earlier, earlier + count));
  next(task, count, earlier);
}

void starpu_tag_declare_deps_array(starpu_tag_t tag, unsigned count, starpu_tag_t* earlier) {
  FACTOSIM_NEXT(starpu_tag_declare_deps_array);
  tell(Event::tag_dependency, tag, std::vector(earlier, earlier + count));
  next(tag, count, earlier);
}

#define FACTOSIM_ARGUMENTS(last, count, Type)                                \
  std::vector<Type> rest;                                                    \
  va_list list;                                                              \
  va_start(list, last);                                                      \
  for (unsigned i = 0; i < (count); ++i) rest.push_back(va_arg(list, Type)); \
  va_end(list)

void starpu_task_declare_deps(struct starpu_task* task, unsigned count, ...) {
  FACTOSIM_ARGUMENTS(count, count, struct starpu_task*);
  starpu_task_declare_deps_array(task, count, rest.data());
}

void starpu_task_declare_end_deps(struct starpu_task* task, unsigned count, ...) {
  FACTOSIM_ARGUMENTS(count, count, struct starpu_task*);
  starpu_task_declare_end_deps_array(task, count, rest.data());
}

void starpu_tag_declare_deps(starpu_tag_t tag, unsigned count, ...) {
  FACTOSIM_ARGUMENTS(count, count, starpu_tag_t);
  starpu_tag_declare_deps_array(tag, count, rest.data());
}

}  // extern "C"
