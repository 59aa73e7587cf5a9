#include "simulator/front/check/recorded_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/audit/rules/audited_run.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/placement/distribution_json.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/result_scenario.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/scenario/simulation/run_folder.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/traces/trace/native_columns.hpp"
#include "simulator/traces/trace/native_trace.hpp"
#include "simulator/traces/trace/series.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

/// The task graph of the application, and the owners of its data by the distributions.
struct Program {
  TaskGraph graph;
  OwnersByPlacement owners;            // [placements][handles]
  std::vector<NodeId> node_of_task{};  // [tasks] of a replay
};

Program program_of(PlacedScenario const& s) {
  if (auto const* const replay = std::get_if<TraceApplication>(&s.application)) {
    ReplayGraph laid_out = replay_graph(*replay, TraceTimings(*replay->trace), &s.distribution.map);
    return {std::move(laid_out.graph), {std::move(laid_out.owner)}, std::move(laid_out.node)};
  }
  if (auto const* const app = std::get_if<GraphApplication>(&s.application)) {
    PlacedGraph placed = place_graph(s, *app);
    return {std::move(placed.graph), {std::move(placed.owners)}, std::move(placed.nodes)};
  }
  auto const& [definition, parameters] = std::get<TiledApplication>(s.application);
  TaskGraph graph = definition->graph(parameters, s.distribution.map);
  OwnersByPlacement owners = owners_of_handles(graph, s.distribution);
  return {std::move(graph), std::move(owners)};
}

audit::RuntimeModel runtime_of(PlacedScenario const& s) {
  auto const* const replay = std::get_if<TraceApplication>(&s.application);
  RuntimeOptions const r = perturbed(s.runtime, s.noise);
  using Model = audit::RuntimeModel;
  return {
      .communication_cores = r.communication_cores,
      .reserved_cores = r.reserved_cores,
      .cores_per_gpu = r.cores_per_gpu,
      .oversubscribed_workers = r.oversubscribed_workers,
      .workers_per_gpu = r.workers_per_gpu,
      .parts_by_rate = r.gpu_sharing == GpuSharing::occupancy,
      .gpu_memory_fraction = r.gpu_memory_fraction,
      .max_sends_per_node = r.max_sends_per_node,
      .max_sends = r.max_sends,
      .rounded_means = replay != nullptr,
      .recorded_messages = replay != nullptr && replay->own_platform,
      .sharing = s.network.model == NetworkModel::constant ? Model::Sharing::none : Model::Sharing::fair,
      .crosstraffic = s.network.crosstraffic,
      .unrolled = r.unrolling == Unrolling::whole    ? Model::Unrolled::all
                  : r.unrolling == Unrolling::pruned ? Model::Unrolled::concerned
                                                     : Model::Unrolled::own,
      .has_window = r.max_submitted_tasks > 0 || (r.allocate_at_submission && r.host_alloc_cost.value > 0),
      .gpu_pipeline = r.gpu_pipeline,
      .submission_cost_s = r.submission_cost.value,
      .push_cost_s = r.push_cost.value,
      .fetch_cost_s = r.fetch_cost.value,
      .gpu_queue_cost_s = r.gpu_queue_cost.value};
}

audit::NoiseModel noise_of(PlacedScenario const& s) {
  using Kind = audit::NoiseModel::Kind;
  std::string_view const name = name_of(s.noise.distribution);
  return {.kind = name == "normal"      ? Kind::normal
                  : name == "lognormal" ? Kind::lognormal
                  : name == "empirical" ? Kind::empirical
                                        : Kind::none,
          .scale = s.noise.scale,
          .first_execution_factor = s.noise.first_execution_factor,
          .speed_factors = s.noise.worker_speed_deviation > 0 || s.noise.run_speed_deviation > 0 ||
                           s.noise.distribution == NoiseDistribution::calibrated,
          .precision = s.noise.duration_precision};
}

/// Throws InputError if the result is of an application without a task graph.
void refuse_experiment_result(std::filesystem::path const& file, nlohmann::json const& result) {
  nlohmann::json::json_pointer const at("/provenance/options/application/type");
  if (!result.contains(at) || !result.at(at).is_string()) return;
  if (std::string const type = result.at(at); !has_task_graph(type))
    throw InputError(
        file.string() + "#" + at.to_string(),
        "is \"" + type + "\" (check works on graphs of tasks on tiles). Give the run of a factorization");
}

