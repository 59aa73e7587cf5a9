#include "simulator/report/figures/map_picture.hpp"
#include "simulator/report/figures/svg_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <random>
#include <set>
#include <sstream>

#include "distributions/block_cyclic.hpp"
#include "simulator/report/analysis/node_colors.hpp"
#include "simulator/report/analysis/tile_runs.hpp"

using namespace factosim;

namespace {

TileMap random_map(int nt, std::uint32_t nodes) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  std::mt19937 draw(1);
  for (int i = 0; i < nt * nt; ++i) map.owner.emplace_back(draw() % nodes);
  return map;
}

/// Half of the nodes are slow, and what they have is of no importance.
MapPicture picture_of(TileMap const& map, std::size_t nodes) {
  MapPicture picture{.map = map, .title = "a map", .node_types = {}, .tiles_per_node = {}};
  for (std::size_t n = 0; n < nodes; ++n) {
    picture.node_types.emplace_back(n < nodes / 2 ? "slow" : "fast");
    picture.tiles_per_node.push_back(n);
  }
  return picture;
}

pugi::xml_document parsed(std::string const& svg) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  return document;
}

/// The rectangles that show tiles, and the colour of each.
struct TileRectangle {
  int m, n, height, width;
  std::string fill;
};

std::vector<TileRectangle> tile_rectangles(std::string const& svg) {
  std::vector<TileRectangle> out;
  pugi::xml_document const document = parsed(svg);
  for (auto const& node : document.child("svg").find_child_by_attribute("g", "id", "tiles").children("g"))
    for (auto const& r : node.children("rect"))
      out.push_back({r.attribute("y").as_int(), r.attribute("x").as_int(), r.attribute("height").as_int(),
                     r.attribute("width").as_int(), node.attribute("fill").value()});
  return out;
}

/// [mt][nt] how many rectangles cover each tile.
std::vector<int> coverage(std::string const& svg, TileMap const& map) {
  std::vector<int> covered(map.owner.size(), 0);
  for (TileRectangle const& r : tile_rectangles(svg))
    for (int m = r.m; m < r.m + r.height; ++m)
      for (int n = r.n; n < r.n + r.width; ++n) ++covered.at(static_cast<std::size_t>(m * map.nt + n));
  return covered;
}

std::vector<std::string> texts(std::string const& svg) {
  std::vector<std::string> out;
  pugi::xml_document const document = parsed(svg);
  for (auto const& text : document.child("svg").children("text")) out.emplace_back(text.child_value());
  return out;
}

