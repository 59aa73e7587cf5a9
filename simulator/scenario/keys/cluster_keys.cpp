#include "simulator/scenario/keys/cluster_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "platforms/disk_preset.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"
#include "simulator/scenario/keys/option_keys.hpp"
#include "simulator/tasks/plan/runtime_version.hpp"

namespace factosim {

namespace {

using RuntimeKey = OptionKey<RuntimeOptions>;
constexpr std::array runtime_keys{
    RuntimeKey{"submission_cost_s", &RuntimeOptions::submission_cost,
               "per task, in the thread that submits, one after the other", "s", "StarPU core/task.c"},
    RuntimeKey{"push_cost_s", &RuntimeOptions::push_cost,
               "per task that becomes ready, in the worker that made it ready", "s",
               "StarPU core/sched_policy.c"},
    RuntimeKey{"fetch_cost_s", &RuntimeOptions::fetch_cost, "per operand, in the worker", "s",
               "StarPU datawizard/coherency.c"},
    RuntimeKey{
        "progress_cost_s", &RuntimeOptions::progress_cost,
        "per round of a driver's data management and memory node it looks after: a core its RAM, a GPU all "
        "RAMs and its own memory",
        "s", "StarPU datawizard/datawizard.c"},
    RuntimeKey{"wont_use_cost_s", &RuntimeOptions::wont_use_cost, "per write-back hint, in the worker", "s"},
    RuntimeKey{"gpu_queue_cost_s", &RuntimeOptions::gpu_queue_cost,
               "per kernel or transfer put on a GPU's stream, in its driver", "s", "StarPU core/simgrid.c"},
    RuntimeKey{"gpu_malloc_cost_s", &RuntimeOptions::gpu_malloc_cost,
               "per allocation on a GPU, one at a time on a node", "s", "StarPU drivers/cuda/driver_cuda.c"},
    RuntimeKey{
        "gpu_free_cost_s", &RuntimeOptions::gpu_free_cost,
        "per tile of more than 4 MiB whose memory on a GPU is released to make room, one at a time on a node",
        "s"},
    RuntimeKey{"pinning_cost_s", &RuntimeOptions::pinning_cost,
               "per MiB of RAM that is page-locked for received tiles, on nodes with GPUs: at submission, by "
               "workers "
               "of the node; chunks of 32 MiB one at a time, tiles of more than 4 MiB one by one",
               "s", "StarPU datawizard/malloc.c"},
    RuntimeKey{"buffer_round_s", &RuntimeOptions::buffer_round,
               "time after which a round of a driver pins no further receive buffer", "s",
               "StarPU datawizard/data_request.h, `MAX_PUSH_TIME`", 0, unlimited, true},
    RuntimeKey{"host_alloc_cost_s_per_MiB", &RuntimeOptions::host_alloc_cost,
               "cost of RAM for all tiles on nodes with GPUs, pinned one piece at a time by the thread that "
               "needs it; "
               "above 0 it replaces `pinning_cost_s`",
               "s/MiB", "StarPU datawizard/malloc.c"},
    RuntimeKey{"gpu_pipeline", &RuntimeOptions::gpu_pipeline,
               "tasks that a GPU holds at once; 0: the driver waits for each kernel", "tasks"},
    RuntimeKey{"fetch_limit", &RuntimeOptions::fetch_limit,
               "copies in flight per driver, peer and direction above which urgent requests wait", "copies",
               "", 1},
    RuntimeKey{"prefetch_limit", &RuntimeOptions::prefetch_limit, "the same for prefetches", "copies", "", 1},
    RuntimeKey{"idle_limit", &RuntimeOptions::idle_limit, "the same for idle copies", "copies", "", 1},
    RuntimeKey{"max_gpus", &RuntimeOptions::max_gpus, "GPUs that each node uses, the first ones", "GPUs"},
    RuntimeKey{"cores_per_gpu", &RuntimeOptions::cores_per_gpu, "cores that each GPU's driver takes",
               "cores"},
    RuntimeKey{"workers_per_gpu", &RuntimeOptions::workers_per_gpu,
               "workers of each GPU (`STARPU_NWORKER_PER_CUDA`), with a pipeline each; the kernels in flight "
               "on a GPU share it as `gpu_sharing` says",
               "workers", "StarPU core/simgrid.c, drivers/cuda/driver_cuda.c", 1, 16, true},
    RuntimeKey{"reserved_cores", &RuntimeOptions::reserved_cores,
               "cores of each node that run no task; 1 with `exageostat`", "cores"},
    RuntimeKey{
        "oversubscribed_workers", &RuntimeOptions::oversubscribed_workers,
        "additional workers of each node on occupied cores, for all kernels but dcmg; 1 with `exageostat`",
        "workers"},
    RuntimeKey{
        "communication_cores", &RuntimeOptions::communication_cores,
        "cores of each node that handle messages, if there are several nodes; 0: they are handled beside a "
        "worker, where the platform has a `communication_thread`",
        "cores"},
    RuntimeKey{"max_submitted_tasks", &RuntimeOptions::max_submitted_tasks,
               "submission stops while more than this number of submitted tasks are unfinished; 0: no limit",
               "tasks", "StarPU core/task.c"},
    RuntimeKey{"min_submitted_tasks", &RuntimeOptions::min_submitted_tasks,
               "a stopped submission resumes at this number; less than `max_submitted_tasks`", "tasks",
               "StarPU core/task.c"},
    RuntimeKey{"prefetch", &RuntimeOptions::prefetch,
               "inputs are transferred as soon as the worker is chosen"},
    RuntimeKey{"wont_use", &RuntimeOptions::wont_use, "follow the application's write-back hints"},
    RuntimeKey{
        "out_of_core", &RuntimeOptions::out_of_core,
        "`false`: a node whose tiles exceed its `ram_bytes` ends the run with exit code 4; `true`: its "
        "disk holds what the RAM cannot, and copies are evicted and read back",
        "", "StarPU datawizard/memalloc.c, `STARPU_DISK_SWAP`"},
    RuntimeKey{
        "allocate_at_submission", &RuntimeOptions::allocate_at_submission,
        "the submitting thread pins the RAM of a tile, then continues; else the thread that needs it. `true` "
        "with `exageostat` without memory optimisations"},
    RuntimeKey{"chunk_cache", &RuntimeOptions::chunk_cache,
               "released RAM stays pinned for the next tile. `false` with `exageostat` without memory "
               "optimisations"},
    RuntimeKey{"gpus_wait_for_pinning", &RuntimeOptions::gpus_wait_for_pinning,
               "a GPU's driver that starts a transfer waits for pinning in progress (half a tile's while the "
               "submission pins). `true` with `exageostat` without memory optimisations"},
    RuntimeKey{
        "late_receive_buffers", &RuntimeOptions::late_receive_buffers,
        "RAM for a message is page-locked when the message is announced, by the communication thread of "
        "its receiver; else when its receive is posted, by workers (`STARPU_MPI_MEM_LATE`)",
        "", "StarPU 1.5 mpi/src/starpu_mpi.c", 0, unlimited, true},
    RuntimeKey{
        "parallel_sends", &RuntimeOptions::parallel_sends,
        "the thread that has the data of a message in RAM posts it, as long as fewer than "
        "`max_sends_per_node` are in flight; else the communication thread "
        "(`STARPU_MPI_THREAD_MULTIPLE_SEND`). Set it for real runs of 1.5 with MPICH or Open MPI from 4 on",
        "", "StarPU mpi/src/mpi/starpu_mpi_mpi.c", 0, unlimited, true},
    RuntimeKey{"sorted_prefetches", &RuntimeOptions::sorted_prefetches,
               "a prefetch requests the operands of a task as they are sorted: the written one first, then "
               "by number; else "
               "in the order of the kernel's parameters",
               "", "StarPU 1.5 datawizard/coherency.c", 0, unlimited, true},
};

constexpr NamedValues<GpuSharing, 2> gpu_sharing_names{
    .what = "sharing of GPUs",
    .values = {{{GpuSharing::equal, "equal"}, {GpuSharing::occupancy, "occupancy"}}}};
constexpr NamedValues<DiskPrediction, 2> disk_prediction_names{
    .what = "disk prediction",
    .values = {{{DiskPrediction::rates, "rates"}, {DiskPrediction::free, "free"}}}};
constexpr NamedValues<bool, 2> initial_data_names{.what = "place of data",
                                                  .values = {{{false, "ram"}, {true, "disk"}}}};

nlohmann::ordered_json effective_disk(DiskSpec const& disk) {
  auto const rate = [](LinkRate r) {
    return nlohmann::ordered_json{{"bandwidth_Bps", r.bandwidth.value}, {"latency_s", r.latency.value}};
  };
  return {{"model", disk.model},
          {"read", rate(disk.read)},
          {"write", rate(disk.write)},
          {"half_duplex", disk.half_duplex},
          {"size_bytes", disk.size.value}};
}

ValueRules runtime_rules() { return {rule::object(runtime_table)}; }
}  // namespace

ObjectKeys const& runtime_table() {
  static RuntimeOptions const defaults;
  static ObjectKeys const table{
      .title = "runtime",
      .meaning =
          "Costs and behaviour of the runtime system. A cost of 0 disables it. The defaults are those of "
          "StarPU "
          "1.4 unless `version` says otherwise; `exageostat` and costs in the platform change some of them.",
      .keys = joined(
          keys_of(runtime_keys),
          {{.name = "unrolling",
            .value = {rule::word(unrolling_names())},
            .meaning = "tasks of which a node pays the submission: `whole`, all of the flow; `pruned`, those "
                       "that it "
                       "runs or that access what it owns; `own`, those that it runs (as StarPU over SimGrid)",
            .default_value = name_of(defaults.unrolling)},
           {.name = "gpu_sharing",
            .value = {rule::word(gpu_sharing_names.names())},
            .meaning =
                "what the kernels in flight on a GPU with several workers have of it: `equal` parts, as "
                "in StarPU's simulation; `occupancy`, max-min fair parts, of which none is larger than "
                "what the kernel uses alone: its rate of operations over the best one that is known "
                "for that GPU and precision (see `scenarios/guide/model.md`)",
            .default_value = gpu_sharing_names.name_of(defaults.gpu_sharing),
            .source = "StarPU core/simgrid.c"},
           {.name = "gpu_memory_fraction",
            .value = {rule::positive("", 1)},
            .meaning = "fraction of a GPU's memory that tiles may use",
            .default_value = defaults.gpu_memory_fraction},
           {.name = "preallocated_ram_fraction",
            .value = {rule::number(0, 1)},
            .meaning =
                "fraction of the RAM that is pinned before the start; 0.5 with `exageostat` with memory "
                "optimisations",
            .default_value = defaults.preallocated_ram},
           {.name = "version",
            .value = {rule::word(runtime_version_names())},
            .meaning = "version of StarPU whose defaults the keys have. What differs: "
                       "`scenarios/guide/versions.md`",
            .default_value = name_of(defaults.version)},
           {.name = "eviction",
            .value = {rule::word(names_of(described_evictions()))},
            .meaning = "who chooses the copies that leave a full GPU memory; the rules are in "
                       "`simulator/runtime/eviction/README.md`",
            .default_value = defaults.eviction,
            .source = "StarPU 1.5 datawizard/memalloc.c"},
           {.name = "ram_limit_bytes",
            .value = {rule::integer(1, max_bytes, "B")},
            .meaning = "RAM of each node that tiles may use",
            .default_text = "`ram_bytes` of the platform",
            .source = "StarPU `STARPU_LIMIT_CPU_MEM`"},
           {.name = "disk",
            .value = {rule::object(disk_table), rule::path()},
            .meaning =
                "with `out_of_core`: the disk of each node, or the name of one (`factosim list disks`), or "
                "the path of such a file",
            .default_text = "that of the platform, else `sata-ssd`"},
           {.name = "disk_prediction",
            .value = {rule::word(disk_prediction_names.names())},
            .meaning =
                "what policies believe about copies to and from a disk: `rates`, its bandwidths; `free`, "
                "that they take no time, as StarPU does in simulation",
            .default_value = disk_prediction_names.name_of(defaults.disk_prediction)},
           {.name = "initial_data",
            .value = {rule::word(initial_data_names.names())},
            .meaning =
                "with `out_of_core`, where the tiles are at the start: `ram`, in the order of the data as "
                "long as there is room, the others on the disk; `disk`, all on the disk",
            .default_value = initial_data_names.name_of(defaults.data_starts_on_disk)}})};
  return table;
}

RuntimeOptions read_runtime(JsonReader const& given, RuntimeOptions defaults) {
  JsonReader const json = given.by(runtime_rules);
  RuntimeOptions options = std::move(defaults);
  if (auto const version = json.find("version"))
    options = with_version(std::move(options), runtime_version_named(version->one_of()));
  read_options(json, runtime_keys, options);
  if (auto const unrolling = json.find("unrolling")) options.unrolling = unrolling_named(unrolling->one_of());
  if (options.min_submitted_tasks > 0 && options.min_submitted_tasks >= options.max_submitted_tasks)
    json.at("min_submitted_tasks", "fewer than \"max_submitted_tasks\"")
        .fail(
            fmt::format("is not below \"max_submitted_tasks\" ({}) (submission would never wait). Give less",
                        options.max_submitted_tasks));
  if (auto const sharing = json.find("gpu_sharing"))
    options.gpu_sharing = gpu_sharing_names.named(sharing->one_of());
  if (auto const fraction = json.find("gpu_memory_fraction"))
    options.gpu_memory_fraction = fraction->quantity();
  if (auto const fraction = json.find("preallocated_ram_fraction"))
    options.preallocated_ram = fraction->quantity();
  if (auto const eviction = json.find("eviction")) options.eviction = eviction->one_of();
  if (auto const limit = json.find("ram_limit_bytes")) options.ram_limit = {limit->integer()};
  if (auto const disk = json.find("disk")) options.disk = read_disk(*disk);
  if (auto const prediction = json.find("disk_prediction"))
    options.disk_prediction = disk_prediction_names.named(prediction->one_of());
  if (auto const start = json.find("initial_data"))
    options.data_starts_on_disk = initial_data_names.named(start->one_of());
  json.finish();
  return options;
}

nlohmann::ordered_json effective_runtime(RuntimeOptions const& options) {
  nlohmann::ordered_json out;
  add_options(out, runtime_keys, options);
  out["unrolling"] = name_of(options.unrolling);
  out["gpu_memory_fraction"] = options.gpu_memory_fraction;
  out["preallocated_ram_fraction"] = options.preallocated_ram;
  if (options.version != RuntimeOptions{}.version) out["version"] = name_of(options.version);
  add_later_options(out, runtime_keys, options);
  if (options.gpu_sharing != RuntimeOptions{}.gpu_sharing)
    out["gpu_sharing"] = gpu_sharing_names.name_of(options.gpu_sharing);
  if (options.eviction != RuntimeOptions{}.eviction) out["eviction"] = options.eviction;
  if (options.ram_limit.value > 0) out["ram_limit_bytes"] = options.ram_limit.value;
  if (!options.out_of_core) return out;
  if (options.disk) out["disk"] = effective_disk(*options.disk);
  out["disk_prediction"] = disk_prediction_names.name_of(options.disk_prediction);
  out["initial_data"] = initial_data_names.name_of(options.data_starts_on_disk);
  return out;
}

nlohmann::ordered_json effective_platform(Platform const& platform) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const type : platform.nodes) {  // consecutive nodes of one type form one entry
    if (nodes.empty() || nodes.back()["type"] != platform.types[type].name)
      nodes.push_back({{"type", platform.types[type].name}, {"count", 0}});
    nodes.back()["count"] = nodes.back()["count"].get<int>() + 1;
  }
  return {{"nodes", nodes}};
}

}  // namespace factosim
