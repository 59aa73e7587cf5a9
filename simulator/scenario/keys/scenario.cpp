#include "simulator/scenario/keys/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/estimated_timings.hpp"
#include "models/applications/tile_formats.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/memory_nodes.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/presets.hpp"
#include "platforms/shipped_files.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/removed.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"
#include "simulator/scenario/replay/replay.hpp"

namespace factosim {

namespace {

using Timings = ReplayOptions::Timings;

/// The keys of a task graph's scenario.
struct TaskKeys {
  JsonReader application;
  std::optional<JsonReader> platform, distribution, scheduler, runtime, noise, network, detail{};
};

/// `replay`: of a trace, which has neither a required platform nor "detail".
TaskKeys find_task_keys(JsonReader const& json, JsonReader const& application, bool replay) {
  TaskKeys keys{.application = application,
                .platform = !replay ? json.at("platform", "a path, or an object with \"file\" and \"nodes\"")
                                    : json.find("platform"),
                .distribution = json.find("distribution"),
                .scheduler = json.find("scheduler"),
                .runtime = json.find("runtime"),
                .noise = json.find("noise"),
                .network = json.find("network")};
  if (!replay) keys.detail = json.find("detail");
  json.finish();
  return keys;
}

/// Reads "network" and applies it to the platform and the options.
NetworkOverrides read_overrides(TaskKeys const& keys, ClusterOptions& cluster) {
  NetworkOverrides overrides =
      keys.network ? read_network(*keys.network, cluster.platform.nodes.size()) : NetworkOverrides{};
  cluster.platform = with_overrides(std::move(cluster.platform), overrides);
  cluster.runtime = with_overrides(cluster.runtime, overrides, cluster.platform.network);
  cluster.network = overrides.options;
  if (auto const where = keys.network ? keys.network : keys.platform)
    check_fabric(cluster.platform, cluster.network, *where);
  if (keys.network && cluster.platform.network.gpu_direct != GpuDirect::none &&
      cluster.runtime.broadcast != Broadcast::point_to_point)
    keys.network->at("broadcast")
        .fail(fmt::format("is \"{}\" beside \"gpu_direct\" (no rule says from which memory receivers forward "
                          "messages). Use point-to-point, or gpu_direct \"none\"",
                          name_of(cluster.runtime.broadcast)));
  return overrides;
}

/// Returns the timings in the kernel file of the node type. Throws InputError at the platform of `file` if it has none.
KernelModel read_model(NodeType const& type, std::string const& file) {
  if (type.kernels_file.empty())
    throw InputError(
        file + "#/platform",
        fmt::format("the node type \"{}\" has neither \"kernels\" nor \"cycle_time_s\" (the durations of its "
                    "kernels are not known). Give it one of them, or use another platform",
                    type.name));
  return read_kernel_model(type.kernels_file);
}

/// Returns the timings of all node types: those in its kernel file; those of the kernels, of a type with a cycle time.
/// Throws InputError at the platform of `file` if a type has neither.
std::vector<KernelModel> read_models(Platform const& platform, std::vector<Kernel> const& kernels,
                                     ApplicationParameters const& parameters, std::string const& file) {
  std::vector<KernelModel> models;
  for (NodeType const& type : platform.types)
    models.push_back(type.cycle_time.value > 0
                         ? cycle_time_model(type.name, type.cycle_time, kernels, parameters)
                         : read_model(type, file));
  return models;
}

/// The same for the kernels of an application, in all formats of its tiles.
std::vector<KernelModel> read_models(Platform const& platform, Application const& application,
                                     ApplicationParameters const& parameters, std::string const& file) {
  std::vector<Kernel> const kernels = application.kernels(parameters);
  std::vector<KernelModel> models = read_models(platform, kernels, parameters, file);
  if (parameters.formats)
    for (KernelModel& model : models) add_format_timings(model, application.name, kernels, parameters);
  return models;
}

void set_defaults(RuntimeDefaults const& from, RuntimeOptions& to) {
  to.oversubscribed_workers = from.oversubscribed_workers;
  to.reserved_cores = from.reserved_cores;
  to.host_alloc_cost = from.host_alloc_cost;
  to.allocate_at_submission = from.allocate_at_submission;
  to.chunk_cache = from.chunk_cache;
  to.gpus_wait_for_pinning = from.gpus_wait_for_pinning;
  to.pinning_waits_for_kernels = from.pinning_waits_for_kernels;
  to.preallocated_ram = from.preallocated_ram;
}

/// Reads all but the application and the distribution. `platform`: as its key says; none for that of a trace. `models`: returns the
/// kernel models of `s.cluster.platform`, which has the GPUs that are used, and makes the platform of a trace.
void read_cluster(TaskKeys const& keys, ScenarioHead const& head, RuntimeOptions defaults, Platform platform,
                  TaskScenario& s, std::function<std::vector<KernelModel>()> const& models) {
  ClusterOptions& out = s.cluster;
  if (keys.scheduler) {
    out.scheduler = read_scheduler(*keys.scheduler);
    out.schedule = read_static_schedule(*keys.scheduler);
  }
  if (auto const& costs = platform.worker_costs) {  // that the platform was calibrated with
    defaults.push_cost = costs->push;
    defaults.fetch_cost = costs->fetch;
    defaults.progress_cost = costs->progress;
  }
  out.runtime = keys.runtime ? read_runtime(*keys.runtime, std::move(defaults)) : std::move(defaults);
  if (keys.noise) out.noise = read_noise(*keys.noise);
  out.scheduler.seed = out.noise.seed = out.noise.perturbation_seed = head.seed;
  out.platform = std::move(platform);
  for (NodeType& type : out.platform.types) keep_gpus(type, static_cast<std::size_t>(out.runtime.max_gpus));
  out.models = models();
  s.overrides = read_overrides(keys, out);
  set_memories(out.platform, out.runtime);
}

/// Tasks that are replaced before the run by tasks on parts of their tiles.
void check_nested(Platform const& platform, RuntimeOptions const& runtime, std::string const& file) {
  std::string const where = file + "#/application/nested";
  for (NodeType const& type : platform.types)
    if (!type.gpus.empty())
      throw InputError(where,
                       fmt::format("is given, and \"{}\" has GPUs (parts of a tile are not moved: they are "
                                   "for the cores of a node). Set runtime/max_gpus to 0, or leave it out",
                                   type.name));
  if (runtime.out_of_core)
    throw InputError(file + "#/runtime/out_of_core",
                     "is true, and tasks are nested (parts of a tile lie in it, and it may leave the RAM). "
                     "Use false, or no application/nested");
}

/// Partial sums on layers have the precision of their tile.
void check_sums(TileFormats const& formats, std::string const& file) {
  if (std::ranges::any_of(formats.formats, [](TileFormat const& tile) { return tile.rank > 0; }))
    throw InputError(file + "#/distribution/type",
                     "is \"layers\", and tiles are of low rank (the rank of a sum of some updates is not "
                     "that of the tile, and no key tells it). Use another distribution, or full tiles");
}

/// Throws InputError if keys of the application, the platform and the distribution are each known, but not together.
/// `file` names the scenario.
void check_combinations(ApplicationParameters const& p, Platform const& platform,
                        RuntimeOptions const& runtime, bool on_layers, std::string const& file) {
  if (p.is_nested()) check_nested(platform, runtime, file);
  if (p.formats && on_layers) check_sums(*p.formats, file);
}

TaskScenario read_tiled(TaskKeys const& keys, ScenarioHead const& head) {
  TaskScenario s;
  auto const& [definition, parameters] =
      s.application.emplace<TiledApplication>(read_application(keys.application));
  Application const& app = *definition;
  RuntimeOptions defaults;
  if (auto const own = app.runtime_defaults(parameters)) set_defaults(*own, defaults);
  read_cluster(keys, head, std::move(defaults), read_platform(*keys.platform), s,
               [&] { return read_models(s.cluster.platform, app, parameters, head.file); });
  s.distribution =
      read_distribution(keys.distribution, {.nt = parameters.nt,
                                            .nodes = static_cast<int>(s.cluster.platform.nodes.size()),
                                            .is_product = app.is_product,
                                            .has_generation = app.generates_tiles,
                                            .has_timings = true,
                                            .may_have_layers = app.may_have_layers,
                                            .node_types = s.cluster.platform.nodes});
  check_combinations(parameters, s.cluster.platform, s.cluster.runtime, s.distribution->main.has_layers,
                     head.file);
  return s;
}

/// Reads a distribution of data by their coordinates, of which there are `nt` rows and columns, or none. `what` has the
/// data, "a trace"; `source` tells coordinates.
DistributionDescription read_distribution_of_data(TaskKeys const& keys, int nt, std::size_t nodes,
                                                  std::string_view what, std::string_view source) {
  if (nt == 0)
    keys.application.fail(
        fmt::format("is {} whose data have no coordinates ({}), so that no distribution can place them. "
                    "Leave \"distribution\" out",
                    what, source));
  constexpr int maximum = 5000;  // as of other applications
  if (nt > maximum)
    keys.application.fail(fmt::format(
        "is {} with tiles of {} rows (a distribution is made of {} at most). Leave \"distribution\" out",
        what, nt, maximum));
  return read_distribution(keys.distribution, {.nt = nt, .nodes = static_cast<int>(nodes)});
}

/// Returns the models of nodes whose kernels last as long as in the trace: one per node type.
std::vector<KernelModel> models_of_trace(TraceApplication const& application, Platform const& platform) {
  std::vector<KernelModel> models;
  for (NodeType const& type : platform.types)
    models.push_back({.machine = type.name,
                      .provenance = fmt::format("{} of the trace", name_of(application.options.timings)),
                      .file = application.trace->source});
  return models;
}

TaskScenario read_replay(TaskKeys const& keys, ScenarioHead& head) {
  TaskScenario s;
  auto& app = s.application.emplace<TraceApplication>(
      read_trace_application(keys.application, keys.distribution.has_value(), keys.scheduler.has_value()));
  app.own_platform = !keys.platform || (keys.platform->is_string() && keys.platform->string() == "trace");
  bool const own = app.own_platform, by_files = app.options.timings == Timings::platform;
  read_cluster(keys, head, own ? replay_options(app.options.recorded_pauses) : RuntimeOptions{},
               own ? Platform{} : read_platform(*keys.platform), s, [&] {
                 if (own && by_files)
                   throw InputError(head.file + "#/application/timings",
                                    "are the platform's, and the platform is the one that the trace shows "
                                    "(which has no kernel files). Give a platform, or use own-means");
                 if (own) s.cluster.platform = trace_workers(*app.trace, s.cluster.runtime);
                 return by_files ? read_models(s.cluster.platform, std::vector<Kernel>{}, {}, head.file)
                                 : models_of_trace(app, s.cluster.platform);
               });
  if (own && !(keys.network && keys.network->find("model"))) s.cluster.network.model = NetworkModel::constant;
  if (keys.distribution)
    s.distribution =
        read_distribution_of_data(keys, matrix_tiles(*app.trace), s.cluster.platform.nodes.size(), "a trace",
                                  "data.rec or rec.data_handles.csv tell them");
  head.findings = app.trace->findings;
  return s;
}

TaskScenario read_graph_scenario(TaskKeys const& keys, ScenarioHead& head,
                                 std::shared_ptr<TaskProgram const> const& graph) {
  TaskScenario s;
  Platform platform = read_platform(*keys.platform);
  auto& app = s.application.emplace<GraphApplication>(
      read_graph_application(keys.application, keys.distribution.has_value(), platform.nodes.size(), graph));
  read_cluster(keys, head, {}, std::move(platform), s, [&] {
    ApplicationParameters parameters;
    parameters.nb = app.options.nb;
    parameters.precision = app.options.precision;
    bool const by_file = app.options.durations == GraphOptions::Durations::file;
    return models_of_graph(
        app, s.cluster.platform,
        by_file ? std::vector<KernelModel>{}
                : read_models(s.cluster.platform, app.program->graph.kernels, parameters, head.file));
  });
  if (keys.distribution)
    s.distribution = read_distribution_of_data(keys, matrix_tiles(app.program->graph),
                                               s.cluster.platform.nodes.size(), "a graph", "\"m\" and \"n\"");
  head.findings = app.program->findings;
  return s;
}

/// Returns the "type" of an application, or nothing if it has none.
std::string type_of(JsonReader const& application) {
  if (!application.is_object()) return {};
  auto const type = application.find("type");
  return type && type->is_string() ? type->string() : std::string();
}

/// Reads "detail", and leaves out what only a simulation of every task can give.
DetailOptions read_estimate(JsonReader const& json, JsonReader const& detail, TaskScenario const& s,
                            OutputOptions& outputs) {
  DetailOptions const out = read_object<DetailOptions>(detail);
  if (out.type == Detail::tasks) return out;
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  auto const [definition, parameters] = tiled == nullptr ? TiledApplication{} : *tiled;
  check_estimate(json, out, definition, parameters);
  if (s.cluster.schedule)
    json.at("scheduler")
        .at("file")
        .fail("is a schedule of all tasks (of which an estimate simulates some). Choose a policy");
  refuse_series(json, outputs, name_of(out.type));
  refuse_traces(json, outputs, "not every task is simulated");
  outputs.traces.clear();
  return out;
}

ValueRules scenario_rules() { return {rule::object(scenario_table)}; }

/// Returns the files of platforms that are given by their names, with commas between; empty if there are none.
std::string named_platforms(JsonReader const& json) {
  std::filesystem::path const folder = std::filesystem::path(json.file()).parent_path();
  std::string out;
  nlohmann::json platform = json.value();
  visit_file_names(platform, [&](nlohmann::json const& text, ShippedKind kind) {
    if (kind != ShippedKind::platform) return;
    auto const name = text.get<std::string>();
    auto const file = file_named(kind, name, folder);
    if (file && *file != folder / name) out += (out.empty() ? "" : ", ") + file->string();
  });
  return out;
}

/// Throws InputError for a part of a scenario that is neither a name nor an object.
void expect_names_or_objects(nlohmann::json const& document, std::string const& file) {
  for (auto const& [key, examples] :
       {std::pair{"platform", R"("mirage" or {"file": "mirage", "nodes": [{"type": "mirage", "count": 4}]})"},
        std::pair{"distribution", R"("1d1d" or {"type": "block-cyclic", "p": 2, "q": 2})"},
        std::pair{"scheduler", R"("dmdas" or {"type": "dmdas"})"},
        std::pair{"network", R"("maxmin" or {"preset": "slingshot-11"})"}})
    if (auto const part = document.find(key);
        part != document.end() && !part->is_string() && !part->is_object() && !part->is_null())
      throw InputError(
          fmt::format("{}#/{}", file, key),
          fmt::format("is {} (a name or an object is expected here). Write {}", json_text(*part), examples));
}

}  // namespace

void set_memories(Platform& platform, RuntimeOptions const& runtime) {
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    NodeType& type = platform.types[t];
    if (runtime.ram_limit.value > 0) type.ram = runtime.ram_limit;
    if (!runtime.out_of_core || type.ram.value == 0) continue;
    if (runtime.disk) type.disk = runtime.disk;
    if (!type.disk) {
      type.disk = assumed_disk();
      if (std::ranges::find(platform.nodes, t) != platform.nodes.end())
        platform.findings.push_back(
            fmt::format("the platform describes no disk of {}, which computes out of core: {} is assumed",
                        type.name, type.disk->model));
    }
    if (type.disk->estimate) {
      type.estimate = true;
      type.provenance += fmt::format("{}Disk: {}", type.provenance.empty() ? "" : " ", type.disk->provenance);
    }
    add_disk_memory(type, runtime.disk_prediction);
  }
}

