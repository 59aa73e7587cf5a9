#include "simulator/audit/reference/reference_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace factosim::audit {

namespace {

using Json = nlohmann::json;

constexpr double equal = 1e-9;  // relative difference of equal finish times, and of equal borders

TileRule by_formula(std::function<std::int64_t(int, int)> owner) {
  return [owner = std::move(owner)](int m, int n, NodeId node) {
    std::int64_t const expected = owner(m, n);
    return node.valid() && node.value() == expected ? std::string() : fmt::format("node {}", expected);
  };
}

/// Tile (m, n) on node (m mod p) q + n mod q.
TileRule block_cyclic(int p, int q) {
  return by_formula([p, q](int m, int n) { return std::int64_t{m % p} * q + n % q; });
}

/// Symmetric block-cyclic: cells (i, j) and (j, i) of the r x r pattern belong to node j (j - 1) / 2 + i, i < j. The
/// cells of the diagonal belong in turn to r / 2 further nodes (basic), or to a node of their own row (extended).
/// Source: Beaumont, Duchon, Eyraud-Dubois, Langou, Verite, Symmetric block-cyclic distribution, SC'22.
TileRule symmetric(int r, bool basic) {
  return [r, basic](int m, int n, NodeId node) -> std::string {
    int const i = std::min(m % r, n % r), j = std::max(m % r, n % r);
    std::int64_t const owner = node.valid() ? std::int64_t{node.value()} : -1;
    std::int64_t const further = std::int64_t{r} * (r - 1) / 2 + i % (r / 2 > 0 ? r / 2 : 1);
    std::int64_t const pair = std::int64_t{j} * (j - 1) / 2 + i;
    if (i != j || basic) {
      std::int64_t const expected = i != j ? pair : further;
      return owner == expected ? std::string() : fmt::format("node {}", expected);
    }
    for (int other = 0; other < r; ++other) {
      std::int64_t const low = std::min(i, other), high = std::max(i, other);
      if (other != i && owner == high * (high - 1) / 2 + low) return {};
    }
    return fmt::format("a node of row {} of the pattern", i);
  };
}

/// Generalised block-cyclic for P nodes, a = ceil(sqrt P), b = ceil(P / a), c = a b - P: node (i, j) of b rows of a
/// nodes owns cell (i, j) of each b x a block. The last row has c nodes less; in the s-th strip of b rows their cells
/// belong to row s of the nodes. The pattern has b - 1 strips and P columns.
/// Source: Beaumont, Collin, Eyraud-Dubois, Verite, Euro-Par 2023 (G-2DBC).
TileRule generalised(int nodes) {
  int a = 1;
  while (a * a < nodes) ++a;
  int const b = (nodes + a - 1) / a;
  bool const full = a * b == nodes;
  std::map<std::pair<int, int>, int> cells;  // of the pattern, node by node
  int const strips = full ? 1 : b - 1, width = full ? a : nodes;
  for (int node = 0; node < nodes; ++node)
    for (int strip = 0; strip < strips; ++strip)
      for (int column = node % a; column < width; column += a) {
        cells[{strip * b + node / a, column}] = node;
        bool const missing = (b - 1) * a + node % a >= nodes;
        if (missing && node / a == strip) cells[{strip * b + b - 1, column}] = node;
      }
  return by_formula([cells = std::move(cells), height = strips * b, width](int m, int n) {
    auto const cell = cells.find({m % height, n % width});
    return cell == cells.end() ? -1 : cell->second;
  });
}

/// Triangle blocks: a cell off the diagonal belongs to the line through its row's and its column's point. In the affine plane
/// of order q, point q x + y, line q s + t is y = s x + t, and q^2 + x a vertical one; the projective plane adds a point q^2 + s
/// for each slope s, q^2 + q for the vertical one, and the line of these. A cell of the diagonal belongs to the lines
/// through its point by slope, pattern by pattern of the lower triangle, the first one by the number of the point.
TileRule triangle(int q, bool projective) {
  int const finite = q * q, v = projective ? finite + q + 1 : finite;
  auto const mod = [q](int a) { return (a % q + q) % q; };
  auto const with_slope = [=](int point, int slope) {  // the line of that slope through a finite point
    int const x = point / q, y = point % q;
    return slope == q ? finite + x : q * slope + mod(y - slope * x);
  };
  return by_formula([=](int m, int n) -> std::int64_t {
    int const i = std::min(m % v, n % v), j = std::max(m % v, n % v);
    if (i == j) {
      int const row = std::max(m, n) / v;
      int const turn = (row * (row + 1) / 2 + std::min(m, n) / v + i) % (q + 1);
      if (i < finite) return with_slope(i, turn);
      return turn == q ? finite + q : (i - finite) * q + turn;
    }
    if (i >= finite) return finite + q;
    if (j >= finite) return with_slope(i, j - finite);
    int const dx = mod(j / q - i / q), dy = mod(j % q - i % q);
    if (dx == 0) return with_slope(i, q);
    int slope = 0;
    while (mod(slope * dx) != dy) ++slope;
    return with_slope(i, slope);
  });
}

/// Algorithm 1: `count` items from the last to the first, each to the one that would finish first. Ties within
/// `equal` go to the highest or the lowest index.
/// Source: Boulet, Dongarra, Rastello, Robert, Vivien, Algorithmic issues on heterogeneous platforms, 1999.
std::vector<std::size_t> dealt(int count, std::vector<double> const& speeds, bool highest) {
  std::vector<double> items(speeds.size(), 0);
  std::vector<std::size_t> out(static_cast<std::size_t>(count));
  for (std::size_t k = out.size(); k-- > 0;) {
    double best = HUGE_VAL;
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (speeds[i] > 0) best = std::min(best, (items[i] + 1) / speeds[i]);
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < speeds.size(); ++i)
      if (speeds[i] > 0 && (items[i] + 1) / speeds[i] <= best * (1 + equal)) first.push_back(i);
    out[k] = highest ? first.back() : first.front();
    ++items[out[k]];
  }
  return out;
}

