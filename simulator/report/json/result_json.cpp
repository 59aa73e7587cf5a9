#include "simulator/report/json/result_json.hpp"

#include <algorithm>
#include <initializer_list>

#include "simulator/report/json/shown_fields.hpp"

namespace factosim {

using namespace shown_fields;

namespace {

ValueRules const share{rule::number(0, 1)}, measure{rule::non_negative()}, any_measure{rule::any_number()},
    joules{rule::non_negative("J")}, texts_by_name{rule::map({rule::text()})};

}  // namespace

namespace {

Object<Bounds> const& problem_bounds() {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds of the problem", "They hold for any distribution and policy on these nodes.",
      {shown<&B::abe>("area_s", "all tasks divided over all workers, by a linear program"),
       shown<&B::problem_path>(
           "path_s", "longest chain of tasks, each on the fastest worker of all nodes, messages free"),
       shown<&B::problem_area_and_path>(
           "area_and_path_s",
           "chain and area bound of the tasks that follow it, the largest of all chains")});
  return out;
}

Object<Bounds> const& distribution_bounds() {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds of the distribution", "They hold for any policy with these owners.",
      {computed<B>("most_loaded_node_s", "area bound of the tasks of the most loaded node",
                   usual_rules<Seconds>(), &B::most_loaded_node),
       shown<&B::critical_path>("path_s", "longest chain, each task on the fastest worker of its owner"),
       shown<&B::critical_path_with_comm>("path_with_messages_s", "the same, with messages between nodes"),
       shown<&B::load_and_path>("load_and_path_s", "as `area_and_path_s`, for the tasks of one node"),
       computed<B>(
           "link_s", "all messages over the fullest link", usual_rules<Seconds>(),
           [](B const& b) { return b.link_name.empty() ? Json() : Json(b.link.value); }, some),
       computed<B>(
           "link", "name of the fullest link", {rule::text()},
           [](B const& b) { return b.link_name.empty() ? Json() : Json(b.link_name); }, some)});
  return out;
}

}  // namespace

static Object<Bounds> const& object_of(Bounds const* /*any*/) {
  using B = Bounds;
  static auto const out = object<B>(
      "bounds", "Lower bounds of the makespan, by the mean durations.",
      {shown<&B::abe>("abe_s", "area bound of all workers"),
       shown<&B::abe_per_node>("abe_per_node_s", "area bound of each node's tasks"),
       shown<&B::critical_path>("critical_path_s",
                                "longest chain of dependent tasks, each on the fastest worker of its node"),
       shown<&B::critical_path_with_comm>("critical_path_with_comm_s", "the same with messages"),
       computed<B>("problem_s", "tightest bound for any distribution and policy, at most the makespan",
                   usual_rules<Seconds>(), &B::problem),
       inner<B, problem_bounds>("problem", "its parts"),
       computed<B>("distribution_s", "tightest bound for this distribution, at most the makespan",
                   usual_rules<Seconds>(), &B::distribution),
       inner<B, distribution_bounds>("distribution", "its parts"),
       foreign<B>("beaten",
                  "`true` beside a makespan below a bound: the durations were drawn or recorded, and the "
                  "bounds are of their means",
                  {rule::boolean()}, some)});
  return out;
}

static Object<Result::Diagnosis::Limit> const& object_of(Result::Diagnosis::Limit const* /*any*/) {
  using L = Result::Diagnosis::Limit;
  static auto const out = object<L>(
      "limit", "A constraint.",
      {shown<&L::name>("limit", "its name"),
       shown<&L::share>("share", "share of the makespan that its removal alone would save", share),
       shown<&L::simulated>(
           "simulated", "`true`: the share is that of a simulation without it; `false`: estimated, at best",
           {rule::boolean()})});
  return out;
}

