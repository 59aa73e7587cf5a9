#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factosim/task_graph.hpp"
#include "factosim/tile_map.hpp"

namespace factosim::audit {

/// The problem that an application solves, as plain numbers.
struct ReferenceProblem {
  std::string application;
  int nt = 0, nb = 0;
  std::int64_t element_bytes = 8;
  nlohmann::json keys;  // of the application, each with its value: "variant", "n", "tree", ...

  /// Returns the height of the tiles in tile row m: nb, or less in the last one if "n" is not a multiple of nb.
  [[nodiscard]] std::int64_t rows_of_tile(int m) const {
    std::int64_t const n = keys.value("n", std::int64_t{nt} * nb);
    return m + 1 < nt ? nb : n - std::int64_t{nt - 1} * nb;
  }
  [[nodiscard]] std::string key(char const* name) const { return keys.value(name, std::string()); }
};

/// A datum by its meaning, not by a number.
struct Datum {
  DataKind kind = DataKind::tile;
  // 0: the main matrix, or which scalar of a node; > 0: further matrices, or copies of tiles in another precision
  std::int32_t matrix = 0;
  std::int32_t m = 0, n = 0;
  NodeId node = {};  // of data with a fixed owner
  bool operator==(Datum const&) const = default;
};

/// A task as its paper names it: the kernel, its indices, and the iteration of the application.
struct TaskName {
  std::int32_t kernel = 0, k = 0, m = 0, n = 0, iteration = 0;  // kernel: into Reference::kernels
  auto operator<=>(TaskName const&) const = default;
};

struct ReferenceTask {
  TaskName name;
  std::int32_t priority = 0;
  std::vector<std::pair<Datum, Access>> uses{};
  std::vector<TaskName> after{};  // the tasks that it directly depends on, in any order
  bool writes_back = false;       // its output is not used for a while
  bool flushes_inputs = false;    // received copies of its inputs are dropped
  std::string_view phase = {};    // empty: the application has one phase
  std::size_t placement = 0;      // number of the distribution that places the phase
};

/// Returns a task that updates the tile of its name. `inputs`: what it reads, and the tasks that wrote it; `before`: the last
/// task on its own tile, if there is one.
[[nodiscard]] inline ReferenceTask tile_task(TaskName name, std::int32_t priority,
                                             std::vector<std::pair<Datum, TaskName>> const& inputs,
                                             std::optional<TaskName> before) {
  ReferenceTask out{.name = name, .priority = priority};
  for (auto const& [datum, writer] : inputs) {
    out.uses.emplace_back(datum, Access::read);
    out.after.push_back(writer);
  }
  out.uses.push_back({{.m = name.m, .n = name.n}, Access::read_write});
  if (before) out.after.push_back(*before);
  return out;
}

/// Receives the tasks of a program in submission order.
class ReferenceSink {
 public:
  virtual ~ReferenceSink() = default;
  virtual void task(ReferenceTask const& task) = 0;
  virtual void barrier() {}
  virtual void flush_cache() {}
};

/// A task graph from the formulas of its paper: predecessors follow from tile indices in closed form, not from
/// the accesses. A second construction, independent of models/applications.
struct Reference {
  struct KernelCost {
    std::string name;
    double flops;
    std::string timing{};                  // the name of its timings; empty: not compared
    std::optional<Precision> precision{};  // of its timings; none: that of the application
    int nb = 0;                            // of its timings; 0: that of the application
  };
  std::vector<KernelCost> kernels;
  std::function<std::int64_t(Datum const&)> bytes;
  std::function<void(ReferenceSink&)> submit;
  std::function<bool(Datum const&)> temporary{};  // released after its last use; null: nothing is
};

[[nodiscard]] Reference reference_lu(ReferenceProblem const& problem);
[[nodiscard]] Reference reference_cholesky(ReferenceProblem const& problem, TileMap const& map);
[[nodiscard]] Reference reference_qr(ReferenceProblem const& problem, TileMap const& map);
[[nodiscard]] Reference reference_gemm(ReferenceProblem const& problem);
[[nodiscard]] Reference reference_syrk(ReferenceProblem const& problem, TileMap const& map);
[[nodiscard]] Reference reference_exageostat(ReferenceProblem const& problem, TileMap const& map);

/// Returns the tasks of a reference on the layers of a map (2.5D): an update of iteration k belongs to the sum on the layer of
/// k, and the sums of other layers than that of panel min(m, n) are added to the tile before the task of its panel; of a
/// product, at the end. The arguments must outlive the result.
[[nodiscard]] Reference on_layers(Reference reference, ReferenceProblem const& problem, TileMap const& map,
                                  bool is_product);

/// Whether tasks are replaced by tasks on parts of their tiles before the run.
[[nodiscard]] bool is_nested(ReferenceProblem const& problem);
/// Returns the tasks of a reference with these parts: each operation on full tiles, written out for the parts of the tile that
/// it writes, then "unpartition", which the tasks after it follow.
[[nodiscard]] Reference nested(Reference reference, ReferenceProblem const& problem);

/// Returns nothing for an application without a second construction. The arguments must outlive the result.
[[nodiscard]] std::optional<Reference> reference_of(ReferenceProblem const& problem, TileMap const& map);

/// Number of bytes of a full tile.
[[nodiscard]] inline std::int64_t full_tile_bytes(ReferenceProblem const& p) {
  return p.element_bytes * p.nb * p.nb;
}

}  // namespace factosim::audit
