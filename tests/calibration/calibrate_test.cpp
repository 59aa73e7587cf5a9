#include "simulator/runtime/node/noise.hpp"
#include "simulator/studies/calibration/network_fit.hpp"
#include "simulator/studies/calibration/tile_kernels.hpp"
#include "simulator/studies/calibration/trace_calibration.hpp"
#include "tests/calibration/planted_machine.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using namespace factosim::testing;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string gemms() {
  std::string out;
  for (int i = 1; i <= 21; ++i) {  // the first 20 ms, then 10 ms each, the last one 30 ms
    double const lasts = i == 1 ? 20 : i == 21 ? 30 : 10;
    out += "Name: starpu_dlu_lu_model_gemm\nJobId: " + std::to_string(i) +
           "\nWorkerId: 0\nMemoryNode: 0\nStartTime: " + std::to_string(100 * i) +
           "\nEndTime: " + std::to_string(100 * i + lasts) +
           "\nFootprint: 1\nHandles: aa bb cc\nModes: R R RW\nSizes: 819200 819200 819200\n\n";
  }
  return out;
}

constexpr double bandwidth = 1.2e8, latency = 80e-6;  // of messages
constexpr double service_deviation = 0.005;           // as measured on 1 Gb/s Ethernet

/// Bursts of ten messages in both directions, and messages alone, sent over one link at a time or shared.
Trace messages(Wire wire, double bytes_per_s = bandwidth) {
  Trace t;
  t.source = "messages";
  t.nodes.resize(2);
  double now = 0;
  std::uint64_t id = 0;
  auto const factor = [&] {
    return lognormal_factor(service_deviation, uniform(1, RandomStream::block, ++id));
  };
  for (int burst = 0; burst < 40; ++burst) {
    NodeId const from{static_cast<std::uint32_t>(burst % 2)}, to{1 - from.value()};
    int const count = burst % 4 < 2 ? 10 : 1;
    Bytes const size{1'000'000 * (1 + burst % 3)};
    double const alone = static_cast<double>(size.value) / bytes_per_s;
    double free = now;
    for (int i = 0; i < count; ++i) {
      free += alone * factor();
      double const arrival = wire == Wire::fifo ? free : now + count * alone * factor();
      t.messages.push_back({from, to, now, arrival + latency, size, {}, {}, {}});
    }
    now += 2 * count * alone + 1;
  }
  return t;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("latency and bandwidth of a link are recovered from its transfers") {
    std::vector<TransferTime> transfers;
    for (int i = 1; i <= 4; ++i) transfers.push_back({i * 1e6, 100e-6 + i * 1e-3});
    auto const fit = fit_link(transfers);
    REQUIRE(fit);
    CHECK(fit->rate.latency.value == doctest::Approx(100e-6).epsilon(1e-9));
    CHECK(fit->rate.bandwidth.value == doctest::Approx(1e9).epsilon(1e-9));
    CHECK(std::abs(fit->mean_s / 2.6e-3 - 1) < 1e-9);
    CHECK(fit->residual_s < 1e-12);
    CHECK(fit->latency_known);
  }

  TEST_CASE("transfers of one size give no latency and slower small ones no negative one") {
    auto const alike = fit_link({{1e6, 0.002}, {1e6, 0.004}});
    REQUIRE(alike);
    CHECK(!alike->latency_known);
    CHECK(alike->rate.bandwidth.value == doctest::Approx(1e6 / 0.003));
    auto const odd = fit_link({{1e6, 0.001}, {2e6, 0.004}});  // a line through these begins below 0
    REQUIRE(odd);
    CHECK(odd->rate.latency.value == 0);
    CHECK(odd->rate.bandwidth.value == doctest::Approx(3e6 / 0.005));
    CHECK(!fit_link({}));
    CHECK(!fit_link({{0, 1}}));
  }

  TEST_CASE("bandwidth and latency and wire are recovered from bursts of messages") {
    for (Wire const wire : {Wire::fifo, Wire::shared}) {
      CAPTURE(static_cast<int>(wire));
      auto const fit = fit_service({messages(wire)});
      REQUIRE(fit);
      REQUIRE(fit->pairs.size() == 2);
      REQUIRE(fit->wire);
      CHECK(*fit->wire == wire);
      CHECK(relative_error(fit->bandwidth(NodeId{0}).value, bandwidth) < 0.01);
      // The medians of 10 messages of 17 ms on average, which deviate by 83 us; shared: a line through
      // periods of up to 250 ms, which deviate by 1 ms.
      CHECK(std::abs(fit->latency().value - latency) < (wire == Wire::fifo ? 1e-4 : 1e-3));
      CHECK(fit->findings.empty());
      for (PairFit const& pair : fit->pairs) CHECK(pair.overlapping == 100);
    }
  }

  TEST_CASE("messages that do not slow each other down are told from a queue and from sharing") {
    Trace trace = messages(Wire::fifo);
    for (Trace::Message& m : trace.messages)
      m.end_s = m.start_s + latency + static_cast<double>(m.size.value) / bandwidth;
    auto const fit = fit_service({trace});
    REQUIRE(fit);
    CHECK(!fit->wire);
    CHECK(says(fit->findings, "do not slow each other down"));
    CHECK(relative_error(fit->bandwidth(NodeId{0}).value, bandwidth) < 1e-6);
    CHECK(relative_error(fit->latency().value, latency) < 1e-6);
  }

  TEST_CASE("links that differ between two runs are reported") {
    auto const fit = fit_service({messages(Wire::fifo), messages(Wire::fifo, 0.7 * bandwidth)});
    REQUIRE(fit);
    CHECK(says(fit->findings, "beyond their deviations"));
  }

  TEST_CASE("calibrate from a trace separates first executions and outliers and its file is read back") {
    testing::TemporaryFolder const folder;
    folder.write("run/tasks.rec", gemms());
    std::string const trace = "'" + (folder / "run").string() + "'";
    std::string const out = "'" + (folder / "kernels.json").string() + "'";
    json const kernel =
        testing::json_of("calibrate " + trace + " --out " + out + " --platform '" +
                         (folder / "platform.json").string() + "' --name here --json")["kernels"][0];
    CHECK(kernel["kernel"] == "gemm");
    CHECK(kernel["application"] == "lu");
    CHECK(kernel["nb"] == 320);
    CHECK(kernel["executions"] == 21);
    CHECK(kernel["samples"] == 20);
    CHECK(kernel["first_mean_s"].get<double>() == doctest::Approx(0.020));
    CHECK(kernel["outliers"] == 1);
    CHECK(kernel["mean_s"].get<double>() == doctest::Approx(0.011));
    // Samples, and what one trace cannot tell, are in the file.
    json const written = json::parse(testing::text_of(folder / "kernels.json"));
    CHECK(written["kernels"]["gemm"][0]["samples_s"].size() == 20);
    REQUIRE(written["kernels"]["gemm"][0]["first_samples_s"].size() == 1);
    CHECK(std::abs(written["kernels"]["gemm"][0]["first_samples_s"][0].get<double>() / 0.02 - 1) < 1e-9);
    CHECK(written["variability"]["runs"] == 1);
    CHECK(contains(written["findings"].dump(), "how much one run differs from the next is not known"));
    // Findings name the run's folder, not where it is; assumed values make results estimates.
    json const platform = json::parse(testing::text_of(folder / "platform.json"));
    for (json const& file : {written, platform})
      CHECK(!contains(file["findings"].dump(), folder.path().string()));
    CHECK(contains(platform["findings"].dump(), "run/tasks.rec: has no messages"));
    CHECK(platform["node_types"]["here"]["estimate"] == true);
    // the file exists already
    CHECK(testing::run_factosim("calibrate " + trace + " --out " + out).code == 2);
    auto const without = testing::run_factosim("calibrate " + trace + " --without-outliers --json");
    CHECK(json::parse(without.out)["kernels"][0]["mean_s"].get<double>() == doctest::Approx(0.010));
    // The output is a platform that a scenario can name; it has gemm only.
    auto const scenario =
        folder.write("s.json", json{{"format", "factosim-scenario"},
                                    {"version", 1},
                                    {"platform", "platform.json"},
                                    {"application", {{"type", "lu"}, {"nt", 2}, {"nb", 320}}}}
                                   .dump());
    auto const lu = testing::run_factosim("run '" + scenario.string() + "'");
    CHECK(lu.code == 2);
    CHECK_MESSAGE(contains(lu.err, "getrf"), lu.err);
  }

  TEST_CASE("calibrate refuses impossible requests with exit code 2") {
    CHECK(testing::run_factosim("calibrate").code == 2);
    CHECK(testing::run_factosim("calibrate --machine x").code == 2);
    CHECK(testing::run_factosim("calibrate /does/not/exist").code == 2);
    CHECK(testing::run_factosim("calibrate --machine --kernels nosuch").code == 2);
    CHECK(contains(testing::run_factosim("calibrate --help").out, "Examples: factosim calibrate"));
  }

  TEST_CASE("the kernels of this machine run and are printed with their samples") {
    if (find_tile_kernels() == nullptr) {
      MESSAGE("skipped: built without OpenBLAS or LAPACKE or GSL");
      return;
    }
    json const out =
        testing::json_of("calibrate --machine --tiles 64 --precision double,single --seconds 0.02 --json");
    // Even if all executions of some kernel are disturbed, most kernels are not.
    CHECK(out["kernels"].size() >= tile_kernel_names().size());
    for (json const& k : out["kernels"]) {
      CHECK(k["mean_s"].get<double>() > 0);
      CHECK(k["samples"].get<long>() >= 1);
      // Plausible rate of a core: more than 0.02 and less than 500 GFlop/s.
      if (k["gflops"].get<double>() > 0) CHECK(k["gflops"].get<double>() < 500);
      if (k["kernel"] == "gemm") CHECK(k["gflops"].get<double>() > 0.2);
    }
  }

  TEST_CASE("platform_file.rec: timings by kernel and worker and tile with findings for ignored records") {
    testing::TemporaryFolder const folder;
    auto const file = folder.write(
        "platform_file.rec",
        "%rec: worker_count\n\nArchitecture: cpu0\nNbWorkers: 19\n\n%rec: timing\n\n"
        "Model: dgemm\nArchitecture: cpu0\nFootprint: 9ade6b37\nSize: 22118400\n"
        "Flops: 0.0\nMean: 5.8e+04\nStddev: 3.8e+03\nSamples: 41164\n\n"
        "Model: mine\nArchitecture: cpu0\nFootprint: 1\nSize: 8\nMean: 1\nStddev: 0\nSamples: 9\n\n");
    std::string const out = (folder / "k.json").string();
    auto const run =
        testing::run_factosim("import starpu-timings '" + file.string() + "' --host m -o '" + out + "'");
    REQUIRE_MESSAGE(run.code == 0, run.err);
    json const kernels = json::parse(testing::text_of(out));
    CHECK(kernels["kernels"]["gemm"][0]["nb"] == 960);
    CHECK(kernels["kernels"]["gemm"][0]["mean_s"].get<double>() == doctest::Approx(0.058));
    CHECK(contains(run.err, "mine is no known kernel: kept by footprint"));
    folder.write("platform_file.rec", "Model: dgemm\nMean: x\n");
    auto const bad =
        testing::run_factosim("import starpu-timings '" + file.string() + "' --host m -o '" + out + "2'");
    CHECK(bad.code == 2);
    CHECK(contains(bad.err, "#line 2: \"x\" where a mean"));
  }

  TEST_CASE("an implausible rate is refused and nothing is written unless the user keeps or drops it") {
    testing::TemporaryFolder const folder;
    std::string const record = "Architecture: cpu0\nFootprint: 9ade6b37\nStddev: 0\nSamples: 40\n";
    auto const file =
        folder.write("platform_file.rec", "Model: dgemm\nSize: 22118400\nMean: 58000\n" + record +
                                              "\nModel: dtrsm\nSize: 14745600\nMean: 5\n" + record + "\n");
    std::filesystem::path const out = folder / "k.json";
    std::string const command =
        "import starpu-timings '" + file.string() + "' --host m -o '" + out.string() + "' ";
    auto const refused = testing::run_factosim(command);
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "GFlop/s is above the"));
    CHECK_FALSE(std::filesystem::exists(out));
    REQUIRE(testing::run_factosim(command + "--keep-implausible").code == 0);
    json const kept = json::parse(testing::text_of(out));
    CHECK(kept["findings"].size() == 1);
    CHECK(kept["kernels"].contains("trsm"));
    REQUIRE(testing::run_factosim(command + "--force --drop-implausible").code == 0);
    json const dropped = json::parse(testing::text_of(out));
    CHECK(dropped["findings"].size() == 1);
    CHECK_FALSE(dropped["kernels"].contains("trsm"));
    CHECK(testing::run_factosim(command + "--force --drop-implausible --keep-implausible").code == 2);
  }
}
