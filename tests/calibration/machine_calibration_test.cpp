// Calibration of a machine with GPUs, without GPUs: the devices are mock objects, everything else is the
// program's.

#include "simulator/studies/calibration/machine_calibration.hpp"

#include <chrono>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

/// Busy waiting, like the host thread of a GPU.
void spin(double seconds) {
  using Clock = std::chrono::steady_clock;
  auto const end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
  }
}

/// The first execution of each queue takes ten times as long.
class MadeUpKernel final : public GpuKernel {
 public:
  explicit MadeUpKernel(double seconds) : seconds_(seconds) {}
  void restore() override {}
  std::vector<double> run(std::function<void()> const& launched) override {
    launched();
    spin(12 * seconds_);
    double const last = ++queues_ % 5 == 0 ? 1.6 * seconds_ : seconds_;  // a late launch now and then
    return {10 * seconds_, seconds_, last};
  }

 private:
  double seconds_;
  int queues_ = 0;
};

/// Two GPUs; the second is half as fast. Copies take 20 us and 10 GB/s, between the GPUs half of that.
class MadeUpGpus final : public Gpus {
 public:
  [[nodiscard]] std::vector<GpuSpec> const& specs() const override { return specs_; }
  [[nodiscard]] std::string libraries() const override { return "made up"; }
  std::unique_ptr<GpuKernel> make_kernel(std::size_t gpu, std::string const& name, Precision,
                                         int nb) override {
    if (name != "gemm") return nullptr;
    return std::make_unique<MadeUpKernel>(1e-6 * nb * static_cast<double>(gpu + 1));
  }
  void copy(std::size_t from, std::size_t to, Bytes size) override {
    spin(20e-6 + static_cast<double>(size.value) / (from == 0 || to == 0 ? 10e9 : 5e9));
  }

 private:
  std::vector<GpuSpec> specs_{{"made up", Bytes{1 << 30}}, {"made up, slower", Bytes{1 << 30}}};
};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("GPUs are measured without cores") {
    MadeUpGpus gpus;
    MachineCalibrationOptions const options{
        .machine = "made", .tiles = {100}, .kernels = {"gemm"}, .on_cores = false, .seconds = 0.01};
    MachineCalibration const c = calibrate_machine(options, &gpus, [](std::string const&) {});
    REQUIRE(c.kernels.size() == 2);
    CHECK(c.kernels[0].timing.worker == "cuda0");
    CHECK(c.kernels[0].first_s == doctest::Approx(1e-3));
    CHECK(c.kernels[0].timing.samples >= 18);
    CHECK(c.kernels[0].disturbed > 0);
    CHECK(!testing::contains(c.model.provenance, "OpenBLAS"));
    CHECK_THROWS_AS((void)calibrate_machine(options, nullptr, [](std::string const&) {}), InputError);
  }
}
