#include "simulator/scenario/keys/cluster_keys.hpp"

#include <fmt/format.h>

#include <utility>

#include "platforms/disk_preset.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/runtime/eviction/eviction_policies.hpp"

namespace factosim {

namespace {

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

Fields<RuntimeOptions> runtime_fields() {
  using O = RuntimeOptions;
  constexpr int most = 1'000'000;
  // Came later: last among effective options, and only where they have another value than the default, so that the
  // options of older runs stay what they were.
  FieldRules<O> const later{.echo = Echo::if_changed, .rank = 2};
  FieldRules<O> const last{.echo = Echo::if_changed, .rank = 3};
  auto const out_of_core = [](O const& o) { return o.out_of_core; };
  return {
      field<&O::submission_cost>({.name = "submission_cost_s",
                                  .meaning = "per task, in the thread that submits, one after the other",
                                  .source = "StarPU core/task.c"}),
      field<&O::push_cost>({.name = "push_cost_s",
                            .meaning = "per task that becomes ready, in the worker that made it ready",
                            .source = "StarPU core/sched_policy.c"}),
      field<&O::fetch_cost>({.name = "fetch_cost_s",
                             .meaning = "per operand, in the worker",
                             .source = "StarPU datawizard/coherency.c"}),
      field<&O::progress_cost>({.name = "progress_cost_s",
                                .meaning = "per round of a driver's data management and memory node it looks "
                                           "after: a core its RAM, a GPU all RAMs and its own memory",
                                .source = "StarPU datawizard/datawizard.c"}),
      field<&O::wont_use_cost>({.name = "wont_use_cost_s", .meaning = "per write-back hint, in the worker"}),
      field<&O::gpu_queue_cost>({.name = "gpu_queue_cost_s",
                                 .meaning = "per kernel or transfer put on a GPU's stream, in its driver",
                                 .source = "StarPU core/simgrid.c"}),
      field<&O::gpu_malloc_cost>({.name = "gpu_malloc_cost_s",
                                  .meaning = "per allocation on a GPU, one at a time on a node",
                                  .source = "StarPU drivers/cuda/driver_cuda.c"}),
      field<&O::gpu_free_cost>({.name = "gpu_free_cost_s",
                                .meaning = "per tile of more than 4 MiB whose memory on a GPU is released to "
                                           "make room, one at a time on a node"}),
      field<&O::pinning_cost>(
          {.name = "pinning_cost_s",
           .meaning =
               "per MiB of RAM that is page-locked for received tiles, on nodes with GPUs: at submission, by "
               "workers of the node; chunks of 32 MiB one at a time, tiles of more than 4 MiB one by one",
           .source = "StarPU datawizard/malloc.c"}),
      field<&O::buffer_round>(
          {.name = "buffer_round_s",
           .meaning = "time after which a round of a driver pins no further receive buffer",
           .source = "StarPU datawizard/data_request.h, `MAX_PUSH_TIME`"},
          later),
      field<&O::host_alloc_cost>(
          {.name = "host_alloc_cost_s_per_MiB",
           .value = {rule::non_negative("s/MiB")},
           .meaning = "cost of RAM for all tiles on nodes with GPUs, pinned one piece at a time by the "
                      "thread that needs it; above 0 it replaces `pinning_cost_s`",
           .source = "StarPU datawizard/malloc.c"}),
      field<&O::gpu_pipeline>(
          {.name = "gpu_pipeline",
           .value = {rule::integer(0, most, "tasks")},
           .meaning = "tasks that a GPU holds at once; 0: the driver waits for each kernel"}),
      field<&O::fetch_limit>(
          {.name = "fetch_limit",
           .value = {rule::integer(1, most, "copies")},
           .meaning = "copies in flight per driver, peer and direction above which urgent requests wait"}),
      field<&O::prefetch_limit>({.name = "prefetch_limit",
                                 .value = {rule::integer(1, most, "copies")},
                                 .meaning = "the same for prefetches"}),
      field<&O::idle_limit>({.name = "idle_limit",
                             .value = {rule::integer(1, most, "copies")},
                             .meaning = "the same for idle copies"}),
      field<&O::max_gpus>({.name = "max_gpus",
                           .value = {rule::integer(0, most, "GPUs")},
                           .meaning = "GPUs that each node uses, the first ones"}),
      field<&O::cores_per_gpu>({.name = "cores_per_gpu",
                                .value = {rule::integer(0, most, "cores")},
                                .meaning = "cores that each GPU's driver takes"}),
      field<&O::workers_per_gpu>(
          {.name = "workers_per_gpu",
           .value = {rule::integer(1, 16, "workers")},
           .meaning =
               "workers of each GPU (`STARPU_NWORKER_PER_CUDA`: StarPU over SimGrid reduces it to 1, as it "
               "does wherever drivers block), with a pipeline each; kernels in flight share the GPU as "
               "`gpu_sharing` says",
           .source = "StarPU configure.ac, drivers/cuda/driver_cuda.c"},
          later),
      field<&O::reserved_cores>({.name = "reserved_cores",
                                 .value = {rule::integer(0, most, "cores")},
                                 .meaning = "cores of each node that run no task; 1 with `exageostat`"}),
      field<&O::oversubscribed_workers>({.name = "oversubscribed_workers",
                                         .value = {rule::integer(0, most, "workers")},
                                         .meaning = "additional workers of each node on occupied cores, for "
                                                    "all kernels but dcmg; 1 with `exageostat`"}),
      field<&O::communication_cores>(
          {.name = "communication_cores",
           .value = {rule::integer(0, most, "cores")},
           .meaning = "cores of each node that handle messages, if there are several nodes; 0: they are "
                      "handled beside a worker, where the platform has a `communication_thread`"}),
      field<&O::max_submitted_tasks>(
          {.name = "max_submitted_tasks",
           .value = {rule::integer(0, most, "tasks")},
           .meaning =
               "submission stops while more than this number of submitted tasks are unfinished; 0: no limit",
           .source = "StarPU core/task.c"}),
      field<&O::min_submitted_tasks>(
          {.name = "min_submitted_tasks",
           .value = {rule::integer(0, most, "tasks")},
           .meaning = "a stopped submission resumes at this number; less than `max_submitted_tasks`",
           .source = "StarPU core/task.c"}),
      field<&O::prefetch>(
          {.name = "prefetch", .meaning = "inputs are transferred as soon as the worker is chosen"}),
      field<&O::wont_use>({.name = "wont_use", .meaning = "follow the application's write-back hints"}),
      field<&O::out_of_core>(
          {.name = "out_of_core",
           .meaning = "`false`: a node whose tiles exceed its `ram_bytes` ends the run with exit code 4; "
                      "`true`: its disk holds what the RAM cannot, and copies are evicted and read back",
           .source = "StarPU datawizard/memalloc.c, `STARPU_DISK_SWAP`"}),
      field<&O::allocate_at_submission>(
          {.name = "allocate_at_submission",
           .meaning = "the submitting thread pins the RAM of a tile that its node receives, then continues; "
                      "else the thread that needs it, as for tiles that tasks create and for those received "
                      "once more. `true` with `exageostat` without memory optimisations",
           .source = "StarPU datawizard/coherency.c"}),
      field<&O::chunk_cache>({.name = "chunk_cache",
                              .meaning = "released RAM stays pinned for the next tile. `false` with "
                                         "`exageostat` without memory optimisations"}),
      field<&O::gpus_wait_for_pinning>(
          {.name = "gpus_wait_for_pinning",
           .meaning = "a GPU's driver that starts a transfer waits for pinning in progress. `true` with "
                      "`exageostat` without memory optimisations"}),
      field<&O::pinning_waits_for_kernels>(
          {.name = "pinning_waits_for_kernels",
           .meaning = "under `host_alloc_cost_s_per_MiB`, pinning of a tile, and without `chunk_cache` its "
                      "release, begins once the kernels in flight on the GPUs of the node have ended; the "
                      "caller waits. `true` with `exageostat` without memory optimisations",
           .source = "CUDA C++ Programming Guide, \"Implicit Synchronization\""},
          later),
      field<&O::late_receive_buffers>(
          {.name = "late_receive_buffers",
           .meaning =
               "RAM for a message is page-locked when the message is announced, by the communication thread "
               "of its receiver; else when its receive is posted, by workers (`STARPU_MPI_MEM_LATE`)",
           .source = "StarPU 1.5 mpi/src/starpu_mpi.c"},
          later),
      field<&O::parallel_sends>({.name = "parallel_sends",
                                 .meaning = "the thread that has the data of a message in RAM posts it, as "
                                            "long as fewer than `max_sends_per_node` are in flight; else the "
                                            "communication thread (`STARPU_MPI_THREAD_MULTIPLE_SEND`). Set "
                                            "it for real runs of 1.5 with MPICH or Open MPI from 4 on",
                                 .source = "StarPU mpi/src/mpi/starpu_mpi_mpi.c"},
                                later),
      field<&O::sorted_prefetches>(
          {.name = "sorted_prefetches",
           .meaning = "a prefetch requests the operands of a task as they are sorted: the written one first, "
                      "then by number; else in the order of the kernel's parameters",
           .source = "StarPU 1.5 datawizard/coherency.c"},
          later),
      field<&O::unrolling>(
          {.name = "unrolling",
           .meaning =
               "tasks of which a node pays the submission: `whole`, all of the flow; `pruned`, those that it "
               "runs or that access what it owns; `own`, those that it runs (as StarPU over SimGrid)"}),
      field<&O::gpu_sharing, gpu_sharing_names>(
          {.name = "gpu_sharing",
           .meaning = "what the kernels in flight on a GPU with several workers have of it: `equal` parts, "
                      "as in StarPU's simulation; `occupancy`, max-min fair parts, of which none is larger "
                      "than what the kernel uses alone: its rate of operations over the best one that is "
                      "known for that GPU and precision (see `scenarios/guide/model.md`)",
           .source = "StarPU core/simgrid.c"},
          last),
      field<&O::gpu_memory_fraction>({.name = "gpu_memory_fraction",
                                      .value = {rule::positive("", 1)},
                                      .meaning = "fraction of a GPU's memory that tiles may use"}),
      field<&O::preallocated_ram>({.name = "preallocated_ram_fraction",
                                   .value = {rule::number(0, 1)},
                                   .meaning = "fraction of the RAM that is pinned before the start; 0.5 with "
                                              "`exageostat` with memory optimisations"}),
      field<&O::version>(
          {.name = "version",
           .meaning =
               "version of StarPU whose defaults the keys have. What differs: `scenarios/guide/versions.md`"},
          {.echo = Echo::if_changed, .rank = 1}),
      field<&O::eviction>({.name = "eviction",
                           .value = {rule::word(names_of(described_evictions()))},
                           .meaning = "who chooses the copies that leave a full GPU memory; the rules are in "
                                      "`simulator/runtime/eviction/README.md`",
                           .source = "StarPU 1.5 datawizard/memalloc.c"},
                          last),
      field<&O::ram_limit>({.name = "ram_limit_bytes",
                            .value = {rule::integer(1, max_bytes, "B")},
                            .meaning = "RAM of each node that tiles may use",
                            .default_text = "`ram_bytes` of the platform",
                            .source = "StarPU `STARPU_LIMIT_CPU_MEM`"},
                           {.echo = Echo::if_changed, .rank = 5}),
      field<O>(
          {.name = "disk",
           .value = {rule::object(table_of<DiskSpec>), rule::path()},
           .meaning = "with `out_of_core`: the disk of each node, or the name of one (`factosim list "
                      "disks`), or the path of such a file",
           .default_text = "that of the platform, else `sata-ssd`"},
          {.rank = 6,
           .applies = out_of_core,
           .read = [](JsonReader const& json, O& o) { o.disk = read_disk(json); },
           .write = [](O const& o) { return o.disk ? effective_disk(*o.disk) : nlohmann::ordered_json(); }}),
      field<&O::disk_prediction, disk_prediction_names>(
          {.name = "disk_prediction",
           .meaning = "what policies believe about copies to and from a disk: `rates`, its bandwidths; "
                      "`free`, that they take no time, as StarPU does in simulation"},
          {.rank = 6, .applies = out_of_core}),
      field<&O::data_starts_on_disk, initial_data_names>(
          {.name = "initial_data",
           .meaning = "with `out_of_core`, where the tiles are at the start: `ram`, in the order of the data "
                      "as long as there is room, the others on the disk; `disk`, all on the disk"},
          {.rank = 6, .applies = out_of_core})};
}

}  // namespace

Object<RuntimeOptions> const& object_of(RuntimeOptions const* /*any*/) {
  static Object<RuntimeOptions> const object(
      {.title = "runtime",
       .meaning = "Costs and behaviour of the runtime system. A cost of 0 disables it. The defaults are "
                  "those of StarPU 1.4 unless `version` says otherwise; `exageostat` and costs in the "
                  "platform change some of them.",
       .fields = runtime_fields()});
  return object;
}

RuntimeOptions read_runtime(JsonReader const& given, RuntimeOptions defaults) {
  JsonReader const json = given.by(rules_of<RuntimeOptions>);
  RuntimeOptions options = std::move(defaults);
  if (auto const version = json.find("version"))  // the other keys override its defaults
    options = with_version(std::move(options), names_of(RuntimeVersion{}).named(version->one_of()));
  read_object(json, options);
  if (options.min_submitted_tasks > 0 && options.min_submitted_tasks >= options.max_submitted_tasks)
    json.at("min_submitted_tasks", "fewer than \"max_submitted_tasks\"")
        .fail(
            fmt::format("is not below \"max_submitted_tasks\" ({}) (submission would never wait). Give less",
                        options.max_submitted_tasks));
  return options;
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

Object<NoiseOptions> const& object_of(NoiseOptions const* /*any*/) {
  using O = NoiseOptions;
  auto const calibrated = [](O const& o) { return o.distribution == NoiseDistribution::calibrated; };
  // Of executions: calibrated noise has its own.
  FieldRules<O> const own{
      .applies = [=](O const& o) { return !calibrated(o); },
      .check =
          [=](JsonReader const& json, O const& o) {
            if (calibrated(o))
              json.fail("stands beside calibrated noise (the kernel file has its own). Remove it");
          }};
  // Came later: listed only where it has an effect, so that the options of older runs stay what they were.
  FieldRules<O> of_run = own;
  of_run.applies = [=](O const& o) { return !calibrated(o) && o.run_speed_deviation > 0; };
  static Object<O> const object(
      {.title = "noise",
       .meaning = "How durations of kernels differ from their means. Instead of the object, the name of a "
                  "distribution may be given.",
       .fields =
           {field<&O::distribution>(
                {.name = "distribution",
                 .meaning = "of single executions: `normal` (within 10 and 190 % of the mean) or "
                            "`lognormal`, with the timing's deviation; `empirical`, from its `samples_s`; "
                            "`calibrated`, all that `factosim calibrate` wrote into the kernel file"}),
            field<O>({.name = "type",
                      .value = usual_rules<NoiseDistribution>(),
                      .meaning = "the same as `distribution`; one of them may be given"},
                     {.read = [](JsonReader const& json, O& o) { read_value(json, o.distribution); }}),
            field<&O::scale>({.name = "scale",
                              .value = {rule::number(0, 1000)},
                              .meaning = "multiplies the deviation, or an empirical draw's distance from the "
                                         "mean; with `calibrated`, all deviations"}),
            field<&O::first_execution_factor>(
                {.name = "first_execution_factor",
                 .value = {rule::number(1, 1e6)},
                 .meaning = "factor of the first execution of each kernel on each worker"},
                own),
            field<&O::worker_speed_deviation>({.name = "worker_speed_deviation",
                                               .value = {rule::number(0, 1000)},
                                               .meaning = "relative deviation of a lognormal factor of mean "
                                                          "1, drawn once for each worker in each run"},
                                              own),
            field<&O::run_speed_deviation>(
                {.name = "run_speed_deviation",
                 .value = {rule::number(0, 1000)},
                 .meaning = "the same of a factor common to all workers, drawn once for each run"},
                of_run),
            field<&O::duration_precision>(
                {.name = "duration_precision",
                 .value = {rule::number(0, 0.5)},
                 .meaning = "relative precision of durations: each execution is multiplied by a number of "
                            "its own, uniform within 1 ± the precision; 1e-6 breaks ties and changes nothing "
                            "else. With every distribution"},
                {.echo = Echo::if_changed}),
            field<&O::overhead_precision>(
                {.name = "overhead_precision",
                 .value = {rule::number(0, 1)},
                 .meaning = "relative precision of the costs in `runtime`: one such factor for each cost in "
                            "each run. With every distribution"},
                {.echo = Echo::if_changed})},
       .short_form = "distribution"});
  return object;
}

NoiseOptions read_noise(JsonReader const& given) {
  JsonReader const json = given.by(rules_of<NoiseOptions>);
  if (json.is_object() && json.find("distribution"))
    if (auto const type = json.find("type"))
      type->fail("stands beside \"distribution\" (both name it). Give one of them");
  return read_object<NoiseOptions>(json);
}

}  // namespace factosim