static Object<Result::Diagnosis> const& object_of(Result::Diagnosis const* /*any*/) {
  using D = Result::Diagnosis;
  static auto const out = object<D>(
      "diagnosis", "What limits the run.",
      {shown<&D::limit>("limit",
                        "constraint whose removal would shorten the run most, or `none`; `unknown` where "
                        "formulas gave the tasks"),
       shown<&D::share>("share", "share of the makespan that its removal would save", share),
       shown<&D::text>("text", "explanation"),
       list<&D::limits>("limits",
                        "all that save a twentieth alone, or were simulated; together they save less", 0)});
  return out;
}

static Object<Result::Node> const& object_of(Result::Node const* /*any*/) {
  using N = Result::Node;
  using E = Result::Energy;
  static auto const out = object<N>(
      "node of a result", "What a node did.",
      {shown<&N::id>("id", "number of the node", counted("")), shown<&N::type>("type", "its node type"),
       shown<&N::workers>("workers", "workers that ran tasks or could", counted("workers")),
       shown<&N::tasks>("tasks", "tasks that ran", counted("tasks")),
       tasks_by_name<&N::tasks_by_worker>("tasks_by_worker", "tasks of each GPU and of all cores (`cpu`)"),
       shown<&N::busy>("busy_s", "sum of the durations of kernels"),
       shown<&N::gpu_busy>("gpu_busy_s", "the same of kernels on GPUs, where there are any",
                           {rule::non_negative("s")}, some),
       computed<N>(
           "gpu_workers", "workers on GPUs, where there are any", counted("workers"),
           [](N const& n) { return n.gpu_busy ? std::optional(n.gpu_workers) : std::nullopt; }, some),
       shown<&N::first_task>("first_task_s", "start of the first kernel"),
       shown<&N::last_task>("last_task_s", "end of the last kernel"),
       shown<&N::activity>("activity_s", "time between them"),
       shown<&N::tiles_sent>("tiles_sent", "tiles sent to other nodes", counted("tiles")),
       shown<&N::tiles_received>("tiles_received", "tiles received from other nodes", counted("tiles")),
       shown<&N::peak_memory_bytes>("peak_memory_bytes", "maximum size of the tiles in RAM", counted("B")),
       shown<&N::over_memory_bytes>("over_memory_bytes", "excess of the maximum over `ram_bytes`",
                                    counted("B")),
       part<&N::energy, &E::total>("energy_J", "energy, where powers are known", joules, some_last),
       part<&N::energy, &E::total_with_power_off>("energy_with_power_off_J",
                                                  "the same with nodes that power off", joules, some_last),
       part<&N::disk, &Result::DiskUse::read>("disk_read_bytes", "copies from the disk of a node out of core",
                                              counted("B"), some),
       part<&N::disk, &Result::DiskUse::written>("disk_written_bytes", "copies to it", counted("B"), some)});
  return out;
}

static Object<Result::Messages> const& object_of(Result::Messages const* /*any*/) {
  using M = Result::Messages;
  static auto const out = object<M>("messages", "Messages between nodes of one kind.",
                                    {shown<&M::from>("from", "phase that wrote the data"),
                                     shown<&M::to>("to", "first phase that reads them"),
                                     shown<&M::data>("data", "`tile`, `vector`, `accumulator` or `scalar`"),
                                     shown<&M::count>("count", "number of messages", counted("messages")),
                                     shown<&M::bytes>("bytes", "their sizes", counted("B"))});
  return out;
}

static Object<Result::Energy> const& object_of(Result::Energy const* /*any*/) {
  using E = Result::Energy;
  static auto const out = object<E>(
      "energy", "Energy of all nodes.",
      {shown<&E::total>("total_J", "sum of the next two", joules),
       shown<&E::idle>("idle_J", "every node on until the makespan", joules),
       shown<&E::busy>("busy_J", "kernels, above idle", joules),
       shown<&E::total_with_power_off>("total_with_power_off_J",
                                       "nodes are powered off after their last task and message", joules),
       shown<&E::powered_off_nodes>("powered_off_nodes", "some node is off before the makespan"),
       shown<&E::co2>("co2_g", "CO2 of the total, where `co2_g_per_kWh` is given", {rule::non_negative("g")},
                      some)});
  return out;
}

