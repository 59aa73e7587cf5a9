#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/audit/reference/reference_cholesky.hpp"

namespace factosim::audit {

namespace {

/// Takes the tasks of a program in which each tile has one sum, and passes on those with a sum on each layer.
class Layers final : public ReferenceSink {
 public:
  Layers(TileMap const& map, int nt, bool is_product, std::int32_t addition, ReferenceFormats const* formats,
         ReferenceSink& out)
      : map_(map), nt_(nt), is_product_(is_product), addition_(addition), formats_(formats), out_(out) {}

  void task(ReferenceTask const& given) override {
    TaskName const name = given.name;
    auto const& [tile, mode] = given.uses.back();
    if (tile.matrix != 0 || mode != Access::read_write) return out_.task(given);
    task_ = given;
    // The task before on the same tile is of another iteration, all other tasks before are of this one.
    std::erase_if(task_.after, [&](TaskName const& before) { return before.k != name.k; });
    if (!is_product_ && std::min(name.m, name.n) == name.k) {
      auto const before = add_sums(name.k, name.m, name.n, given.priority);
      if (before) task_.after.push_back(*before);
      return out_.task(task_);
    }
    update_kernel_[name.m == name.n] = name.kernel;
    std::size_t const layer = layer_of(name.k);
    auto const before = last_update(layer, name.k, name.m, name.n);
    if (before) task_.after.push_back(*before);
    if (layer != home(name.m, name.n))
      task_.uses.back() = {sum(layer, name.m, name.n), before ? Access::read_write : Access::write};
    out_.task(task_);
  }
  void barrier() override { out_.barrier(); }
  void flush_cache() override { out_.flush_cache(); }

  /// Adds the sums of one tile, `end` iterations of which update it. Returns the last task that writes the tile.
  std::optional<TaskName> add_sums(int end, int m, int n, std::int32_t priority) {
    auto before = last_update(home(m, n), end, m, n);
    for (std::size_t layer = 0; layer < map_.layers.owner.size(); ++layer) {
      auto const last = last_update(layer, end, m, n);
      if (layer == home(m, n) || !last) continue;
      ReferenceTask add;
      add.name = {addition(m, n), last->k, m, n};
      add.priority = priority;
      add.uses = {{sum(layer, m, n), Access::read}, {{.m = m, .n = n}, Access::read_write}};
      add.after = {*last};
      if (before) add.after.push_back(*before);
      out_.task(add);
      before = add.name;
    }
    return before;
  }

 private:
  /// Additions in each precision follow the usual one.
  [[nodiscard]] std::int32_t addition(int m, int n) const {
    if (formats_ == nullptr || formats_->at(m, n).precision == formats_->usual()) return addition_;
    return addition_ + 1 + static_cast<int>(formats_->at(m, n).precision);
  }
  [[nodiscard]] std::size_t layer_of(int k) const {
    return map_.layers.of_iteration.at(static_cast<std::size_t>(k));
  }
  [[nodiscard]] std::size_t home(int m, int n) const {
    return map_.layers.of_panel.at(static_cast<std::size_t>(std::min(m, n)));
  }
  /// Returns the last update of the tile on the layer among the first `end` iterations.
  [[nodiscard]] std::optional<TaskName> last_update(std::size_t layer, int end, int m, int n) const {
    for (int k = end; k-- > 0;)
      if (layer_of(k) == layer)
        return TaskName{formats_ != nullptr ? formats_->update(k, m, n) : update_kernel_[m == n], k, m, n};
    return {};
  }
  [[nodiscard]] Datum sum(std::size_t layer, int m, int n) const {
    auto const place =
        static_cast<std::size_t>(m) * static_cast<std::size_t>(nt_) + static_cast<std::size_t>(n);
    return {.kind = DataKind::accumulator,
            .matrix = static_cast<std::int32_t>(layer),
            .m = m,
            .n = n,
            .node = map_.layers.owner[layer].at(place)};
  }

  TileMap const& map_;
  int nt_;
  bool is_product_;
  std::int32_t addition_;
  ReferenceFormats const* formats_;  // null: all tiles are in one precision
  ReferenceSink& out_;
  ReferenceTask task_;
  std::int32_t update_kernel_[2] = {};  // of tiles off and on the diagonal
};

std::optional<Reference> reference_on_one_layer(ReferenceProblem const& problem, TileMap const& map) {
  if (problem.application == "lu") return reference_lu(problem);
  if (problem.application == "cholesky") return reference_cholesky(problem, map);
  if (problem.application == "qr") return reference_qr(problem, map);
  if (problem.application == "gemm") return reference_gemm(problem);
  if (problem.application == "syrk") return reference_syrk(problem, map);
  if (problem.application == "exageostat") return reference_exageostat(problem, map);
  return std::nullopt;
}

}  // namespace

Reference on_layers(Reference reference, ReferenceProblem const& p, TileMap const& map, bool is_product) {
  auto const addition = static_cast<std::int32_t>(reference.kernels.size());
  double const elements = static_cast<double>(p.nb) * p.nb;
  std::vector<Reference::KernelCost> plain(reference.kernels.begin(),
                                           reference.kernels.begin() + (is_product ? 0 : 4));
  auto const formats = ReferenceFormats::of(p, map, plain, 0);
  reference.kernels.push_back({"tile_add", elements});
  if (formats)
    for (PrecisionInfo const& precision : precisions)
      reference.kernels.push_back({"tile_add_" + std::string(name_of(precision.precision)), elements,
                                   "tile_add", precision.precision});
  reference.submit = [submit = std::move(reference.submit), &p, &map, is_product, addition,
                      formats](ReferenceSink& sink) {
    Layers layers(map, p.nt, is_product, addition, formats.get(), sink);
    submit(layers);
    if (!is_product) return;
    bool const lower_only = p.application == "syrk";
    for (int m = 0; m < p.nt; ++m)
      for (int n = 0; n < (lower_only ? m + 1 : p.nt); ++n) layers.add_sums(p.nt, m, n, 0);
  };
  return reference;
}

std::optional<Reference> reference_of(ReferenceProblem const& problem, TileMap const& map) {
  auto reference = reference_on_one_layer(problem, map);
  bool const is_product = problem.application == "gemm" || problem.application == "syrk";
  if (reference && map.has_layers()) reference = on_layers(std::move(*reference), problem, map, is_product);
  if (reference && is_nested(problem)) reference = nested(std::move(*reference), problem);
  return reference;
}

}  // namespace factosim::audit
