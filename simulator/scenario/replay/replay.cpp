#include "simulator/scenario/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"

namespace factosim {

namespace {

using Mapping = ReplayOptions::Mapping;
using Timings = ReplayOptions::Timings;

/// Plans one replay.
class ReplayPlanner {
 public:
  explicit ReplayPlanner(ReplayInputs const& inputs)
      : in_(inputs),
        trace_(*inputs.application.trace),
        options_(inputs.application.options),
        timings_(trace_),
        pool_(!inputs.application.own_platform) {}

  ReplayPlan plan() && {
    ReplayGraph laid_out = replay_graph(in_.application, timings_, in_.map);
    check_nodes(laid_out);
    Machine machine = build_machine(in_.platform, in_.models, {}, {}, in_.runtime);
    set_durations(machine);
    set_powers_of_kinds(machine);
    ExecutionPlan plan =
        plan_recorded_execution(laid_out.graph, laid_out.owner, laid_out.node, in_.platform.nodes.size());
    ReplayPlan out{std::move(laid_out.graph), std::move(plan), std::move(machine), {}, {}};
    check_runnable(out);
    if (laid_out.waits_added > 0)
      out.findings.push_back({trace_.source, 0,
                              fmt::format("{} tasks read what another node wrote, and the trace names no "
                                          "dependency on its writer: they wait for it",
                                          laid_out.waits_added)});
    check_sizes(out, laid_out.unsized);
    out.recording = recording(out, as_numbered(out.graph, laid_out.recorded));
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view pointer, std::string const& message) const {
    throw InputError(in_.file + "#" + std::string(pointer), message);
  }

  void check_nodes(ReplayGraph const& g) const {
    std::size_t const nodes = in_.platform.nodes.size();
    for (NodeId const node : g.node)
      if (node.index() >= nodes)
        fail("/platform", fmt::format("has {} nodes, and the trace ran tasks on {} (each stays on its node). "
                                      "Use as many nodes, or a \"distribution\"",
                                      nodes, trace_.nodes.size()));
  }

  // ---- durations ----

  /// Returns the durations of kind `k` on a worker of a node in the trace; no samples if it never ran there.
  [[nodiscard]] Moments in_trace(std::uint32_t k, NodeId node, bool gpu, std::string const& worker) const {
    NodeId const of = pool_ ? NodeId{} : node;
    if (gpu && !pool_)
      if (auto const own = timings_.on(k, node, worker); own.count > 0) return own;
    return timings_.on(k, of, gpu ? Trace::Device::gpu : Trace::Device::cpu);
  }

  /// Returns the duration by the kernel file of the node's type; nullopt if that has none.
  [[nodiscard]] std::optional<Seconds> by_platform(std::uint32_t k, std::size_t type,
                                                   std::string const& worker) const {
    Kernel const& kernel = trace_.kernels[timings_.kinds()[k].kernel];
    auto const symbol = symbol_of(trace_, timings_.kinds()[k].kernel);
    std::string const name = symbol ? symbol->kernel : timing_name(kernel);
    std::string const application = symbol ? symbol->application : "";
    Precision const precision = symbol ? symbol->precision : Precision::double_;
    std::optional<int> const nb = symbol ? sizes_.of(*symbol, size_of_kind_[k]) : std::nullopt;
    if (!nb) return std::nullopt;
    return in_.models[type].duration(name, application, precision, worker, *nb, kernel.flops);
  }

  void find_sizes() {
    size_of_kind_.assign(timings_.kinds().size(), Bytes{0});
    for (std::size_t t = 0; t < trace_.task_count(); ++t)
      size_of_kind_[timings_.kind_of_task()[t]] = data_of(trace_, t);  // 0 bytes: no tile
    sizes_ = tile_sizes(trace_);
  }

