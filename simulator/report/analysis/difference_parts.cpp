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

constexpr std::size_t removable = 5;  // deviations, kernels, messages, copies, overhead
constexpr unsigned subsets = 1U << removable;

/// Parts of a makespan in seconds. The shares, `unexplained` and `structure` add up to it.
///
/// The shares are Shapley values: the mean, over all orders in which the five can be removed from the
/// `DelayModel` of the run, of what its removal saves. Source: Shapley, A value for n-person games, 1953.
struct RunParts {
  /// Lower bounds of the time of the tasks, with common durations, each at least the one before.
  struct Loads {
    double all_workers = 0;  // area bound of the cluster
    double node = 0;         // area bound of the most loaded node
    double worker = 0;       // work of the most loaded worker
  };
  /// Of what tasks deviate from their means, of what these are above common ones, of messages, copies, and overhead.
  std::array<double, removable> shares{};
  double unexplained = 0;         // with what the model does not reproduce, where clocks differ
  double structure = 0;           // with common durations and no delays
  std::vector<double> classes{};  // [classes of the common durations] what setting these alone would save
  Loads loads{};
};

/// Returns the makespans with each subset of the removable delays kept, and all others.
std::array<double, subsets> makespans(DelayModel const& model, SeparateDurations const& d) {
  std::array<double, subsets> out{};
  unsigned const without_effect = (d.no_deviations ? 1U : 0U) | (d.same_means ? 2U : 0U);
  for (unsigned subset = subsets; subset-- > 0;) {
    unsigned const known = subset | without_effect;
    auto const& durations = (subset & 1U) != 0 ? d.deviating : (subset & 2U) != 0 ? d.means : d.common;
    out[subset] = known != subset ? out[known]
                                  : model.makespan({.durations = (subset & 3U) == 3,
                                                    .messages = (subset & 4U) != 0,
                                                    .copies = (subset & 8U) != 0,
                                                    .overhead = (subset & 16U) != 0},
                                                   durations);
  }
  return out;
}

/// Returns the Shapley value of each removable delay.
std::array<double, removable> shares(std::array<double, subsets> const& makespan) {
  // |S|! (4 - |S|)! / 5!, the weight of a subset without the delay.
  constexpr std::array<double, removable> weight{1.0 / 5, 1.0 / 20, 1.0 / 30, 1.0 / 20, 1.0 / 5};
  std::array<double, removable> out{};
  for (std::size_t i = 0; i < removable; ++i)
    for (unsigned subset = 0; subset < subsets; ++subset)
      if ((subset >> i & 1U) == 0)
        out[i] += weight[static_cast<std::size_t>(std::popcount(subset))] *
                  (makespan[subset | 1U << i] - makespan[subset]);
  return out;
}

