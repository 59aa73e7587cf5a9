#include "simulator/scenario/keys/cluster_keys.hpp"

#include <fmt/format.h>

#include <utility>

#include "platforms/platform_limits.hpp"
#include "platforms/presets.hpp"
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
  auto const later = [](char const* source, int rank = 2) {
    return FieldRules<O>{.source = source, .echo = Echo::if_changed, .rank = rank};
  };
  auto const out_of_core = [](O const& o) { return o.out_of_core; };
  return {
      field<&O::submission_cost>("submission_cost_s",
                                 "per task, in the thread that submits, one after the other",
                                 {.source = "StarPU core/task.c"}),
      field<&O::push_cost>("push_cost_s", "per task that becomes ready, in the thread that made it ready",
                           {.source = "StarPU core/sched_policy.c"}),
      field<&O::fetch_cost>("fetch_cost_s", "per operand, in the worker",
                            {.source = "StarPU datawizard/coherency.c"}),
      field<&O::progress_cost>("progress_cost_s",
                               "per round of a driver's data management and memory node it looks "
                               "after: a core its RAM, a GPU all RAMs and its own memory",
                               {.source = "StarPU datawizard/datawizard.c"}),
      field<&O::wont_use_cost>("wont_use_cost_s", "per write-back hint, in the worker"),
      field<&O::gpu_queue_cost>("gpu_queue_cost_s",
                                "per kernel or transfer put on a GPU's stream, in its driver",
                                {.source = "StarPU core/simgrid.c"}),
      field<&O::gpu_malloc_cost>("gpu_malloc_cost_s", "per allocation on a GPU, one at a time on a node",
                                 {.source = "StarPU drivers/cuda/driver_cuda.c"}),
      field<&O::gpu_free_cost>("gpu_free_cost_s",
                               "per tile of more than 4 MiB whose memory on a GPU is released to "
                               "make room, one at a time on a node"),
      field<&O::pinning_cost>(
          "pinning_cost_s",
          "per MiB of RAM that is page-locked for received tiles, on nodes with GPUs: at submission, by "
          "workers of the node; chunks of 32 MiB one at a time, tiles of more than 4 MiB one by one",
          {.source = "StarPU datawizard/malloc.c"}),
      field<&O::buffer_round>("buffer_round_s",
                              "time after which a round of a driver pins no further receive buffer",
                              later("StarPU datawizard/data_request.h, `MAX_PUSH_TIME`")),
      field<&O::host_alloc_cost>(
          "host_alloc_cost_s_per_MiB", {rule::non_negative("s/MiB")},
          "cost of RAM for all tiles on nodes with GPUs, pinned one piece at a time by the "
          "thread that needs it; above 0 it replaces `pinning_cost_s`",
          {.source = "StarPU datawizard/malloc.c"}),
      field<&O::gpu_pipeline>("gpu_pipeline", {rule::integer(0, most, "tasks")},
                              "tasks that a GPU holds at once; 0: the driver waits for each kernel"),
      field<&O::fetch_limit>(
          "fetch_limit", {rule::integer(1, most, "copies")},
          "copies in flight per driver, peer and direction above which urgent requests wait"),
      field<&O::prefetch_limit>("prefetch_limit", {rule::integer(1, most, "copies")},
                                "the same for prefetches"),
      field<&O::idle_limit>("idle_limit", {rule::integer(1, most, "copies")}, "the same for idle copies"),
      field<&O::max_gpus>("max_gpus", {rule::integer(0, most, "GPUs")},
                          "GPUs that each node uses, the first ones"),
      field<&O::cores_per_gpu>("cores_per_gpu", {rule::integer(0, most, "cores")},
                               "cores that each GPU's driver takes"),
      field<&O::workers_per_gpu>(
          "workers_per_gpu", {rule::integer(1, 16, "workers")},
          "workers of each GPU (`STARPU_NWORKER_PER_CUDA`: StarPU over SimGrid reduces it to 1, as it "
          "does wherever drivers block), with a pipeline each; kernels in flight share the GPU as "
          "`gpu_sharing` says",
          later("StarPU configure.ac, drivers/cuda/driver_cuda.c")),
      field<&O::reserved_cores>("reserved_cores", {rule::integer(0, most, "cores")},
                                "cores of each node that run no task; 1 with `exageostat`"),
      field<&O::oversubscribed_workers>("oversubscribed_workers", {rule::integer(0, most, "workers")},
                                        "additional workers of each node on occupied cores, for "
                                        "all kernels but dcmg; 1 with `exageostat`"),
      field<&O::communication_cores>(
          "communication_cores", {rule::integer(0, most, "cores")},
          "cores of each node that handle messages, if there are several nodes; 0: they are "
          "handled beside a worker, where the platform has a `communication_thread`"),
      field<&O::max_submitted_tasks>(
          "max_submitted_tasks", {rule::integer(0, most, "tasks")},
          "submission stops while more than this number of submitted tasks are unfinished; 0: no limit",
          {.source = "StarPU core/task.c"}),
      field<&O::min_submitted_tasks>(
          "min_submitted_tasks", {rule::integer(0, most, "tasks")},
          "a stopped submission resumes at this number; less than `max_submitted_tasks`",
          {.source = "StarPU core/task.c"}),
      field<&O::prefetch>("prefetch", "inputs are transferred as soon as the worker is chosen"),
      field<&O::wont_use>("wont_use", "follow the application's write-back hints"),
      field<&O::out_of_core>(
          "out_of_core",
          "`false`: a node whose tiles exceed its `ram_bytes` ends the run with exit code 4; "
          "`true`: its disk holds what the RAM cannot, and copies are evicted and read back",
          {.source = "StarPU datawizard/memalloc.c, `STARPU_DISK_SWAP`"}),
      field<&O::allocate_at_submission>(
          "allocate_at_submission",
          "the submitting thread pins the RAM of a tile that its node receives, then continues; "
          "else the thread that needs it, as for tiles that tasks create and for those received "
          "once more. `true` with `exageostat` without memory optimisations",
          {.source = "StarPU datawizard/coherency.c"}),
      field<&O::chunk_cache>("chunk_cache",
                             "released RAM stays pinned for the next tile. `false` with "
                             "`exageostat` without memory optimisations"),
      field<&O::gpus_wait_for_pinning>(
          "gpus_wait_for_pinning",
          "a GPU's driver that starts a transfer waits for pinning in progress. `true` with "
          "`exageostat` without memory optimisations"),
      field<&O::pinning_waits_for_kernels>(
          "pinning_waits_for_kernels",
          "under `host_alloc_cost_s_per_MiB`, pinning of a tile, and without `chunk_cache` its "
          "release, begins once the kernels in flight on the GPUs of the node have ended; the "
          "caller waits. `true` with `exageostat` without memory optimisations",
          later("CUDA C++ Programming Guide, \"Implicit Synchronization\"")),
      field<&O::copies_wait_for_kernels>(
          "copies_wait_for_kernels",
          "once the memory of a GPU has been full, a copy to it begins when the kernel that it runs has "
          "ended. "
          "So it was on V100s; no rule of StarPU or of its simulation is known to do it",
          later("measured: tests/fidelity/README.md, \"V100s with little memory\"")),
      field<&O::late_receive_buffers>(
          "late_receive_buffers",
          "RAM for a message is page-locked when the message is announced, by the communication thread "
          "of its receiver; else when its receive is posted, by workers (`STARPU_MPI_MEM_LATE`)",
          later("StarPU 1.5 mpi/src/starpu_mpi.c")),
      field<&O::parallel_sends>("parallel_sends",
                                "the thread that has the data of a message in RAM posts it, as "
                                "long as fewer than `max_sends_per_node` are in flight; else the "
                                "communication thread (`STARPU_MPI_THREAD_MULTIPLE_SEND`). Set "
                                "it for real runs of 1.5 with MPICH or Open MPI from 4 on",
                                later("StarPU mpi/src/mpi/starpu_mpi_mpi.c")),
      field<&O::sorted_prefetches>(
          "sorted_prefetches",
          "a prefetch requests the operands of a task as they are sorted: the written one first, "
          "then by number; else in the order of the kernel's parameters",
          later("StarPU 1.5 datawizard/coherency.c")),
      field<&O::shared_requests>(
          "shared_requests",
          "tasks that need the same copy share the request that waits for it, so that a fetch brings it "
          "on behalf of all of them; else each has its own prefetch (from StarPU 1.4 on)",
          later("StarPU 1.3 datawizard/coherency.c, _starpu_search_existing_data_request")),
      field<&O::unrolling>(
          "unrolling",
          "tasks of which a node pays the submission: `whole`, all of the flow; `pruned`, those that it "
          "runs or that access what it owns; `own`, those that it runs (as StarPU over SimGrid)"),
      field<&O::gpu_sharing, gpu_sharing_names>(
          "gpu_sharing",
          "what the kernels in flight on a GPU with several workers have of it: `equal` parts, "
          "as in StarPU's simulation; `occupancy`, max-min fair parts, of which none is larger "
          "than what the kernel uses alone: its rate of operations over the best one that is "
          "known for that GPU and precision (see `scenarios/guide/model.md`)",
          later("StarPU core/simgrid.c", 3)),
      field<&O::gpu_memory_fraction>("gpu_memory_fraction", {rule::positive("", 1)},
                                     "fraction of a GPU's memory that tiles may use"),
      field<&O::preallocated_ram>("preallocated_ram_fraction", {rule::number(0, 1)},
                                  "fraction of the RAM that is pinned before the start; 0.5 with "
                                  "`exageostat` with memory optimisations"),
      field<&O::version>(
          "version",
          "version of StarPU whose defaults the keys have. What differs: `scenarios/guide/versions.md`",
          {.echo = Echo::if_changed, .rank = 1}),
      field<&O::eviction>("eviction", {rule::word(names_of(described_evictions()))},
                          "who chooses the copies that leave a full GPU memory; the rules are in "
                          "`simulator/runtime/eviction/README.md`",
                          later("StarPU 1.5 datawizard/memalloc.c", 3)),
      field<&O::ram_limit>("ram_limit_bytes", {rule::integer(1, max_bytes, "B")},
                           "RAM of each node that tiles may use",
                           {.default_text = "`ram_bytes` of the platform",
                            .source = "StarPU `STARPU_LIMIT_CPU_MEM`",
                            .echo = Echo::if_changed,
                            .rank = 5}),
      field<O>(
          "disk", {rule::object(table_of<DiskSpec>), rule::path()},
          "with `out_of_core`: the disk of each node, or the name of one (`factosim list "
          "disks`), or the path of such a file",
          {.default_text = "that of the platform, else `sata-ssd`",
           .rank = 6,
           .applies = out_of_core,
           .read = [](JsonReader const& json, O& o) { o.disk = read_disk(json); },
           .write = [](O const& o) { return o.disk ? effective_disk(*o.disk) : nlohmann::ordered_json(); }}),
      field<&O::disk_prediction, disk_prediction_names>(
          "disk_prediction",
          "what policies believe about copies to and from a disk: `rates`, its bandwidths; "
          "`free`, that they take no time, as StarPU does in simulation",
          {.rank = 6, .applies = out_of_core}),
      field<&O::data_starts_on_disk, initial_data_names>(
          "initial_data",
          "with `out_of_core`, where the tiles are at the start: `ram`, in the order of the data "
          "as long as there is room, the others on the disk; `disk`, all on the disk",
          {.rank = 6, .applies = out_of_core})};
}

}  // namespace

