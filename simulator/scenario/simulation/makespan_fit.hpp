#pragma once

#include <span>

namespace factosim {

/// A simulation of some iterations, in seconds: how long they took, and what bounds know of them.
struct IterationSample {
  double makespan = 0;
  double load = 0;  // of the most loaded node, or of the most loaded link if that is more
  double path = 0;  // critical path with messages
};

/// How a makespan follows from what bounds know: ((excess load)^sharpness + (pace path)^sharpness)^(1/sharpness). With all
/// of the work ready from the start, nodes would need `excess` times their load; alone, the panels would need `pace` times their
/// path. Work that is ready early fills gaps between panels, so that the makespan is far from the sum: `sharpness` says how far.
struct MakespanModel {
  double excess = 1, pace = 1, sharpness = 2;

  [[nodiscard]] double makespan(double load, double path) const;
};

/// Two windows with the same first iteration, and how much their difference counts among the tails.
struct IterationSlope {
  IterationSample shorter, longer;
  double weight = 0;
};

/// Fits the model by least squares of logarithms. `tails`: samples of the last iterations, with their weights by
/// `weight(i)` = square of their share of the iterations. `slope`: its difference is free of start-up and drain.
[[nodiscard]] MakespanModel fit_makespan(std::span<IterationSample const> tails,
                                         std::span<double const> weights, IterationSlope const& slope);

}  // namespace factosim
