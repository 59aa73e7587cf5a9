#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "factosim/sequential_task_flow.hpp"

namespace factosim::testing {

/// The same numbers on every machine: std's distributions promise none.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// Whole number in [least, most].
  int between(int minimum, int maximum) {
    return minimum + static_cast<int>(engine_() % static_cast<std::uint64_t>(maximum - minimum + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937_64 engine_;
};

/// The accesses of each task that a test submits.
using Program = std::vector<std::vector<DataAccess>>;

inline DataAccess access(int handle, Access mode) { return DataAccess{HandleId{handle}, mode}; }

inline SequentialTaskFlow flow_of(Program const& program, int handles, Bytes size = Bytes{8}) {
  SequentialTaskFlow flow;
  KernelId const kernel = flow.add_kernel({.name = "work", .flops = {1}});
  for (int h = 0; h < handles; ++h) flow.add_handle({.size = size, .m = h, .n = 0});
  for (auto const& accesses : program) flow.submit(kernel, 0, {}, accesses);
  return flow;
}

inline TaskGraph graph_of(Program const& program, int handles, Bytes size = Bytes{8}) {
  return flow_of(program, handles, size).finish();
}

/// Tasks that update one handle and read others, which no task writes from then on: no writer waits for
/// readers, as in a factorization.
inline Program random_factorization_like(Random& random, int tasks, int handles) {
  std::vector<bool> final(static_cast<std::size_t>(handles), false);
  Program program;
  for (int t = 0; t < tasks; ++t) {
    int const written = random.between(0, handles - 1);
    if (final[static_cast<std::size_t>(written)]) continue;
    std::vector<DataAccess> accesses;
    for (int h = 0; h < handles; ++h) {
      if (h == written || !random.chance(final[static_cast<std::size_t>(h)] ? 30 : 3)) continue;
      final[static_cast<std::size_t>(h)] = true;
      accesses.push_back(access(h, Access::read));
    }
    accesses.push_back(access(written, Access::read_write));
    program.push_back(accesses);
  }
  return program;
}

/// Tasks with one to four accesses to different handles, in any mode.
inline Program random_program(Random& random, int tasks, int handles) {
  Program program(static_cast<std::size_t>(tasks));
  std::vector<int> order(static_cast<std::size_t>(handles));
  for (int h = 0; h < handles; ++h) order[static_cast<std::size_t>(h)] = h;
  for (auto& accesses : program) {
    int const count = random.between(1, std::min(4, handles));
    for (int i = 0; i < count; ++i) {
      std::swap(order[static_cast<std::size_t>(i)],
                order[static_cast<std::size_t>(random.between(i, handles - 1))]);
      auto const mode = random.chance(50)   ? Access::read
                        : random.chance(50) ? Access::write
                                            : Access::read_write;
      accesses.push_back(access(order[static_cast<std::size_t>(i)], mode));
    }
  }
  return program;
}

/// The same tasks, each of which writes its first handle and reads the others. Those that write nothing, or read others,
/// update it.
inline Program one_write_each(Program program) {
  for (auto& accesses : program) {
    bool const overwrites = accesses.size() == 1 && accesses.front().mode() == Access::write;
    for (std::size_t i = 0; i < accesses.size(); ++i)
      accesses[i] = DataAccess(accesses[i].handle(), i > 0        ? Access::read
                                                     : overwrites ? Access::write
                                                                  : Access::read_write);
  }
  return program;
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;

inline std::vector<Edge> edges_of(TaskGraph const& graph) {
  std::vector<Edge> edges;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    for (TaskId const s : graph.successors_of(TaskId{t})) edges.emplace_back(t, s.value());
  return edges;
}

}  // namespace factosim::testing
