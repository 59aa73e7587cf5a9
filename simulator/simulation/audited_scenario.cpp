#include "simulator/simulation/audited_scenario.hpp"

#include <utility>

#include "factosim/error.hpp"
#include "simulator/analysis/trace_timings.hpp"
#include "simulator/audit/audit.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/replay/replay_graph.hpp"
#include "simulator/scenario/recorded_scenario.hpp"
#include "simulator/scenario/study.hpp"
#include "simulator/trace/native_reader.hpp"
#include "simulator/trace/native_writer.hpp"

namespace factosim {

namespace {

/// What runs, and where, by the application and its distributions.
struct Program {
  TaskGraph graph;
  std::vector<std::vector<NodeId>> owners;  // [placements][handles]
  std::vector<NodeId> node_of_task{};       // [tasks] of a replay
};

std::vector<NodeId> owners_by(TileMap const& map, TaskGraph const& graph) {
  std::vector<NodeId> out;
  for (HandleInfo const& h : graph.handles) out.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  return out;
}

Program program_of(Scenario const& s) {
  if (s.trace) {
    Trace const& trace = *s.trace->trace;
    TraceTimings const timings(trace);
    std::vector<Kernel> kernels;
    for (auto const& kind : timings.kinds()) {
      kernels.push_back(trace.kernels[kind.kernel]);
      kernels.back().name = timing_name(kernels.back());
    }
    bool const moved = s.trace->options.mapping == ReplayOptions::Mapping::distribution;
    ReplayGraph laid_out = moved
                               ? distributed_graph(trace, kernels, timings.kind_of_task(), s.distribution.map)
                               : recorded_graph(trace, kernels, timings.kind_of_task());
    return {std::move(laid_out.graph), {std::move(laid_out.owner)}, std::move(laid_out.node)};
  }
  Program out{s.application->graph(s.parameters, s.distribution.map), {}};
  out.owners.push_back(owners_by(s.distribution.map, out.graph));
  if (!out.graph.phases.empty()) out.owners.push_back(owners_by(s.distribution.generation_map(), out.graph));
  return out;
}

audit::RuntimeModel runtime_of(Scenario const& s) {
  RuntimeOptions const& r = s.runtime;
  return {.communication_cores = r.communication_cores,
          .reserved_cores = r.reserved_cores,
          .cores_per_gpu = r.cores_per_gpu,
          .oversubscribed_workers = r.oversubscribed_workers,
          .gpu_memory_fraction = r.gpu_memory_fraction,
          .out_of_core = r.out_of_core,
          .max_sends_per_node = r.max_sends_per_node,
          .max_sends = r.max_sends,
          .shares_links = s.network.model != NetworkModel::constant,
          .rounded_means = s.trace.has_value(),
          .recorded_messages = s.trace && s.trace->own_platform};
}

audit::NoiseModel noise_of(Scenario const& s) {
  using Kind = audit::NoiseModel::Kind;
  std::string_view const name = name_of(s.noise.distribution);
  return {.kind = name == "normal"      ? Kind::normal
                  : name == "lognormal" ? Kind::lognormal
                  : name == "empirical" ? Kind::empirical
                                        : Kind::none,
          .scale = s.noise.scale,
          .first_execution_factor = s.noise.first_execution_factor,
          .worker_speed_deviation = s.noise.worker_speed_deviation};
}

/// The scenario of a result, unless that is of a study, which has no graph of tasks.
void refuse_study_result(std::filesystem::path const& file, nlohmann::json const& result) {
  nlohmann::json::json_pointer const at("/provenance/options/application/type");
  if (!result.contains(at) || !result.at(at).is_string()) return;
  for (StudyType const& type : study_types())
    if (result.at(at).get<std::string>() == type.name)
      throw InputError(file.string() + "#" + at.to_string(),
                       "is \"" + std::string(type.name) +
                           "\" (check works on graphs of tasks on tiles). Give the run of a factorization");
}

}  // namespace

RecordedRun read_recorded_run(std::filesystem::path const& folder) {
  std::filesystem::path const file = folder / "result.json";
  nlohmann::json result = parse_json_file(file);
  refuse_study_result(file, result);
  RecordedRun run{scenario_of_result(file, result), std::move(result), std::nullopt};
  if (std::filesystem::exists(folder / native_trace_name))
    run.trace = read_native(folder / native_trace_name);
  return run;
}

audit::AuditReport audit_run(RecordedRun const& run) {
  Scenario const& s = run.scenario;
  Program program = program_of(s);
  audit::AuditedRun audited{.trace = run.trace ? &*run.trace : nullptr,
                            .result = run.result,
                            .graph = program.graph,
                            .platform = s.platform,
                            .models = s.models,
                            .application = s.trace ? "" : s.application->name,
                            .precision = s.parameters.precision,
                            .nb = s.parameters.nb,
                            .owners = std::move(program.owners),
                            .node_of_task = std::move(program.node_of_task),
                            .runtime = runtime_of(s),
                            .noise = noise_of(s),
                            .name = s.name};
  if (!s.trace) audited.total_flops = s.application->total_flops(s.parameters);
  return audit::audit(audited);
}

}  // namespace factosim
