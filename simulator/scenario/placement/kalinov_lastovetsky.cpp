#include "distributions/het_grid.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind kalinov_lastovetsky_kind() {
  return {.name = "kalinov-lastovetsky",
          .description = "grid whose columns are divided by the speeds of their nodes",
          .meaning =
              "Heterogeneous block-cyclic: columns of tiles in proportion to the speed of each grid column, "
              "rows within a grid column in proportion to the speeds of its nodes.",
          .keys = joined(grid_keys(), {speeds_key(), panel_key()}),
          .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
            Grid const grid = read_grid(json, context.nodes);
            GivenSpeeds const speeds = read_speeds(json, context);
            Panel const panel = read_panel(json, context.nt);
            return {.map = [=](DistributionRequest const& request) -> Distribution {
              return {.map = kalinov_lastovetsky(request.nt, request.nt, grid,
                                                 speeds_of_nodes(request, speeds), panel),
                      .description = fmt::format("Kalinov-Lastovetsky {} x {}", grid.p, grid.q)};
            }};
          },
          .source = "Kalinov and Lastovetsky"};
}

}  // namespace factosim
