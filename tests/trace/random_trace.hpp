#pragma once

#include <random>
#include <string>

#include "simulator/traces/trace/trace.hpp"

namespace factosim::testing {

/// A trace that uses every field, on two nodes with two cores and a GPU each; dates are multiples of 1 ns, as
/// in StarPU's files.
inline Trace random_trace(unsigned seed, int tasks) {
  std::mt19937 random(seed);
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Trace t;
  t.source = "made";
  t.format = "test";
  for (std::uint32_t n = 0; n < 2; ++n) {
    t.nodes.push_back({std::to_string(n), n == 0 ? "left" : "right"});
    t.memory_nodes.push_back({"ram", NodeId{n}});
    t.memory_nodes.push_back({"cuda0", NodeId{n}});
    t.workers.push_back({"cuda0", NodeId{n}, MemoryNodeId{2 * n + 1}, Trace::Device::gpu});
    t.workers.push_back({"cpu0", NodeId{n}, MemoryNodeId{2 * n}, Trace::Device::cpu});
    t.workers.push_back({"cpu1", NodeId{n}, MemoryNodeId{2 * n}, Trace::Device::cpu});
  }
  t.kernels = {{.name = "gemm", .flops = {2e9}},
               {.name = "my \"odd\" kernel", .flops = {1e9}, .timing = "trsm"}};
  for (int h = 0; h < 6; ++h)
    t.handles.push_back({.size = Bytes{7372800},
                         .m = h / 3,
                         .n = h % 3,
                         .owner = NodeId{h % 2},
                         .address = 0x559f00000000U + static_cast<unsigned>(h),
                         .shape = "M960x960x8",
                         .tag = h});
  std::vector<double> free(t.workers.size(), 0.001);  // [workers]
  t.access_begin = {0};
  t.predecessor_begin = {0};
  for (int i = 0; i < tasks; ++i) {
    auto const w = static_cast<std::size_t>(below(6));
    t.kernel.push_back(static_cast<std::uint16_t>(below(2)));
    t.worker.emplace_back(w);
    t.submit_s.push_back(1e-6 * (i + 1));
    t.start_s.push_back(free[w] + 1e-9 * below(1'000'000));
    t.end_s.push_back(t.start_s.back() + 1e-9 * (1 + below(50'000'000)));
    free[w] = t.end_s.back();
    t.priority.push_back(below(100) - 50);
    t.indices.push_back({below(9), below(9), below(9)});
    t.footprint.push_back(static_cast<std::uint32_t>(random()));
    t.accesses.emplace_back(HandleId{below(6)}, Access::read_write);
    t.access_begin.push_back(static_cast<std::uint32_t>(t.accesses.size()));
    if (i > 0) t.predecessors.emplace_back(below(i));
    t.predecessor_begin.push_back(static_cast<std::uint32_t>(t.predecessors.size()));
    t.job.push_back(static_cast<std::uint32_t>(i + 1));
    t.submit_order.push_back(static_cast<std::uint32_t>(i + 1));
    t.tag.push_back(random());
    t.flops.push_back(1e9 * (1 + below(10)));
    t.writes_back.push_back(below(2) == 1);
  }
  t.messages.push_back({NodeId{0}, NodeId{1}, 0.25, 0.5, Bytes{7372800}, HandleId{2}, TaskId{0}, TaskId{1}});
  t.copies.push_back({MemoryNodeId{0}, MemoryNodeId{1}, 0.125, 0.25, Bytes{7372800}, HandleId{4}});
  t.has_places = seed % 2 == 0;
  if (t.has_places) {
    t.places.push_back({MemoryNodeId{1}, HandleId{4}, 0.125, unknown});
    t.repeats.push_back({TaskId{0}, WorkerId{2}, 0.5, 0.75});
  }
  t.state_names = {"Idle", "Scheduling"};
  t.states.push_back({WorkerId{1}, 1, 0.5, 0.75});
  t.wont_use.push_back({NodeId{0}, HandleId{3}, 0.001, 1000, 1000});
  return t;
}

}  // namespace factosim::testing
