#include "simulator/report/analysis/difference_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "simulator/report/analysis/delay_model.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

constexpr std::size_t removable = 4;  // durations, messages, copies, overhead
constexpr unsigned subsets = 1U << removable;

/// Parts of a makespan in seconds. The shares, `unexplained` and `structure` add up to it.
///
/// The shares are Shapley values: the mean, over all orders in which the four can be removed from the
/// `DelayModel` of the run, of what its removal saves. Source: Shapley, A value for n-person games, 1953.
struct RunParts {
  /// Lower bounds of the time of the tasks, with common durations, each at least the one before.
  struct Loads {
    double all_workers = 0;  // area bound of the cluster
    double node = 0;         // area bound of the most loaded node
    double worker = 0;       // work of the most loaded worker
  };
  /// Of what tasks last beyond the common durations, of messages, copies, and overhead.
  std::array<double, removable> shares{};
  double unexplained = 0;         // with what the model does not reproduce, where clocks differ
  double structure = 0;           // with common durations and no delays
  std::vector<double> classes{};  // [classes of the common durations] what setting these alone would save
  Loads loads{};
};

/// Returns the makespans with each subset of the removable delays kept, and all others.
std::array<double, subsets> makespans(DelayModel const& model, std::span<double const> common) {
  std::array<double, subsets> out{};
  for (unsigned subset = 0; subset < subsets; ++subset)
    out[subset] = model.makespan({.durations = (subset & 1U) != 0,
                                  .messages = (subset & 2U) != 0,
                                  .copies = (subset & 4U) != 0,
                                  .overhead = (subset & 8U) != 0},
                                 common);
  return out;
}

/// Returns the Shapley value of each removable delay.
std::array<double, removable> shares(std::array<double, subsets> const& makespan) {
  // |S|! (3 - |S|)! / 4!, the weight of a subset without the delay.
  constexpr std::array<double, removable> weight{1.0 / 4, 1.0 / 12, 1.0 / 12, 1.0 / 4};
  std::array<double, removable> out{};
  for (std::size_t i = 0; i < removable; ++i)
    for (unsigned subset = 0; subset < subsets; ++subset)
      if ((subset >> i & 1U) == 0)
        out[i] += weight[static_cast<std::size_t>(std::popcount(subset))] *
                  (makespan[subset | 1U << i] - makespan[subset]);
  return out;
}

/// Returns what the makespan loses if the durations of one class alone are common; [classes].
std::vector<double> saved_by_class(DelayModel const& model, Trace const& trace, CommonDurations const& common,
                                   std::size_t run, double makespan) {
  std::vector<std::uint32_t> const& class_of = common.class_of(run);
  std::vector<double> out, durations(trace.task_count());
  for (std::uint32_t c = 0; c < common.classes().size(); ++c) {
    for (std::size_t t = 0; t < trace.task_count(); ++t)
      durations[t] = class_of[t] == c ? common.of_run(run)[t] : trace.end_s[t] - trace.start_s[t];
    out.push_back(makespan - model.makespan({.durations = false}, durations));
  }
  return out;
}

/// The workers and the tasks of a node, or of all nodes.
struct NodeLoad {
  std::map<std::string, std::uint32_t> workers;  // by resource
  std::map<std::string, std::uint64_t> tasks;    // by kernel
};

/// Returns the area bound of these tasks with common durations.
double bound_of(NodeLoad const& load, CommonDurations const& common, std::size_t run) {
  std::vector<std::uint64_t> tasks;
  std::vector<WorkerClass> classes;
  for (auto const& [kernel, count] : load.tasks) tasks.push_back(count);
  for (auto const& [resource, count] : load.workers) {
    classes.push_back({count, {}});
    for (auto const& [kernel, unused] : load.tasks)
      classes.back().durations.push_back(common.of_kernel(run, {kernel, resource}));
  }
  return tasks.empty() ? 0 : area_bound(tasks, classes).makespan.value;
}

