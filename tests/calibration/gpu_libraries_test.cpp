// GPUs by the libraries of their makers, without GPUs: libraries of known rates and links are in the place of the real
// ones, under their names, and everything else is the program's.

#include "simulator/studies/calibration/tile_kernels.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// A folder in which a library has the names of others.
class Libraries {
 public:
  Libraries(fs::path const& library, std::vector<std::string> const& names) {
    for (std::string const& name : names) fs::create_symlink(library, folder_ / name);
  }
  /// Runs the program with these libraries before the system's.
  [[nodiscard]] testing::ProgramRun calibrate(std::string const& arguments) const {
    return testing::run_script("LD_LIBRARY_PATH=" + testing::quoted(folder_.path()) +
                               " \"$1\" calibrate --machine " + arguments);
  }
  [[nodiscard]] testing::TemporaryFolder const& folder() const { return folder_; }

 private:
  testing::TemporaryFolder folder_;
};

/// Returns false, and says so, if the program was built without kernels of cores.
bool can_calibrate() {
  if (find_tile_kernels() != nullptr) return true;
  MESSAGE("skipped: built without OpenBLAS or LAPACKE or GSL");
  return false;
}

Libraries cuda() {
  return {FACTOSIM_FAKE_CUDA, {"libcudart.so.13", "libcublas.so.13", "libcusolver.so.12", "libcuda.so.1"}};
}
Libraries rocm() {
  return {FACTOSIM_FAKE_ROCM, {"libamdhip64.so.7", "librocblas.so.5", "librocsolver.so.0"}};
}

/// GFlop/s of the first device (fake_gpu_libraries.cpp); the second one has half of them.
std::map<std::string, double> const planted{
    {"dgemm", 25},    {"sgemm", 50},  {"hgemm", 200}, {"bf16 gemm", 160}, {"tf32 gemm", 100}, {"dsyrk", 20},
    {"ssyrk", 40},    {"dtrsm", 10},  {"strsm", 20},  {"dtrsm_ll", 8},    {"strsm_ll", 16},   {"dtrsm_ru", 8},
    {"strsm_ru", 16}, {"dpotrf", 4},  {"spotrf", 8},  {"dgetrf", 5},      {"sgetrf", 10},     {"dgeqrt", 6},
    {"sgeqrt", 12},   {"dormqr", 10}, {"sormqr", 20}};

void finds_what_is_planted(Libraries const& libraries, std::string const& precisions, std::size_t kernels,
                           std::string const& model) {
  auto const kernel_file = libraries.folder() / "kernels.json",
             platform_file = libraries.folder() / "machine.json";
  testing::ProgramRun const run = libraries.calibrate(
      "--tiles 128 --seconds 0.01 --precision " + precisions +
      " --kernels gemm,syrk,trsm,trsm_ll,trsm_ru,potrf,getrf,geqrt,ormqr --json --name made --out " +
      testing::quoted(kernel_file) + " --platform " + testing::quoted(platform_file));
  REQUIRE_MESSAGE(run.code == 0, run.err);
  nlohmann::json const found = nlohmann::json::parse(run.out);
  std::size_t count = 0;
  for (auto const& k : found["kernels"]) {
    std::string const worker = k["worker"], precision = k["precision"];
    if (worker == "cpu") continue;
    ++count;
    std::string const name =
        std::string(info_of(*precision_named(precision)).prefix) + k["kernel"].get<std::string>();
    CAPTURE_ALL(name, worker);
    REQUIRE(planted.contains(name));
    double const rate = planted.at(name) / (worker == "cuda0" ? 1 : 2), measured = k["gflops"];
    CHECK(measured <
          1.001 * rate);  // no device is faster than it is; what launches and a busy host take comes on top
    CHECK(measured > 0.7 * rate);
  }
  CHECK(count == kernels);
  REQUIRE(found["links"].size() == 6);
  for (auto const& link : found["links"]) {
    double const rate = link["from"] == 0 ? 20e9
                        : link["to"] == 0 ? 16e9
                                          : 40e9,
                 measured = link["bandwidth_Bps"];
    CAPTURE(link.dump());
    CHECK(measured < 1.02 * rate);
    CHECK(link["latency_s"] >= 20e-6);
    CHECK(link["latency_s"] < 30e-6);
    if (link["spread"] < 0.2)
      CHECK(measured > 0.85 * rate);  // else calibration warns that others use the bus
  }
  nlohmann::json const type = nlohmann::json::parse(testing::text_of(platform_file))["node_types"]["made"];
  REQUIRE(type["gpus"].size() == 2);
  CHECK(type["gpus"][1]["model"] == model + "1");
  CHECK(type["gpus"][1]["memory_bytes"] == std::int64_t{40} << 30);
  auto const scenario = libraries.folder().write(
      "scenario.json", R"({"format": "factosim-scenario", "version": 1, "platform": "machine.json",
                           "application": {"type": "cholesky", "nt": 4, "nb": 128}})");
  CHECK(testing::run_factosim("run " + testing::quoted(scenario)).code == 0);
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("calibration finds the rates and links of made-up devices behind the libraries of CUDA") {
    if (!can_calibrate()) return;
    finds_what_is_planted(cuda(), "double,single,tf32,half,bfloat16", 2 * (2 * 9 + 3), "made-up A");
  }

  TEST_CASE("calibration finds the rates and links of made-up devices behind the libraries of ROCm") {
    if (!can_calibrate()) return;
    finds_what_is_planted(rocm(), "double,single,tf32,half,bfloat16", 2 * (2 * 9 + 2), "made-up MI");
  }

  TEST_CASE("GPUs are measured alone where cores are not asked for") {
    testing::ProgramRun const run =
        cuda().calibrate("--workers gpus --tiles 64 --seconds 0.01 --kernels gemm --json");
    REQUIRE_MESSAGE(run.code == 0, run.err);
    for (auto const& k : nlohmann::json::parse(run.out)["kernels"]) CHECK(k["worker"] != "cpu");
  }

  TEST_CASE("a device whose libraries are incomplete is left out with a reason") {
    if (!can_calibrate()) return;
    Libraries const runtime_only(FACTOSIM_FAKE_ROCM, {"libamdhip64.so.7"});
    testing::ProgramRun const run = runtime_only.calibrate("--tiles 64 --seconds 0.01 --kernels gemm");
    CHECK(run.code == 0);
    CHECK_MESSAGE(testing::says(run, "GPUs are left out: no library is called librocblas.so.5"), run.err);
  }
}
