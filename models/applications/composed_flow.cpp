#include <utility>

#include "models/applications/application.hpp"
#include "models/applications/layered_flow.hpp"
#include "models/applications/nested_flow.hpp"

namespace factosim {

// The one place where layers and nesting are applied to the plain flow of an application.

std::unique_ptr<ApplicationFlow> Application::flow(ApplicationParameters const& p, TileMap const& map) const {
  auto out = plain_flow(p, map);
  if (map.has_layers())
    out = on_layers(std::move(out), p, map, is_product ? UpdatedTiles::all : UpdatedTiles::trailing);
  if (p.is_nested()) out = nested(std::move(out), p, *this);
  return out;
}

TaskGraph Application::graph(ApplicationParameters const& p, TileMap const& map) const {
  return graph_of(*flow(p, map));
}

std::vector<Kernel> Application::kernels(ApplicationParameters const& p) const {
  return p.is_nested() ? with_nested_kernels(plain_kernels(p), p, *this) : plain_kernels(p);
}

}  // namespace factosim
