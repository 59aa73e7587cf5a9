#include "models/timing_checks.hpp"

#include "models/device_peaks.hpp"
#include "tests/models/model_folder.hpp"

namespace factosim {

using namespace testing;

TEST_SUITE("unit") {
  TEST_CASE("impossible rates are refused or left out or kept with a lasting finding") {
    ModelFolder f;
    auto const cuda = [](int id, double mean_us) { return combination(1, id, {entry(3, 960, 8, mean_us)}); };
    f.folder.write("dgemm.host",
                   model_file({combination(0, 0, {entry(3, 960, 8, 170000, 9)}), cuda(0, 6000), cuda(1, 6000),
                               cuda(2, 30001), cuda(3, 2000), combination(1, 4, {entry(3, 320, 8, 400)})}));
    auto const read = [&](ImplausibleTiming action) {
      return f.read({.host = "",
                     .machine = "",
                     .provenance = "",
                     .devices = {{"cuda3", "Tesla M2070"}},
                     .implausible = action});
    };
    std::string const excess =
        "double gemm of tile 960 on cuda3: 884.7 GFlop/s is above the 515 GFlop/s of Tesla M2070 (a time of "
        "launch instead of execution?)";
    CHECK(
        message_of([&] { read(ImplausibleTiming::refuse); }) ==
        (f.folder.path() / "dgemm.host").string() + "#line 95: " + excess +
            ". Give --drop-implausible to leave such timings out, or --keep-implausible to keep them with a "
            "finding in every result");
    auto const kept = read(ImplausibleTiming::keep);
    CHECK(kept.model.timings.size() == 6);
    std::vector<std::string> messages;
    for (Finding const& finding : kept.findings) messages.push_back(finding.message);
    CHECK(messages ==
          std::vector<std::string>{
              "double gemm of tile 960 on cpu: only 9 samples (StarPU trusts 10 or more)", excess,
              "double gemm of tile 320: not measured on cpu, cuda0, cuda1, cuda2, cuda3",
              "double gemm of tile 960: 1 of 3 GPUs of one model are much slower than cuda0 (6000 us): cuda2 "
              "(3e+04 us, x 5)",
              "double gemm of tile 960: not measured on cuda4"});
    CHECK(kept.model.findings.size() == 4);  // all but the few samples
    CHECK(kept.model.findings[0] == "dgemm.host#line 95: " + excess);

    auto const dropped = read(ImplausibleTiming::leave_out);
    CHECK(dropped.model.timings.size() == 5);
    CHECK(dropped.model.findings[0] == "dgemm.host#line 95: " + excess + ": left out");
  }

  TEST_CASE("GPUs of one model are compared with the fastest of them in both directions") {
    auto const findings_for = [](std::vector<double> const& means_us) {
      ModelFolder f;
      std::vector<std::string> all = {combination(0, 0, {entry(3, 960, 8, 170000)})};
      for (std::size_t i = 0; i < means_us.size(); ++i)
        all.push_back(combination(1, static_cast<int>(i), {entry(3, 960, 8, means_us[i])}));
      std::vector<std::string> messages;
      for (Finding const& finding : f.read_one("dgemm", model_file(all)).findings)
        messages.push_back(finding.message);
      return messages;
    };
    CHECK(findings_for({3000, 3000, 5999}).empty());
    CHECK(findings_for({3000, 3000, 195000}).size() == 1);    // one slow
    CHECK(findings_for({3000, 195000, 195000}).size() == 1);  // one fast
    CHECK(findings_for({3000, 195000}) ==
          std::vector<std::string>{
              "double gemm of tile 960: 1 of 2 GPUs of one model are much slower than cuda0 (3000 "
              "us): cuda1 (1.95e+05 us, x 65)"});
  }

  TEST_CASE("a rate just below the peak passes and unknown devices have a bound that no device passes") {
    // 1.05 x 515 GFlop/s takes 3272 us for 2 x 960^3 operations.
    DeviceModels const fermi = {{"cuda0", "M2070"}};
    auto const findings_of = [](std::string const& symbol, std::string const& text,
                                DeviceModels const& devices) {
      ModelFolder f;
      f.folder.write(symbol + ".host", text);
      return f
          .read({.host = "",
                 .machine = "",
                 .provenance = "",
                 .devices = devices,
                 .implausible = ImplausibleTiming::keep})
          .findings;
    };
    auto const gemm = [](int element, double mean_us) {
      return model_file({combination(0, 0, {entry(3, 960, element, 170000)}),
                         combination(1, 0, {entry(3, 960, element, mean_us)})});
    };
    CHECK(findings_of("dgemm", gemm(8, 3273), fermi).empty());
    CHECK(findings_of("dgemm", gemm(8, 3271), fermi).size() == 1);
    // 880 TFlop/s in double precision, a time of launch; 100 are within reach of today's GPUs.
    CHECK(testing::contains(findings_of("dgemm", gemm(8, 2.01), {}).at(0).message, "of any such device"));
    CHECK(findings_of("dgemm", gemm(8, 17.7), {}).empty());
    // 317 TFlop/s in single precision.
    CHECK(findings_of("ssyrk",
                      model_file({combination(0, 0, {entry(2, 960, 4, 90000)}),
                                  combination(1, 0, {entry(2, 960, 4, 2.79)})}),
                      {})
              .size() == 1);
    CHECK(peak_flops_per_second("Tesla K40m", true, Precision::double_) == 1682e9);
    CHECK(peak_flops_per_second("NVIDIA A100-PCIE-40GB", true, Precision::half) == 312e12);
    CHECK(peak_flops_per_second("Tesla K40m", true, Precision::half) ==
          5046e9);  // computed in single precision
    CHECK(peak_flops_per_second("", true, Precision::fp8) > 5e15);
    CHECK(nominal_flops("plgsy", 960) == 0);
  }
}

}  // namespace factosim
