#include "distributions/schedule_estimate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "distributions/panel_lines.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Numbers by iteration and node.
class Table {
 public:
  Table(int iterations, std::size_t nodes)
      : nodes_(nodes), values_(static_cast<std::size_t>(iterations) * nodes, 0) {}
  [[nodiscard]] int& at(int k, std::size_t node) {
    return values_[static_cast<std::size_t>(k) * nodes_ + node];
  }

 private:
  std::size_t nodes_;
  std::vector<int> values_;
};

class Estimate {
 public:
  Estimate(TileMap const& map, Factorization factorization, FactorizationCosts const& costs)
      : map_(map),
        factorization_(factorization),
        costs_(costs),
        nodes_(costs.nodes.size()),
        lines_(map, factorization, nodes_),
        sent_(map.nt + 1, nodes_),
        received_(map.nt + 1, nodes_),
        loads_(iteration_loads(map, factorization, costs)),
        updated_(nodes_, 0),
        sending_(nodes_, 0),
        receiving_(nodes_, 0),
        working_(nodes_, 0) {
    count_messages();
  }

  double run() {
    for (int k = 0; k < map_.nt; ++k) iterate(k);
    return std::max(diagonal_, *std::max_element(working_.begin(), working_.end()));
  }

 private:
  /// Counts the tiles of each panel that each node sends and receives, its diagonal tile apart.
  void count_messages() {
    std::vector<int> ends(static_cast<std::size_t>(map_.nt) + 1);
    for (int line = 0; line < static_cast<int>(lines_.count()); ++line) {
      int const number = lines_.number(line);
      std::fill(ends.begin(), ends.end(), 0);
      for (std::size_t node = 0; node < nodes_; ++node) {
        auto const places = lines_.after(line, 0, node);
        if (places.empty()) continue;
        int const end = std::min(number, places.back());  // the node reads panels 0 .. end - 1
        ++ends[static_cast<std::size_t>(end)];
        ++received_.at(0, node);
        --received_.at(end, node);
      }
      int readers = 0;
      for (int k = map_.nt; k > 0; --k) {
        readers += ends[static_cast<std::size_t>(k)];
        if (k > number) continue;
        std::size_t const owner = map_.owner[lines_.tile(line, k - 1)].index();
        bool const reads = !lines_.after(line, k - 1, owner).empty();
        sent_.at(k - 1, owner) += readers - (reads ? 1 : 0);
        if (!reads) continue;
        --received_.at(k - 1, owner);
        ++received_.at(k, owner);
      }
    }
    for (int k = 1; k < map_.nt; ++k)
      for (std::size_t node = 0; node < nodes_; ++node) received_.at(k, node) += received_.at(k - 1, node);
  }

  /// Counts the tiles of panel k that each node owns, its diagonal tile apart unless `with_diagonal`.
  [[nodiscard]] std::vector<int> panel_tiles(int k, bool with_diagonal) const {
    std::vector<int> counts(nodes_, 0);
    for (int m = k + 1; m < map_.nt; ++m) {
      ++counts[map_.at(m, k).index()];
      if (factorization_ == Factorization::lu) ++counts[map_.at(k, m).index()];
    }
    if (with_diagonal) ++counts[map_.at(k, k).index()];
    return counts;
  }

  /// Counts the messages from panel k that the updates of panel k + 1 need: [nodes] sent, received.
  [[nodiscard]] std::pair<std::vector<int>, std::vector<int>> urgent_messages(int k) const {
    std::vector<int> sent(nodes_, 0), received(nodes_, 0);
    auto const message = [&](NodeId from, NodeId to) {
      if (from == to) return;
      ++sent[from.index()];
      ++received[to.index()];
    };
    std::vector<bool> seen(nodes_);
    auto const side = [&](auto&& tile) {  // tile(i, k): the tile of number i in the panel's column, or row
      seen.assign(nodes_, false);
      for (int i = k + 1; i < map_.nt; ++i) {
        message(tile(i, k), tile(i, k + 1));
        std::size_t const reader = tile(i, k + 1).index();
        // the other operand of that update: of the panel's row, for Cholesky of the same column
        if (!seen[reader])
          message(factorization_ == Factorization::lu ? tile(k, k + 1) : tile(k + 1, k), tile(i, k + 1));
        seen[reader] = true;
      }
    };
    side([&](int m, int n) { return map_.at(m, n); });
    if (factorization_ == Factorization::lu) side([&](int n, int m) { return map_.at(m, n); });
    return {std::move(sent), std::move(received)};
  }

