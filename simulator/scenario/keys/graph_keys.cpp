#include "simulator/scenario/keys/application_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "factosim/error.hpp"
#include "models/device_peaks.hpp"
#include "models/kernel_model_json.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/traces/programs/graph_readers.hpp"

namespace factosim {

namespace {

using Durations = GraphOptions::Durations;

constexpr NamedValues<Durations, 2> durations_names{
    .what = "durations", .values = {{{Durations::file, "file"}, {Durations::platform, "platform"}}}};
constexpr NamedValues<GraphOptions::Placement, 4> placement_names{
    .what = "placement",
    .values = {{{GraphOptions::Placement::distribution, "distribution"},
                {GraphOptions::Placement::file, "file"},
                {GraphOptions::Placement::owners, "owners"},
                {GraphOptions::Placement::earliest_finish, "earliest-finish"}}}};

/// Returns the tile size whose square tiles most data of the graph are; 0 if there are no such data.
int usual_tile_size(TaskProgram const& program, Precision precision) {
  std::map<std::int64_t, std::size_t> count;
  for (HandleInfo const& h : program.graph.handles)
    if (h.size.value > 0) ++count[h.size.value];
  std::pair<std::size_t, std::int64_t> most{0, 0};
  for (auto const& [bytes, data] : count) most = std::max(most, {data, bytes});
  auto const nb = std::llround(std::sqrt(static_cast<double>(most.second) / element_bytes(precision)));
  return nb * nb * element_bytes(precision) == most.second && nb <= 1'000'000 ? static_cast<int>(nb) : 0;
}

/// Returns the precision of the first kernel whose performance model is known.
Precision recorded_precision(TaskProgram const& program) {
  for (auto const& [name, kernel] : program.recorded.kernels)
    if (auto const symbol = parse_starpu_symbol(kernel.symbol)) return symbol->precision;
  return Precision::double_;
}

GraphOptions::Placement default_placement(TaskProgram const& program, bool has_distribution,
                                          std::size_t nodes) {
  if (has_distribution) return GraphOptions::Placement::distribution;
  if (!program.node_of_task.empty()) return GraphOptions::Placement::file;
  bool const owned =
      std::ranges::any_of(program.graph.handles, [](HandleInfo const& h) { return h.owner.valid(); });
  return owned || nodes == 1 ? GraphOptions::Placement::owners : GraphOptions::Placement::earliest_finish;
}

/// Gives each kernel a name of timings of its own: several kernels of a file may have one name.
void name_timings(TaskGraph& graph) {
  std::set<std::string> known;
  for (Kernel& kernel : graph.kernels) {
    std::string const name = timing_name(kernel);
    std::string unique = name;
    for (int n = 2; !known.insert(unique).second; ++n) unique = fmt::format("{} ({})", name, n);
    if (unique != kernel.name) kernel.timing = unique;
  }
}

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (GraphReader const* const reader : graph_readers()) out.emplace_back(reader->name);
  return out;
}

/// A graph as a scenario names it; what is not there follows from the file.
struct GivenGraph {
  std::filesystem::path file;
  std::string format;  // empty: the one that its contents have
  std::optional<Durations> durations;
  std::optional<GraphOptions::Placement> placement;
  std::optional<std::string> timings_of;
  std::optional<Precision> precision;
  std::optional<int> nb;
  GraphUnits units{};
};

Fields<GivenGraph> graph_fields() {
  using G = GivenGraph;
  Fields<G> out{
      field<&G::file>("file", "program of tasks in a format of `scenarios/graphs.md`, a file or a folder",
                      {.missing = "the graph: a file or a folder"}),
      field<&G::format>("format", {rule::word(format_names())}, "its format",
                        {.default_text = "the one that its contents have"}),
      field<&G::durations, durations_names>("durations",
                                            "durations of tasks: those in the `file`, or of the "
                                            "`platform`'s kernel files, by the names of kernels",
                                            {.default_text = "`file` if it has durations"}),
      field<&G::placement, placement_names>(
          "placement",
          "node of a task: of the owner of the first datum that it writes, by the `distribution` "
          "or by the file (`owners`); its own in the `file`; or the one where it is expected to "
          "end first (`earliest-finish`)",
          {.default_text = "`distribution` with one, else what the file states, else `earliest-finish`"}),
      field<&G::timings_of>("timings_of",
                            "application inside which timings of kernel files were measured, "
                            "such as `lu`: they take precedence",
                            {.default_text = "that of the file"}),
      field<&G::precision>("precision", "precision of the timings of kernel files",
                           {.default_text = "that of the file, else `double`"}),
      field<&G::nb>("nb", {rule::integer(1, 1'000'000, "rows")}, "tile size of the timings of kernel files",
                    {.default_text = "that of the file, else that of most data, as square tiles"})};
  out += within<&G::units>(
      {field<&GraphUnits::seconds>(
           "time_unit_s", {rule::positive("s")},
           "unit of time of STG, of cost of SAGA, and of an operation of DOT with sizes",
           {.echo = Echo::never}),
       field<&GraphUnits::bytes>("data_unit_bytes", {rule::positive("B", 1e12)},
                                 "unit of data of STG, SAGA and DOT", {.echo = Echo::never})});
  return out;
}

/// Calls `use(kernel, timing)` for each duration in the file, as that of a worker; one for all GPUs counts for those that have
/// none of their own. `kernel`: its number in the graph.
template <class Use>
void for_each_timing_in_file(TaskProgram const& program, GraphOptions const& o, NodeType const& type,
                             Use const& use) {
  std::set<std::pair<std::uint32_t, std::string>> own;
  for (ProgramTiming const& t : program.timings) own.emplace(t.kernel, t.worker);
  auto const& all = program.recorded.kernels;
  auto const use_on = [&](ProgramTiming const& t, std::string worker) {
    Kernel const& kernel = program.graph.kernels[t.kernel];
    auto const recorded = all.find(kernel.name);
    use(t.kernel,
        KernelTiming{.kernel = timing_name(kernel),
                     .precision = kernel.precision.value_or(o.precision),
                     .worker = std::move(worker),
                     .nb = tile_size(kernel, o.nb),
                     .mean = Seconds{t.seconds},
                     .deviation = Seconds{recorded == all.end() ? 0 : recorded->second.deviation_s},
                     .samples = recorded == all.end() ? 1 : std::max(1L, recorded->second.samples)});
  };
  for (ProgramTiming const& t : program.timings) {
    if (t.worker != "cuda") {
      use_on(t, t.worker);
      continue;
    }
    for (std::size_t g = 0; g < type.gpus.size(); ++g)
      if (std::string worker = fmt::format("cuda{}", g); !own.contains({t.kernel, worker}))
        use_on(t, std::move(worker));
  }
}

/// Returns the duration of a recorded kernel on a worker, without its name: that of its history on the machine, else, of a
/// known symbol, that of the tile size whose square tiles have its footprint.
std::optional<KernelTiming> timing_by_footprint(KernelModel const& model, Kernel const& kernel,
                                                RecordedKernel const& recorded, std::string const& worker) {
  std::string const footprint = fmt::format("{:08x}", *recorded.footprint);
  for (KernelHistory const& h : model.histories)
    if (h.symbol == recorded.symbol && h.footprint == footprint && h.worker == worker)
      return KernelTiming{
          .worker = worker, .nb = 1, .mean = h.mean, .deviation = h.deviation, .samples = h.samples};
  auto const symbol = parse_starpu_symbol(recorded.symbol);
  if (!symbol) return {};
  std::vector<int> sizes = model.tile_sizes(symbol->kernel, symbol->application, symbol->precision);
  double const elements = static_cast<double>(recorded.size.value) / element_bytes(symbol->precision);
  sizes.push_back(
      std::max(1, static_cast<int>(std::lround(std::sqrt(elements / symbol->tiles)))));  // of a rate
  for (int const nb : sizes) {
    if (square_footprint(symbol->tiles, nb) != *recorded.footprint) continue;
    KernelTiming const* const known =
        model.timing(symbol->kernel, symbol->application, symbol->precision, worker, nb);
    if (known == nullptr) continue;
    KernelTiming out = *known;
    out.nb = 1;  // no rate
    Flops const flops{kernel.flops.value > 0 ? kernel.flops.value : nominal_flops(symbol->kernel, nb)};
    out.mean = duration_by(*known, nb, flops);
    return out;
  }
  return {};
}

/// Returns the duration of a kernel on a worker by its name, without that. A name without timings in the file is parsed as the
/// symbol of a StarPU performance model, whose kernel and precision then count. A rate makes a duration of the operations that
/// kernels of that name have on tiles, where the file states none.
std::optional<KernelTiming> timing_by_name(KernelModel const& model, Kernel const& kernel,
                                           GraphOptions const& o, std::string const& worker) {
  std::string name = timing_name(kernel);
  name = name.substr(0, name.find(" ("));
  bool const has_name = std::ranges::find(model.timings, name, &KernelTiming::kernel) != model.timings.end();
  auto const symbol = has_name ? std::nullopt : parse_starpu_symbol(name);
  int const nb = tile_size(kernel, o.nb);
  KernelTiming const* const timing =
      symbol ? model.timing(symbol->kernel, symbol->application, symbol->precision, worker, nb)
             : model.timing(name, o.application, kernel.precision.value_or(o.precision), worker, nb);
  if (timing == nullptr) return {};
  KernelTiming out = *timing;
  if (out.nb == 0 && kernel.flops.value == 0) {  // a rate, and the file states no operations
    out.nb = nb;
    out.mean = duration_by(*timing, nb, Flops{nominal_flops(timing->kernel, nb)});
  }
  return out;
}

/// Replaces the timings of a kernel file by those of the graph's kernels, under their names in the graph. A recorded kernel
/// runs on devices that have an implementation; what the machine has no duration of lasts as long as in the file, if it says.
void select_timings(TaskProgram const& program, GraphOptions const& o, NodeType const& type,
                    KernelModel& model) {
  auto const& all = program.recorded.kernels;
  auto const has_code = [](RecordedKernel const& k, bool gpu) {
    return gpu ? k.has_gpu_code() : std::ranges::find(k.devices, "cpu") != k.devices.end();
  };
  bool const built_for_gpus = std::ranges::any_of(all, [](auto const& k) { return k.second.has_gpu_code(); });
  std::vector<KernelTiming> selected;
  std::set<std::uint32_t> untimed;  // recorded kernels
  std::vector<std::string> workers{"cpu"};
  for (std::size_t g = 0; g < type.gpus.size(); ++g) workers.push_back(fmt::format("cuda{}", g));
  for (std::uint32_t k = 0; k < program.graph.kernels.size(); ++k) {
    Kernel const& kernel = program.graph.kernels[k];
    if (kernel.is_free) continue;
    auto const known = all.find(kernel.name);
    RecordedKernel const* const recorded = known == all.end() ? nullptr : &known->second;
    bool const by_footprint =
        recorded != nullptr && recorded->footprint && kernel.nb == 0 && type.cycle_time.value == 0;
    std::size_t const before = selected.size();
    for (std::string const& worker : workers) {
      bool const gpu = worker != "cpu";
      if (recorded != nullptr && !recorded->devices.empty() && (!gpu || built_for_gpus) &&
          !has_code(*recorded, gpu))
        continue;
      auto timing = by_footprint ? timing_by_footprint(model, kernel, *recorded, worker)
                                 : timing_by_name(model, kernel, o, worker);
      if (!timing) continue;
      if (timing->nb > 0 && timing->mean.value == 0)
        throw InputError(program.source + "#",
                         fmt::format("has no operations of the kernel \"{}\" (the platform has a rate for "
                                     "it, no duration). Give it \"flops\", or durations",
                                     kernel.name));
      timing->kernel = timing_name(kernel);
      timing->application.clear();
      timing->precision = kernel.precision.value_or(o.precision);
      if (timing->nb > 0) timing->nb = tile_size(kernel, o.nb);
      selected.push_back(*std::move(timing));
    }
    if (selected.size() == before && recorded != nullptr) untimed.insert(k);
  }
  std::uint32_t last = UINT32_MAX;
  for_each_timing_in_file(program, o, type, [&](std::uint32_t k, KernelTiming timing) {
    if (!untimed.contains(k) || std::ranges::find(workers, timing.worker) == workers.end()) return;
    if (std::exchange(last, k) != k)
      model.findings.push_back(fmt::format("no timing of {}: it lasts as long as where it was recorded",
                                           program.graph.kernels[k].name));
    timing.findings = {model.findings.size() - 1};
    selected.push_back(std::move(timing));
  });
  model.other_timings = std::exchange(model.timings, std::move(selected));
}

}  // namespace

