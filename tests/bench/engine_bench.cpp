// Cost of one event and of one transfer.

#include <benchmark/benchmark.h>

#include <random>

#include "simulator/runtime/engine/engine.hpp"
#include "simulator/runtime/engine/network_factory.hpp"

namespace {

using namespace factosim;

void heap(benchmark::State& state) {
  EventHeap<Event> events;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> delay(0, 1);
  Seconds now{0};
  for (int i = 0; i < state.range(0); ++i) events.push(Seconds{delay(random)}, {});
  for ([[maybe_unused]] auto _ : state) {
    now = events.next_date();
    benchmark::DoNotOptimize(events.pop());
    events.push(now + Seconds{delay(random)}, {});
  }
  state.SetItemsProcessed(state.iterations());
}

/// Keeps a number of messages in flight on every node of a star.
class Traffic final : public EventHandler {
 public:
  Traffic(Engine& engine, std::uint32_t nodes, std::uint64_t transfers)
      : engine_(engine), nodes_(nodes), left_(transfers) {}
  void start(std::uint32_t from) {
    if (left_ == 0) return;
    --left_;
    std::uint32_t const to = (from + 1 + random_() % (nodes_ - 1)) % nodes_;
    engine_.start_transfer(MemoryNodeId{from}, MemoryNodeId{to},
                           Bytes{7'000'000 + static_cast<std::int64_t>(random_() % 1000)}, from);
  }
  void handle(Event event) override { start(event.subject); }
  void transfer_ended(TransferToken from) override { start(from); }

 private:
  Engine& engine_;
  std::uint32_t nodes_;
  std::uint64_t left_;
  std::minstd_rand random_{1};
};

void star(benchmark::State& state, NetworkModel model) {
  auto const nodes = static_cast<std::uint32_t>(state.range(0));
  std::uint64_t const transfers = 100 * nodes;
  NodeType type;
  type.name = "node";
  type.nic = {BytesPerSecond{1.25e9}, Seconds{1e-5}};
  Platform platform;
  platform.types = {type};
  platform.nodes.assign(nodes, 0);
  Topology const topology(platform);
  for ([[maybe_unused]] auto _ : state) {
    Engine engine(make_network({.model = model}, topology));
    Traffic traffic(engine, nodes, transfers);
    for (std::uint32_t n = 0; n < nodes; ++n)
      for (int i = 0; i < state.range(1); ++i) engine.at(Seconds{0}, {0, n});
    engine.run(traffic);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(transfers));
}

}  // namespace

BENCHMARK(heap)->Arg(100)->Arg(10000);
BENCHMARK_CAPTURE(star, maxmin, NetworkModel::maxmin)
    ->ArgNames({"nodes", "sends_per_node"})
    ->ArgsProduct({{46, 200, 1000, 4000}, {1, 4, 10}})
    ->Unit(benchmark::kMillisecond);