RunParts::Loads loads_of(Trace const& trace, CommonDurations const& common, std::size_t run, bool by_type) {
  std::vector<NodeLoad> nodes(trace.nodes.size());
  NodeLoad all;
  std::vector<double> load(trace.workers.size(), 0);
  std::vector<std::string> const resource = resources_of(trace, by_type);
  for (std::size_t w = 0; w < trace.workers.size(); ++w)
    for (NodeLoad* const of : {&all, &nodes[trace.workers[w].node.index()]}) ++of->workers[resource[w]];
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    if (!trace.ran(TaskId{t})) continue;
    std::string const& kernel = common.classes()[common.class_of(run)[t]].kernel;
    load[trace.worker[t].index()] += common.of_run(run)[t];
    for (NodeLoad* const of : {&all, &nodes[trace.node_of(TaskId{t}).index()]}) ++of->tasks[kernel];
  }
  RunParts::Loads out;
  out.all_workers = out.node = bound_of(all, common, run);
  if (nodes.size() > 1)
    for (NodeLoad const& node : nodes) out.node = std::max(out.node, bound_of(node, common, run));
  out.worker = std::max(out.node, *std::ranges::max_element(load));
  return out;
}

/// Computes the parts of one of the two runs with common durations. `by_type` as in `summarize_run`.
RunParts parts_of_run(TracedRun const& traced, CommonDurations const& common, std::size_t run, bool by_type) {
  Causes causes(traced.trace);
  DelayModel const model(traced.trace, causes, traced.origin_s);
  std::array<double, subsets> const makespan = makespans(model, common.of_run(run));
  RunParts out{.shares = shares(makespan)};
  out.structure = model.makespan(no_delays, common.of_run(run));
  out.unexplained = makespan[0] - out.structure + traced.makespan_s - makespan[subsets - 1];
  out.classes = saved_by_class(model, traced.trace, common, run, makespan[subsets - 1]);
  out.loads = loads_of(traced.trace, common, run, by_type);
  return out;
}

constexpr std::size_t index_of(DifferenceCause cause) { return static_cast<std::size_t>(cause); }

// ---- messages ----

/// Mean seconds of messages from the end of the task that wrote them; NaN if a message names no task.
double mean_message_s(Trace const& trace, bool from_task_end) {
  double sum = 0;
  for (Trace::Message const& m : trace.messages) {
    double const start = !from_task_end       ? m.start_s
                         : m.producer.valid() ? trace.end_s[m.producer.index()]
                                              : unknown;
    sum += m.end_s - start;
  }
  return sum / static_cast<double>(trace.messages.size());
}

std::optional<DifferenceParts::Messages> message_times(Trace const& a, Trace const& b) {
  if (a.messages.empty() || b.messages.empty()) return std::nullopt;
  DifferenceParts::Messages out{mean_message_s(a, true), mean_message_s(b, true), true};
  if (std::isnan(out.a_s) || std::isnan(out.b_s))
    out = {mean_message_s(a, false), mean_message_s(b, false), false};
  return out;
}

// ---- both runs ----

class PartsBuilder {
 public:
  PartsBuilder(TracedRun const& a, TracedRun const& b, bool by_type, std::optional<KnownDifferences> known)
      : common_({&a.trace, &b.trace}, by_type) {
    out_.known = std::move(known);
    out_.messages = message_times(a.trace, b.trace);
    out_.other_kernel_times = common_.means_differ();
    out_.other_tasks = common_.tasks_differ();
    out_.traces = trace_differences(a.trace, b.trace, std::max(a.makespan_s, b.makespan_s));
    a_ = parts_of_run(a, common_, 0, by_type);
    b_ = parts_of_run(b, common_, 1, by_type);
  }

