#include "models/applications/layered_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "models/applications/application.hpp"
#include "models/applications/tile_formats.hpp"

namespace factosim {

namespace {

/// What follows from the layers of the iterations.
class LayerSchedule {
 public:
  LayerSchedule(TileMap const& map, IterationRange iterations, UpdatedTiles updated)
      : map_(map),
        iterations_(iterations),
        updated_(updated),
        first_(map.layers.owner.size(), iterations.end) {
    for (int k = iterations.end; k-- > iterations.first;) first_[layer_of(k)] = k;
  }

  [[nodiscard]] std::size_t layers() const { return first_.size(); }
  [[nodiscard]] std::size_t layer_of(int k) const {
    return map_.layers.of_iteration[static_cast<std::size_t>(k)];
  }
  /// Returns the layer that has the tile itself.
  [[nodiscard]] std::size_t home(int m, int n) const {
    return map_.layers.of_panel[static_cast<std::size_t>(std::min(m, n))];
  }
  [[nodiscard]] NodeId owner(std::size_t layer, int m, int n) const { return map_.in_layer(layer, m, n); }
  [[nodiscard]] bool is_updated(TaskIndices const& t) const {
    return updated_ == UpdatedTiles::all || (t.m > t.k && t.n > t.k);
  }
  [[nodiscard]] bool is_first(int k) const { return first_[layer_of(k)] == k; }
  /// Returns whether the layer has a partial sum of the tile.
  [[nodiscard]] bool has_sum(std::size_t layer, int m, int n) const {
    return layer != home(m, n) && first_[layer] < end_of_updates(m, n);
  }
  /// Returns the last iteration of that partial sum.
  [[nodiscard]] int last_in_sum(std::size_t layer, int m, int n) const {
    int k = end_of_updates(m, n) - 1;
    while (layer_of(k) != layer) --k;
    return k;
  }
  /// Returns whether the tile has no panel's task among the iterations.
  [[nodiscard]] bool is_left(int m, int n) const {
    return updated_ == UpdatedTiles::all || std::min(m, n) >= iterations_.end;
  }

 private:
  [[nodiscard]] int end_of_updates(int m, int n) const {
    return updated_ == UpdatedTiles::all ? iterations_.end : std::min({m, n, iterations_.end});
  }

  TileMap const& map_;
  IterationRange iterations_;
  UpdatedTiles updated_;
  std::vector<int> first_;  // [layers] its first iteration
};

/// A tile of the updated matrix and its partial sums.
struct SummedTile {
  int m = 0, n = 0;
  Bytes size{};
  bool is_updated = false;       // the handle is of that matrix
  KernelId addition{};           // of a partial sum to it
  std::vector<HandleId> sums{};  // [layers]; none: the layer has no partial sum
};

/// Takes the tasks of a flow to the handles of the layers.
class LayeredSink final : public FlowSink {
 public:
  LayeredSink(FlowSink& out, LayerSchedule const& schedule, std::vector<SummedTile>& tiles)
      : out_(out), schedule_(schedule), tiles_(tiles) {}

  using FlowSink::submit;

  KernelId add_kernel(Kernel kernel) override { return out_.add_kernel(std::move(kernel)); }
  HandleId add_handle(HandleInfo handle) override {
    tiles_.push_back({.m = handle.m, .n = handle.n, .size = handle.size});
    return out_.add_handle(handle);
  }

  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::span<DataAccess const> accesses) override {
    SummedTile const& tile = tiles_[accesses.back().handle().index()];
    if (!tile.is_updated) return out_.submit(kernel, priority, indices, accesses);
    if (!schedule_.is_updated(indices)) {
      add_sums(accesses.back().handle(), priority);
      return out_.submit(kernel, priority, indices, accesses);
    }
    HandleId const sum = tile.sums[schedule_.layer_of(indices.k)];
    if (!sum.valid()) return out_.submit(kernel, priority, indices, accesses);
    accesses_.assign(accesses.begin(), accesses.end());
    accesses_.back() = {sum, schedule_.is_first(indices.k) ? Access::write : Access::read_write};
    return out_.submit(kernel, priority, indices, accesses_);
  }

