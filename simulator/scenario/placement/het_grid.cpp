#include "distributions/het_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <span>

#include "distributions/grid_arrangement.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

namespace {

/// A method that arranges nodes of unequal speed on a grid.
struct GridMethod {
  char const* name;
  ArrangedGrid (*arrange)(std::span<double const>, Grid);
  int max_places = INT32_MAX;  // maximum number of places for which it takes acceptable time
};
/// All methods; the first is the default.
constexpr std::array grid_methods{
    GridMethod{"exchanges", arrange_by_exchanges},
    GridMethod{"exact", arrange_exactly, 20},
    GridMethod{"heuristic", arrange_by_rank_1},
    GridMethod{"as-given", arrange_as_given},
};

GridMethod const& read_method(JsonReader const& json, Grid grid) {
  auto const given = json.find("method");
  if (!given) return grid_methods.front();
  std::string const name = given->one_of();
  GridMethod const& method = *std::ranges::find(grid_methods, name, &GridMethod::name);
  if (grid.p * grid.q > method.max_places && grid.p > 1 && grid.q > 1)
    given->fail(
        fmt::format("is {} on a grid of {} x {} (its time grows exponentially; {} places are the most). Use "
                    "\"exchanges\"",
                    name, grid.p, grid.q, method.max_places));
  return method;
}

/// Draws numbers from ]0, 1], the same on every machine.
std::vector<double> random_times(std::uint64_t seed, int nodes) {
  std::mt19937_64 engine(seed);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(nodes));
  for (int n = 0; n < nodes; ++n) times.push_back(static_cast<double>((engine() >> 11U) + 1) * 0x1p-53);
  return times;
}

/// Reads one number per node; given speeds are inverted.
GivenSpeeds read_cycle_times(JsonReader const& json, DistributionContext const& context) {
  auto const given = json.find("cycle_times");
  if (!given) {
    GivenSpeeds times = read_speeds(json, context);
    if (times)
      for (double& time : *times) time = 1 / time;
    return times;
  }
  if (auto const speeds = json.find("speeds"))
    speeds->fail("stands beside \"cycle_times\" (each follows from the other). Remove one of them");
  if (given->is_object()) {
    auto const seed = given->at("random", "a seed: numbers between 0 and 1").integer();
    given->finish();
    return random_times(static_cast<std::uint64_t>(seed), context.nodes);
  }
  return read_per_node(*given, listed_numbers(*given), context.nodes);
}

PanelOrder read_order(JsonReader const& json, DistributionContext const& context) {
  auto const given = json.find("order");
  if (!given) return context.is_product ? PanelOrder::consecutive : PanelOrder::one_dimensional;
  return given->one_of() == "consecutive" ? PanelOrder::consecutive : PanelOrder::one_dimensional;
}

DistributionMethod read_het_grid(JsonReader const& json, DistributionContext const& context) {
  Grid const grid = read_grid(json, context.nodes);
  GridMethod const method = read_method(json, grid);
  GivenSpeeds const cycle_times =
      read_cycle_times(json, context);  // seconds of one update, else by the rates
  Panel const panel = read_panel(json, context.nt);
  PanelOrder const order = read_order(json, context);
  DistributionMethod out{.map = [=](DistributionRequest const& request) -> Distribution {
    std::vector<double> times;
    if (cycle_times)
      times = *cycle_times;
    else
      for (double const speed : speeds_of_nodes(request, {})) times.push_back(1 / speed);
    GridDetails details{.grid = method.arrange(times, grid), .panel = {}};
    details.panel = grid_panel(details.grid, panel, order);
    TileMap map = het_grid(request.nt, request.nt, details.grid, details.panel);
    return {.map = std::move(map),
            .description = fmt::format("heterogeneous grid {} x {} ({})", grid.p, grid.q, method.name),
            .grid = std::move(details)};
  }};
  if (method.arrange == arrange_by_exchanges) {
    out.exchanges.nodes = static_cast<double>(grid.p) * grid.q;
    if (cycle_times) out.exchanges.speeds = std::set<double>(cycle_times->begin(), cycle_times->end()).size();
  }
  return out;
}

ObjectKeys const& drawn_times_table() {
  static ObjectKeys const table{
      "cycle_times",
      "Cycle-times drawn from ]0, 1].",
      {stated_key("random", {rule::integer(0, INT64_MAX)}, "seed", {.required = true})}};
  return table;
}

std::vector<Key> het_grid_keys() {
  return joined(grid_keys(), {stated_key("cycle_times",
                                         {rule::array({rule::positive("s"), positive_numbers("s")}, 1),
                                          rule::object(drawn_times_table)},
                                         "time of one update: one number per node, in one list or in a list "
                                         "per row of the grid; the fastest p q nodes are used",
                                         {.default_text = "one over `speeds`"}),
                              speeds_key(),
                              stated_key("method", {rule::word(names_of(grid_methods))},
                                         "`exchanges`: local search; `exact`, up to 20 places; `heuristic`: "
                                         "of the paper; `as-given`: nodes row by row, optimal shares",
                                         {.default_value = grid_methods.front().name}),
                              panel_key(),
                              stated_key("order", {rule::word({"consecutive", "one-dimensional"})},
                                         "of the rows and columns in a panel: `one-dimensional` balances "
                                         "the trailing matrix of a factorization",
                                         {.default_text = "`one-dimensional`; `consecutive` with `gemm`"})});
}

}  // namespace

DistributionKind het_grid_kind() {
  return {.name = "het-grid",
          .description = "grid of nodes of different speeds, rows and columns of different shares",
          .meaning =
              "Heterogeneous grid: nodes are arranged by speed; rows and columns of tiles in proportion to "
              "the shares of the rows and columns of the grid.",
          .keys = het_grid_keys(),
          .read = read_het_grid,
          .source = "IPDPS 2000"};
}

}  // namespace factosim
