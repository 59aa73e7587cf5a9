// Cost curves of processing units and kernels of data-parallel loops.

#include "models/unit_costs.hpp"

#include "models/unit_costs.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

CostCurve const samples{
    .type = CostCurve::Type::samples, .work = {10, 20, 40}, .seconds = {{1}, {1.5}, {4.5}}};

std::string message_of_file(std::string const& curve) {
  testing::TemporaryFolder const folder;
  auto const file =
      folder.write("costs.json", R"({"format": "factosim-unit-costs", "version": 1, "estimate": true,
    "provenance": "made up", "machines": {"m": {"cpu": {"class": "cpu", "model": "x", "kernels": {"k": )" +
                                     curve + "}}}}}");
  std::string const message = testing::message_of([&] { (void)read_unit_costs(file); });
  return message.substr(message.find('#') + 1);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a linear curve is a startup and a rate") {
    CHECK(CostCurve{.startup = {0.5}, .rate = 10}.duration(20).value == doctest::Approx(2.5).epsilon(1e-12));
  }

  TEST_CASE("a saturating curve reaches 63 percent of its peak at the ramp and 95 at three times that") {
    CostCurve const curve{.type = CostCurve::Type::saturating, .rate = 100, .ramp = 50};
    CHECK(50 / curve.duration(50).value == doctest::Approx(100 * (1 - std::exp(-1.0))).epsilon(1e-12));
    CHECK(150 / curve.duration(150).value == doctest::Approx(100 * (1 - std::exp(-3.0))).epsilon(1e-12));
  }

  TEST_CASE("samples are interpolated linearly and extrapolated beyond both ends") {
    CHECK(samples.duration(10).value == doctest::Approx(1).epsilon(1e-12));
    CHECK(samples.duration(30).value == doctest::Approx(3).epsilon(1e-12));
    CHECK(samples.duration(60).value == doctest::Approx(7.5).epsilon(1e-12));
    CHECK(samples.duration(4).value == doctest::Approx(0.7).epsilon(1e-12));
  }

  TEST_CASE("below steep first samples the curve goes through the origin and stays above zero") {
    CostCurve const steep{.type = CostCurve::Type::samples, .work = {10, 20}, .seconds = {{1}, {10}}};
    CHECK(steep.duration(5).value == doctest::Approx(0.5).epsilon(1e-12));
  }

  TEST_CASE("an invalid curve is refused with its position in the file") {
    CHECK(message_of_file(R"({"type": "linear", "operations_per_s": 0})") ==
          "/machines/m/cpu/kernels/k: the speed is 0 (the unit would never end a block). Give a positive "
          "number");
    CHECK(message_of_file(R"({"type": "linear", "operations_per_s": 1, "startup_s": -2})") ==
          "/machines/m/cpu/kernels/k: the startup is -2 s (a block would end before it starts). Give a "
          "number >= 0");
    CHECK(message_of_file(R"({"type": "samples", "operations": [1, 2, 3], "seconds": [1, 3, 2]})") ==
          "/machines/m/cpu/kernels/k: sample 2 has 3 of work in 2 s after 2 in 3 s (the curve is not "
          "monotone: more work "
          "must take longer). Sort the samples, and leave out or average the odd ones");
    CHECK(message_of_file(R"({"type": "saturating", "operations_per_s": 1, "ramp_operations": -1})") ==
          "/machines/m/cpu/kernels/k: the ramp is -1 (the unit would never end a block). Give a positive "
          "number");
  }

  TEST_CASE("chunks of the three kernels add up to their operations") {
    LoopCost const product = matmul_loop(1000, 16);  // the last chunk is short and counts as a complete one
    CHECK(product.chunks == 63);
    CHECK(product.work == doctest::Approx(2e6 * 16).epsilon(1e-12));
    CHECK(product.bytes_in == 16 * 1000 * 4);
    LoopCost const grn = grn_loop(100, 10);
    CHECK(static_cast<double>(grn.chunks) * grn.work ==
          doctest::Approx(100.0 * 99 * 98 / 6 * 40).epsilon(1e-12));
    LoopCost const kmeans = kmeans_loop(10000, 8, 16, 100);
    CHECK(static_cast<double>(kmeans.chunks) * kmeans.work ==
          doctest::Approx(3.0 * 8 * 16 * 10000).epsilon(1e-12));
  }
}
