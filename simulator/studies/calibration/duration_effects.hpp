#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "factosim/id.hpp"
#include "factosim/kernel_model.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Identifies a timing; a kernel file is sorted by it.
struct TimingSubject {
  std::string kernel, application;
  Precision precision;
  std::string worker;  // kind of worker: "cpu", "cuda0"
  int nb;
  auto operator<=>(TimingSubject const&) const = default;
};

/// A worker in one of several runs.
struct RunWorker {
  std::size_t run;
  WorkerId worker;
  auto operator<=>(RunWorker const&) const = default;
};

struct Execution {
  RunWorker by;
  double seconds;
  int busy_cores = 0;  // of the node when it starts, its own included: see busy_cores_at_start
};

struct KernelExecutions {
  std::vector<Execution> first, later;  // first: of the kernel on that worker in that run
};

/// Returns, for each task, how many cores of its node run tasks when it starts, its own included, as the
/// simulator counts them for a slow-down: cores that drive GPUs do not count. 0 for tasks that no worker ran.
/// `by_start`: all tasks in order of start; of tasks that start at one date the first does not see the
/// others.
[[nodiscard]] std::vector<int> busy_cores_at_start(Trace const& trace,
                                                   std::vector<std::uint32_t> const& by_start);

using KernelSamples = std::map<TimingSubject, KernelExecutions>;

/// Adds the executions of each kernel of a run. Kernels without a known tile size are left out, with a finding.
void add_samples(KernelSamples& samples, Trace const& trace, std::size_t run, std::vector<Finding>& findings);

/// All executions of one worker in one run.
struct WorkerSample {
  std::size_t group = 0;  // runs of one group have kernels in common, those of different groups have none
  std::size_t run = 0;
  double expected_s = 0;  // sum of the kernels' means; above 0
  double measured_s = 0;
  double error_s2 = 0;  // variance of `measured_s` by the deviations of single executions

  [[nodiscard]] double factor() const { return measured_s / expected_s; }
  /// Returns the variance of `factor()` by the deviations of single executions.
  [[nodiscard]] double factor_error() const { return error_s2 / (expected_s * expected_s); }
};

/// Estimates the relative variances of factors common to a worker in a run, and common to a run, by the
/// method of moments: sums of squares of the factors between workers of a run, and between runs of a group,
/// weighted by expected seconds, equal their expectations. With equal weights these are the estimators of a
/// nested analysis of variance (Searle, Casella, McCulloch, Variance Components, 1992, chapters 3 and 5;
/// with any weights: DerSimonian and Kacker, Contemporary Clinical Trials 28, 2007). Negative estimates
/// become 0. The deviation of runs is unknown if no group has two runs. `samples`: ordered by group, then
/// by run.
[[nodiscard]] Variability estimate_variability(std::vector<WorkerSample> const& samples);

/// The factors on all durations that workers and whole runs have in common, estimated from executions of
/// several kernels. Executions that only one worker made, in one run, say nothing about them.
class SpeedFactors {
 public:
  /// `kernels`: the executions of each kernel that count.
  explicit SpeedFactors(std::vector<std::vector<Execution>> const& kernels);

  [[nodiscard]] Variability const& variability() const { return variability_; }
  /// Returns the factor of a worker in a run: its measured factor, drawn towards 1 as far as the deviations
  /// of single executions explain it (best linear unbiased prediction: Robinson, Statistical Science 6,
  /// 1991).
  [[nodiscard]] double factor(RunWorker const& by) const;

 private:
  Variability variability_;
  std::map<RunWorker, double> factors_;
};

/// Estimates how the busy cores of a node slow one kernel down, from its executions on cores. Returns no
/// points unless durations rise with the number of busy cores beyond what chance, workers and runs explain.
///
/// Form: each further busy core multiplies the duration by the same factor. A roof by the memory's bandwidth
/// is linear in the number of cores that share it (Williams, Waterman, Patterson, CACM 52(4), 2009), clock
/// rates fall about linearly with the number of active cores (the vendors' turbo tables); an exponential
/// has that slope and stays above 0. It is given for every number of cores between those below and above
/// which the kernel started less than 10 times, and is 1 on average over the executions.
///
/// Estimator: regression of ln(duration) on busy cores with random effects. Two independent slopes are
/// weighted by the inverse of their variances (Maddala, Econometrica 39(2), 1971; Swamy and Arora,
/// Econometrica 40(2), 1972):
/// - within each worker of each run, which leaves out the factors of both. Its variance is the larger of
///   the conventional one and HC3 (MacKinnon and White, Journal of Econometrics 29, 1985), as Angrist and
///   Pischke advise (Mostly Harmless Econometrics, 2009, section 8.1);
/// - between the means of runs, whose variance is that of the residuals, pooled with the expected one of
///   runs (`repeatable`) and of workers and executions.
/// The slope must be above 0 by Student's t, with `error_probability` and Satterthwaite's degrees of
/// freedom, one-sided: no mechanism makes kernels faster beside others, but cold caches at the start and the
/// end of a run, where few cores are busy, make them slower. It must change durations by 1 % in all.
///
/// `worker_deviation`: relative, of the factor of a worker in a run.
[[nodiscard]] Slowdown fit_slowdown(std::vector<Execution> const& executions, double worker_deviation,
                                    double error_probability);

}  // namespace factosim
