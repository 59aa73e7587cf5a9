// Runs whose GPUs hold little more than the operands of the tasks in their pipelines.

#include "tests/cli/program.hpp"

using namespace factosim;
using testing::quoted;

namespace {

constexpr double tile_bytes = 960 * 960 * 8;  // in double precision, allocated one by one
constexpr double chunk_bytes = 32 << 20;      // of nine tiles in single precision

/// Draws what has no meaning for the next draw.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  int between(int first, int last) {
    return first + static_cast<int>(random_() % static_cast<std::uint32_t>(last - first + 1));
  }
  template <std::size_t count>
  std::string of(std::array<char const*, count> const& values) {
    return values[random_() % count];
  }

 private:
  std::mt19937 random_;
};

double gpu_bytes(std::string const& machine) {
  auto const file = testing::repository() / ("platforms/" + machine + ".json");
  auto const platform = nlohmann::json::parse(testing::text_of(file));
  return platform["node_types"][machine]["gpus"][0]["memory_bytes"].get<double>();
}

/// A scenario with a few tiles of memory on each GPU, as options of the command line.
std::string with_little_memory(std::uint32_t seed) {
  Draw draw(seed);
  std::string const machine = draw.of(std::array{"mirage", "sirocco", "attila"});
  std::string const application = draw.of(std::array{"lu", "cholesky", "gemm"});
  int const pipeline = draw.between(1, 3);
  int const tiles = 3 * pipeline + (draw.between(0, 2) > 0 ? draw.between(0, 4) : draw.between(0, 30));
  bool const single = application != "lu";
  double const memory = single ? draw.between(1, 4) * chunk_bytes : tiles * tile_bytes;
  int const nt = application == "gemm" ? draw.between(4, 7) : draw.between(6, 14);
  return fmt::format(
      "{} --set /platform=../../platforms/{}.json --set /application='{{\"type\": \"{}\", \"nt\": {}, "
      "\"nb\": 960, "
      "\"precision\": \"{}\"}}' --set /scheduler/type={} --set /runtime/eviction={} --set "
      "/runtime/prefetch={} "
      "--set /runtime/gpu_pipeline={} --set /runtime/version='\"{}\"' --set /network/model=maxmin "
      "--set /runtime/gpu_memory_fraction={:.15g}",
      quoted(testing::repository() / "scenarios/peer/lu_mirage.json"), machine, application, nt,
      single ? "single" : "double",
      draw.of(std::array{"eager", "prio", "lws", "ws", "dm", "dmda", "dmdar", "dmdas", "dmdap", "dmdasd",
                         "darts"}),
      draw.of(std::array{"default", "default", "lru", "fifo", "luf", "belady"}),
      draw.between(0, 3) > 0 ? "true" : "false", pipeline, draw.of(std::array{"1.4", "1.5"}),
      (memory + 1) / gpu_bytes(machine));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("with GPU memory for little more than the pipeline no run stops and check accepts each") {
    testing::TemporaryFolder const folder;
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
      std::string const options = with_little_memory(seed);
      CAPTURE(options);
      auto const out = folder / std::to_string(seed);
      auto const run = testing::run_factosim("run " + options + " --out " + quoted(out));
      CHECK_MESSAGE(run.code == 0, run.err);
      if (run.code != 0) continue;
      auto const check = testing::run_factosim("check " + quoted(out));
      CHECK_MESSAGE(check.code == 0, check.out);
    }
  }
}
