#include "distributions/block_cyclic.hpp"
#include "distributions/layered.hpp"
#include "distributions/tiles_sent.hpp"
#include "distributions/triangle_blocks.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/tasks/bounds/words_moved.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;

namespace {

/// `layers` copies of a map, each on nodes of its own.
TileMap copies(TileMap const& map, int nodes, int layers, int consecutive = 1,
               std::optional<std::uint32_t> panels = {}) {
  std::vector<TileMap> maps;
  for (int layer = 0; layer < layers; ++layer) {
    TileMap& copy = maps.emplace_back(map);
    for (NodeId& owner : copy.owner) owner = NodeId{static_cast<int>(owner.value()) + layer * nodes};
  }
  return layered(std::move(maps), std::vector<double>(static_cast<std::size_t>(layers), 1), consecutive,
                 panels);
}

struct Planned {
  TaskGraph graph;
  ExecutionPlan plan;
};

Planned planned(std::string const& name, TileMap const& map, int nodes) {
  Planned out{application(name).graph({.nt = map.nt, .nb = 10}, map), {}};
  Distribution const distribution{.map = map, .description = ""};
  out.plan =
      plan_execution(out.graph, owners_of_handles(out.graph, distribution), static_cast<std::size_t>(nodes));
  return out;
}

std::uint64_t messages(std::string const& name, TileMap const& map, int nodes) {
  Planned const p = planned(name, map, nodes);
  return count_messages(p.graph, p.plan);
}

/// The tiles that an application sends, by the definition: the nodes that read each tile, and partial sums. A second
/// implementation, without tasks.
std::uint64_t tiles_by_readers(std::string const& name, TileMap const& map) {
  int const nt = map.nt;
  bool const lower = name == "cholesky" || name == "syrk", product = name == "gemm" || name == "syrk";
  std::uint64_t sent = 0;
  auto const layer = [&](int k) { return map.layers.of_iteration[static_cast<std::size_t>(k)]; };
  auto const send = [&](NodeId owner, std::set<NodeId> readers) {
    readers.erase(owner);
    sent += readers.size();
  };
  for (int k = 0; k < nt; ++k) {
    int const first = product ? 0 : k + 1;
    std::set<NodeId> of_diagonal;
    for (int i = first; i < nt; ++i) {
      std::set<NodeId> row, column;  // the nodes that update in row i and in column i
      for (int j = first; j < nt; ++j) {
        if (!lower || j <= i) row.insert(map.in_layer(layer(k), i, j));
        if (!lower || j >= i) column.insert(map.in_layer(layer(k), j, i));
      }
      if (lower) row.merge(column);
      NodeId const a = name == "syrk" ? map.at(std::max(i, k), std::min(i, k)) : map.at(i, k);
      send(a, row);
      of_diagonal.insert(map.at(i, k));
      if (lower) continue;
      send(map.at(k, i), column);
      of_diagonal.insert(map.at(k, i));
    }
    if (!product) send(map.at(k, k), of_diagonal);
  }
  for (int m = 0; m < nt; ++m)
    for (int n = 0; n < (lower ? m + 1 : nt); ++n)
      for (std::uint32_t l = 0; l < map.layers.owner.size(); ++l) {
        if (l == map.layers.of_panel[static_cast<std::size_t>(std::min(m, n))]) continue;
        bool updates = false;
        for (int k = 0; k < (product ? nt : std::min(m, n)); ++k) updates = updates || layer(k) == l;
        if (updates && map.in_layer(l, m, n) != map.at(m, n)) ++sent;
      }
  return sent;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("on layers of any maps the messages of the graph are the tiles that nodes read") {
    std::mt19937 random(5);
    for (int round = 0; round < 24; ++round) {
      int const nt = 1 + static_cast<int>(random() % 12), nodes = 1 + static_cast<int>(random() % 7);
      std::vector<TileMap> maps;
      std::vector<double> shares;
      for (int layer = 0; layer < 1 + round % 4; ++layer) {  // layers may have nodes in common
        maps.push_back(tile_map(nt, nt, [&](int, int) { return random() % static_cast<unsigned>(nodes); }));
        shares.push_back(1 + static_cast<double>(random() % 3));
      }
      auto const panels = random() % 2 == 0 ? std::optional<std::uint32_t>() : 0U;
      TileMap const map = layered(maps, shares, 1 + static_cast<int>(random() % 3), panels);
      for (char const* const name : {"lu", "cholesky", "gemm", "syrk"}) {
        CAPTURE_ALL(name, round);
        CHECK(messages(name, map, nodes) == tiles_by_readers(name, map));
      }
    }
  }

  TEST_CASE("no node moves fewer words than the lower bounds of its updates") {
    for (char const* const name : {"lu", "cholesky", "gemm", "syrk"})
      for (int const c : {1, 2, 4})
        for (int const nt : {6, 13, 20}) {
          CAPTURE_ALL(name, c);
          TileMap const map = copies(block_cyclic(nt, nt, {2, 3}), 6, c);
          Planned const p = planned(name, map, 6 * c);
          auto const words = words_moved(p.graph, p.plan, application(name), {.nt = nt, .nb = 10});
          double sent = 0, received = 0, tiles = 0;
          for (NodeWords const& node : words) {
            CHECK(node.sent + node.received >= node.least);
            CHECK(node.sent + node.received >= node.least_in_memory);
            sent += node.sent, received += node.received, tiles += node.tiles;
          }
          CHECK(sent == 100.0 * static_cast<double>(count_messages(p.graph, p.plan)));
          CHECK(received == sent);
          double const matrix = nt * nt * 100.0, half = nt * (nt + 1) * 50.0;
          std::string const of = name;
          CHECK(tiles == (of == "lu"     ? matrix
                          : of == "gemm" ? 3 * matrix
                          : of == "syrk" ? matrix + half
                                         : half));
        }
  }

  TEST_CASE("any two points are on one line of a plane") {
    for (int const q : {2, 3, 5})
      for (bool const projective : {false, true}) {
        TrianglePlane const plane{projective, q};
        CHECK(plane_of(plane.lines())->order == q);
        std::set<std::pair<int, int>> pairs;
        std::size_t count = 0;
        for (auto const& line : lines_of(plane)) {
          CHECK(line.size() == static_cast<std::size_t>(q + (projective ? 1 : 0)));
          for (int const i : line)
            for (int const j : line)
              if (i < j) pairs.insert({i, j}), ++count;
        }
        auto const v = static_cast<std::size_t>(plane.points());
        CHECK(count == v * (v - 1) / 2);
        CHECK(pairs.size() == count);
      }
    for (int const nodes : {1, 2, 5, 8, 20, 21, 42}) CHECK_FALSE(plane_of(nodes));  // 20, 21: 4 is no prime
  }

  TEST_CASE("triangle blocks give nodes the same number of tiles") {
    for (bool const projective : {false, true}) {
      TrianglePlane const plane{projective, 3};
      TileMap const map = triangle_blocks(plane.points() * 4, plane);
      std::vector<int> tiles(static_cast<std::size_t>(plane.lines()), 0);
      for (int m = 0; m < map.mt; ++m)
        for (int n = 0; n <= m; ++n) ++tiles[map.at(m, n).index()];
      auto const [least, most] = std::minmax_element(tiles.begin(), tiles.end());
      CHECK(*most - *least <= 4);
    }
  }
}

TEST_SUITE("published") {
  TEST_CASE("SC22: symmetric block-cyclic sends r - 2 tiles a tile and on c layers c - 1 more") {
    int const nt = 60;
    double const tiles = nt * (nt + 1) / 2.0;
    double const plain = static_cast<double>(cholesky_tiles_sent(block_cyclic(nt, nt, {7, 4})));
    TileMap const sbc = symmetric_block_cyclic(nt, 8, SbcVariant::extended);  // 28 nodes too
    double const symmetric = static_cast<double>(cholesky_tiles_sent(sbc));
    CHECK(plain / tiles == doctest::Approx(7 + 4 - 2).epsilon(0.15));
    CHECK(symmetric / tiles == doctest::Approx(8 - 2).epsilon(0.15));
    CHECK(plain / symmetric == doctest::Approx(std::sqrt(2)).epsilon(0.15));
    TileMap const layers = copies(symmetric_block_cyclic(nt, 4, SbcVariant::extended), 6, 3);
    CHECK(static_cast<double>(messages("cholesky", layers, 18)) / tiles ==
          doctest::Approx(4 - 2 + 3 - 1).epsilon(0.15));
  }

  TEST_CASE("SPAA23: triangle blocks on q (q + 1) nodes send each tile of A to q others in SYRK") {
    int const nt = 54;  // six patterns of 9
    TileMap map = triangle_blocks(nt, {.projective = false, .order = 3});
    double const sent = static_cast<double>(messages("syrk", map, 12));
    CHECK(sent / (nt * nt) == doctest::Approx(3).epsilon(0.01));
    double const grid = static_cast<double>(messages("syrk", block_cyclic(nt, nt, {4, 3}), 12));
    CHECK(grid / sent > 1.6);
  }
}