/// Returns what the makespan loses if the means of one class alone are common; [classes].
std::vector<double> saved_by_class(DelayModel const& model, Trace const& trace, CommonDurations const& common,
                                   std::size_t run, SeparateDurations const& d, double makespan) {
  std::vector<double> out(common.classes().size(), 0), durations(trace.task_count());
  for (std::uint32_t c = 0; c < out.size() && !d.same_means; ++c) {
    for (std::size_t t = 0; t < trace.task_count(); ++t)
      durations[t] = common.class_of(run)[t] == c ? d.deviating[t] : trace.end_s[t] - trace.start_s[t];
    out[c] = makespan - model.makespan({.durations = false}, durations);
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
  Causes const causes(traced.trace);
  DelayModel const model(traced.trace, causes, traced.origin_s);
  SeparateDurations const durations(traced.trace, common, run);
  std::array<double, subsets> const makespan = makespans(model, durations);
  RunParts out{.shares = shares(makespan)};
  out.structure = model.makespan(no_delays, durations.common);
  out.unexplained = makespan[0] - out.structure + traced.makespan_s - makespan[subsets - 1];
  out.classes = saved_by_class(model, traced.trace, common, run, durations, makespan[subsets - 1]);
  out.loads = loads_of(traced.trace, common, run, by_type);
  return out;
}

constexpr std::size_t index_of(DifferenceCause cause) { return static_cast<std::size_t>(cause); }

/// Map, workers and order, which the critical chains do not distinguish.
constexpr std::array structural{DifferenceCause::between_nodes, DifferenceCause::within_node,
                                DifferenceCause::order};

class PartsBuilder {
 public:
  PartsBuilder(TracedRun const& a, TracedRun const& b, bool by_type, std::optional<KnownDifferences> known,
               std::array<double, difference_causes> const& on_chains)
      : common_({&a.trace, &b.trace}, by_type), on_chains_(on_chains) {
    out_.known = std::move(known);
    out_.other_kernel_times = common_.means_differ();
    out_.other_deviations = common_.deviations_differ();
    out_.other_tasks = common_.tasks_differ();
    out_.traces = trace_differences(a.trace, b.trace, std::max(a.makespan_s, b.makespan_s));
    a_ = parts_of_run(a, common_, 0, by_type);
    b_ = parts_of_run(b, common_, 1, by_type);
  }

  DifferenceParts parts() {
    constexpr std::array of_shares{DifferenceCause::deviations, DifferenceCause::kernels,
                                   DifferenceCause::messages, DifferenceCause::copies,
                                   DifferenceCause::overhead};
    for (std::size_t i = 0; i < removable; ++i) measure(of_shares[i], a_.shares[i], b_.shares[i]);
    measure(DifferenceCause::unexplained, a_.unexplained, b_.unexplained);
    measure_structure();
    for (std::size_t c = 0; c < common_.classes().size(); ++c)
      out_.kernels[common_.classes()[c]] = b_.classes[c] - a_.classes[c];
    for (std::size_t c = 0; c < difference_causes; ++c) {
      DifferenceParts::Part& p = out_.parts[c];
      p.seconds = p.measured_s;
      p.chain_seconds = p.on_chains_s = on_chains_[c];
    }
    if (out_.known)
      count_for_known_causes();
    else
      count_for_visible_causes();
    return std::move(out_);
  }

 private:
  DifferenceParts::Part& part(DifferenceCause cause) { return out_.parts[index_of(cause)]; }

  void measure(DifferenceCause cause, double a_s, double b_s) {
    part(cause) = {.a_s = a_s, .b_s = b_s, .measured_s = b_s - a_s};
  }

  /// Distributes the difference of the times without delays among map, workers and order.
  void measure_structure() {
    for (DifferenceCause const c : structural) part(c) = {.a_s = unknown, .b_s = unknown};
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
    add_speed(out_.other_deviations, DifferenceCause::deviations);
    return out;
  }

  /// Returns the causes that can be at the root of the difference of two simulations: those of the options
  /// that differ, map and workers. The machines' timings, buses and memories are files whose content no
  /// option shows: they count as far as the traces show a difference. So do durations.
  [[nodiscard]] DifferenceCauseSet possible_causes() const {
    DifferenceCauseSet out = out_.known->causes | causes_of_structure();
    DifferenceCauseSet durations;
    durations[index_of(DifferenceCause::kernels)] = out_.other_kernel_times || out_.other_tasks;
    durations[index_of(DifferenceCause::deviations)] = out_.other_deviations;
    bool const any = out_.known->platform || out_.known->causes.none();
    if (any) out |= durations;
    constexpr unsigned of_durations =
        1U << index_of(DifferenceCause::kernels) | 1U << index_of(DifferenceCause::deviations);
    if (auto const shown = out & (durations | ~DifferenceCauseSet(of_durations)); shown.any()) out = shown;
    if (any) {
      if (out_.traces.bus || out_.traces.memory || out.none()) out.set(index_of(DifferenceCause::copies));
    }
    return out;
  }

  /// Counts the seconds of some causes, which follow from others, for these others, in proportion; evenly if these
  /// have none.
  void count(DifferenceCauseSet const& following, DifferenceCauseSet const& roots,
             double DifferenceParts::Part::*seconds) {
    if (roots.none()) return;
    double moved = 0, total = 0;
    for (std::size_t c = 0; c < difference_causes; ++c) {
      double& s = out_.parts[c].*seconds;
      if (roots[c]) total += std::abs(s);
      if (following[c]) moved += std::exchange(s, 0);
    }
    auto const evenly = static_cast<double>(roots.count());
    for (std::size_t c = 0; c < difference_causes; ++c)
      if (double& s = out_.parts[c].*seconds; roots[c])
        s += moved * (total > 0 ? std::abs(s) / total : 1 / evenly);
  }

  /// The chains do not tell map and workers from the order: their seconds count for the first root among them.
  void count(DifferenceCauseSet following, DifferenceCauseSet const& roots) {
    for (DifferenceCause const c : structural)
      if (roots[index_of(c)]) {
        std::swap(part(c).chain_seconds, part(DifferenceCause::order).chain_seconds);
        break;
      }
    following &= ~roots;
    count(following, roots, &DifferenceParts::Part::seconds);
    count(following, roots, &DifferenceParts::Part::chain_seconds);
  }

  /// Only the possible causes remain. Where files may differ, they explain nothing without a share of their own.
  void count_for_known_causes() {
    DifferenceCauseSet const possible = possible_causes();
    bool share = !out_.known->platform;
    for (std::size_t c = 0; c < difference_causes; ++c)
      share = share || (possible[c] && out_.parts[c].measured_s != 0);
    DifferenceCauseSet following;
    following.set();
    following[index_of(DifferenceCause::unexplained)] = !out_.known->platform;
    count(following, share ? possible : DifferenceCauseSet().set(index_of(DifferenceCause::unexplained)));
  }

  /// Nothing shows whether the policies of two traces differ. If something else visibly differs, another
  /// order counts for it, since policies react; so do messages on a network, and copies on a bus, that are as
  /// fast in both, and deviations that are as large. Kernels, which always differ in real runs, are such a cause only
  /// if no other is visible and their own share is at least half of the order's.
  void count_for_visible_causes() {
    DifferenceCauseSet moved, roots;
    moved[index_of(DifferenceCause::deviations)] = !out_.other_deviations;
    roots.set(index_of(DifferenceCause::order));
    if (!out_.other_tasks && !out_.traces.priorities) {
      double const order = part(DifferenceCause::order).measured_s;
      double const kernels = part(DifferenceCause::kernels).measured_s;
      if (visible_causes().any()) {
        roots = visible_causes();
        moved.set(index_of(DifferenceCause::messages)).set(index_of(DifferenceCause::copies));
      } else if (out_.other_kernel_times && std::abs(kernels) >= std::abs(order) / 2) {
        roots = DifferenceCauseSet().set(index_of(DifferenceCause::kernels));
      } else {
        out_.order_may_delay_messages = part(DifferenceCause::messages).measured_s != 0;
      }
      moved.set(index_of(DifferenceCause::order));
    }
    count(moved, roots);
  }

  CommonDurations common_;
  std::array<double, difference_causes> on_chains_;
  RunParts a_, b_;
  DifferenceParts out_;
};

}  // namespace

