// A disk as memory node of a node whose RAM is too small: counts and times against closed forms.

#include "factosim/error.hpp"
#include "platforms/memory_nodes.hpp"
#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"
#include "tests/runtime/small_cluster.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

constexpr LinkRate disk_rate{BytesPerSecond{1e7}, Seconds{1e-3}};  // 1 MB in 101 ms

/// Adds a disk to all nodes, and gives each `ram`.
Platform with_disk(Platform platform, Bytes ram, bool half_duplex = false, LinkRate rate = disk_rate) {
  NodeType& type = platform.types[0];
  type.ram = ram;
  type.disk =
      DiskSpec{.model = "disk", .read = rate, .write = rate, .half_duplex = half_duplex, .provenance = {}};
  add_disk_memory(type, DiskPrediction::rates);
  return platform;
}

RuntimeOptions from_disk() {
  RuntimeOptions o = no_overheads();
  o.data_starts_on_disk = true;
  return o;
}

std::vector<NodeId> all_on_one_node(int handles) {
  return std::vector<NodeId>(static_cast<std::size_t>(handles), NodeId{0});
}

/// Each of `tiles` is written once in each round, always in the same order.
TaskGraph written_in_turn(int tiles, int count) {
  Flow f(tiles);
  for (int round = 0; round < count; ++round)
    for (int h = 0; h < tiles; ++h) f.task({{h, rw}});
  return f.graph();
}

/// Each of `tiles` is read once in each round, always in the same order, and added to one more tile.
TaskGraph read_in_turn(int tiles, int count) {
  Flow f(tiles + 1);
  for (int round = 0; round < count; ++round)
    for (int h = 0; h < tiles; ++h) f.task({{h, r}, {tiles, rw}});
  return f.graph();
}

std::int64_t in_tiles(Bytes bytes) { return bytes.value / tile.value; }

SimulationOutcome run_out_of_core(TaskGraph graph, Platform const& platform, RuntimeOptions const& options,
                                  std::string const& policy = "eager") {
  auto const handles = static_cast<int>(graph.handles.size());
  return simulate(std::move(graph), all_on_one_node(handles), platform, options, policy).outcome;
}