struct Rectangle {
  double left, top, width, height;
  [[nodiscard]] bool contains(double x, double y) const {
    return x > left && x < left + width && y > top && y < top + height;
  }
};

/// The unit square cut into rectangles, one per node.
class Partition {
 public:
  explicit Partition(Json const& rectangles) {
    for (Json const& r : rectangles) rectangles_.push_back({r.at(0), r.at(1), r.at(2), r.at(3)});
    for (Rectangle const& r : rectangles_) {
      if (r.width <= 0 || r.height <= 0) continue;
      for (double const x : {r.left, r.left + r.width}) add(x, x_);
      for (double const y : {r.top, r.top + r.height}) add(y, y_);
    }
  }

  [[nodiscard]] std::vector<std::string> faults() const {
    constexpr double thin =
        1e-7;  // parts between borders that should be one: they are sums of rounded lengths
    std::vector<std::string> out;
    double area = 0;
    for (Rectangle const& r : rectangles_) area += r.width * r.height;
    if (std::abs(area - 1) > 1e-6) out.push_back(fmt::format("the rectangles have an area of {:.9g}", area));
    for (std::size_t i = 0; i + 1 < y_.size(); ++i)
      for (std::size_t j = 0; j + 1 < x_.size(); ++j)
        if (owners_of(i, j).size() != 1 && x_[j + 1] - x_[j] > thin && y_[i + 1] - y_[i] > thin)
          out.push_back(fmt::format("{} nodes own one part of the square", owners_of(i, j).size()));
    return out;
  }

  /// 1D-1D: virtual rows and columns, cut at all borders, take rows and columns of tiles by Algorithm 1.
  [[nodiscard]] TileRule rule(int nt, bool highest) const {
    auto const rows = dealt(nt, lengths(y_), highest), columns = dealt(nt, lengths(x_), highest);
    std::vector<std::vector<std::int64_t>> owner(y_.size(), std::vector<std::int64_t>(x_.size(), -1));
    for (std::size_t i = 0; i + 1 < y_.size(); ++i)
      for (std::size_t j = 0; j + 1 < x_.size(); ++j)
        if (auto const nodes = owners_of(i, j); !nodes.empty()) owner[i][j] = nodes.front();
    return by_formula([rows, columns, owner](int m, int n) {
      return owner[rows[static_cast<std::size_t>(m)]][columns[static_cast<std::size_t>(n)]];
    });
  }

 private:
  static void add(double border, std::vector<double>& to) {
    auto const place = std::lower_bound(to.begin(), to.end(), border - equal);
    if (place == to.end() || *place > border + equal) to.insert(place, border);
  }
  static std::vector<double> lengths(std::vector<double> const& borders) {
    std::vector<double> out;
    for (std::size_t i = 1; i < borders.size(); ++i) out.push_back(borders[i] - borders[i - 1]);
    return out;
  }
  [[nodiscard]] std::vector<std::int64_t> owners_of(std::size_t row, std::size_t column) const {
    std::vector<std::int64_t> out;
    for (std::size_t node = 0; node < rectangles_.size(); ++node)
      if (rectangles_[node].contains((x_[column] + x_[column + 1]) / 2, (y_[row] + y_[row + 1]) / 2))
        out.push_back(static_cast<std::int64_t>(node));
    return out;
  }

  std::vector<Rectangle> rectangles_;
  std::vector<double> x_, y_;  // distinct borders, ascending
};