  void set_durations(Machine& machine) {
    find_sizes();
    for (std::size_t t = 0; t < machine.types.size(); ++t) {
      Machine::Type& type = machine.types[t];
      NodeId const node{t};  // if the platform is the trace's own: one type per node
      for (std::uint32_t k = 0; k < timings_.kinds().size(); ++k)
        for (std::size_t w = 0; w < type.workers.size(); ++w) {
          bool const gpu = type.workers[w].gpu;
          std::string const worker = type.timing_name(w);
          double mean = std::numeric_limits<double>::infinity(), deviation = 0;
          if (options_.timings == Timings::platform) {
            if (auto const seconds = by_platform(k, t, worker)) mean = seconds->value;
          } else if (auto const own = in_trace(k, node, gpu, gpu ? gpu_name(t, w) : worker); own.count > 0) {
            mean = own.mean;
            deviation = own.population_deviation();
          }
          type.durations.push_back(mean);
          type.deviations.push_back(deviation);
          type.samples.emplace_back();
        }
    }
  }

  /// Caps of GPUs slow down what the platform times; recorded durations had those of their run.
  void set_powers_of_kinds(Machine& machine) const {
    for (std::size_t t = 0; t < machine.types.size(); ++t) {
      std::vector<std::string> names;
      for (auto const& kind : timings_.kinds())
        names.push_back(power_name(in_.platform.types[t].power, trace_.kernels[kind.kernel]));
      set_powers(machine.types[t], in_.platform.types[t], names);
      if (options_.timings == Timings::platform)
        slow_down_capped(machine.types[t], in_.platform.types[t], names);
    }
  }

  /// Returns the trace's name of the GPU; the machine numbers its GPUs.
  [[nodiscard]] std::string gpu_name(std::size_t type, std::size_t worker) const {
    auto const& gpus = in_.platform.types[type].gpus;
    return worker < gpus.size() ? gpus[worker].model : "";
  }

  void check_runnable(ReplayPlan const& p) const {
    for (std::uint32_t t = 0; t < p.graph.task_count(); ++t) {
      auto const durations = p.machine.durations(p.plan.node_of(TaskId{t}), p.graph.kernel[t]);
      if (std::any_of(durations.begin(), durations.end(), [](double d) { return !std::isinf(d); })) continue;
      Kernel const& kernel = trace_.kernels[timings_.kinds()[p.graph.kernel[t]].kernel];
      std::string const& type = in_.platform.type_of(p.plan.node_of(TaskId{t})).name;
      if (options_.timings == Timings::platform)
        fail("/application/timings",
             fmt::format("{} cannot run on {} (its kernel file has no timing of it for data of that size, {} "
                         "bytes, and nothing is extrapolated). Import one, or use own-means",
                         kernel.name, type, size_of_kind_[p.graph.kernel[t]].value));
      fail("/platform", fmt::format("{} cannot run on {} (the trace has it on other sorts of workers only). "
                                    "Use timings of the platform, or other nodes",
                                    kernel.name, type));
    }
  }

  /// Reports messages of unknown size. Their time is not known either unless the trace prescribes it.
  void check_sizes(ReplayPlan& p, std::vector<bool> const& unsized) const {
    std::size_t messages = 0, unknown = 0;
    for_all_messages(p.graph, p.plan, [&](TaskId task, std::uint32_t first) {
      HandleId const handle = p.graph.given_to(task, p.graph.successors[first]);
      ++messages;
      if (!handle.valid() || unsized[handle.index()]) ++unknown;
    });
    if (unknown == 0) return;
    std::string const which = fmt::format("{} of {} messages between nodes", unknown, messages);
    if (!in_.application.own_platform || !options_.recorded_messages)
      fail(in_.application.own_platform ? "/application/messages" : "/application/file",
           fmt::format("no file of the trace tells the size of {} (which are simulated: their time depends "
                       "on it). Give data.rec or comms.rec as well, a table with sizes, or replay on the "
                       "platform \"trace\" with recorded messages",
                       which));
    p.findings.push_back(
        {trace_.source, 0, "no file tells the size of " + which + ": they count as 0 bytes"});
  }

  // ---- recording ----

