// The part of the shim for what the host does: data, hints, and what it waits for.
#include "shim.hpp"

namespace factosim::record {

void describe(starpu_data_handle_t handle) {
  if (handle == nullptr || known()[handle].described) return;
  starpu_data_handle_t const whole = known()[handle].whole;
  describe(whole);
  Known& entry = known()[handle];
  entry.described = true;
  if (entry.owner < 0 && whole != nullptr) entry.owner = known()[whole].owner;
  int place[8] = {};
  int const dimensions = starpu_data_get_coordinates_array(handle, 8, place);
  tell(Event::datum, handle, whole, starpu_data_get_size(handle),
       starpu_data_get_sequential_consistency_flag(handle), entry.owner, entry.tag, dimensions, place[0],
       place[1]);
}

thread_local int HostWait::depth_ = 0;

HostWait::HostWait(Wait what, std::uint64_t subject, char const* call) : what_(what), subject_(subject) {
  outermost_ = depth_++ == 0 && starpu_task_get_current() == nullptr;
  if (outermost_) tell(Event::wait, what_, subject_, call);
}

HostWait::~HostWait() {
  --depth_;
  if (outermost_) tell(Event::waited, what_, subject_);
}

namespace {

void forget(starpu_data_handle_t handle) {
  auto const locked = Channel::get().lock();
  if (known().erase(handle) > 0) tell(Event::datum_gone, handle);
}

/// Notes the parts of a datum; they are described with the first task that uses them, when they may have coordinates.
void note_parts(starpu_data_handle_t whole, std::vector<starpu_data_handle_t> const& parts) {
  auto const locked = Channel::get().lock();
  for (starpu_data_handle_t const part : parts) {
    forget(part);  // what had this address before
    known()[part].whole = whole;
  }
}

std::vector<starpu_data_handle_t> parts_of(starpu_data_handle_t whole) {
  std::vector<starpu_data_handle_t> out;
  for (int i = 0; i < starpu_data_get_nb_children(whole); ++i)
    out.push_back(starpu_data_get_child(whole, unsigned(i)));
  return out;
}

/// Writes the value of --stub into a number that the program is about to read.
void fill(starpu_data_handle_t handle, int mode) {
  static char const* const value = std::getenv("FACTOSIM_RECORD_STUB");
  if (value == nullptr || (mode & STARPU_R) == 0 || executes() ||
      starpu_data_get_interface_id(handle) != STARPU_VARIABLE_INTERFACE_ID)
    return;
  void* const place = reinterpret_cast<void*>(starpu_variable_get_local_ptr(handle));
  if (place == nullptr) return;
  if (starpu_data_get_size(handle) == sizeof(double)) *static_cast<double*>(place) = std::atof(value);
  if (starpu_data_get_size(handle) == sizeof(float))
    *static_cast<float*>(place) = std::strtof(value, nullptr);
}

/// Acquires with a callback. `by_program`: or by StarPU for a purpose of its own.
int acquire_later(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
                  void (*callback)(void*), void* argument, bool by_program) {
  FACTOSIM_NEXT(starpu_data_acquire_on_node_cb);
  acquired = by_program ? handle : nullptr;
  acquired_mode = mode;
  int const result = next(handle, node, mode, callback, argument);
  acquired = nullptr;
  return result;
}

}  // namespace
}  // namespace factosim::record

using namespace factosim::record;