bool has_text(std::string const& svg, std::string const& part) {
  return std::ranges::any_of(texts(svg),
                             [&](std::string const& t) { return t.find(part) != std::string::npos; });
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("each tile is drawn once in the colour of its owner") {
    TileMap const map = block_cyclic(30, 20, {.p = 2, .q = 3});
    std::string const svg = map_svg(picture_of(map, 6));
    CHECK(coverage(svg, map) == std::vector<int>(30 * 20, 1));
    std::map<NodeId, std::set<std::string>> fills;
    std::set<std::string> all;
    for (TileRectangle const& r : tile_rectangles(svg)) {
      fills[map.at(r.m, r.n)].insert(r.fill);
      all.insert(r.fill);
    }
    for (auto const& [owner, of_owner] : fills) CHECK(of_owner.size() == 1);
    CHECK(all.size() == 6);
  }

  TEST_CASE("tiles that are not stored are not drawn") {
    TileMap map = block_cyclic(12, 12, {.p = 2, .q = 3});
    MapPicture picture = picture_of(map, 6);
    picture.lower_only = true;
    map.owner[5 * 12 + 2] = {};
    std::vector<int> const covered = coverage(map_svg(picture), map);
    for (int m = 0; m < 12; ++m)
      for (int n = 0; n < 12; ++n)
        CHECK(covered[static_cast<std::size_t>(m * 12 + n)] == (n <= m && !(m == 5 && n == 2) ? 1 : 0));
  }

  TEST_CASE("equal neighbours share a rectangle") {
    TileMap map{.mt = 6, .nt = 4, .owner = std::vector<NodeId>(24, NodeId{0})};
    CHECK(tile_runs(map).size() == 1);
    for (std::size_t m = 2; m < 6; ++m) map.owner[4 * m + 3] = NodeId{1};
    // 0 0 0 0 twice, then 0 0 0 1 four times.
    auto const runs = tile_runs(map);
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].height == 2);
    CHECK(runs[1].width == 3);
    CHECK(runs[2].height == 4);
  }

  TEST_CASE("a cell for several tiles has the colour of the owner of most of them") {
    TileMap map{.mt = 3, .nt = 3, .owner = std::vector<NodeId>(9, NodeId{1})};
    map.owner[0] = map.owner[1] = map.owner[2] = NodeId{2};
    // 2 2 2 | 1 1 1 | 1 1 1: node 2 comes first in the upper cells, where both have as many; the last are
    // narrower.
    CHECK(coarse(map, 2).owner == std::vector<NodeId>{NodeId{2}, NodeId{2}, NodeId{1}, NodeId{1}});
    CHECK(coarse(map, 3).owner == std::vector<NodeId>{NodeId{1}});
    map.owner = std::vector<NodeId>(9);
    CHECK_FALSE(coarse(map, 2).at(0, 0).valid());
  }

  TEST_CASE("a large map is aggregated and says so and still covers every tile once") {
    TileMap const map = random_map(1001, 1000);
    std::string const svg = map_svg(picture_of(map, 1000));
    CHECK(has_text(svg, "most frequent owner of 4 \u00d7 4 tiles"));
    CHECK(tile_rectangles(svg).size() <= std::size_t{max_cells_per_side} * max_cells_per_side);
    CHECK(coverage(svg, map) == std::vector<int>(map.owner.size(), 1));
    CHECK(svg.size() < 4'000'000);
    CHECK_FALSE(has_text(map_svg(picture_of(random_map(300, 9), 9)), "most frequent"));
  }

  TEST_CASE("the picture of 150 x 150 tiles on 46 nodes is small even where no neighbours are equal") {
    CHECK(map_svg(picture_of(random_map(150, 46), 46)).size() < 1'500'000);
  }

  TEST_CASE("the same map gives the same bytes") {
    TileMap const map = random_map(60, 10);
    CHECK(map_svg(picture_of(map, 10)) == map_svg(picture_of(map, 10)));
  }

  TEST_CASE("cells have numbers where there is room for them") {
    // Labels on an axis: every 5 tiles for both sizes, so 8 and 10 of them; all other texts are the same.
    auto const count = [](int nt) {
      return texts(map_svg(picture_of(block_cyclic(nt, nt, {.p = 2, .q = 3}), 6))).size();
    };
    CHECK(count(40) == count(50) - 2 * (10 - 8) + 40 * 40);
  }

  TEST_CASE("the legend lists the types and the tiles of their nodes") {
    TileMap const map = block_cyclic(50, 50, {.p = 2, .q = 3});
    MapPicture picture = picture_of(map, 6);
    std::string const svg = map_svg(picture);
    CHECK(has_text(svg, "slow"));
    CHECK(has_text(svg, "3 nodes, 0\u20132 tiles each"));
    CHECK(has_text(svg, "3 nodes, 3\u20135 tiles each"));
    picture.node_types.clear();
    CHECK(has_text(map_svg(picture), "6 nodes, 0\u20135 tiles each"));
  }

  TEST_CASE("any title is legal XML and none is wider than the page") {
    TileMap const map = block_cyclic(4, 4, {.p = 1, .q = 2});
    MapPicture picture = picture_of(map, 2);
    picture.title = "<a & \"b\">\x01 \u00d7";
    picture.node_types = {"<slow>", "<slow>"};
    CHECK(has_text(map_svg(picture), "<a & \"b\">  \u00d7"));
    CHECK(has_text(map_svg(picture), "<slow>"));
    for (std::string const word : {"word ", "longer", "\u00d7\u00d7 "}) {
      picture.title.clear();
      while (picture.title.size() < 500) picture.title += word;
      std::string const svg = map_svg(picture);
      double const width = parsed(svg).child("svg").attribute("width").as_double();
      std::string whole;
      for (std::string const& line : texts(svg)) {
        CHECK(text_width(line, {.size = 12}) < width);
        whole += line;
      }
      CHECK(std::ranges::count(whole, word[0]) >= std::ranges::count(picture.title, word[0]));
    }
  }

  TEST_CASE("sections are bordered and labelled where there is room") {
    TileMap const map = block_cyclic(100, 100, {.p = 2, .q = 3});
    MapPicture picture = picture_of(map, 6);
    picture.section_first_k = {30, 31, 60};
    std::string const svg = map_svg(picture);
    CHECK(has_text(svg, "k = 31"));
    CHECK_FALSE(has_text(svg, "k = 32"));
    CHECK(has_text(svg, "k = 61"));
  }

  TEST_CASE("a partition is drawn beside the map") {
    TileMap const map = block_cyclic(100, 100, {.p = 1, .q = 2});
    MapPicture picture = picture_of(map, 2);
    picture.partition = {{.left = 0, .top = 0, .width = 0.75, .height = 1},
                         {.left = 0.75, .top = 0, .width = 0.25, .height = 1}};
    CHECK(has_text(map_svg(picture), "Partition of the unit square"));
  }

  TEST_CASE("neighbouring nodes of one type have shades of high contrast") {
    TileMap const map = block_cyclic(20, 20, {.p = 2, .q = 7});
    NodeColors const colors = node_colors(map, std::vector<std::string>(14, "slow"));
    CHECK(std::set<std::uint32_t>(colors.shade.begin(), colors.shade.end()).size() == 14);
    for (int m = 0; m < 20; ++m)
      for (int n = 1; n < 20; ++n)
        CHECK(std::abs(static_cast<int>(colors.shade[map.at(m, n).index()]) -
                       static_cast<int>(colors.shade[map.at(m, n - 1).index()])) >= 3);
  }
}