  /// Adds the partial sums of all layers to the tile.
  void add_sums(HandleId handle, std::int32_t priority) {
    SummedTile const& tile = tiles_[handle.index()];
    for (std::size_t layer = 0; layer < tile.sums.size(); ++layer) {
      HandleId const sum = tile.sums[layer];
      if (!sum.valid()) continue;
      out_.last_write(sum);
      out_.submit(tile.addition, priority, {schedule_.last_in_sum(layer, tile.m, tile.n), tile.m, tile.n},
                  {{sum, Access::read}, {handle, Access::read_write}});
      out_.last_use(sum);
    }
  }

  void wont_use(HandleId handle) override { out_.wont_use(handle); }
  void last_write(HandleId handle) override { out_.last_write(handle); }
  void last_use(HandleId handle) override { out_.last_use(handle); }
  void flush_inputs(TaskId task) override { out_.flush_inputs(task); }
  void begin_phase(Phase phase) override { out_.begin_phase(std::move(phase)); }
  void barrier() override { out_.barrier(); }
  void flush_cache() override { out_.flush_cache(); }

 private:
  FlowSink& out_;
  LayerSchedule const& schedule_;
  std::vector<SummedTile>& tiles_;
  std::vector<DataAccess> accesses_;  // scratch
};

class LayeredFlow final : public ApplicationFlow {
 public:
  LayeredFlow(std::unique_ptr<ApplicationFlow> flow, ApplicationParameters const& p, TileMap const& map,
              UpdatedTiles updated)
      : flow_(std::move(flow)), p_(p), map_(map), schedule_(map, computed_iterations(p), updated) {}

  void begin(FlowSink& sink) override {
    tiles_.clear();
    LayeredSink layered(sink, schedule_, tiles_);
    flow_->begin(layered);
    std::map<Precision, KernelId> additions;
    for (Precision const precision : sum_precisions(p_)) {
      Kernel kernel{.name = addition_kernel, .flops = {std::pow(p_.nb, 2)}, .memory_bound = true};
      if (precision != p_.precision) {
        kernel.timing = std::exchange(kernel.name, fmt::format("{}_{}", kernel.name, name_of(precision)));
        kernel.precision = precision;
      }
      additions[precision] = sink.add_kernel(kernel);
    }
    std::vector<bool> seen(map_.owner.size(), false);
    for (SummedTile& tile : tiles_) {  // a place that comes again is of the next matrix
      auto const place = static_cast<std::size_t>(tile.m) * static_cast<std::size_t>(map_.nt) +
                         static_cast<std::size_t>(tile.n);
      if (seen[place]) break;
      seen[place] = tile.is_updated = true;
      tile.addition = additions.at(p_.formats ? p_.formats->of(tile.m, tile.n).precision : p_.precision);
      add_handles(tile, sink);
    }
  }

  [[nodiscard]] int rounds() const override { return flow_->rounds(); }

  void submit_round(FlowSink& sink, int round) override {
    LayeredSink layered(sink, schedule_, tiles_);
    flow_->submit_round(layered, round);
    if (round + 1 < rounds()) return;
    for (std::size_t tile = 0; tile < tiles_.size(); ++tile)
      if (tiles_[tile].is_updated && schedule_.is_left(tiles_[tile].m, tiles_[tile].n))
        layered.add_sums(HandleId{tile}, 0);
  }

 private:
  void add_handles(SummedTile& tile, FlowSink& sink) const {
    tile.sums.resize(schedule_.layers());
    for (std::size_t layer = 0; layer < tile.sums.size(); ++layer)
      if (schedule_.has_sum(layer, tile.m, tile.n))
        tile.sums[layer] = sink.add_handle({.size = tile.size,
                                            .m = tile.m,
                                            .n = tile.n,
                                            .owner = schedule_.owner(layer, tile.m, tile.n),
                                            .data = DataKind::accumulator});
  }

  std::unique_ptr<ApplicationFlow> flow_;
  ApplicationParameters const& p_;
  TileMap const& map_;
  LayerSchedule schedule_;
  std::vector<SummedTile> tiles_;  // by handle, of those that the flow itself adds
};

}  // namespace

std::set<Precision> sum_precisions(ApplicationParameters const& p) {
  std::set<Precision> out{p.precision};
  if (p.formats)
    for (TileFormat const& format : p.formats->formats) out.insert(format.precision);
  return out;
}

std::unique_ptr<ApplicationFlow> on_layers(std::unique_ptr<ApplicationFlow> flow,
                                           ApplicationParameters const& p, TileMap const& map,
                                           UpdatedTiles updated) {
  return std::make_unique<LayeredFlow>(std::move(flow), p, map, updated);
}

}  // namespace factosim
