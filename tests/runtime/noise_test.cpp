#include "simulator/runtime/node/noise.hpp"

#include "simulator/base/core/sample.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

constexpr std::uint32_t draws = 100'000;
constexpr double mean = 2e-3;  // of the first kernel on the first worker

/// Two nodes of two workers; the first kernel lasts 2 ms on the first worker and 4 ms on the second, the
/// second kernel 6 and 8 ms. `relative`: their relative standard deviation.
Machine machine_of(double relative, std::vector<double> const& samples = {}) {
  Machine::Type type;
  type.workers.resize(2);
  for (double const seconds : {mean, 2 * mean, 3 * mean, 4 * mean}) {
    type.durations.push_back(seconds);
    type.deviations.push_back(relative * seconds);
    type.samples.push_back(samples);
  }
  return {.types = {type}, .type_of = {0, 0}, .first_worker = {0, 2, 4}};
}

/// Returns the durations of tasks 0, 1, ... as the first kernel on the first worker of the first node.
std::vector<double> drawn(NoiseOptions const& options, double relative,
                          std::vector<double> const& samples = {}, std::uint32_t count = draws) {
  Machine const machine = machine_of(relative, samples);
  Noise noise(options, machine, NodeId{0});
  std::vector<double> out;
  for (std::uint32_t t = 0; t < count; ++t) out.push_back(noise.duration(t, 0, 0));
  return out;
}

double correlation(std::vector<double> const& a, std::vector<double> const& b) {
  Moments const of_a = moments(a);
  Moments const of_b = moments(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - of_a.mean) * (b[i] - of_b.mean);
  return sum / (static_cast<double>(a.size()) * of_a.population_deviation() * of_b.population_deviation());
}