std::vector<Key> graph_application_keys() { return keys_of(graph_fields()); }

GraphApplication read_graph_application(JsonReader const& from, bool has_distribution, std::size_t nodes,
                                        std::shared_ptr<TaskProgram const> const& graph) {
  JsonReader const json = from.by(application_rules);
  (void)json.find("type");
  GivenGraph given;
  read_fields(json, graph_fields(), given);
  json.finish();

  TaskProgram program = graph ? *graph : read_graph(given.file, given.format, given.units);
  GraphApplication out;
  GraphOptions& o = out.options;
  o.durations = given.durations.value_or(program.has_durations() ? Durations::file : Durations::platform);
  if (o.durations == Durations::file && !program.has_durations())
    json.at("durations").fail("is \"file\", and the file has no durations. Use \"platform\", or add them");
  o.placement = given.placement.value_or(default_placement(program, has_distribution, nodes));
  if (o.placement == GraphOptions::Placement::distribution && !has_distribution)
    json.at("placement")
        .fail(
            "is \"distribution\", and the scenario has none. Add \"distribution\", or use another placement");
  if (o.placement != GraphOptions::Placement::distribution && has_distribution)
    json.at("placement").fail("does not use the scenario's distribution. Leave one of them out");
  if (o.placement == GraphOptions::Placement::file && program.node_of_task.empty())
    json.at("placement").fail("is \"file\", and the file names no node. Use another placement");
  o.application = given.timings_of.value_or(program.application);
  o.precision = given.precision.value_or(program.precision.value_or(recorded_precision(program)));
  o.nb = given.nb.value_or(program.nb.value_or(usual_tile_size(program, o.precision)));
  if (o.durations == Durations::file) {
    if (o.nb == 0) o.nb = 1;
  } else {
    if (!program.graph.weights.empty()) program.timings.clear();
    program.graph.weights.clear();                         // of durations in the file, which do not count
    if (o.nb == 0 && program.recorded.is_there) o.nb = 1;  // timings are by footprints
    if (o.nb == 0)
      json.fail(
          "has a graph whose data are no square tiles, and whose durations are the platform's (kernel files "
          "have timings by tile size). Give \"nb\"");
  }
  name_timings(program.graph);
  out.program = std::make_shared<TaskProgram const>(std::move(program));
  return out;
}