void add_file_check(FileComparison const& files, audit::AuditReport& report) {
  audit::Check& check = report.check("files");
  check.cases = files.compared;
  for (std::string const& altered : files.altered)
    check.add({.what = altered, .where = "folder", .expected = "the bytes that the run wrote"});
  if (!files.unknown.empty()) check.skip(fmt::format("{}", fmt::join(files.unknown, "; ")));
}

}  // namespace

RecordedRun read_recorded_run(std::filesystem::path const& folder) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(folder, ignored))
    throw InputError(
        folder.string() + "#",
        "is a file (a run is checked by its folder). Give the one that factosim run --out wrote");
  std::filesystem::path const file = folder / "result.json";
  nlohmann::json result = parse_json_file(file);
  refuse_experiment_result(file, result);
  if (result.contains("detail"))
    throw InputError(
        file.string() + "#/detail",
        "shows an estimate (it has no tasks to check). Simulate every task: \"detail\" \"tasks\"");
  PlacedScenario scenario = named_scenario(file, result);
  FileComparison files = compare_files(file, result);
  RecordedRun run{std::move(scenario), std::move(result), std::nullopt, std::move(files)};
  if (std::filesystem::exists(folder / native_trace_name))
    run.trace = read_native(folder / native_trace_name);
  if (std::filesystem::exists(folder / "series.json")) run.series = parse_json_file(folder / "series.json");
  return run;
}

audit::AuditReport audit_run(RecordedRun const& run) {
  PlacedScenario const& s = run.scenario;
  Program program = program_of(s);
  audit::AuditedRun audited{.trace = run.trace ? &*run.trace : nullptr,
                            .result = run.result,
                            .graph = program.graph,
                            .platform = s.platform,
                            .models = s.models,
                            .application = {},
                            .owners = std::move(program.owners),
                            .node_of_task = std::move(program.node_of_task),
                            .runtime = runtime_of(s),
                            .noise = noise_of(s),
                            .name = s.name,
                            .seed = s.seed};
  nlohmann::json const options = effective_options(s);
  auto const* const tiled = std::get_if<TiledApplication>(&s.application);
  if (tiled != nullptr) {
    audited.application = tiled->definition->name;
    audited.precision = tiled->parameters.precision;
    audited.nb = tiled->parameters.nb;
    audited.total_flops = tiled->definition->total_flops(tiled->parameters);
    audited.problem = audit::ReferenceProblem{.application = tiled->definition->name,
                                              .nt = tiled->parameters.nt,
                                              .nb = tiled->parameters.nb,
                                              .element_bytes = element_bytes(tiled->parameters.precision),
                                              .keys = options.at("application")};
    audited.map.emplace(
        audit::AuditedMap{.main = s.distribution.map,
                          .generation = s.distribution.generation ? &*s.distribution.generation : nullptr,
                          .description = {.text = options.at("distribution"),
                                          .details = distribution_json(s.distribution),
                                          .nodes = s.platform.nodes.size(),
                                          .lower_only = tiled->definition->lower_only}});
  }
  if (auto const* const graph = std::get_if<GraphApplication>(&s.application)) {
    audited.precision = graph->options.precision;
    audited.nb = graph->options.nb;
    audited.total_flops = total_flops(audited.graph);
    audited.stated = &graph->program->graph;
    audited.explicit_edges = graph->program->explicit_edges;
    auto const& waits = graph->program->recorded.waits;
    audited.explicit_edges.insert(audited.explicit_edges.end(), waits.begin(), waits.end());
  }
  audit::AuditReport report = audit::audit(audited);
  if (run.files) add_file_check(*run.files, report);
  return report;
}