constexpr auto normal = NoiseDistribution::normal;
constexpr auto lognormal = NoiseDistribution::lognormal;
constexpr auto empirical = NoiseDistribution::empirical;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("what is known to a precision is uniform around its value") {
    CHECK(precision_factor(0.1, 0) == doctest::Approx(0.9));
    CHECK(precision_factor(0.1, 0.5) == 1);
    CHECK(precision_factor(0.1, 0.75) == doctest::Approx(1.05));
  }

  TEST_CASE("normal and lognormal draws have the timing's mean and deviation") {
    for (NoiseDistribution const distribution : {normal, lognormal})
      for (double const relative : {0.01, 0.2}) {
        CAPTURE_ALL(name_of(distribution), relative);
        Moments const m = moments(drawn({.distribution = distribution, .seed = 1}, relative));
        double const deviation = relative * mean;
        // Five standard errors; the lognormal's fourth moment adds to that of its deviation.
        CHECK(std::abs(m.mean - mean) < 5 * deviation / std::sqrt(draws));
        CHECK(m.population_deviation() ==
              doctest::Approx(deviation).epsilon(5 * 1.2 / std::sqrt(2.0 * draws)));
      }
  }

  TEST_CASE("a scale multiplies the deviation and leaves the mean") {
    Moments const m = moments(drawn({.distribution = lognormal, .scale = 3}, 0.1));
    CHECK(m.mean == doctest::Approx(mean).epsilon(0.005));
    CHECK(m.population_deviation() == doctest::Approx(0.3 * mean).epsilon(0.03));
  }

  TEST_CASE("normal draws stay between 10 and 190 % of the mean and keep it however large the deviation") {
    for (double const relative : {0.3, 1.0, 50.0}) {
      CAPTURE(relative);
      auto const values = drawn({.distribution = normal}, relative);
      auto const [minimum, maximum] = std::minmax_element(values.begin(), values.end());
      CHECK(*minimum >= 0.1 * mean);
      CHECK(*maximum <= 1.9 * mean * (1 + 1e-7));
      CHECK(std::abs(moments(values).mean - mean) < 5 * 0.52 * mean / std::sqrt(draws));
    }
  }

  TEST_CASE("draws are positive and finite") {
    for (NoiseDistribution const distribution : {normal, lognormal, empirical})
      for (double const relative : {0.1, 2.0, 1000.0})
        for (double const value :
             drawn({.distribution = distribution, .scale = 10}, relative, {1e-9, mean, 1}, 20'000)) {
          REQUIRE(value > 0);
          REQUIRE(std::isfinite(value));
        }
  }

  TEST_CASE("draws equal those of an independent implementation") {
    // Splitmix64 and the quantile of statistics.NormalDist, in Python.
    auto const values = drawn({.distribution = lognormal, .seed = 42}, 0.1, {}, 3);
    CHECK(values[0] / mean == doctest::Approx(1.014535665512085).epsilon(1e-9));
    CHECK(values[1] / mean == doctest::Approx(0.9548561573028564).epsilon(1e-9));
    CHECK(values[2] / mean == doctest::Approx(1.176806926727295).epsilon(1e-9));
  }

  TEST_CASE("the order of executions does not change durations") {
    NoiseOptions const options{.distribution = lognormal, .seed = 7};
    auto const forwards = drawn(options, 0.1, {}, 1000);
    Machine const machine = machine_of(0.1);
    Noise noise(options, machine, NodeId{0});
    for (std::uint32_t t = 1000; t-- > 0;) CHECK(noise.duration(t, 0, 0) == forwards[t]);
  }

  TEST_CASE("the relative duration of a task is the same on any worker") {
    Machine const machine = machine_of(0.1);
    Noise first({.distribution = lognormal}, machine, NodeId{0});
    Noise second({.distribution = lognormal}, machine, NodeId{1});
    for (std::uint32_t t = 0; t < 100; ++t)
      CHECK(first.duration(t, 0, 0) / mean ==
            doctest::Approx(second.duration(t, 1, 1) / (4 * mean)).epsilon(1e-12));
  }

  TEST_CASE("draws of neighbouring tasks and seeds are uncorrelated") {
    double const five_errors = 5 / std::sqrt(draws);
    auto const values = drawn({.distribution = normal, .seed = 3}, 0.1);
    for (std::size_t const lag : {1, 2, 3, 64}) {
      std::vector<double> const early(values.begin(), values.end() - static_cast<std::ptrdiff_t>(lag));
      std::vector<double> const late(values.begin() + static_cast<std::ptrdiff_t>(lag), values.end());
      CHECK(std::abs(correlation(early, late)) < five_errors);
    }
    CHECK(std::abs(correlation(values, drawn({.distribution = normal, .seed = 4}, 0.1))) < five_errors);
    CHECK(drawn({.distribution = normal, .seed = 3}, 0.1) == values);
  }

  TEST_CASE("empirical draws are samples with equal frequency") {
    std::vector<double> const samples = {1e-3, 2e-3, 5e-3, 1e-5};
    auto const values = drawn({.distribution = empirical}, 0, samples);
    for (double const sample : samples) {
      auto const times = static_cast<double>(std::count(values.begin(), values.end(), sample));
      CHECK(std::abs(times - draws / 4.0) < 5 * std::sqrt(draws * 0.25 * 0.75));
    }
    std::set<double> const different(values.begin(), values.end());
    CHECK(different == std::set<double>(samples.begin(), samples.end()));
  }

  TEST_CASE("a scale multiplies the distance of empirical draws from the mean") {
    auto const half = drawn({.distribution = empirical, .scale = 0.5}, 0, {2 * mean}, 3);
    CHECK(half[0] == doctest::Approx(1.5 * mean).epsilon(1e-12));
    auto const far = drawn({.distribution = empirical, .scale = 4}, 0, {0.5 * mean}, 3);
    CHECK(far[0] == doctest::Approx(0.1 * mean).epsilon(1e-12));
  }

  TEST_CASE("only the first execution of each kernel on each worker lasts longer") {
    Machine const machine = machine_of(0.1);
    Noise noise({.first_execution_factor = 3}, machine, NodeId{1});
    CHECK(noise.duration(5, 0, 0) == doctest::Approx(3 * mean).epsilon(1e-12));
    CHECK(noise.duration(6, 0, 0) == mean);
    CHECK(noise.duration(7, 0, 1) == doctest::Approx(3 * 2 * mean).epsilon(1e-12));
    CHECK(noise.duration(8, 1, 0) == doctest::Approx(3 * 3 * mean).epsilon(1e-12));
    CHECK(noise.duration(9, 1, 0) == 3 * mean);
  }

  TEST_CASE("each worker of the cluster has one speed factor for all its kernels") {
    NoiseOptions const options{.worker_speed_deviation = 0.2};
    Machine const machine = machine_of(0.1);
    std::set<double> factors;
    for (std::uint32_t n = 0; n < 2; ++n)
      for (std::uint32_t w = 0; w < 2; ++w) {
        Noise noise(options, machine, NodeId{n});
        double const factor = noise.duration(0, 0, w) / machine.types[0].durations[w];
        CHECK(noise.duration(1, 1, w) / machine.types[0].durations[2 + w] ==
              doctest::Approx(factor).epsilon(1e-12));
        factors.insert(factor);
      }
    CHECK(factors.size() == 4);
  }

  TEST_CASE("worker factors have mean 1 and the given deviation") {
    Machine machine = machine_of(0);
    std::vector<double> factors;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      Noise noise({.worker_speed_deviation = 0.2, .seed = seed}, machine, NodeId{0});
      factors.push_back(noise.duration(0, 0, 0) / mean);
    }
    Moments const m = moments(factors);
    CHECK(std::abs(m.mean - 1) < 5 * 0.2 / std::sqrt(20'000));
    CHECK(m.population_deviation() == doctest::Approx(0.2).epsilon(0.04));
  }

  TEST_CASE("all workers of a run have one factor that differs from run to run") {
    Machine const machine = machine_of(0.1);
    std::vector<double> factors;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      NoiseOptions const options{.run_speed_deviation = 0.2, .seed = seed};
      Noise first(options, machine, NodeId{0});
      Noise second(options, machine, NodeId{1});
      double const factor = first.duration(0, 0, 0) / mean;
      REQUIRE(second.duration(7, 1, 1) / mean == doctest::Approx(factor * 4).epsilon(1e-12));
      factors.push_back(factor);
    }
    Moments const m = moments(factors);
    CHECK(std::abs(m.mean - 1) < 5 * 0.2 / std::sqrt(20'000));
    CHECK(std::abs(m.population_deviation() / 0.2 - 1) < 0.04);
  }

  TEST_CASE("calibrated noise draws samples and first executions and the factors of the kernel file") {
    Machine machine = machine_of(0.1, {mean, 1.5 * mean});
    machine.types[0].first_samples.assign(4, {7 * mean});
    machine.types[0].variability = Variability{};
    NoiseOptions const options{.distribution = NoiseDistribution::calibrated, .seed = 2};
    Noise steady(options, machine, NodeId{0});
    CHECK(steady.duration(0, 0, 0) / mean == doctest::Approx(7).epsilon(1e-12));  // the first one
    std::set<double> drawn_later;
    for (std::uint32_t t = 1; t < 100; ++t) drawn_later.insert(steady.duration(t, 0, 0));
    CHECK(drawn_later == std::set<double>{mean, 1.5 * mean});
    machine.types[0].variability = {.worker_deviation = 0.1, .run_deviation = 0.2};
    Noise varying(options, machine, NodeId{0});
    Noise factors({.worker_speed_deviation = 0.1, .run_speed_deviation = 0.2, .seed = 2}, machine, NodeId{0});
    CHECK(varying.duration(0, 0, 1) / mean ==
          doctest::Approx(7 * factors.duration(0, 0, 1) / (2 * mean)).epsilon(1e-12));
  }
}
