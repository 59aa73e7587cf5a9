#include "simulator/traces/import/starpu_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "simulator/base/core/plain_names.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_names = 65'000;

std::uint32_t number_of(std::string_view name, std::vector<std::string>& names,
                        std::unordered_map<std::string, std::uint32_t>& ids, LineReader const& at) {
  auto const [place, is_new] = ids.try_emplace(std::string(name), static_cast<std::uint32_t>(names.size()));
  if (is_new) {
    if (names.size() >= max_names)
      at.fail(
          "is the 65000th different name (names of kernels, states or workers should repeat). Is the right "
          "column read?");
    names.push_back(name_of_line(name));
  }
  return place->second;
}

/// Removes a number from the front of the text and returns it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool names_gpu(std::string_view worker) {
  std::string lower(worker);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(std::array{"gpu", "cuda", "hip", "sycl", "opencl"},
                             [&](char const* name) { return lower.find(name) != std::string::npos; });
}

/// Returns whether StarPU gives this name to tasks of its own, which no application submits: functions
/// executed on every worker, initialisation and end of libraries, page-locking of memory, synchronisation.
/// Source: StarPU 1.4.12 and master of August 2026, src/util/execute_on_all.c, src/drivers,
/// src/datawizard, src/core. Tasks that work on the application's data, such as reductions and conversions,
/// are not among them.
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

/// States of StarPU's workers that are not tasks.
constexpr std::array<std::string_view, 24> non_task_states{"Idle",
                                                           "Initializing",
                                                           "Deinitializing",
                                                           "FetchingInput",
                                                           "PushingOutput",
                                                           "Callback",
                                                           "Overhead",
                                                           "Parallel sync",
                                                           "Executing",
                                                           "Scheduling",
                                                           "Sleeping",
                                                           "Progressing",
                                                           "Unpartitioning",
                                                           "Hypervisor",
                                                           "Building task",
                                                           "Submitting task",
                                                           "Nothing",
                                                           "Throttling task submission",
                                                           "Decoding task for MPI",
                                                           "Preparing task for MPI",
                                                           "Post-processing task for MPI",
                                                           "Blocked",
                                                           "suspend",
                                                           "sleep"};

}  // namespace

bool is_task_state(std::string_view state) {
  std::string upper(state);
  if (!upper.empty()) upper[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(upper[0])));
  return !is_runtime_task(state) &&
         std::find(non_task_states.begin(), non_task_states.end(), state) == non_task_states.end() &&
         std::find(non_task_states.begin(), non_task_states.end(), upper) == non_task_states.end();
}

std::uint16_t StarpuRun::kernel(LineReader const& at, std::string_view name) {
  if (is_runtime_task(name)) return StarpuTask::no_kernel;
  return static_cast<std::uint16_t>(number_of(name, kernels, kernel_ids_, at));
}
std::uint16_t StarpuRun::state_name(LineReader const& at, std::string_view name) {
  return static_cast<std::uint16_t>(number_of(name, state_names, state_ids_, at));
}
std::uint32_t StarpuRun::resource(LineReader const& at, std::string_view name) {
  std::uint32_t const id = number_of(name, resources, resource_ids_, at);
  if (id == resource_names.size()) resource_names.push_back(resource_name(resources.back()));
  return id;
}

std::uint32_t StarpuRun::worker_resource(LineReader const& at, std::string_view worker,
                                         std::optional<std::uint32_t> node) {
  std::string const name = node ? fmt::format("{}_{}", *node, worker) : std::string(worker);
  std::uint32_t const id = resource(at, name);
  ResourceName& known = resource_names[id];
  if (known.worker.empty()) {
    known.worker = name_of_line(worker);
    known.device = names_gpu(name) ? Trace::Device::gpu : Trace::Device::cpu;
    if (node) known.node = *node;
  }
  return id;
}

void StarpuRun::add_shape(std::uint32_t node, std::uint64_t address, std::int64_t size,
                          std::string_view shape) {
  if (shaped_.insert(address * 0x9e3779b97f4a7c15U + node).second)
    handles.push_back({.node = node, .address = address, .size = size, .shape = name_of_line(shape)});
}

ResourceName resource_name(std::string_view text) {
  ResourceName out;
  std::string_view rest = text;
  if (auto const node = take_number(rest); node && take(rest, "_") && *node < max_nodes) {
    out.node = *node;
    out.after_node = rest;
  } else {
    rest = text;
  }
  if (take(rest, "MEMMANAGER")) {
    if (auto const memory = take_number(rest)) out.memory = static_cast<std::int32_t>(*memory);
    return out;
  }
  for (auto const& [prefix, name] :
       {std::pair{"CPU", "cpu"}, {"CUDA", "cuda"}, {"HIP", "hip"}, {"SYCL", "sycl"}, {"OpenCL", "opencl"}}) {
    if (!take(rest, prefix) && !take(rest, name)) continue;
    auto const id = take_number(rest);
    if (!id) return out;
    out.worker = name + std::to_string(*id);
    out.device = std::string_view(name) == "cpu" ? Trace::Device::cpu : Trace::Device::gpu;
    if (take(rest, "_"))
      if (auto const stream = take_number(rest); stream && *stream > 0)
        out.worker += "_" + std::to_string(*stream);
    return out;
  }
  return out;
}

}  // namespace factosim
