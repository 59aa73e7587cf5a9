#include "simulator/scenario/keys/combinations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "models/applications/tile_formats.hpp"

namespace factosim {

namespace {

/// Tasks that are replaced before the run by tasks on parts of their tiles.
void check_nested(Platform const& platform, RuntimeOptions const& runtime, std::string const& file) {
  std::string const where = file + "#/application/nested";
  for (NodeType const& type : platform.types)
    if (!type.gpus.empty())
      throw InputError(where,
                       fmt::format("is given, and \"{}\" has GPUs (parts of a tile are not moved: they are "
                                   "for the cores of a node). Set runtime/max_gpus to 0, or leave it out",
                                   type.name));
  if (runtime.out_of_core)
    throw InputError(file + "#/runtime/out_of_core",
                     "is true, and tasks are nested (parts of a tile lie in it, and it may leave the RAM). "
                     "Use false, or no application/nested");
}

/// Partial sums on layers have the precision of their tile.
void check_sums(TileFormats const& formats, std::string const& file) {
  if (std::ranges::any_of(formats.formats, [](TileFormat const& tile) { return tile.rank > 0; }))
    throw InputError(file + "#/distribution/type",
                     "is \"layers\", and tiles are of low rank (the rank of a sum of some updates is not "
                     "that of the tile, and no key tells it). Use another distribution, or full tiles");
}

}  // namespace

void check_combinations(ApplicationParameters const& p, Platform const& platform,
                        RuntimeOptions const& runtime, bool on_layers, std::string const& file) {
  if (p.is_nested()) check_nested(platform, runtime, file);
  if (p.formats && on_layers) check_sums(*p.formats, file);
}

}  // namespace factosim