  /// Returns the task in the trace of each task of the placed graph, [tasks]; `submitted` is in the order of
  /// submission.
  [[nodiscard]] static std::vector<std::uint32_t> as_numbered(TaskGraph const& graph,
                                                              std::vector<std::uint32_t> const& submitted) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t t = 0; t < submitted.size(); ++t)
      out.push_back(submitted[graph.submission_number(TaskId{t})]);
    return out;
  }

  Recording recording(ReplayPlan const& p, std::vector<std::uint32_t> const& recorded) const {
    Recording out;
    if (options_.mapping == Mapping::workers || options_.mapping == Mapping::devices)
      prescribe_workers(p, recorded, out);
    if (options_.recorded_submission) prescribe_submission(recorded, out);
    if (options_.recorded_messages && in_.application.own_platform) prescribe_messages(recorded, out);
    if (options_.recorded_pauses && in_.application.own_platform) {
      std::vector<double> const pause = pauses(trace_);
      for (std::uint32_t const r : recorded) out.pause_s.push_back(pause[r]);
    }
    if (options_.timings == Timings::recorded)
      for (std::uint32_t const r : recorded) out.duration_s.push_back(timings_.seconds()[r]);
    for (std::uint32_t const r : recorded)
      out.on_gpu.push_back(trace_.worker[r].valid() &&
                           trace_.workers[trace_.worker[r].index()].device == Trace::Device::gpu);
    return out;
  }

  /// Returns for each worker of the trace the number, within its node, of the machine's worker of that type
  /// and rank.
  [[nodiscard]] std::vector<std::uint32_t> worker_numbers(ReplayPlan const& p) const {
    std::vector<std::uint32_t> numbers;
    std::map<std::pair<NodeId, Trace::Device>, std::uint32_t> next;
    for (Trace::Worker const& w : trace_.workers) {
      std::uint32_t const rank = next[{w.node, w.device}]++;
      if (w.node.index() >= p.machine.node_count()) {  // ran nothing
        numbers.push_back(none);
        continue;
      }
      Machine::Type const& type = p.machine.type(w.node);
      auto const gpus = static_cast<std::uint32_t>(type.gpus);
      bool const gpu = w.device == Trace::Device::gpu;
      std::uint32_t const number = gpu ? rank : gpus + rank;
      numbers.push_back(number < (gpu ? gpus : type.workers.size()) ? number : none);
    }
    return numbers;
  }

