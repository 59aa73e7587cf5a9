#include "models/applications/application.hpp"
#include "models/applications/estimated_timings.hpp"
#include "platforms/memory_nodes.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/tasks/plan/machine.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

std::string platform_with(std::string const& type, std::string const& network = "{}") {
  return R"({"format": "factosim-platform", "version": 1, "node_types": {"slow": )" + type +
         R"(}, "network": )" + network + R"(, "nodes": [{"type": "slow", "count": 3}]})";
}

std::string const three_lines =
    R"({"cycle_time_s": 0.5, "nic": {"bandwidth_Bps": 12500000, "latency_s": 0.0001}})";

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a workstation is described by its cycle-time and its network card") {
    TemporaryFolder const folder;
    Platform const platform = read_platform(folder.write("p.json", platform_with(three_lines)));
    NodeType const& type = platform.types.front();
    CHECK(type.cycle_time == Seconds{0.5});
    CHECK(type.cores == 1);
    CHECK(type.ram == Bytes{0});
    CHECK(type.kernels_file.empty());
    CHECK(platform.nodes.size() == 3);
    CHECK_FALSE(platform.network.one_at_a_time);
    Platform const bus =
        read_platform(folder.write("bus.json", platform_with(three_lines, R"({"one_at_a_time": true})")));
    CHECK(bus.network.one_at_a_time);
  }

  TEST_CASE("a workstation is written and read back identical") {
    TemporaryFolder const folder;
    Platform const platform =
        read_platform(folder.write("p.json", platform_with(three_lines, R"({"one_at_a_time": true})")));
    std::string const text = platform_json(platform, folder.path());
    Platform const again = read_platform(folder.write("again.json", text));
    CHECK(again.types.front().cycle_time == Seconds{0.5});
    CHECK(again.network.one_at_a_time);
    CHECK(platform_json(again, folder.path()) == text);
  }

  TEST_CASE("a cycle-time excludes kernel timings and GPUs") {
    TemporaryFolder const folder;
    auto const message = [&](std::string const& member) {
      auto const file = folder.write("p.json", platform_with("{" + member + "," + three_lines.substr(1)));
      return message_of([&] { (void)read_platform(file); });
    };
    for (std::string const member : {R"("kernels": "x.json")", R"("gpus": [])"})
      CHECK(contains(message(member), "stands beside \"cycle_time_s\""));
  }

  TEST_CASE("all cores of a workstation compute and none handles messages") {
    TemporaryFolder const folder;
    Platform const platform = read_platform(folder.write("p.json", platform_with(three_lines)));
    ApplicationParameters const p{.nt = 2, .nb = 100};
    auto const kernels = application("gemm").kernels(p);
    std::vector<KernelModel> const models{cycle_time_model("slow", Seconds{0.5}, kernels, p)};
    Machine const machine = build_machine(platform, models, kernels, {"gemm", p.precision, p.nb}, {});
    REQUIRE(machine.worker_count() == 3);
    CHECK(machine.types[0].durations[0] == doctest::Approx(0.5).epsilon(1e-12));  // gemm
    CHECK(machine.types[0].durations[1] == 0);                                    // load
  }

  TEST_CASE("a machine restricted to its first GPUs keeps their routes and predictions") {
    NodeType const whole = read_platform(testing::repository() / "platforms/mirage.json").types.at(0);
    for (std::size_t const count : {1, 2}) {
      NodeType part = whole;
      keep_gpus(part, count);
      CHECK(part.gpus.size() == count);
      CHECK(part.bus.routes.size() == (count + 1) * (count + 1));
      for (std::size_t from = 0; from <= count; ++from)
        for (std::size_t to = 0; to <= count; ++to) {
          std::size_t const in_part = from * (count + 1) + to;
          std::size_t const in_whole = from * (whole.gpus.size() + 1) + to;
          CHECK(part.bus.routes[in_part] == whole.bus.routes[in_whole]);
          CHECK(part.bus.predicted[in_part].bandwidth.value == whole.bus.predicted[in_whole].bandwidth.value);
          CHECK(part.bus.predicted[in_part].latency.value == whole.bus.predicted[in_whole].latency.value);
        }
    }
  }

  TEST_CASE("a machine without its GPUs has no bus and a limit above the number of GPUs keeps all") {
    NodeType const whole = read_platform(testing::repository() / "platforms/mirage.json").types.at(0);
    NodeType part = whole;
    keep_gpus(part, 0);
    CHECK(part.gpus.empty());
    CHECK(part.bus.routes.empty());
    part = whole;
    keep_gpus(part, 8);
    CHECK(part.gpus.size() == 3);
    CHECK(part.bus.routes == whole.bus.routes);
  }
}