/// A function during which the host waits for a subject.
#define FACTOSIM_WAITS(Result, function, parameters, arguments, what, subject) \
  Result function parameters {                                                 \
    FACTOSIM_NEXT(function);                                                   \
    HostWait const wait(what, subject, #function);                             \
    return next arguments;                                                     \
  }

/// A function that has an effect which the graph does not show.
#define FACTOSIM_OMITS(Result, function, parameters, arguments) \
  Result function parameters {                                  \
    FACTOSIM_NEXT(function);                                    \
    tell(Event::omitted, "calls of " #function);                \
    return next arguments;                                      \
  }

/// A prefetch. It is skipped unless kernels run: it would copy data that no kernel has written.
#define FACTOSIM_PREFETCHES(function)                                               \
  int function(starpu_data_handle_t handle, unsigned node, unsigned asynchronous) { \
    FACTOSIM_NEXT(function);                                                        \
    tell(Event::omitted, "calls of " #function);                                    \
    return executes() ? next(handle, node, asynchronous) : 0;                       \
  }

/// A function that waits for the users of a datum and ends its life.
#define FACTOSIM_UNREGISTERS(function)                                    \
  void function(starpu_data_handle_t handle) {                            \
    FACTOSIM_NEXT(function);                                              \
    {                                                                     \
      HostWait const wait(Wait::users, std::uint64_t(handle), #function); \
      next(handle);                                                       \
    }                                                                     \
    forget(handle);                                                       \
  }

extern "C" {

FACTOSIM_WAITS(int, starpu_task_wait, (struct starpu_task * task), (task), Wait::task, std::uint64_t(task))
FACTOSIM_WAITS(int, starpu_task_wait_for_all, (), (), Wait::all, 0)
FACTOSIM_WAITS(int, starpu_task_wait_for_all_in_ctx, (unsigned context), (context), Wait::all, 0)
FACTOSIM_OMITS(int, starpu_task_wait_for_n_submitted, (unsigned count), (count))
FACTOSIM_OMITS(void, starpu_task_end_dep_add, (struct starpu_task * task, int count), (task, count))
FACTOSIM_OMITS(void, starpu_data_invalidate, (starpu_data_handle_t handle), (handle))
FACTOSIM_OMITS(void, starpu_data_invalidate_submit, (starpu_data_handle_t handle), (handle))
FACTOSIM_PREFETCHES(starpu_data_prefetch_on_node)
FACTOSIM_PREFETCHES(starpu_data_idle_prefetch_on_node)
FACTOSIM_UNREGISTERS(starpu_data_unregister)
FACTOSIM_UNREGISTERS(starpu_data_unregister_no_coherency)

void starpu_data_unregister_submit(starpu_data_handle_t handle) {
  FACTOSIM_NEXT(starpu_data_unregister_submit);
  next(handle);
  forget(handle);
}

/// StarPU's starpu_tag_wait calls this one.
int starpu_tag_wait_array(unsigned count, starpu_tag_t* tags) {
  FACTOSIM_NEXT(starpu_tag_wait_array);
  int result = 0;
  for (unsigned i = 0; i < count && result == 0; ++i) {
    HostWait const wait(Wait::tag, tags[i], "starpu_tag_wait");
    result = next(1, &tags[i]);
  }
  return result;
}

/// All functions that register data call this one.
void starpu_data_register(starpu_data_handle_t* handle, int node, void* interface,
                          struct starpu_data_interface_ops* operations) {
  FACTOSIM_NEXT(starpu_data_register);
  next(handle, node, interface, operations);
  forget(*handle);  // what had this address before
}

int starpu_task_wait_array(struct starpu_task** tasks, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (int const error = starpu_task_wait(tasks[i]); error != 0) return error;
  return 0;
}

void starpu_tag_remove(starpu_tag_t tag) {
  FACTOSIM_NEXT(starpu_tag_remove);
  tell(Event::tag_gone, tag);
  next(tag);
}

int starpu_data_acquire_on_node(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode) {
  FACTOSIM_NEXT(starpu_data_acquire_on_node);
  HostWait const wait((mode & STARPU_W) != 0 ? Wait::users : Wait::writer, std::uint64_t(handle),
                      "starpu_data_acquire");
  bool const nowhere = !executes() && starpu_data_get_home_node(handle) < 0;  // no kernel has allocated it
  int const result = next(handle, node, nowhere ? STARPU_W : mode);
  fill(handle, mode);
  return result;
}

int starpu_data_acquire(starpu_data_handle_t handle, enum starpu_data_access_mode mode) {
  return starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, mode);
}

int starpu_data_acquire_on_node_cb(starpu_data_handle_t handle, int node, enum starpu_data_access_mode mode,
                                   void (*callback)(void*), void* argument) {
  return acquire_later(handle, node, mode, callback, argument,
                       !called_by_library(__builtin_return_address(0)));
}

int starpu_data_acquire_cb(starpu_data_handle_t handle, enum starpu_data_access_mode mode,
                           void (*callback)(void*), void* argument) {
  return acquire_later(handle, STARPU_MAIN_RAM, mode, callback, argument, true);
}

/// Partitions at once, on the host.
void starpu_data_partition(starpu_data_handle_t whole, struct starpu_data_filter* filter) {
  FACTOSIM_NEXT(starpu_data_partition);
  {
    HostWait const wait(Wait::users, std::uint64_t(whole), "starpu_data_partition");
    next(whole, filter);
  }
  note_parts(whole, parts_of(whole));
}

void starpu_data_unpartition(starpu_data_handle_t whole, unsigned node) {
  FACTOSIM_NEXT(starpu_data_unpartition);
  std::vector<starpu_data_handle_t> const parts = parts_of(whole);
  for (starpu_data_handle_t const part : parts)
    HostWait(Wait::users, std::uint64_t(part), "starpu_data_unpartition");
  {
    HostWait const wait(Wait::users, std::uint64_t(whole), "starpu_data_unpartition");
    next(whole, node);
  }
  for (starpu_data_handle_t const part : parts) forget(part);
}

/// Partitions by tasks of StarPU, which it submits where the use of the data changes.
void starpu_data_partition_plan(starpu_data_handle_t whole, struct starpu_data_filter* filter,
                                starpu_data_handle_t* parts) {
  FACTOSIM_NEXT(starpu_data_partition_plan);
  next(whole, filter, parts);
  unsigned const count =
      filter->get_nchildren != nullptr ? filter->get_nchildren(filter, whole) : filter->nchildren;
  if (parts != nullptr) note_parts(whole, {parts, parts + count});
}

void starpu_data_set_sequential_consistency_flag(starpu_data_handle_t handle, unsigned flag) {
  FACTOSIM_NEXT(starpu_data_set_sequential_consistency_flag);
  next(handle, flag);
  auto const locked = Channel::get().lock();
  known()[handle].described = false;  // told anew with the next task that uses it
}

void starpu_data_wont_use(starpu_data_handle_t handle) {
  FACTOSIM_NEXT(starpu_data_wont_use);
  {
    auto const locked = Channel::get().lock();
    describe(handle);
    tell(Event::wont_use, handle);
  }
  if (executes()) next(handle);
}

void starpu_shutdown() {
  FACTOSIM_NEXT(starpu_shutdown);
  std::uint64_t kernels = 0;
  struct starpu_profiling_worker_info info;
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker)
    if (starpu_profiling_worker_get_info(int(worker), &info) == 0)
      kernels += std::uint64_t(info.executed_tasks);
  tell(Event::end, kernels);
  next();
}

}  // extern "C"
