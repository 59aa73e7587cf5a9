#include "simulator/traces/import/runtime_tasks.hpp"

#include <algorithm>
#include <array>

namespace factosim {

bool is_runtime_task(std::string_view name) {
  static constexpr std::array<std::string_view, 39> names{"_starpu_data_acquire_cb_post",
                                                          "_starpu_data_acquire_cb_pre",
                                                          "_starpu_data_acquire_cb_release",
                                                          "_starpu_data_acquire_post",
                                                          "_starpu_data_acquire_pre",
                                                          "_starpu_sync_task",
                                                          "_starpu_sync_task_commute",
                                                          "_starpu_sync_task_redux",
                                                          "cluster_internal_runtime_init",
                                                          "control_sync_jobids",
                                                          "control_sync_jobids_end",
                                                          "create_sync_task",
                                                          "cuda_free_pinned",
                                                          "cuda_malloc_pinned",
                                                          "empty_task",
                                                          "execute_on_all_wrapper",
                                                          "init_cublas",
                                                          "init_cublasLt",
                                                          "init_cusolver",
                                                          "init_cusparse",
                                                          "init_hipblas",
                                                          "init_hipsolver",
                                                          "opencl_free_pinned",
                                                          "opencl_malloc_pinned",
                                                          "parallel_worker_internal_runtime_init",
                                                          "redux_task_empty",
                                                          "set_cublas_stream_func",
                                                          "shutdown_cublas",
                                                          "shutdown_cublasLt",
                                                          "shutdown_cusolver",
                                                          "shutdown_cusparse",
                                                          "shutdown_hipblas",
                                                          "shutdown_hipsolver",
                                                          "starpu_data_unregister",
                                                          "starpu_transaction_begin",
                                                          "starpu_transaction_begin_no_sync",
                                                          "starpu_transaction_end",
                                                          "starpu_transaction_next_epoch",
                                                          "ucontrol"};
  return std::binary_search(names.begin(), names.end(), name);
}

}  // namespace factosim