char const* name_of(DifferenceCause cause) {
  constexpr std::array<char const*, difference_causes> names{"kernels",
                                                             "deviations of single tasks",
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

std::optional<DifferenceCause> DifferenceParts::not_separable_from(double makespan_s) const {
  constexpr double part_of_it = 0.5;
  auto const causes = main(makespan_s);
  if (causes.empty()) return std::nullopt;
  double const sign = sum() > 0 ? 1 : -1;
  auto const is_structural = [](DifferenceCause c) {
    return std::ranges::find(structural, c) != structural.end();
  };
  auto const alike = [&](DifferenceCause c, DifferenceCause d) {
    return c == d || (is_structural(c) && is_structural(d));
  };
  double of_main = 0, on_chains = 0;
  auto most = causes.front();
  for (std::size_t c = 0; c < difference_causes; ++c) {
    auto const cause = static_cast<DifferenceCause>(c);
    if (alike(cause, causes.front()))
      of_main += sign * parts[c].seconds, on_chains += sign * parts[c].chain_seconds;
    if (sign * parts[c].chain_seconds > sign * of(most).chain_seconds) most = cause;
  }
  if (alike(most, causes.front()) || on_chains >= part_of_it * of_main) return std::nullopt;
  return most;
}

DifferenceParts difference_parts(TracedRun const& a, TracedRun const& b, bool by_type,
                                 std::optional<KnownDifferences> known,
                                 std::array<double, difference_causes> const& on_chains) {
  return PartsBuilder(a, b, by_type, std::move(known), on_chains).parts();
}

}  // namespace factosim