namespace {

/// A column of a native trace whose content is not the expected one.
struct ColumnDifference {
  std::string place{};  // "task.start_s[12]", the first element that differs; "number of task.start_s"
  std::string found{}, expected{};  // what is there
  std::size_t count = 1;            // elements that differ
};

template <class Element>
bool same(Element const& a, Element const& b) {
  if constexpr (std::is_trivially_copyable_v<Element>) {
    using Octets = std::array<std::byte, sizeof(Element)>;  // an unknown date, NaN, is the same as another
    return std::bit_cast<Octets>(a) == std::bit_cast<Octets>(b);
  } else {
    return a == b;
  }
}

template <class Element>
std::string text(Element const& element) {
  if constexpr (std::is_same_v<Element, TaskIndices>)
    return fmt::format("({}, {}, {})", element.k, element.m, element.n);
  else if constexpr (std::is_same_v<Element, DataAccess>)
    return fmt::format("{} in mode {}", element.handle().value(), static_cast<int>(element.mode()));
  else if constexpr (requires { element.value(); })
    return fmt::format("{}", element.value());
  else if constexpr (requires { element.value; })
    return fmt::format("{}", element.value);
  else
    return fmt::format("{}", element);
}

template <class Visit>
void for_each(Trace const& trace, Visit&& visit) {
  native::for_each_column(trace, visit);
  if (trace.has_places) native::for_each_late_column(trace, visit);
  if (trace.has_message_memories) native::for_each_message_memory(trace, visit);
  visit("handle.shape", trace.handles, &Trace::Handle::shape);
}

/// Compares each column with the vector of the other trace that is visited at the same time, and so has its type.
class Comparison {
 public:
  explicit Comparison(Trace const& expected) {
    for_each(expected, [&](char const* /*name*/, auto const& values, auto... /*field*/) {
      expected_.push_back(&values);
    });
  }

  template <class Values, class Field = std::identity>
  void operator()(char const* name, Values const& found, Field field = {}) {
    using Element = std::remove_cvref_t<std::invoke_result_t<Field, typename Values::value_type const&>>;
    Values const& expected = *static_cast<Values const*>(expected_[next_++]);
    if (found.size() != expected.size()) {
      out.push_back({fmt::format("number of {}", name), fmt::format("{}", found.size()),
                     fmt::format("{}", expected.size())});
      return;
    }
    ColumnDifference first{.count = 0};
    for (std::size_t i = 0; i < found.size(); ++i) {
      Element const is = std::invoke(field, found[i]), shall_be = std::invoke(field, expected[i]);
      if (same(is, shall_be) || first.count++ > 0) continue;
      first.place = fmt::format("{}[{}]", name, i);
      first.found = text(is), first.expected = text(shall_be);
    }
    if (first.count > 0) out.push_back(std::move(first));
  }

  std::vector<ColumnDifference> out;