static Object<Spread> const& object_of(Spread const* /*any*/) {
  using S = Spread;
  static auto const out = object<S>(
      "spread", "Mean and intervals of repeated simulations.",
      {shown<&S::mean>("mean", "mean", measure),
       shown<&S::deviation>("deviation", "standard deviation", measure),
       shown<&S::ci95_low>("ci95_low", "begin of the 95 % confidence interval of the mean", any_measure),
       shown<&S::ci95_high>("ci95_high", "its end", any_measure),
       shown<&S::prediction_low>("prediction_low", "begin of the prediction interval of one run",
                                 any_measure),
       shown<&S::prediction_high>("prediction_high", "its end", any_measure),
       shown<&S::values>("values", "value of each run", {rule::array(measure)})});
  return out;
}

static Object<Replicas> const& object_of(Replicas const* /*any*/) {
  using R = Replicas;
  static auto const out = object<R>(
      "replicas", "Repetitions with further seeds (`--replicas`).",
      {computed<R>("count", "number of runs", counted("runs"), [](R const& r) { return r.seeds.size(); }),
       shown<&R::seeds>("seeds", "their seeds", {rule::array(counted(""))}),
       shown<&R::interval>("interval", "probability of the prediction interval", share),
       shown<&R::makespan_s>("makespan_s", "makespans"), shown<&R::gflops>("gflops", "rates")});
  return out;
}

static Object<Sensitivity> const& object_of(Sensitivity const* /*any*/) {
  using S = Sensitivity;
  static auto const out = object<S>(
      "sensitivity", "Repetitions within the precision of the inputs (`--sensitivity`).",
      {computed<S>("count", "perturbed runs", counted("runs"),
                   [](S const& s) { return s.makespan_s.values.size(); }),
       shown<&S::duration_precision>("duration_precision", "relative precision of durations",
                                     {rule::number(0, 0.5)}),
       shown<&S::overhead_precision>("overhead_precision", "relative precision of costs", share),
       shown<&S::interval>("interval", "probability of the prediction interval", share),
       shown<&S::relative>("relative", "half of the prediction interval over the makespan", measure),
       shown<&S::makespan_s>("makespan_s", "makespans")});
  return out;
}

static Object<Result::Detail::Window> const& object_of(Result::Detail::Window const* /*any*/) {
  using W = Result::Detail::Window;
  static auto const out = object<W>("window of an estimate", "Iterations that were simulated alone.",
                                    {shown<&W::first>("first", "first iteration", counted("")),
                                     shown<&W::end>("end", "one past the last iteration", counted("")),
                                     shown<&W::tasks>("tasks", "their tasks", counted("tasks")),
                                     shown<&W::makespan>("makespan_s", "their makespan"),
                                     shown<&W::bound>("bound_s", "its tightest bound for the distribution")});
  return out;
}

static Object<Result::Detail> const& object_of(Result::Detail const* /*any*/) {
  using D = Result::Detail;
  static auto const out = object<D>(
      "estimate",
      "How the makespan was estimated, where not every task was simulated (`detail` of the scenario).",
      {shown<&D::type>("type", "as in the scenario"),
       shown<&D::error_relative>(
           "error_relative", "expected relative error of the makespan; 0: all tasks were simulated", measure),
       shown<&D::error_text>("error_text", "where the error comes from"),
       shown<&D::tasks_simulated>("tasks_simulated", "tasks in all windows", counted("tasks")),
       list<&D::windows>("windows", "what was simulated, in this order")});
  return out;
}

