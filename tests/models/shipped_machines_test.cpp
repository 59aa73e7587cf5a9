#include "models/kernel_model_json.hpp"
#include "models/starpu_perfmodel.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/starpu_bus.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using testing::repository;

/// Recipe of the kernels and the platform of one measured machine, from shipped_machines.json.
struct Recipe {
  std::string machine;
  JsonReader json;

  [[nodiscard]] std::string text(std::string const& key) const { return json.at(key).string(); }
};

StarpuImport import_kernels(Recipe const& recipe, fs::path const& data) {
  std::vector<fs::path> folders;
  for (JsonReader const& folder : recipe.json.at("kernels").elements())
    folders.push_back(data / folder.string());
  DeviceModels devices = {{"cpu", recipe.text("cpu")}};
  for (int gpu = 0; gpu < 8; ++gpu) devices["cuda" + std::to_string(gpu)] = recipe.text("gpu");
  return read_starpu_models(
      folders, {.host = recipe.machine,
                .machine = recipe.machine,
                .provenance = recipe.text("kernels_provenance"),
                .devices = devices,
                .implausible = recipe.json.find("keep_implausible") ? ImplausibleTiming::keep
                                                                    : ImplausibleTiming::refuse});
}

Platform import_platform(Recipe const& recipe, fs::path const& data) {
  NodeType type = read_starpu_bus(data / recipe.text("bus"), recipe.machine).type;
  for (GpuSpec& gpu : type.gpus)
    if (gpu.model.empty()) gpu.model = recipe.text("gpu");
  type.ram = {recipe.json.at("ram_bytes").integer(1, INT64_MAX)};
  type.kernels_file = (repository() / "models/kernels" / (recipe.machine + ".json")).string();
  type.nic = {.bandwidth = {4e9}, .latency = {1e-6}};
  type.provenance = recipe.text("platform_provenance");
  Platform platform;
  platform.types = {type};
  platform.nodes = {0};
  platform.network.backbone.bandwidth = {288e9};
  platform.network.backbone.latency = {1e-6};
  platform.network.estimate = true;
  platform.network.provenance =
      "NOT the machine's: cards of 4 GB/s, 1 us, and a backbone of 288 GB/s, 1 us, as in the cluster example "
      "of StarPU.";
  return platform;
}

void compare_or_update(fs::path const& file, std::string const& text) {
  if (char const* update = std::getenv("FACTOSIM_UPDATE_GOLDEN");
      update != nullptr && std::string_view(update) == "1")
    std::ofstream(file) << text;
  CAPTURE(file.filename().string());
  CHECK((testing::text_of(file) == text));  // in parentheses: a mismatch would print both files
}