Scenario read_scenario(std::filesystem::path const& file, std::vector<std::string> const& settings) {
  nlohmann::json document = parse_json_file(file);
  std::vector<std::string> whole = set_keys(document, settings);
  Scenario scenario = scenario_of(document, file.string());
  scenario.settings = std::move(whole);
  return scenario;
}

Scenario scenario_of(nlohmann::json const& document, std::string const& file,
                     std::shared_ptr<TaskProgram const> const& graph) {
  if (has_bare_names(document)) return scenario_of(without_bare_names(document), file, graph);
  JsonReader const json = JsonReader(document, file).by(scenario_rules);
  json.check_own_format("factosim-scenario", 1);
  refuse_removed(json);
  expect_names_or_objects(document, file);
  Scenario s;
  s.file = file;
  if (auto const platform = json.find("platform")) s.platform_file = named_platforms(*platform);
  if (auto const name = json.find("name")) s.name = name->string();
  if (auto const seed = json.find("seed")) s.seed = static_cast<std::uint64_t>(seed->integer());
  JsonReader const application = json.at("application", "what is computed");
  if (auto const outputs = json.find("outputs")) s.outputs = read_object<OutputOptions>(*outputs);
  std::string const type = type_of(application);
  if (!has_task_graph(type)) refuse_series(json, s.outputs, type);
  if (ExperimentKind const* const kind = experiment_kind(type)) {
    s.application = ExperimentScenario{type, kind->read(json, s.seed)};
  } else {
    TaskKeys const keys = find_task_keys(json, application, type == "trace");
    TaskScenario tasks = type == "trace"   ? read_replay(keys, s)
                         : type == "graph" ? read_graph_scenario(keys, s, graph)
                                           : read_tiled(keys, s);
    if (keys.detail) s.detail = read_estimate(json, *keys.detail, tasks, s.outputs);
    s.application = std::move(tasks);
  }
  return s;
}

}  // namespace factosim