static Object<Result::Cost> const& object_of(Result::Cost const* /*any*/) {
  using C = Result::Cost;
  static auto const out = object<C>(
      "simulation", "Cost of the simulation itself, and checksums.",
      {shown<&C::cpu_s>("cpu_s", "processor time", usual_rules<Seconds>()),
       shown<&C::wall_s>("wall_s", "elapsed time", usual_rules<Seconds>()),
       shown<&C::tasks_per_s>("tasks_per_s", "tasks per second of processor time",
                              {rule::non_negative("1/s")}),
       shown<&C::peak_rss_bytes>("peak_rss_bytes", "maximum memory", counted("B")),
       // When the file is written (base/core/content_hash.hpp):
       foreign<C>("checksum", "XXH3 (64 bits) of all other lines of the file", {rule::text()}, some),
       foreign<C>("files", "the same of each file written beside it", texts_by_name, some)});
  return out;
}

static Object<Result::Provenance> const& object_of(Result::Provenance const* /*any*/) {
  using P = Result::Provenance;
  static auto const out = object<P>(
      "provenance", "Where a result comes from.",
      {shown<&P::program>("factosim", "version of the program"), shown<&P::revision>("git", "its revision"),
       shown<&P::simgrid>("simgrid", "version of SimGrid"),
       shown<&P::scenario>("scenario", "path of the scenario"),
       shown<&P::settings>("settings", "what `--set` replaced"),
       shown<&P::seed>("seed", "seed of everything that was drawn", counted("")),
       shown<&P::options>("options", "effective options: every key with its value",
                          {rule::map({rule::any()})}, last),
       shown<&P::network_settings>("network_settings", "settings of the network's library", texts_by_name,
                                   some_last),
       shown<&P::timings>("timings", "sources of the durations, one for each machine",
                          {rule::array({rule::any()})}, last),
       shown<&P::network>("network", "source of a network that is not the machines' own",
                          {rule::map({rule::any()})}, some_last),
       shown<&P::platform>("platform", "files of platforms that are given by name", {}, some),
       foreign<P>("python", "of Python: its version, a scenario that was no file, the class of a policy",
                  {rule::map({rule::any()})}, some)});
  return out;
}