std::vector<fs::path> shipped(std::string const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(repository() / folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

KernelModel shipped_kernels(std::string const& machine) {
  return read_kernel_model(repository() / "models/kernels" / (machine + ".json"));
}

double rate(KernelModel const& model, std::string_view kernel, Precision precision, std::string_view worker,
            int nb) {
  double const cube = static_cast<double>(nb) * nb * nb;
  double const flops = (kernel == "gemm" ? 2 : kernel == "potrf" ? 1.0 / 3 : 1) * cube;
  return flops / model.duration(kernel, "", precision, worker, nb, {flops}).value().value;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the importers give the shipped kernels and platforms byte for byte") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("FACTOSIM_DATA is not set: skipped");
      return;
    }
    fs::path const file = repository() / "tests/data/shipped_machines.json";
    nlohmann::json const parsed = parse_json_file(file);
    for (auto const& [machine, json] : JsonReader(parsed, file.string()).members()) {
      Recipe const recipe{machine, json};
      if (!fs::exists(*data / "perfmodels" / recipe.text("bus"))) {
        MESSAGE(machine << ": its files are not in FACTOSIM_DATA: skipped");
        continue;
      }
      compare_or_update(repository() / "models/kernels" / (machine + ".json"),
                        kernel_model_json(import_kernels(recipe, *data / "perfmodels").model));
      if (recipe.json.find("corrected_bus")) continue;  // as its provenance says
      compare_or_update(
          repository() / "platforms" / (machine + ".json"),
          platform_json(import_platform(recipe, *data / "perfmodels"), repository() / "platforms"));
    }
  }

  TEST_CASE("the shipped A100 says where it is above its peak and the preset has its rates at tile 1600") {
    KernelModel const a100 = shipped_kernels("sirocco-a100"), preset = shipped_kernels("a100x4");
    REQUIRE(a100.findings.size() == 2);
    CHECK(testing::contains(a100.findings[0], "double gemm of tile 800 on cuda1"));
    CHECK_FALSE(a100.timing("gemm", "", Precision::double_, "cuda0", 800)->findings.empty());
    CHECK(a100.timing("gemm", "", Precision::double_, "cuda0", 1600)->findings.empty());
    for (char const* const kernel : {"gemm", "syrk", "trsm", "potrf"})
      for (Precision const precision : {Precision::double_, Precision::single_}) {
        CAPTURE(kernel);
        double const cube = 1600.0 * 1600 * 1600;
        Flops const flops{cube * (kernel == std::string("gemm")    ? 2
                                  : kernel == std::string("potrf") ? 1.0 / 3
                                                                   : 1)};
        double const measured = a100.duration(kernel, "", precision, "cuda0", 1600, flops)->value;
        CHECK(preset.duration(kernel, "", precision, "cuda0", 1600, flops)->value ==
              doctest::Approx(measured).epsilon(0.03));
      }
  }

  TEST_CASE("every shipped cluster is read and has its nodes") {
    std::size_t nodes = 0;
    for (fs::path const& file : shipped("platforms/clusters")) {
      CAPTURE(file.string());
      Platform const platform = read_platform(file);
      for (NodeType const& type : platform.types) CHECK(fs::exists(type.kernels_file));
      nodes += platform.nodes.size();
    }
    CHECK(nodes == 9856 + 2978 + 2048 + 2688 + 3456 + 1536 + 61 + 21 + 205 + 36 + 64);
  }

  TEST_CASE("every shipped kernels file is read and written back to the same bytes") {
    CHECK(shipped("models/kernels").size() == 36);
    for (fs::path const& file : shipped("models/kernels")) {
      CAPTURE(file.string());
      CHECK((kernel_model_json(read_kernel_model(file)) == testing::text_of(file)));
    }
  }

  TEST_CASE("every shipped platform is read and written back to the same bytes") {
    CHECK(shipped("platforms").size() == 27);
    for (fs::path const& file : shipped("platforms")) {
      CAPTURE(file.string());
      Platform const platform = read_platform(file);
      compare_or_update(file, platform_json(platform, file.parent_path()));
      for (NodeType const& type : platform.types) {
        if (type.kernels_file.empty()) continue;  // its units' costs belong to the experiment
        KernelModel const kernels = read_kernel_model(type.kernels_file);
        CHECK(kernels.machine == type.name);
        CHECK(kernels.estimate == type.estimate);
      }
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE(
      "StarPU perfmodels: gemm of LU on mirage at tile 960 takes 174755.6 us on a core and 5825.821 on a "
      "GPU") {
    KernelModel const mirage = shipped_kernels("mirage");
    CHECK(mirage.duration("gemm", "lu", Precision::double_, "cpu", 960, {0})->value ==
          doctest::Approx(0.1747556).epsilon(1e-12));
    CHECK(mirage.duration("gemm", "lu", Precision::double_, "cuda0", 960, {0})->value ==
          doctest::Approx(0.005825821).epsilon(1e-12));
    CHECK(mirage.tile_sizes("gemm", "lu", Precision::double_) == std::vector{320, 640, 960});
  }

  TEST_CASE("Chameleon perfmodels: tiles are 960 on K40m and 1240 on P100 and 1600 on V100") {
    for (auto const& [machine, nb] :
         {std::pair{"sirocco-k40m", 960}, {"sirocco-p100", 1240}, {"sirocco-v100", 1600}}) {
      CAPTURE(machine);
      KernelModel const model = shipped_kernels(machine);
      for (KernelTiming const& timing : model.timings) CHECK(timing.nb == nb);
      for (char const* kernel : {"gemm", "trsm", "syrk", "potrf", "getrf", "ormqr", "tpqrt", "tpmqrt"})
        CHECK(model.tile_sizes(kernel, "", Precision::double_) == std::vector{nb});
    }
  }

  TEST_CASE("mirage has LU and Cholesky complete on all workers in both precisions") {
    KernelModel const mirage = shipped_kernels("mirage");
    for (Precision precision : {Precision::single_, Precision::double_})
      for (char const* worker : {"cpu", "cuda0", "cuda1", "cuda2"}) {
        for (char const* kernel : {"getrf", "trsm_ll", "trsm_ru", "gemm"})
          CHECK(mirage.duration(kernel, "lu", precision, worker, 960, {1}).has_value());
        for (char const* kernel : {"potrf", "trsm", "syrk", "gemm"})
          CHECK(mirage.duration(kernel, "cholesky", precision, worker, 960, {1}).has_value());
      }
  }

  TEST_CASE("the Matern kernel on spr2c takes 47.7 ms per tile of 960") {
    CHECK(shipped_kernels("spr2c").duration("dcmg", "", Precision::double_, "cpu", 960, {0})->value ==
          doctest::Approx(0.04772601).epsilon(1e-12));
  }

  TEST_CASE("estimates of Lille keep the ratios between kernels of the measured machines") {
    struct Claim {
      char const* estimate;
      char const* worker;
      char const* measured;
      char const* measured_worker;
      int nb;
      Precision precision;
      std::vector<char const*> kernels;
    };
    using enum Precision;
    for (Claim const& claim :
         {Claim{"chetemi", "cpu", "mirage", "cpu", 960, double_, {"trsm", "syrk", "potrf"}},
          Claim{"chifflet", "cpu", "mirage", "cpu", 960, single_, {"trsm", "syrk", "potrf"}},
          Claim{"chifflet", "cuda1", "mirage", "cuda0", 960, double_, {"trsm", "syrk"}},
          Claim{"chifflet", "cuda0", "sirocco-p100", "cuda0", 1240, single_, {"trsm", "syrk"}},
          Claim{"chifflot", "cuda0", "sirocco-p100", "cuda0", 1240, double_, {"trsm", "syrk"}}}) {
      KernelModel const estimate = shipped_kernels(claim.estimate);
      KernelModel const measured = shipped_kernels(claim.measured);
      auto const ratio = [&](KernelModel const& model, char const* kernel, char const* worker) {
        return rate(model, kernel, claim.precision, worker, claim.nb) /
               rate(model, "gemm", claim.precision, worker, claim.nb);
      };
      for (char const* kernel : claim.kernels) {
        CAPTURE_ALL(claim.estimate, kernel);
        // The ratios are written with three digits.
        CHECK(ratio(estimate, kernel, claim.worker) ==
              doctest::Approx(ratio(measured, kernel, claim.measured_worker)).epsilon(2e-3));
      }
    }
  }

  TEST_CASE("Lille: cores give 30.3 GFlop/s and a GTX 1080 Ti 350 in every application") {
    CHECK(rate(shipped_kernels("chetemi"), "gemm", Precision::double_, "cpu", 960) ==
          doctest::Approx(30.3e9));
    KernelModel const chifflet = shipped_kernels("chifflet");
    CHECK(rate(chifflet, "gemm", Precision::double_, "cpu", 960) == doctest::Approx(30.3e9));
    CHECK(rate(chifflet, "gemm", Precision::double_, "cuda0", 960) == doctest::Approx(350e9));
    for (char const* const machine : {"chetemi", "chifflet", "chifflot"})
      for (char const* const kernel : {"gemm", "trsm", "syrk", "potrf"})
        CHECK(shipped_kernels(machine).duration(kernel, "lu", Precision::double_, "cpu", 960, {1e9})->value ==
              shipped_kernels(machine)
                  .duration(kernel, "exageostat", Precision::double_, "cpu", 960, {1e9})
                  ->value);
    CHECK(chifflet.duration("getrf", "lu", Precision::double_, "cpu", 960, {22.9e9})->value ==
          doctest::Approx(1));
    CHECK_FALSE(chifflet.duration("getrf", "lu", Precision::double_, "cuda0", 960, {20e9}).has_value());
  }
}

}  // namespace factosim