nlohmann::ordered_json effective_application(GraphApplication const& a) {
  GraphOptions const& o = a.options;
  nlohmann::ordered_json out = {{"type", "graph"}};
  write_fields(out, graph_fields(),
               {.file = a.program->source,
                .format = a.program->format,
                .durations = o.durations,
                .placement = o.placement,
                .timings_of = o.application,
                .precision = o.precision,
                .nb = o.nb});
  out["tasks"] = a.program->graph.task_count();
  out["edges"] = a.program->graph.edge_count();
  out["data"] = a.program->graph.handles.size();
  if (!a.program->recorded.provenance.is_null()) out["recorded"] = a.program->recorded.provenance;
  return out;
}

namespace {

/// Throws InputError for durations on a GPU that no node has; a recorded program, of a machine with more GPUs, needs one
/// that exists for each kernel, which cores alone would run otherwise.
void expect_gpus(TaskProgram const& program, Platform const& platform) {
  std::size_t gpus = 0;
  for (std::uint32_t const type : platform.nodes) gpus = std::max(gpus, platform.types[type].gpus.size());
  std::map<std::uint32_t, std::string> unused;  // by kernel
  std::set<std::uint32_t> used;
  for (ProgramTiming const& t : program.timings)
    if (auto const number =
            parsed<std::size_t>(t.worker.substr(std::min(t.worker.size(), sizeof "cuda" - 1)));
        t.worker.starts_with("cuda") && number && *number >= gpus)
      unused.emplace(t.kernel, t.worker);
    else if (t.worker != "cpu")
      used.insert(t.kernel);
  for (auto const& [kernel, worker] : unused)
    if (gpus > 0 && (program.recorded.provenance.is_null() || !used.contains(kernel)))
      throw InputError(
          program.source + "#",
          fmt::format("has durations of \"{}\" on {} (the nodes have {} GPUs, cuda0 to cuda{}). Write "
                      "\"cuda\" for all GPUs, or the number of one",
                      program.graph.kernels[kernel].name, worker, gpus, gpus - 1));
}

}  // namespace

std::vector<KernelModel> models_of_graph(GraphApplication const& application, Platform const& platform,
                                         std::vector<KernelModel> of_files) {
  TaskProgram const& program = *application.program;
  std::vector<KernelModel> models = std::move(of_files);
  bool const by_file = application.options.durations == Durations::file;
  if (by_file) expect_gpus(program, platform);
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    if (by_file) {
      models.push_back({.machine = platform.types[t].name,
                        .provenance = fmt::format("durations of {}", program.source),
                        .file = program.source});
      for_each_timing_in_file(program, application.options, platform.types[t],
                              [&model = models[t]](std::uint32_t, KernelTiming timing) {
                                model.timings.push_back(std::move(timing));
                              });
    } else {
      select_timings(program, application.options, platform.types[t], models[t]);
    }
  }
  return models;
}

}  // namespace factosim
