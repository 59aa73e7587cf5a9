#pragma once

#include "simulator/audit/reference/reference_flow.hpp"

namespace factosim::audit {

/// Returns the tasks of a reference on the layers of a map (2.5D): an update of iteration k belongs to the sum on the layer of
/// k, and the sums of other layers than that of panel min(m, n) are added to the tile before the task of its panel; of a
/// product, at the end. The arguments must outlive the result.
[[nodiscard]] Reference on_layers(Reference reference, ReferenceProblem const& problem, TileMap const& map,
                                  bool is_product);

}  // namespace factosim::audit
