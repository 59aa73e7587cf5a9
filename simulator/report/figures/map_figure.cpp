#include "simulator/report/figures/figures.hpp"

#include <algorithm>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/report/analysis/report_colors.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

int pieces(int length, int block) { return (length + block - 1) / block; }

/// Returns the owner of most tiles of the block that starts at (m0, n0).
NodeId most_frequent(TileMap const& map, int m0, int n0, int block) {
  std::vector<NodeId> owners;
  for (int m = m0; m < std::min(m0 + block, map.mt); ++m)
    for (int n = n0; n < std::min(n0 + block, map.nt); ++n)
      if (map.at(m, n).valid()) owners.push_back(map.at(m, n));
  std::vector<NodeId> sorted = owners;
  std::ranges::sort(sorted);
  auto const tiles = [&](NodeId owner) {
    auto const [first, last] = std::equal_range(sorted.begin(), sorted.end(), owner);
    return last - first;
  };
  auto const maximum = std::ranges::max_element(owners, {}, tiles);
  return maximum == owners.end() ? NodeId{} : *maximum;
}

/// Returns the map without owners above the diagonal.
TileMap lower_triangle(TileMap map) {
  for (int m = 0; m < map.mt; ++m)
    for (int n = m + 1; n < map.nt; ++n)
      map.owner[static_cast<std::size_t>(m) * static_cast<std::size_t>(map.nt) +
                static_cast<std::size_t>(n)] = {};
  return map;
}

Table owners_of(TileMap const& map) {
  Table out{.columns = {"m", "n", "owner"}};
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < map.nt; ++n)
      if (NodeId const owner = map.at(m, n); owner.valid()) out.rows.push_back({m, n, owner.value()});
  return out;
}

Json nodes_json(MapPicture const& picture, NodeColors const& colors) {
  Json out{{"type", Json::array()},
           {"tiles", picture.tiles_per_node},
           {"color", colors.color},
           {"shade", colors.shade}};
  for (std::uint32_t const type : colors.type) out["type"].push_back(colors.types[type]);
  return out;
}

/// Returns the rows of owners; -1: none.
Json cells_json(TileMap const& cells) {
  Json out = Json::array();
  for (int m = 0; m < cells.mt; ++m) {
    Json& row = out.emplace_back(Json::array());
    for (int n = 0; n < cells.nt; ++n)
      row.push_back(cells.at(m, n).valid() ? static_cast<std::int64_t>(cells.at(m, n).value()) : -1);
  }
  return out;
}

}  // namespace

Figure map_figure(MapPicture const& picture, FigureOptions const& options) {
  FACTOSIM_EXPECT(picture.map.mt > 0 && picture.map.nt > 0, "a picture needs a tile");
  FACTOSIM_EXPECT(picture.node_types.empty() || picture.node_types.size() == picture.tiles_per_node.size(),
                  "types and tiles are of the same nodes");
  FACTOSIM_EXPECT(picture.partition.empty() || picture.partition.size() == picture.tiles_per_node.size(),
                  "rectangles and tiles are of the same nodes");
  TileMap const stored = picture.lower_only ? lower_triangle(picture.map) : picture.map;
  int const block = (std::max(stored.mt, stored.nt) + max_cells_per_side - 1) / max_cells_per_side;
  TileMap const cells = coarse(stored, block);
  std::vector<std::string> const types = picture.node_types.empty()
                                             ? std::vector<std::string>(picture.tiles_per_node.size())
                                             : picture.node_types;
  Json content = figure_content("map", picture.title, options);
  content["mt"] = stored.mt;
  content["nt"] = stored.nt;
  content["lower_only"] = picture.lower_only;
  content["tiles_per_cell"] = block;
  content["nodes"] = nodes_json(picture, node_colors(cells, types));
  content["sections"] = picture.section_first_k;
  content["partition"] = Json::array();
  for (SquarePartition::Rectangle const& r : picture.partition)
    content["partition"].push_back({r.left, r.top, r.width, r.height});
  content["cells"] = cells_json(cells);
  return {std::move(content), owners_of(stored)};
}

TileMap coarse(TileMap const& map, int block) {
  TileMap out{.mt = pieces(map.mt, block), .nt = pieces(map.nt, block), .owner = {}};
  out.owner.reserve(static_cast<std::size_t>(out.mt) * static_cast<std::size_t>(out.nt));
  for (int m = 0; m < out.mt; ++m)
    for (int n = 0; n < out.nt; ++n) out.owner.push_back(most_frequent(map, m * block, n * block, block));
  return out;
}

}  // namespace factosim