MapRules one_by_one(MapDescription const& d, int nt) {
  Partition const partition(d.details.at("partition").at("rectangles"));
  return {{partition.rule(nt, true), partition.rule(nt, false)}, partition.faults()};
}

/// 1Dx1D-C: tile (m, n) belongs to a node of the section of iteration min(m, n) + 1; each section has the nodes of
/// the later ones. With shuffle, each move names the owner before it, and the last one the owner of its tile.
/// Source: ICPADS 2020, section V.
MapRules constrained(MapDescription const& d, int nt) {
  std::vector<std::set<std::int64_t>> nodes(static_cast<std::size_t>(nt));  // [iterations]
  MapRules out;
  std::set<std::int64_t> later;
  for (Json const& section : d.details.at("sections")) {
    auto const own = section.at("nodes").get<std::set<std::int64_t>>();
    if (!std::ranges::includes(own, later))
      out.faults.emplace_back("a section lacks nodes that work on the next one");
    for (int k = section.at("last_k"); k <= section.at("first_k").get<int>(); ++k)
      nodes.at(static_cast<std::size_t>(k - 1)) = own;
    later = own;
  }
  std::map<std::pair<int, int>, std::int64_t> moved;
  for (Json const& move : d.details.value("moves", Json::array())) {
    std::pair const tile{move.at("m").get<int>(), move.at("n").get<int>()};
    if (moved.contains(tile) && moved[tile] != move.at("from"))
      out.faults.push_back(fmt::format("tile ({}, {}) moves from where it is not", tile.first, tile.second));
    moved[tile] = move.at("to");
  }
  out.alternatives.push_back([nodes, moved](int m, int n, NodeId node) -> std::string {
    std::int64_t const owner = node.valid() ? std::int64_t{node.value()} : -1;
    if (auto const last = moved.find({m, n}); last != moved.end())
      return owner == last->second ? std::string() : fmt::format("node {}", last->second);
    auto const& permitted = nodes[static_cast<std::size_t>(std::min(m, n))];
    return permitted.contains(owner)
               ? std::string()
               : fmt::format("a node of the section of iteration {}", std::min(m, n) + 1);
  });
  return out;
}

/// Heterogeneous grid: rows and columns of the panel name rows and columns of the grid. Each node has one place, no
/// place has more work than the unit r t c <= 1, and rows and columns of the panel are in proportion to r and c.
/// Source: Beaumont, Boudet, Rastello, Robert, IPDPS 2000.
MapRules heterogeneous_grid(MapDescription const& d) {
  Json const& grid = d.details.at("grid");
  auto const rows = grid.at("panel_rows").get<std::vector<std::size_t>>();
  auto const columns = grid.at("panel_columns").get<std::vector<std::size_t>>();
  auto const nodes = grid.at("nodes").get<std::vector<std::vector<std::int64_t>>>();
  auto const times = grid.at("arrangement").get<std::vector<std::vector<double>>>();
  auto const r = grid.at("r").get<std::vector<double>>(), c = grid.at("c").get<std::vector<double>>();
  MapRules out;
  std::set<std::int64_t> placed;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < nodes[i].size(); ++j) {
      if (!placed.insert(nodes[i][j]).second) out.faults.emplace_back("a node has two places of the grid");
      if (r[i] * times[i][j] * c[j] > 1 + 1e-6)
        out.faults.push_back(fmt::format("place ({}, {}) has too large a share", i, j));
    }
  auto const in_proportion = [&](std::vector<std::size_t> const& panel, std::vector<double> const& shares) {
    double sum = 0;
    for (double const share : shares) sum += share;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      auto const count = static_cast<double>(std::ranges::count(panel, i));
      double const exact = static_cast<double>(panel.size()) * shares[i] / sum;
      // The last item finishes no later than one more would elsewhere: the sum over all bounds the count.
      double const further = static_cast<double>(shares.size() - 1) * shares[i] / sum;
      if (count > exact + further + 1e-6)
        out.faults.push_back(
            fmt::format("{} of {} rows or columns for a share of {:.4g}", count, panel.size(), exact));
    }
  };
  in_proportion(rows, r);
  in_proportion(columns, c);
  out.alternatives.push_back(by_formula([rows, columns, nodes](int m, int n) {
    return nodes[rows[static_cast<std::size_t>(m) % rows.size()]]
                [columns[static_cast<std::size_t>(n) % columns.size()]];
  }));
  return out;
}