  DifferenceParts parts() {
    constexpr std::array of_shares{DifferenceCause::kernels, DifferenceCause::messages,
                                   DifferenceCause::copies, DifferenceCause::overhead};
    for (std::size_t i = 0; i < removable; ++i) measure(of_shares[i], a_.shares[i], b_.shares[i]);
    measure(DifferenceCause::unexplained, a_.unexplained, b_.unexplained);
    measure_structure();
    for (std::size_t c = 0; c < common_.classes().size(); ++c)
      out_.kernels[common_.classes()[c]] = b_.classes[c] - a_.classes[c];
    for (DifferenceParts::Part& p : out_.parts) p.seconds = p.measured_s;
    if (out_.known)
      count_for_known_causes();
    else
      count_for_visible_causes();
    return std::move(out_);
  }

 private:
  DifferenceParts::Part& part(DifferenceCause cause) { return out_.parts[index_of(cause)]; }

  void measure(DifferenceCause cause, double a_s, double b_s) { part(cause) = {a_s, b_s, b_s - a_s, 0}; }

  /// Distributes the difference of the times without delays among map, workers and order.
  void measure_structure() {
    for (DifferenceCause const c :
         {DifferenceCause::between_nodes, DifferenceCause::within_node, DifferenceCause::order})
      part(c) = {unknown, unknown, 0, 0};
    double const difference = b_.structure - a_.structure;
    out_.node_bound_s = b_.loads.node - a_.loads.node;
    out_.worker_load_s = b_.loads.worker - a_.loads.worker;
    bool const map = out_.traces.map, other_workers = out_.traces.workers;
    bool const order =
        out_.known ? out_.known->causes[index_of(DifferenceCause::order)] : out_.traces.priorities;
    double &nodes = part(DifferenceCause::between_nodes).measured_s,
           &workers = part(DifferenceCause::within_node).measured_s;
    if (out_.other_tasks || (map ? 1 : 0) + (other_workers ? 1 : 0) + (order ? 1 : 0) > 1) {
      double const all = b_.loads.all_workers - a_.loads.all_workers;
      if (map) nodes = out_.node_bound_s - all;
      if (other_workers || out_.other_tasks) workers = all + out_.worker_load_s - out_.node_bound_s;
      if (map && !order) nodes = difference - workers;
    } else if (map) {
      nodes = difference;
    } else if (other_workers) {
      workers = difference;
    }
    part(DifferenceCause::order).measured_s = difference - nodes - workers;
  }

  /// Returns the causes that another map and other workers can change.
  [[nodiscard]] DifferenceCauseSet causes_of_structure() const {
    DifferenceCauseSet out;
    out[index_of(DifferenceCause::between_nodes)] = out[index_of(DifferenceCause::messages)] =
        out_.traces.map;
    out[index_of(DifferenceCause::within_node)] = out_.traces.workers;
    return out;
  }

  /// Returns the causes that what differs between the traces can change directly, besides the order. A speed
  /// is measured in the runs, so it may follow from the order: it counts if both act in the same direction,
  /// or if the order does less.
  [[nodiscard]] DifferenceCauseSet visible_causes() const {
    double const order = out_.of(DifferenceCause::order).measured_s;
    DifferenceCauseSet out = causes_of_structure();
    auto const add_speed = [&](bool differs, DifferenceCause cause) {
      double const seconds = out_.of(cause).measured_s;
      if (differs && (seconds * order >= 0 || std::abs(seconds) >= std::abs(order))) out.set(index_of(cause));
    };
    add_speed(out_.traces.network, DifferenceCause::messages);
    add_speed(out_.traces.bus || out_.traces.memory, DifferenceCause::copies);
    add_speed(out_.traces.submission, DifferenceCause::overhead);
    return out;
  }

  /// Returns the causes that can be at the root of the difference of two simulations: those of the options
  /// that differ, map and workers. The machines' timings, buses and memories are files whose content no
  /// option shows: they count as far as the traces show a difference.
  [[nodiscard]] DifferenceCauseSet possible_causes() const {
    DifferenceCauseSet out = out_.known->causes | causes_of_structure();
    if (out_.known->platform || out_.known->causes.none()) {
      if (out_.other_kernel_times) out.set(index_of(DifferenceCause::kernels));
      if (out_.traces.bus || out_.traces.memory || out.none()) out.set(index_of(DifferenceCause::copies));
    }
    return out;
  }

