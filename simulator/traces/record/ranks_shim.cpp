// The part of the shim with which one process stands for all ranks of a StarPU-MPI program that inserts every task everywhere:
// all data are said to be its own, so that it submits every task and sends nothing.
#include <cstdarg>

#include "shim.hpp"

namespace factosim::record {

namespace {

/// The rank that the program takes itself for.
int own_rank() {
  static char const* const number = std::getenv("FACTOSIM_RECORD_RANK");
  return number == nullptr ? 0 : std::atoi(number);
}

int ranks() {
  static int const number = std::atoi(std::getenv("FACTOSIM_RECORD_RANKS"));
  return number;
}

/// Marks a datum of another rank as initialized, as its receipt would: StarPU aborts on a read of uninitialized data.
void receive(starpu_data_handle_t handle) {
  static struct starpu_codelet codelet = [] {
    struct starpu_codelet out {};
    out.where = STARPU_NOWHERE;
    out.nbuffers = 1;
    out.modes[0] = STARPU_W;
    return out;
  }();
  struct starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->handles[0] = handle;
  task->name = "starpu_data_received";  // by its begin one of StarPU's own
  if (starpu_task_submit(task) != 0)
    Channel::get().refuse("a datum of another rank cannot be marked as received");
}

int owner_of(starpu_data_handle_t handle) {
  auto const locked = Channel::get().lock();
  return known()[handle].owner;
}

void set_owner(starpu_data_handle_t handle, int rank, std::int64_t tag = -1) {
  auto const locked = Channel::get().lock();
  known()[handle].owner = rank;
  if (tag >= 0) known()[handle].tag = tag;
}

/// Returns a task as starpu_mpi_task_insert makes it, without what only kernels use; null if it is another rank's. Sets `explicit_node`.
struct starpu_task* task_of(struct starpu_codelet* codelet, std::va_list list) {
  struct starpu_task* const task = starpu_task_create();
  task->cl = codelet;
  std::vector<std::pair<starpu_data_handle_t, int>> accesses;
  explicit_node = -1;
  while (int const kind = va_arg(list, int)) {
    if (kind < 1 << STARPU_MODE_SHIFT) {
      accesses.emplace_back(va_arg(list, starpu_data_handle_t), kind);
      continue;
    }
    switch (kind) {
      case STARPU_EXECUTE_ON_NODE:
        explicit_node = va_arg(list, int);
        break;
      case STARPU_EXECUTE_ON_DATA:
        explicit_node = owner_of(va_arg(list, starpu_data_handle_t));
        break;
      case STARPU_PRIORITY:
        task->priority = va_arg(list, int);
        break;
      case STARPU_FLOPS:
        task->flops = va_arg(list, double);
        break;
      case STARPU_NAME:
        task->name = va_arg(list, char const*);
        break;
      case STARPU_CALLBACK:
        task->callback_func = va_arg(list, void (*)(void*));
        break;
      case STARPU_CALLBACK_ARG:
        task->callback_arg = va_arg(list, void*);
        break;
      case STARPU_CALLBACK_WITH_ARG:
        task->callback_func = va_arg(list, void (*)(void*));
        task->callback_arg = va_arg(list, void*);
        break;
      case STARPU_TAG:
        task->use_tag = 1;
        task->tag_id = va_arg(list, starpu_tag_t);
        break;
      case STARPU_SEQUENTIAL_CONSISTENCY:
        task->sequential_consistency = va_arg(list, unsigned) != 0;
        break;
      case STARPU_DATA_ARRAY: {
        auto* const handles = va_arg(list, starpu_data_handle_t*);
        for (int i = 0, count = va_arg(list, int); i < count; ++i)
          accesses.emplace_back(handles[i], STARPU_CODELET_GET_MODE(codelet, accesses.size()));
        break;
      }
      case STARPU_DATA_MODE_ARRAY: {
        auto* const described = va_arg(list, struct starpu_data_descr*);
        for (int i = 0, count = va_arg(list, int); i < count; ++i)
          accesses.emplace_back(described[i].handle, described[i].mode);
        break;
      }
      case STARPU_VALUE:
      case STARPU_CL_ARGS:
      case STARPU_CL_ARGS_NFREE:
      case STARPU_CALLBACK_WITH_ARG_NFREE:
      case STARPU_TASK_WORKERIDS:
        (void)va_arg(list, void*);
        (void)va_arg(list, void*);
        break;
      case STARPU_TASK_DEPS_ARRAY:
      case STARPU_TASK_END_DEPS_ARRAY:
        Channel::get().refuse(
            "gives starpu_mpi_task_insert explicit dependencies (the recorder does not read them)");
      default:
        (void)va_arg(list, void*);  // one number or address, which are passed alike
    }
  }
  for (auto const& [handle, mode] : accesses)
    if (handle == nullptr) {
      if (std::getenv("FACTOSIM_RECORD_RANK") != nullptr) return nullptr;  // other ranks insert it
      Channel::get().refuse(
          "inserts tasks on data that rank 0 does not know (NULL; only some ranks insert them). Give "
          "--each-rank");
    }
  std::size_t const count = accesses.size();
  task->nbuffers = int(count);
  bool const variable = codelet->nbuffers == STARPU_VARIABLE_NBUFFERS;
  if (count > STARPU_NMAXBUFS) {
    task->dyn_handles = static_cast<starpu_data_handle_t*>(std::calloc(count, sizeof(starpu_data_handle_t)));
    if (variable) task->dyn_modes = static_cast<starpu_data_access_mode*>(std::calloc(count, sizeof(int)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    STARPU_TASK_SET_HANDLE(task, accesses[i].first, i);
    if (variable) STARPU_TASK_SET_MODE(task, static_cast<starpu_data_access_mode>(accesses[i].second), i);
  }
  return task;
}

}  // namespace
}  // namespace factosim::record

using namespace factosim::record;

/// A message of the program's own.
#define FACTOSIM_MESSAGE(function)                                                          \
  int function(...) {                                                                       \
    Channel::get().refuse("sends its messages itself (" #function                           \
                          "): one process cannot stand for its ranks. "                     \
                          "Record programs that leave messages to starpu_mpi_task_insert"); \
  }

extern "C" {

using Communicator = void*;

int MPI_Comm_size(Communicator communicator, int* size) {
  FACTOSIM_NEXT(MPI_Comm_size);
  if (called_by_library(__builtin_return_address(0))) return next(communicator, size);
  return *size = ranks(), 0;
}

int MPI_Comm_rank(Communicator communicator, int* rank) {
  FACTOSIM_NEXT(MPI_Comm_rank);
  if (called_by_library(__builtin_return_address(0))) return next(communicator, rank);
  return *rank = own_rank(), 0;
}

int starpu_mpi_comm_size(Communicator, int* size) { return *size = ranks(), 0; }
int starpu_mpi_comm_rank(Communicator, int* rank) { return *rank = own_rank(), 0; }
int starpu_mpi_world_size() { return ranks(); }
int starpu_mpi_world_rank() { return own_rank(); }

void starpu_mpi_data_register_comm(starpu_data_handle_t handle, std::int64_t tag, int rank,
                                   Communicator communicator) {
  FACTOSIM_NEXT(starpu_mpi_data_register_comm);
  set_owner(handle, rank, tag);
  next(handle, tag, 0, communicator);
  if (starpu_data_get_home_node(handle) < 0) receive(handle);
}

void starpu_mpi_data_set_rank_comm(starpu_data_handle_t handle, int rank, Communicator communicator) {
  FACTOSIM_NEXT(starpu_mpi_data_set_rank_comm);
  set_owner(handle, rank);
  next(handle, 0, communicator);
}

int starpu_mpi_data_get_rank(starpu_data_handle_t handle) {
  FACTOSIM_NEXT(starpu_mpi_data_get_rank);
  return called_by_library(__builtin_return_address(0)) ? next(handle) : owner_of(handle);
}

int starpu_mpi_task_insert(Communicator, struct starpu_codelet* codelet, ...) {
  std::va_list list;
  va_start(list, codelet);
  struct starpu_task* const task = task_of(codelet, list);
  va_end(list);
  int const result = task == nullptr ? 0 : starpu_task_submit(task);
  explicit_node = -1;
  return result;
}

int starpu_mpi_insert_task(Communicator, struct starpu_codelet* codelet, ...)
    __attribute__((alias("starpu_mpi_task_insert")));

/// The program submits the task itself.
struct starpu_task* starpu_mpi_task_build(Communicator, struct starpu_codelet* codelet, ...) {
  std::va_list list;
  va_start(list, codelet);
  struct starpu_task* const task = task_of(codelet, list);
  va_end(list);
  return task;
}

int starpu_mpi_task_post_build(Communicator, struct starpu_codelet*, ...) { return explicit_node = -1, 0; }

void starpu_mpi_cache_flush(Communicator, starpu_data_handle_t handle) {
  auto const locked = Channel::get().lock();
  describe(handle);
  tell(Event::flush, handle);
}

void starpu_mpi_cache_flush_all_data(Communicator) { tell(Event::flush, 0); }

// Messages that the graph does not show: they bring no task forward.

void starpu_mpi_get_data_on_node(Communicator, starpu_data_handle_t, int) {
  tell(Event::omitted, "calls of starpu_mpi_get_data_on_node");
}
void starpu_mpi_get_data_on_node_detached(Communicator, starpu_data_handle_t, int, void (*callback)(void*),
                                          void* argument) {
  tell(Event::omitted, "calls of starpu_mpi_get_data_on_node_detached");
  if (callback != nullptr) callback(argument);
}
void starpu_mpi_get_data_on_all_nodes_detached(Communicator, starpu_data_handle_t) {
  tell(Event::omitted, "calls of starpu_mpi_get_data_on_all_nodes_detached");
}
void starpu_mpi_data_migrate(Communicator, starpu_data_handle_t handle, int rank) {
  tell(Event::omitted, "calls of starpu_mpi_data_migrate");
  set_owner(handle, rank);
}
void starpu_mpi_redux_data(Communicator, starpu_data_handle_t) {
  tell(Event::omitted, "calls of starpu_mpi_redux_data");
}

// clang-format off
#define FACTOSIM_MESSAGES(each)                                                                        \
  each(starpu_mpi_send) each(starpu_mpi_send_prio) each(starpu_mpi_recv) each(starpu_mpi_isend)        \
  each(starpu_mpi_isend_prio) each(starpu_mpi_irecv) each(starpu_mpi_issend)                           \
  each(starpu_mpi_isend_detached) each(starpu_mpi_isend_detached_prio) each(starpu_mpi_irecv_detached) \
  each(starpu_mpi_issend_detached) each(starpu_mpi_isend_detached_unlock_tag)                          \
  each(starpu_mpi_irecv_detached_unlock_tag) each(starpu_mpi_isend_array_detached_unlock_tag)          \
  each(starpu_mpi_irecv_array_detached_unlock_tag) each(starpu_mpi_gather_detached)                    \
  each(starpu_mpi_scatter_detached)
// clang-format on
FACTOSIM_MESSAGES(FACTOSIM_MESSAGE)

}  // extern "C"
