#pragma once

#include <map>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "simulator/studies/calibration/kernel_samples.hpp"

namespace factosim {

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

}  // namespace factosim
