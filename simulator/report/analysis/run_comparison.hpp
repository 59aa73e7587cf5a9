#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/report/analysis/difference_parts.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/report/analysis/time_breakdown.hpp"

namespace factosim {

/// Returns the makespans of the further runs in a result.json: perturbed ones (`sensitivity`), else replicas;
/// empty without either.
[[nodiscard]] std::vector<double> repetitions_of_result(JsonReader const& result);

/// Whether two runs differ by more than single runs of the same scenarios do.
struct Distinction {
  double half_width_s = 0;        // of the 95 % interval of the difference between one further run of each
  double means_difference_s = 0;  // of the repetitions, second minus first; 0 where one run has none
  bool both_repeated = true;      // else the repetitions of one count for both
  bool distinct = false;
};

/// Compares two makespans, in seconds, by their repetitions. They are distinct if their difference is beyond the
/// interval, and has the sign of the difference of the means. Nothing if neither run has two repetitions.
[[nodiscard]] std::optional<Distinction> distinguish(double a_s, std::vector<double> const& repetitions_a,
                                                     double b_s, std::vector<double> const& repetitions_b);

/// The elements of two ranges that have equal keys; null: the range has none.
template <class Range, class KeyOf>
[[nodiscard]] auto side_by_side(Range const& a, Range const& b, KeyOf const& key_of) {
  using Element = std::ranges::range_value_t<Range>;
  std::map<std::remove_cvref_t<std::invoke_result_t<KeyOf, Element const&>>, std::array<Element const*, 2>>
      out;
  for (Element const& element : a) out[std::invoke(key_of, element)][0] = &element;
  for (Element const& element : b) out[std::invoke(key_of, element)][1] = &element;
  return out;
}
/// Returns an element that `side_by_side` found, or else `none`.
template <class Element>
[[nodiscard]] Element or_none(Element const* element, Element const& none = {}) {
  return element != nullptr ? *element : none;
}
/// The key of an element of a map.
constexpr auto key_of_map = [](auto const& element) { return element.first; };

/// A run to compare.
struct ComparedRun {
  bool traced = true;  // false: only totals are known; no chain, breakdown or kernels
  RunSummary summary;
  CriticalChain chain;
  TimeBreakdown workers;
  std::vector<IdleTime> idle;           // of workers
  std::vector<double> repetitions_s{};  // makespans of its further runs in result.json
};
/// Summarizes a trace. `by_type`: kernels on different types of nodes are distinguished (same_node_types).
[[nodiscard]] ComparedRun compared_run(Causes const& causes, bool by_type = false,
                                       RunStart start = RunStart::own);
/// Reads the totals of a result.json. Throws InputError if the file is not a result.
[[nodiscard]] ComparedRun compared_result(std::filesystem::path const& result);

/// The difference of the two critical chains (second minus first), in seconds. A chain is one explanation of its
/// run, and what a chain waits for may follow from something else: `DifferenceParts` names the causes.
///
/// The time T of a kind of kernel on a chain is that of n tasks with the run's mean d, and their deviations:
/// T2 - T1 = (n1 + n2)/2 (d2 - d1)  [means]  +  (n2 - n1) (d1 + d2)/2  [path]
///           + (T2 - n2 d2) - (T1 - n1 d1)  [deviations].
struct ChainDifference {
  struct Kernel {
    std::size_t tasks_a = 0, tasks_b = 0;  // on the chains
    double means_s = 0, path_s = 0, deviations_s = 0;
  };
  std::map<KernelOn, Kernel> kernels;  // of both chains
  /// By cause; they add up to the difference of the makespans. What map, workers and order cause is that of the order.
  std::array<double, difference_causes> seconds{};
  [[nodiscard]] double& of(DifferenceCause cause) { return seconds[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] double sum() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }
};

/// The result of simulating the simulated one of two runs again with the kernel means of the other. The
/// remaining difference is not due to kernel times.
struct OwnMeans {
  char simulated = 'b';                // the simulated run: 'a' or 'b'
  double makespan_s = 0;               // of that one, with the means of the other
  std::size_t replaced = 0, kept = 0;  // kernels with and without a mean in the other run
};

/// What the keys do in which two scenarios differ, by simulations.
struct DifferenceProof {
  struct Change {
    std::string option;         // JSON pointer
    DifferenceCauseSet causes;  // that it can change directly; none: anything
    double alone_s = 0;         // by which the first run is longer with this change alone
    double share_s = 0;         // mean over all orders of making the changes; these add up to the difference
  };
  std::vector<Change> changes;
  double interaction_s = 0;  // the difference without what the changes do alone
  std::size_t simulations = 0;
};

struct RunComparison {
  ComparedRun a, b;
  RunStart start = RunStart::own;  // of both
  ChainDifference chains;
  std::optional<DifferenceParts> parts;  // if both are traced
  std::optional<OwnMeans> own_means;
  std::string no_own_means;                  // reason why there are none
  std::optional<Distinction> distinction{};  // if a run has repetitions
  std::optional<DifferenceProof> proof{};    // if it is asked for