/// Heterogeneous block-cyclic: a column of tiles belongs to one column of the grid.
/// Source: Kalinov, Lastovetsky, Journal of Parallel and Distributed Computing 61(4), 2001.
MapRules kalinov_lastovetsky(int p, int q) {
  auto const column_of = std::make_shared<std::map<int, std::int64_t>>();
  return {{[=](int /*m*/, int n, NodeId node) -> std::string {
            std::int64_t const owner = node.valid() ? std::int64_t{node.value()} : -1;
            auto const [known, is_new] = column_of->try_emplace(n, owner % q);
            if (owner >= 0 && owner < std::int64_t{p} * q && owner % q == known->second) return {};
            return fmt::format("a node of column {} of the grid", known->second);
          }},
          {}};
}

}  // namespace

MapRules map_rules(MapDescription const& d, int nt) {
  int p = 0, q = 0;
  char variant[16] = {};
  char const* const text = d.text.c_str();
  if (std::sscanf(text, "block-cyclic %d x %d", &p, &q) == 2) return {{block_cyclic(p, q)}};
  if (std::sscanf(text, "symmetric block-cyclic, %15[a-z], r = %d", variant, &p) == 2)
    return {{symmetric(p, std::string_view(variant) == "basic")}};
  if (std::sscanf(text, "generalised block-cyclic of %d", &p) == 1) return {{generalised(p)}};
  if (std::sscanf(text, "Kalinov-Lastovetsky %d x %d", &p, &q) == 2) return kalinov_lastovetsky(p, q);
  if (std::sscanf(text, "triangle blocks, %15[a-z] plane of order %d", variant, &p) == 2)
    return {{triangle(p, std::string_view(variant) == "projective")}};
  if (d.details.contains("grid")) return heterogeneous_grid(d);
  if (d.details.contains("sections")) return constrained(d, nt);
  if (d.details.contains("partition")) return one_by_one(d, nt);
  return {};
}

std::vector<std::string> layer_faults(MapDescription const& d, TileMap const& map) {
  std::vector<std::string> out;
  std::vector<double> shares;
  for (Json const& layer : d.details.at("layers")) shares.push_back(layer.at("share"));
  std::vector<double> iterations(shares.size(), 0);
  int const consecutive = d.details.at("consecutive");
  for (int k = 0; k < map.nt; ++k) {
    std::uint32_t const layer = map.layers.of_iteration.at(static_cast<std::size_t>(k));
    if (k % consecutive != 0) {
      if (layer != map.layers.of_iteration[static_cast<std::size_t>(k) - 1])
        out.push_back(fmt::format("iteration {} is not of the layer of the one before", k));
      continue;
    }
    double const ends = (iterations.at(layer) + 1) / shares[layer];
    for (std::size_t other = 0; other < shares.size(); ++other) {
      double const would_end = (iterations[other] + 1) / shares[other];
      if (would_end < ends * (1 - equal) || (other < layer && would_end <= ends * (1 + equal)))
        out.push_back(fmt::format("iteration {} is of layer {} instead of {}", k, layer, other));
    }
    ++iterations[layer];
  }
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < (d.lower_only ? m + 1 : map.nt); ++n) {
      std::uint32_t const layer = map.layers.of_panel[static_cast<std::size_t>(std::min(m, n))];
      std::size_t const place =
          static_cast<std::size_t>(m) * static_cast<std::size_t>(map.nt) + static_cast<std::size_t>(n);
      if (map.at(m, n) != map.layers.owner.at(layer).at(place))
        out.push_back(fmt::format("tile ({}, {}) is not on the layer of its panel", m, n));
    }
  return out;
}

std::vector<std::string> generation_faults(MapDescription const& d, TileMap const& main,
                                           TileMap const& generation) {
  std::vector<std::string> out;
  if (!d.details.contains("lp")) return out;
  auto const shares = d.details.at("lp").at("tiles").at("generation").get<std::vector<double>>();
  std::vector<double> generated(d.nodes, 0), factorized(d.nodes, 0);
  double moved = 0, surplus = 0, share_sum = 0, tiles = 0;
  for (int m = 0; m < main.mt; ++m)
    for (int n = 0; n <= m; ++n) {
      ++generated.at(generation.at(m, n).index());
      ++factorized.at(main.at(m, n).index());
      moved += main.at(m, n) == generation.at(m, n) ? 0 : 1;
      ++tiles;
    }
  for (double const share : shares) share_sum += share;
  for (std::size_t node = 0; node < d.nodes; ++node) {
    surplus += std::max(0.0, factorized[node] - generated[node]);
    double const exact = tiles * shares[node] / share_sum;
    if (std::abs(generated[node] - exact) >= 1 + 1e-6)
      out.push_back(
          fmt::format("node {} generates {} tiles instead of about {:.6g}", node, generated[node], exact));
  }
  if (moved != surplus) out.push_back(fmt::format("{} tiles move although {} moves suffice", moved, surplus));
  return out;
}

}  // namespace factosim::audit
