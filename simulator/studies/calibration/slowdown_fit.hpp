#pragma once

#include <vector>

#include "factosim/kernel_model.hpp"
#include "simulator/studies/calibration/kernel_samples.hpp"

namespace factosim {

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