  /// Returns how many seconds of the difference count for the causes that a change can have; NaN if that may be any.
  [[nodiscard]] double predicted_s(DifferenceProof::Change const& change) const;

  [[nodiscard]] bool traced() const { return a.traced && b.traced; }
  /// Returns by how many seconds means that are equal in both runs, changed by a millionth, move the simulation: ties
  /// end otherwise. 0 if there is none, or if it moves by millionths.
  [[nodiscard]] double chaos_s() const;
  [[nodiscard]] double difference_s() const { return b.summary.makespan_s - a.summary.makespan_s; }
};

/// Returns what is concluded from the causes of a difference, as text and pages say it: the main cause, whether it may be
/// chaos, the options that differ. Both runs must be traced.
[[nodiscard]] std::vector<std::string> verdict(RunComparison const& comparison);

/// A total of both runs, as tables show it; NaN: unknown.
struct ComparedTotal {
  std::string label;
  double a = 0, b = 0;
  bool seconds = true;  // false: a number of tasks
};
/// Returns the totals of two compared runs, the makespan first.
[[nodiscard]] std::vector<ComparedTotal> compared_totals(RunComparison const& comparison);

/// Returns the comparison of two summarized runs, without `parts` and `own_means`.
[[nodiscard]] RunComparison compare_runs(ComparedRun a, ComparedRun b);

/// Compares two traces, measured from the same instant: the start of the simulation if both are simulations
/// of factosim, else the start of the first task. `known`: what results record of the runs.
[[nodiscard]] RunComparison compare_traces(Trace const& a, Trace const& b,
                                           std::optional<KnownDifferences> known = std::nullopt);

/// The accepted relative difference of a quantity of the second run from that of the first. `metric`: makespan, tasks,
/// abe, critical_path, busy, idle, kernel_mean, messages, message_bytes or copy_bytes.
struct Tolerance {
  std::string metric;
  double relative = 0;  // 0.02: 2 %
};

/// Parses "makespan=2%,kernel_mean=5%"; a number without a name applies to the makespan. Throws InputError.
[[nodiscard]] std::vector<Tolerance> parse_tolerances(std::string_view text);

/// The comparison of one quantity with its tolerance.
struct ToleranceCheck {
  std::string metric, what;  // what: the kernel, the node, the link; empty: the whole run
  double a = 0, b = 0;
  double relative = 0;  // (b - a) / a; infinite where only a is 0
  double limit = 0;
  [[nodiscard]] bool ok() const;
};

/// Checks all tolerances. `kernel_mean` applies to each kernel and resource that both runs have, `busy` and
/// `idle` to each node.
[[nodiscard]] std::vector<ToleranceCheck> check_tolerances(RunComparison const& comparison,
                                                           std::vector<Tolerance> const& tolerances);

}  // namespace factosim