  [[nodiscard]] double together(std::size_t node, int tasks, TaskKind kind) const {
    NodeCosts const& c = costs_.nodes[node];
    return tasks == 0 ? 0 : std::max(c.alone_of(kind), tasks * c.area_of(kind));
  }

  void iterate(int k) {
    std::size_t const owner = map_.at(k, k).index();
    diagonal_ += costs_.nodes[owner].alone_of(TaskKind::diagonal);
    if (k == map_.nt - 1) return;
    std::vector<int> const panel = panel_tiles(k, false);
    int destinations = 0;
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (panel[node] == 0 || node == owner) continue;
      ++destinations;
      ++received_.at(k, node);
    }
    sent_.at(k, owner) += destinations;
    double const diagonal_there = diagonal_ + destinations * costs_.nodes[owner].message;

    auto const [urgent_sent, urgent_received] = urgent_messages(k);
    double urgent_there = diagonal_, all_there = diagonal_;
    for (std::size_t node = 0; node < nodes_; ++node) {
      if (panel[node] == 0) continue;
      NodeCosts const& c = costs_.nodes[node];
      double const start = std::max(updated_[node], node == owner ? diagonal_ : diagonal_there);
      double const end = start + together(node, panel[node], TaskKind::panel);
      double const first_end = start + c.alone_of(TaskKind::panel);
      int const urgent = urgent_sent[node];
      urgent_there =
          std::max({urgent_there, end + (urgent > 0 ? c.message : 0), first_end + urgent * c.message});
      sending_[node] = std::max(sending_[node], first_end) + sent_.at(k, node) * c.message;
      all_there = std::max({all_there, end, sending_[node]});
    }
    std::vector<int> const next = panel_tiles(k + 1, true);
    double const diagonal = diagonal_;
    for (std::size_t node = 0; node < nodes_; ++node) {
      NodeCosts const& c = costs_.nodes[node];
      receiving_[node] = std::max(receiving_[node], diagonal) + received_.at(k, node) * c.message;
      working_[node] =
          std::max({working_[node], receiving_[node], all_there}) + loads_[node][static_cast<std::size_t>(k)];
      if (next[node] == 0) continue;
      double const start = std::max(urgent_there, diagonal + urgent_received[node] * c.message);
      updated_[node] = start + together(node, next[node], TaskKind::update);
      if (node == map_.at(k + 1, k + 1).index())
        diagonal_ = start + c.alone_of(task_kind(factorization_, k, k + 1, k + 1));
    }
  }

  TileMap const& map_;
  Factorization factorization_;
  FactorizationCosts const& costs_;
  std::size_t nodes_;
  PanelLines lines_;
  Table sent_, received_;                   // tiles of each panel
  std::vector<std::vector<double>> loads_;  // [nodes][iterations] seconds
  // Dates: [nodes] end of the updates of the next panel, of its messages, of its work
  std::vector<double> updated_, sending_, receiving_, working_;
  double diagonal_ = 0;  // end of the last task on a diagonal tile
};

}  // namespace

double schedule_estimate(TileMap const& map, Factorization factorization, FactorizationCosts const& costs) {
  FACTOSIM_EXPECT(map.mt == map.nt && map.nt > 0, "a map that is not square");
  return Estimate(map, factorization, costs).run();
}

}  // namespace factosim