 private:
  std::vector<void const*> expected_;
  std::size_t next_ = 0;
};

/// Returns the columns of a trace that differ from those of another one, in any bit.
std::vector<ColumnDifference> column_differences(Trace const& found, Trace const& expected) {
  auto const optional_columns = [](Trace const& t) {
    return fmt::format("places: {}, memories of messages: {}", t.has_places, t.has_message_memories);
  };
  if (optional_columns(found) != optional_columns(expected))
    return {{"columns", optional_columns(found), optional_columns(expected)}};
  Comparison comparison(expected);
  for_each(found, comparison);
  return std::move(comparison.out);
}

using Json = nlohmann::json;
using Pointer = Json::json_pointer;

OutputOptions outputs_of(Json const& result) {
  return read_object<OutputOptions>(JsonReader(result.at(Pointer("/provenance/options/outputs")),
                                               "result.json", "/provenance/options/outputs"));
}

/// Returns how often a run was simulated for a section of its result.
int values_in(Json const& result, std::string const& section) {
  return static_cast<int>(result.value(Pointer(section + "/makespan_s/values"), Json::array()).size());
}

RunOptions options_of(Json const& result) {
  RunOptions out{.replicas = std::max(1, values_in(result, "/replicas")),
                 .perturbed = values_in(result, "/sensitivity"),
                 .outputs = outputs_of(result)};
  for (char const* const interval : {"/sensitivity/interval", "/replicas/interval"})
    out.interval = std::clamp(result.value(Pointer(interval), out.interval), 0.01, 0.9999);
  return out;
}

/// Returns the cost of a simulation, and the hashes of its files, as found where they can be.
Json cost_of(Json found, RunRecord const& again, OutputOptions const& outputs) {
  found["tasks_per_s"] = tasks_per_second(again.result->tasks, found.at("cpu_s").get<double>());
  Json files = Json::object();
  for (std::string const& name : files_of(again, outputs))
    files[name] = found.value(Pointer("/files") / name, Json("its checksum"));
  if (files.empty())
    found.erase("files");
  else
    found["files"] = std::move(files);
  return found;
}

/// Returns a result with names instead of paths of the files that are installed with the program.
Json with_names_of_files(Json result) {
  auto const shorten = [](Json& path) {
    if (path.is_string()) path = std::filesystem::path(path.get<std::string>()).filename().string();
  };
  Json& provenance = result.at("provenance");
  for (Json& timing : provenance.at("timings"))
    if (timing.contains("file")) shorten(timing["file"]);
  if (provenance.contains("platform")) shorten(provenance["platform"]);
  return result;
}

std::string described(Json const& json, Pointer const& at) {
  return json.contains(at) ? json_text(json.at(at)) : "nothing";
}

/// Reports what differs in a document, each place with the name of the file.
void compare(std::string const& file, Json const& found, Json const& expected, audit::Check& check) {
  check.cases += expected.flatten().size();
  for (Json const& change : Json::diff(expected, found)) {
    Pointer const at(change.at("path").get<std::string>());
    check.add({"says " + described(found, at), file + "#" + at.to_string(), described(expected, at)});
  }
}

void compare(Trace const& found, Trace const& expected, audit::Check& check) {
  compare("run.trace", native_names(found), native_names(expected), check);
  check.cases += expected.task_count() + expected.messages.size() + expected.copies.size();
  for (ColumnDifference const& column : column_differences(found, expected))
    check.add({fmt::format("says {}{}", column.found,
                           column.count > 1 ? fmt::format(", and {} more differ", column.count - 1) : ""),
               "run.trace " + column.place, column.expected});
}

std::string text_at(Json const& json, char const* pointer) { return json.value(Pointer(pointer), ""); }

/// Returns who wrote the result.
std::string program_of(Json const& result) {
  return program_text(text_at(result, "/provenance/factosim"), text_at(result, "/provenance/git"),
                      text_at(result, "/provenance/simgrid"));
}

}  // namespace

Repetition repeat(RecordedRun const& run) {
  RunOptions const options = options_of(run.result);
  PlacedScenario scenario = run.scenario;
  scenario.outputs = *options.outputs;
  SimulationPlan const plan = plan_tasks(std::move(scenario), TaskStorage::where_needed);
  RunRecord record = run_plan(plan, options);
  Repetition out{.result = Json::parse(json_text(record.json)), .series = {}, .trace = std::nullopt};
  out.result["simulation"] = cost_of(run.result.at("simulation"), record, *options.outputs);
  if (Pointer const python("/provenance/python"); run.result.contains(python))
    out.result[python] = run.result.at(python);
  if (record.series) out.series = Json::parse(series_json(*record.series, record.series_nodes));
  if (std::ranges::find(options.outputs->traces, default_trace) != options.outputs->traces.end())
    out.trace = std::move(record.trace);
  return out;
}

void check_repetition(RecordedRun const& run, Repetition const& again, audit::AuditReport& report) {
  audit::Check& check = report.check("repetition");
  compare("result.json", with_names_of_files(run.result), with_names_of_files(again.result), check);
  if (!run.series.is_null() && !again.series.is_null())
    compare("series.json", run.series, again.series, check);
  if (run.trace && again.trace) compare(*run.trace, *again.trace, check);
}

void check_by_repetition(RecordedRun const& run, audit::AuditReport& report) {
  audit::Check& check = report.check("repetition");
  std::string const wrote = program_of(run.result), repeats = this_program();
  if (run.trace && !run.trace->program.empty() && run.trace->program != wrote) {
    ++check.cases;
    check.add({"says " + run.trace->program, "run.trace#/program", wrote + ", as result.json"});
  }
  if (wrote != repeats)
    return check.skip(fmt::format("{} simulated the run, and this is {}", wrote, repeats));
  if (std::string const policy = python_policy(run.result); !policy.empty())
    return check.skip("the policy is the class " + policy + " of Python, which the program cannot repeat");
  check_repetition(run, repeat(run), report);
}

}  // namespace factosim