  /// Counts the seconds of some causes, which follow from others, for these others, in proportion.
  void count(DifferenceCauseSet const& following, DifferenceCauseSet const& roots) {
    double moved = 0, total = 0;
    for (std::size_t c = 0; c < difference_causes; ++c) {
      if (roots[c]) total += std::abs(out_.parts[c].measured_s);
      if (following[c]) moved += out_.parts[c].measured_s;
    }
    if (total == 0) return;
    for (std::size_t c = 0; c < difference_causes; ++c) {
      DifferenceParts::Part& p = out_.parts[c];
      if (roots[c]) p.seconds += moved * std::abs(p.measured_s) / total;
      if (following[c]) p.seconds = 0;
    }
  }

  /// Only the possible causes remain. Without a share of their own they explain nothing.
  void count_for_known_causes() {
    DifferenceCauseSet const possible = possible_causes();
    DifferenceCauseSet following = ~possible;
    following.reset(index_of(DifferenceCause::unexplained));
    count(following, possible);
    for (std::size_t c = 0; c < difference_causes; ++c)
      if (following[c]) part(DifferenceCause::unexplained).seconds += std::exchange(out_.parts[c].seconds, 0);
  }

  /// Nothing shows whether the policies of two traces differ. If something else visibly differs, another
  /// order counts for it, since policies react; so do messages on a network, and copies on a bus, that are as
  /// fast in both. Kernels, which always differ in real runs, are such a cause only if no other is visible and
  /// their own share is at least half of the order's.
  void count_for_visible_causes() {
    if (out_.other_tasks || out_.traces.priorities) return;
    DifferenceCauseSet roots = visible_causes(), moved;
    moved.set(index_of(DifferenceCause::order));
    double const order = part(DifferenceCause::order).measured_s;
    double const kernels = part(DifferenceCause::kernels).measured_s;
    if (roots.any())
      moved.set(index_of(DifferenceCause::messages)).set(index_of(DifferenceCause::copies));
    else if (out_.other_kernel_times && std::abs(kernels) >= std::abs(order) / 2)
      roots.set(index_of(DifferenceCause::kernels));
    else
      out_.order_may_delay_messages = part(DifferenceCause::messages).measured_s != 0;
    count(moved & ~roots, roots);
  }

  CommonDurations common_;
  RunParts a_, b_;
  DifferenceParts out_;
};

}  // namespace

char const* name_of(DifferenceCause cause) {
  constexpr std::array<char const*, difference_causes> names{"kernels",
                                                             "load balance between nodes",
                                                             "load balance within a node",
                                                             "messages",
                                                             "copies",
                                                             "runtime overhead",
                                                             "order of tasks",
                                                             "unexplained"};
  return names[index_of(cause)];
}

double DifferenceParts::sum() const {
  double out = 0;
  for (Part const& p : parts) out += p.seconds;
  return out;
}

std::vector<DifferenceCause> DifferenceParts::main(double makespan_s) const {
  constexpr double nearly = 0.8;
  double const difference = sum(), sign = difference > 0 ? 1 : -1;
  std::vector<DifferenceCause> out;
  if (std::abs(difference) <= 1e-9 * makespan_s) return out;
  for (std::size_t c = 0; c < difference_causes; ++c) out.push_back(static_cast<DifferenceCause>(c));
  std::ranges::stable_sort(out, [&](auto x, auto y) { return sign * of(x).seconds > sign * of(y).seconds; });
  double const most = sign * of(out.front()).seconds;
  std::erase_if(out, [&](DifferenceCause c) { return sign * of(c).seconds < nearly * most; });
  return out;
}

DifferenceParts difference_parts(TracedRun const& a, TracedRun const& b, bool by_type,
                                 std::optional<KnownDifferences> known) {
  return PartsBuilder(a, b, by_type, std::move(known)).parts();
}

}  // namespace factosim
