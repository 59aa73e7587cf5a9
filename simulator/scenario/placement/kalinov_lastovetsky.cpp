#include "distributions/kalinov_lastovetsky.hpp"

#include <fmt/format.h>

#include "simulator/scenario/placement/distribution_kind.hpp"

namespace factosim {

namespace {

class KalinovLastovetsky : public DistributionMethod {
 public:
  KalinovLastovetsky(JsonReader const& json, DistributionContext const& context)
      : grid_(read_grid(json, context.nodes)),
        speeds_(read_speeds(json, context)),
        panel_(read_panel(json, context.nt)) {}

  [[nodiscard]] Distribution make(DistributionRequest const& request) const override {
    return {
        .map = kalinov_lastovetsky(request.nt, request.nt, grid_, speeds_of_nodes(request, speeds_), panel_),
        .description = fmt::format("Kalinov-Lastovetsky {} x {}", grid_.p, grid_.q)};
  }

 private:
  Grid grid_;
  GivenSpeeds speeds_;
  Panel panel_;
};

}  // namespace

DistributionKind kalinov_lastovetsky_kind() {
  return {
      .name = "kalinov-lastovetsky",
      .description = "grid whose columns are divided by the speeds of their nodes",
      .meaning =
          "Heterogeneous block-cyclic: columns of tiles in proportion to the speed of each grid column, rows "
          "within a grid "
          "column in proportion to the speeds of its nodes.",
      .keys = joined(grid_keys(), {speeds_key(), panel_key()}),
      .read = read_as<KalinovLastovetsky>,
      .source = "Kalinov and Lastovetsky"};
}

}  // namespace factosim