/// Tile products C(i,j) += A(i,k) B(k,j) of n x n tiles.
TaskGraph tile_products(int n) {
  Flow f(3 * n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        f.task({{i * n + k, r}, {n * n + k * n + j, r}, {2 * n * n + i * n + j, rw}});
  return f.graph();
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("reading tiles one after the other takes latency plus size over bandwidth each") {
    SimulationOutcome const out =
        run_out_of_core(read_in_turn(10, 1), with_disk(platform_of(1, 1, 0), tile * 3), from_disk());
    CHECK(in_tiles(out.nodes[0].disk_read) == 10 + 1);
    CHECK(out.nodes[0].disk_written.value == 0);
    CHECK(out.makespan.value == doctest::Approx(10 * core_time + 11 * (0.1 + 1e-3)).epsilon(1e-9));
  }

  TEST_CASE("tiles read in turn all miss as soon as RAM lacks room for one of them") {
    // Least recently used: each tile has been evicted just before its next use.
    for (int ram = 3; ram <= 9; ++ram) {
      CAPTURE(ram);
      SimulationOutcome const out =
          run_out_of_core(read_in_turn(8, 5), with_disk(platform_of(1, 1, 0), tile * ram), from_disk());
      CHECK(in_tiles(out.nodes[0].disk_read) == (ram < 9 ? 8 * 5 : 8) + 1);
      CHECK(out.nodes[0].disk_written.value == 0);
      CHECK(out.nodes[0].peak_memory_bytes == ram * tile.value);
    }
  }

  TEST_CASE("written tiles are written to the disk before they are evicted") {
    // All miss, and all but those that are in RAM at the end have been written.
    SimulationOutcome const out =
        run_out_of_core(written_in_turn(8, 5), with_disk(platform_of(1, 1, 0), tile * 4), from_disk());
    CHECK(in_tiles(out.nodes[0].disk_read) == 40);
    CHECK(in_tiles(out.nodes[0].disk_written) == 36);
    // One write and one read before each kernel but the first four.
    CHECK(out.makespan.value == doctest::Approx(40 * (core_time + 0.101) + 36 * 0.101).epsilon(1e-9));
  }

  TEST_CASE("doubling the bandwidth halves the time for the disk") {
    auto const disk_time = [](double bandwidth) {
      LinkRate const rate{BytesPerSecond{bandwidth}, Seconds{0}};
      SimulationOutcome const out = run_out_of_core(
          written_in_turn(8, 5), with_disk(platform_of(1, 1, 0), tile * 4, false, rate), from_disk());
      return out.makespan.value - 40 * core_time;
    };
    CHECK(disk_time(1e7) == doctest::Approx(2 * disk_time(2e7)).epsilon(1e-9));
  }

  TEST_CASE("data start in RAM as far as it has room") {
    SimulationOutcome const out =
        run_out_of_core(written_in_turn(8, 1), with_disk(platform_of(1, 1, 0), tile * 5), no_overheads());
    CHECK(in_tiles(out.nodes[0].disk_read) == 3);
    CHECK(in_tiles(out.nodes[0].disk_written) == 3);
  }

  TEST_CASE("reads and writes of a half-duplex disk take turns") {
    // Two cores: while one reads its next tile, RAM for the other's is being written to the disk.
    auto const makespan = [](bool half_duplex) {
      LinkRate const slow{BytesPerSecond{1e5}, Seconds{0}};  // 10 s a tile
      return run_out_of_core(written_in_turn(12, 3),
                             with_disk(platform_of(1, 2, 0), tile * 6, half_duplex, slow), from_disk())
          .makespan.value;
    };
    CHECK(makespan(true) > 1.2 * makespan(false));
    CHECK(makespan(true) >= (36 + 30) * 10.0);  // reads and writes one after the other
  }

  TEST_CASE("a message finds room in a RAM that is full") {
    // Node 0 sends its three tiles at once; node 1 has room for its own and two of them.
    Flow f(4);
    for (int h = 0; h < 3; ++h) f.task({{h, rw}});
    for (int h = 0; h < 3; ++h) f.task({{h, r}, {3, rw}});
    SimulationOutcome const out =
        simulate(f.graph(), on_nodes({0, 0, 0, 1}), with_disk(platform_of(2, 3, 0), tile * 3), no_overheads())
            .outcome;
    CHECK(out.nodes[1].peak_memory_bytes >= 3 * tile.value);
    CHECK(out.nodes[1].over_memory_bytes <= tile.value);
  }

  TEST_CASE("a disk that is full ends the run") {
    Platform platform = with_disk(platform_of(1, 1, 0), tile * 3);
    platform.types[0].disk->size = tile * 4;
    Flow f(12);
    for (int h = 0; h < 12; ++h) f.task({{h, Access::write}});
    for (int h = 0; h < 12; ++h) f.task({{h, rw}});
    CHECK_THROWS_AS(run_out_of_core(f.graph(), platform, no_overheads()), InfeasibleError);
  }
}

TEST_SUITE("property") {
  TEST_CASE("RAM with room for all tiles gives the dates of a node without a disk") {
    for (char const* policy : {"eager", "lws", "dmda", "dmdas"})
      for (int gpus : {0, 2}) {
        CAPTURE_ALL(policy, gpus);
        Platform const plain = platform_of(1, 2, gpus, Bytes{40 << 20});
        auto const run = [&](Platform const& platform) {
          Random random(7);
          Flow f(60);
          for (int t = 0; t < 300; ++t)
            f.task({{random.between(0, 29), r}, {random.between(30, 59), rw}}, random.between(0, 5));
          return simulate(f.graph(), all_on_one_node(60), platform, RuntimeOptions{}, policy).outcome;
        };
        SimulationOutcome const without = run(plain), with = run(with_disk(plain, tile * 60));
        CHECK(with.makespan == without.makespan);
        CHECK(with.host_to_device == without.host_to_device);
        CHECK(with.nodes[0].disk_read.value + with.nodes[0].disk_written.value == 0);
      }
  }

  TEST_CASE("the traffic of a product of matrices is never below the bound of Irony Toledo and Tiskin") {
    // n^3 tile products with M tiles of memory move at least n^3 / (2 sqrt 2 sqrt M) - M tiles (JPDC 64, 2004,
    // theorem 3.1, which counts the words that one processor sends and receives).
    int const n = 8;
    for (int ram : {3, 6, 12, 24, 48, 96}) {
      CAPTURE(ram);
      SimulationOutcome const out =
          run_out_of_core(tile_products(n), with_disk(platform_of(1, 1, 0), tile * ram), from_disk());
      double const moved = static_cast<double>(in_tiles(out.nodes[0].disk_read + out.nodes[0].disk_written));
      CHECK(moved >= std::pow(n, 3) / (2 * std::sqrt(2.0 * ram)) - ram);
      CHECK(in_tiles(out.nodes[0].disk_read) >= 3 * n * n);  // each tile comes at least once
    }
  }

  TEST_CASE("runs out of core end with any policy and RAM that holds the tasks of all workers") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      int const gpus = random.between(0, 2), cores = random.between(1, 3), handles = random.between(20, 60);
      bool const numa = random.chance(30);
      Platform const plain =
          numa ? numa_platform(cores, gpus, Bytes{40 << 20}) : platform_of(1, cores, gpus, Bytes{40 << 20});
      int const ram = (3 * (cores + 3 * gpus) + random.between(0, 20)) * (numa ? cores : 1);
      Platform const platform = with_disk(plain, tile * ram, random.chance(50));
      Flow f(handles);
      int const tasks = random.between(50, 300);
      for (int t = 0; t < tasks; ++t) {
        int const written = random.between(0, handles - 1);
        int const a = (written + random.between(1, handles - 1)) % handles;
        f.task({{a, r}, {written, random.chance(80) ? rw : Access::write}}, random.between(0, 9));
      }
      RuntimeOptions options;
      options.data_starts_on_disk = random.chance(50);
      for (char const* policy : {"eager", "lws", "dmda", "dmdar", "dmdas", "heteroprio"}) {
        CAPTURE(policy);
        SimulationOutcome const out =
            simulate(f.graph_copy(), all_on_one_node(handles), platform, options, policy).outcome;
        CHECK(out.tasks_by_kernel[0] == static_cast<std::uint64_t>(tasks));
        CHECK(out.nodes[0].over_memory_bytes == 0);
        CHECK(out.nodes[0].peak_memory_bytes <= ram * tile.value);
      }
    }
  }
}