Object<RuntimeOptions> const& object_of(RuntimeOptions const* /*any*/) {
  static Object<RuntimeOptions> const object(
      "runtime",
      "Costs and behaviour of the runtime system. A cost of 0 disables it. The defaults are "
      "those of StarPU 1.4 unless `version` says otherwise; `exageostat` and costs in the "
      "platform change some of them.",
      runtime_fields());
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
      "noise",
      "How durations of kernels differ from their means. Instead of the object, the name of a "
      "distribution may be given.",
      {field<&O::distribution>("distribution",
                               "of single executions: `normal` (within 10 and 190 % of the mean) or "
                               "`lognormal`, with the timing's deviation; `empirical`, from its `samples_s`; "
                               "`calibrated`, all that `factosim calibrate` wrote into the kernel file"),
       field<O>("type", usual_rules<NoiseDistribution>(),
                "the same as `distribution`; one of them may be given",
                {.read = [](JsonReader const& json, O& o) { read_value(json, o.distribution); }}),
       field<&O::scale>("scale", {rule::number(0, 1000)},
                        "multiplies the deviation, or an empirical draw's distance from the "
                        "mean; with `calibrated`, all deviations"),
       field<&O::first_execution_factor>("first_execution_factor", {rule::number(1, 1e6)},
                                         "factor of the first execution of each kernel on each worker", own),
       field<&O::worker_speed_deviation>("worker_speed_deviation", {rule::number(0, 1000)},
                                         "relative deviation of a lognormal factor of mean "
                                         "1, drawn once for each worker in each run",
                                         own),
       field<&O::run_speed_deviation>("run_speed_deviation", {rule::number(0, 1000)},
                                      "the same of a factor common to all workers, drawn once for each run",
                                      of_run),
       field<&O::duration_precision>(
           "duration_precision", {rule::number(0, 0.5)},
           "relative precision of durations: each execution is multiplied by a number of "
           "its own, uniform within 1 ± the precision; 1e-6 breaks ties and changes nothing "
           "else. With every distribution",
           {.echo = Echo::if_changed}),
       field<&O::overhead_precision>(
           "overhead_precision", {rule::number(0, 1)},
           "relative precision of the costs in `runtime`: one such factor for each cost in "
           "each run. With every distribution",
           {.echo = Echo::if_changed})},
      {}, "distribution");
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