namespace {

Object<Result> const& transfers() {
  using R = Result;
  static auto const out =
      object<R>("transfers", "Copies inside nodes.",
                {shown<&R::host_to_device>("h2d_bytes", "RAM to GPU", counted("B")),
                 shown<&R::device_to_host>("d2h_bytes", "GPU to RAM", counted("B")),
                 shown<&R::device_to_device>("d2d_bytes", "GPU to GPU", counted("B")),
                 shown<&R::host_to_host>("h2h_bytes", "between NUMA nodes", counted("B"))});
  return out;
}

Json bounds_beside_makespan(Result const& r) {
  Json out = written(r.bounds);
  if (r.bounds.distribution() > r.makespan) out["beaten"] = true;
  return out;
}

/// The results that have some keys.
enum class Of { all, task_graphs, estimates, dated_tasks, experiments };

struct ResultPart {
  Of of;
  Fields<Result> fields;
};

/// All keys, in the order of the file.
std::vector<ResultPart> const& result_parts() {
  using R = Result;
  static std::vector<ResultPart> const parts{
      {Of::all,
       {computed<R>("format", "kind of the file", {rule::word({"factosim-result"})},
                    [](R const& /*r*/) { return "factosim-result"; }),
        computed<R>("version", "version of the format", {rule::integer(1, 1)},
                    [](R const& /*r*/) { return 1; }),
        shown<&R::name>("name", "name of the scenario"),
        shown<&R::estimate>(
            "estimate",
            "a timing or a machine in use is assumed, not measured, or the makespan is an estimate"),
        shown<&R::makespan>("makespan_s", "from the first submission to the end of the last kernel")}},
      {Of::task_graphs,
       {shown<&R::gflops>("gflops", "operations over the makespan", {rule::non_negative("Gflop/s")})}},
      {Of::all,
       {shown<&R::tasks>("tasks", "tasks that ran; slices of a ring, blocks of a loop", counted("tasks"))}},
      {Of::task_graphs,
       {tasks_by_name<&R::tasks_by_kernel>("tasks_by_kernel", "tasks by kernel"),
        shown<&R::tiles_sent>("tiles_sent", "tiles between nodes: one per version and destination",
                              counted("tiles")),
        shown<&R::bytes_sent>("bytes_sent", "their sizes", counted("B")),
        computed<R>("bounds", "lower bounds of the makespan", rules_of<Bounds>(), bounds_beside_makespan),
        shown<&R::diagnosis>("diagnosis", "what limits the run")}},
      {Of::estimates, {shown<&R::detail>("detail", "how the makespan was estimated")}},
      {Of::dated_tasks,
       {shown<&R::utilization>("utilization", "busy time over workers × time", measure),
        shown<&R::utilization_first_90>("utilization_first_90", "the same of the first 90 % of the makespan",
                                        measure),
        shown<&R::activity>("activity_s", "time from the first to the last task, summed over nodes"),
        shown<&R::nodes>("nodes", "what each node did"),
        inner<R, transfers>("transfers", "copies inside nodes")}},
      {Of::task_graphs,
       {list<&R::messages>("messages", "messages by phases, where the application has several")}},
      {Of::dated_tasks,
       {shown<&R::energy>("energy", "energy, where every node has a `power`", {}, some),
        shown<&R::replicas>("replicas", "with `--replicas`", {}, some),
        shown<&R::sensitivity>("sensitivity", "with `--sensitivity`", {}, some)}},
      {Of::experiments,
       {computed<R>("metrics", "numbers by name, columns of sweeps", {rule::map(any_measure)},
                    [](R const& r) { return r.experiment->metrics; }),
        // Written with the other sections:
        foreign<R>("nodes", "what each processor or worker did", {rule::array({rule::any()})})}},
      {Of::all,
       {list<&R::findings>("findings", "oddities and omissions of the data in use", 1),
        shown<&R::cost>("simulation", "cost of the simulation"),
        shown<&R::provenance>("provenance", "versions, options and sources")}}};
  return parts;
}

std::vector<Key> keys_of_results(std::initializer_list<Of> kinds) {
  Fields<Result> out;
  for (ResultPart const& part : result_parts())
    if (std::ranges::find(kinds, part.of) != kinds.end()) out += part.fields;
  return keys_of(out);
}

bool is_of(Result const& r, Of kind) {
  bool const tasks = !r.experiment, estimate = tasks && r.detail;
  return kind == Of::all || (kind == Of::task_graphs && tasks) || (kind == Of::estimates && estimate) ||
         (kind == Of::dated_tasks && tasks && !estimate) || (kind == Of::experiments && !tasks);
}

}  // namespace

ObjectKeys const& result_table() {
  static ObjectKeys const table{
      .title = "result",
      .meaning = "What a run writes, `result.json`. `factosim-result`, version 1.",
      .keys = keys_of_results({Of::all}),
      .variants = {
          {.selector = "detail",
           .word = "",
           .keys = keys_of_results({Of::task_graphs, Of::estimates}),
           .meaning = "Of a task graph, estimated: what only the dates of all tasks tell is left out."},
          {.selector = "gflops",
           .word = "",
           .keys = keys_of_results({Of::task_graphs, Of::dated_tasks}),
           .meaning = "Of a task graph."},
          {.selector = "metrics",
           .word = "",
           .keys = keys_of_results({Of::experiments}),
           .meaning =
               "Of a ring or a data-parallel loop; further sections are described with these applications.",
           .other_names = "^[a-z_]+$",
           .others = {rule::any()}}}};
  return table;
}

Json bounds_json(Bounds const& bounds) { return written(bounds); }

Json result_json(Result const& r) {
  Json out = Json::object();
  for (ResultPart const& part : result_parts()) {
    if (!is_of(r, part.of)) continue;
    write_fields(out, part.fields, r);
    if (part.of == Of::experiments) out.update(r.experiment->sections);
  }
  return out;
}

}  // namespace factosim