  void prescribe_workers(ReplayPlan const& p, std::vector<std::uint32_t> const& recorded,
                         Recording& out) const {
    std::vector<std::uint32_t> const numbers = worker_numbers(p);
    for (std::uint32_t t = 0; t < recorded.size(); ++t) {
      WorkerId const w = trace_.worker[recorded[t]];
      std::uint32_t const number = w.valid() ? numbers[w.index()] : none;
      if (number == none ||
          std::isinf(p.machine.durations(p.plan.node_of(TaskId{t}), p.graph.kernel[t])[number]))
        fail("/application/mapping",
             fmt::format("keeps tasks on their workers, and {} of node {} has no counterpart on the platform "
                         "that can run {}. Use the mapping \"nodes\", or the platform \"trace\"",
                         w.valid() ? trace_.workers[w.index()].name : "no worker",
                         p.plan.node_of(TaskId{t}).value(), p.graph.kernel_of(TaskId{t}).name));
      out.worker.push_back(number);
    }
    std::vector<std::uint32_t> order(recorded.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(trace_.start_s[recorded[a]], trace_.end_s[recorded[a]], a) <
             std::tuple(trace_.start_s[recorded[b]], trace_.end_s[recorded[b]], b);
    });
    out.position.resize(recorded.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) out.position[order[i]] = i;
    out.pool_cores = options_.mapping == Mapping::devices;
    out.strict = !out.pool_cores && can_be_strict(p, out);
  }

  /// Returns false if the workers' orders contradict the dependencies, as dates of unsynchronized clocks may.
  [[nodiscard]] static bool can_be_strict(ReplayPlan const& p, Recording const& r) {
    std::vector<TaskId> by_position(r.position.size());
    for (std::uint32_t t = 0; t < r.position.size(); ++t) by_position[r.position[t]] = TaskId{t};
    std::vector<TaskEdge> edges;
    edges.reserve(p.graph.successors.size() + by_position.size());
    for (TaskId const t : by_position)
      for (TaskId const next : p.graph.successors_of(t)) edges.push_back({t, next});
    std::map<std::pair<NodeId, std::uint32_t>, TaskId> last;  // by node and worker
    for (TaskId const t : by_position) {
      TaskId& before = last[{p.plan.node_of(t), r.worker[t.index()]}];
      if (before.valid()) edges.push_back({before, t});
      before = t;
    }
    TaskRows const successors = rows_of(by_position.size(), edges);
    return topological_order(successors.begin, successors.items).blocked.empty();
  }

  /// The time of a message counts from the end of the task that wrote its data to its arrival; of several
  /// messages the first counts.
  void prescribe_messages(std::vector<std::uint32_t> const& recorded, Recording& out) const {
    std::vector<TaskId> number(trace_.task_count());
    for (std::uint32_t t = 0; t < recorded.size(); ++t) number[recorded[t]] = TaskId{t};
    for (Trace::Message const& m : trace_.messages)
      if (m.producer.valid())
        out.messages.push_back(
            {number[m.producer.index()], m.to, std::max(0.0, m.end_s - trace_.end_s[m.producer.index()])});
    std::sort(out.messages.begin(), out.messages.end(), [](auto const& a, auto const& b) {
      return std::tuple(a.task, a.to, a.seconds) < std::tuple(b.task, b.to, b.seconds);
    });
  }

  /// Dates count from the start of the first task. A run with neither dates of submission nor dependencies is
  /// replayed by the starts of its tasks.
  void prescribe_submission(std::vector<std::uint32_t> const& recorded, Recording& out) const {
    double const start = *std::min_element(trace_.start_s.begin(), trace_.start_s.end());
    bool const no_order = trace_.predecessor_begin.empty() && trace_.access_begin.empty();
    for (std::uint32_t const r : recorded) {
      double date = trace_.submit_s[r];
      if (!(date == date)) date = no_order ? trace_.start_s[r] : start;
      out.submit_s.push_back(std::max(0.0, date - start));
    }
  }

  static constexpr std::uint32_t none = WorkerId::none;

  ReplayInputs const& in_;
  Trace const& trace_;
  ReplayOptions const& options_;
  TraceTimings timings_;
  bool pool_;  // means over all nodes
  std::vector<Bytes> size_of_kind_;
  TileSizes sizes_;
};

}  // namespace

ReplayPlan plan_replay(ReplayInputs const& inputs) { return ReplayPlanner(inputs).plan(); }

std::optional<std::string> difference_of_replay(TraceApplication const& replay,
                                                SimulationOutcome const& outcome) {
  if (!replay.own_platform || !replay.options.repeats_all()) return std::nullopt;
  Trace const& trace = *replay.trace;
  bool const whole = trace.format == "factosim";  // dates of other traces begin anywhere
  double start = whole ? 0 : outcome.makespan.value, recorded_start = whole ? 0 : HUGE_VAL, recorded_end = 0;
  for (SimulationOutcome::Node const& node : outcome.nodes)
    if (node.tasks > 0) start = std::min(start, node.first_task.value);
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    if (!trace.ran(TaskId{t})) continue;
    recorded_start = std::min(recorded_start, trace.start_s[t]);
    recorded_end = std::max(recorded_end, trace.end_s[t]);
  }
  double const time = outcome.makespan.value - start, recorded = recorded_end - recorded_start;
  if (!(std::abs(time - recorded) > 0.05 * recorded)) return std::nullopt;
  return fmt::format(
      "{}the replay takes {} and the recorded run {}: a trace does not tell all that the "
      "runtime system does, which counts where kernels are short",
      whole ? "" : "from its first kernel on, ", format_duration(Seconds{time}),
      format_duration(Seconds{recorded}));
}

}  // namespace factosim
