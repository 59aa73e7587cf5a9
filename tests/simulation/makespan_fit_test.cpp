// The model by which windows of iterations are extrapolated.
#include "simulator/scenario/simulation/makespan_fit.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// The last r of 100 iterations of a factorization: loads grow with r^3, paths with r.
IterationSample tail(MakespanModel const& truth, double r) {
  IterationSample out{.makespan = 0, .load = r * r * r / 1e4, .path = r / 10};
  out.makespan = truth.makespan(out.load, out.path);
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the modelled makespan lies between the longer part and the sum of both") {
    for (double const sharpness : {1.2, 2., 8.})
      for (double const load : {0., 1., 5., 100.})
        for (double const path : {0.5, 5., 40.}) {
          double const makespan = MakespanModel{1.1, 1.3, sharpness}.makespan(load, path);
          CHECK(makespan >= std::max(1.1 * load, 1.3 * path) * (1 - 1e-12));
          CHECK(makespan <= (1.1 * load + 1.3 * path) * (1 + 1e-12));
        }
    CHECK(MakespanModel{}.makespan(0, 0) == 0);
  }

  TEST_CASE("a fit to makespans of the model gives their extrapolation") {
    for (MakespanModel const truth : {MakespanModel{1, 1.4, 2.3}, {1.36, 1.05, 3}, {1.1, 2.5, 1.6}}) {
      std::vector<IterationSample> tails;
      std::vector<double> weights;
      for (double const r : {20., 26., 34., 44.})
        tails.push_back(tail(truth, r)), weights.push_back(r * r / 1e4);
      IterationSample shorter{.makespan = 0, .load = 5, .path = 0.4},
          longer{.makespan = 0, .load = 10, .path = 0.8};
      shorter.makespan = truth.makespan(shorter.load, shorter.path) + 0.7;  // start-up and drain
      longer.makespan = truth.makespan(longer.load, longer.path) + 0.7;
      MakespanModel const fitted =
          fit_makespan(tails, weights, {.shorter = shorter, .longer = longer, .weight = 1});
      IterationSample const all = tail(truth, 100);
      CHECK(fitted.makespan(all.load, all.path) == doctest::Approx(all.makespan).epsilon(0.005));
    }
  }
}
