#include "simulator/scenario/het_grid_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include "simulator/core/named_values.hpp"
#include "simulator/scenario/distribution_keys.hpp"

namespace factosim {

namespace {

struct Method {
  char const* name;
  ArrangedGrid (*arrange)(std::span<double const>, Grid);
  int max_places;  // that it takes in acceptable time
};
constexpr int any = 1'000'000;
/// The one place that knows which methods exist; the first is the default.
constexpr std::array methods{
    Method{"exchanges", arrange_by_exchanges, any},
    Method{"exact", arrange_exactly, 20},
    Method{"heuristic", arrange_by_rank_1, any},
    Method{"as-given", arrange_as_given, any},
};

std::vector<std::string> method_names() { return names_of(methods); }

Method const& read_method(JsonReader const& json, Grid grid) {
  auto const given = json.find("method");
  if (!given) return methods.front();
  std::string const name = given->one_of(method_names());
  Method const& method =
      *std::find_if(methods.begin(), methods.end(), [&](Method const& m) { return name == m.name; });
  if (grid.p * grid.q > method.max_places && grid.p > 1 && grid.q > 1)
    given->fail(
        fmt::format("is {} on a grid of {} x {} (its time grows exponentially; {} places are the most). "
                    "Use \"exchanges\"",
                    name, grid.p, grid.q, method.max_places));
  return method;
}

/// Numbers in one list, or in a list for each row of the grid.
std::vector<JsonReader> listed(JsonReader const& json) {
  std::vector<JsonReader> numbers;
  for (JsonReader const& element : json.elements()) {
    if (!element.is_array()) {
      numbers.push_back(element);
      continue;
    }
    for (JsonReader const& number : element.elements()) numbers.push_back(number);
  }
  return numbers;
}

/// Drawn from ]0, 1], the same on every machine.
std::vector<double> random_times(std::uint64_t seed, int nodes) {
  std::mt19937_64 engine(seed);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(nodes));
  for (int n = 0; n < nodes; ++n) times.push_back(static_cast<double>((engine() >> 11U) + 1) * 0x1p-53);
  return times;
}

/// One number a node, by default from what the nodes deliver: seconds of one update.
std::vector<double> read_cycle_times(JsonReader const& json, DistributionRequest const& request) {
  auto const given = json.find("cycle_times");
  if (!given) {
    std::vector<double> times = read_speeds(json, request);
    for (double& time : times) time = 1 / time;
    return times;
  }
  if (given->is_object()) {
    auto const seed = given->at("random", "a seed: numbers between 0 and 1").integer(0, INT64_MAX);
    given->finish();
    return random_times(static_cast<std::uint64_t>(seed), request.nodes);
  }
  std::vector<double> times;
  for (JsonReader const& number : listed(*given)) times.push_back(number.positive());
  if (times.size() != static_cast<std::size_t>(request.nodes))
    given->fail(
        fmt::format("has {} numbers (there are {} nodes). Give one a node", times.size(), request.nodes));
  return times;
}

PanelOrder read_order(JsonReader const& json, DistributionRequest const& request) {
  auto const given = json.find("order");
  if (!given) return request.is_product ? PanelOrder::consecutive : PanelOrder::one_dimensional;
  return given->one_of({"consecutive", "one-dimensional"}) == "consecutive" ? PanelOrder::consecutive
                                                                            : PanelOrder::one_dimensional;
}

template <class T>
nlohmann::ordered_json rows_json(std::vector<T> const& values, std::size_t q) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < values.size(); i += q)
    rows.push_back(std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(i),
                                  values.begin() + static_cast<std::ptrdiff_t>(i + q)));
  return rows;
}

}  // namespace

std::optional<int> cycle_time_count(JsonReader const& distribution) {
  auto const given = distribution.find("cycle_times");
  if (!given) return std::nullopt;
  if (!given->is_object()) return static_cast<int>(listed(*given).size());
  return static_cast<int>(distribution.at("p", "rows of the grid").integer(1, 1000) *
                          distribution.at("q", "columns of the grid").integer(1, 1000));
}

Distribution from_het_grid(JsonReader const& json, DistributionRequest const& request) {
  Grid const grid = read_grid(json, request.nodes);
  Method const& method = read_method(json, grid);
  GridDistribution out{.grid = method.arrange(read_cycle_times(json, request), grid), .panel = {}};
  out.panel = grid_panel(out.grid, read_panel(json, request.nt), read_order(json, request));
  Distribution distribution{
      .map = het_grid(request.nt, request.nt, out.grid, out.panel),
      .description = fmt::format("heterogeneous grid {} x {} ({})", grid.p, grid.q, method.name)};
  distribution.grid = std::move(out);
  return distribution;
}

nlohmann::ordered_json grid_json(GridDistribution const& distribution) {
  ArrangedGrid const& grid = distribution.grid;
  auto const q = static_cast<std::size_t>(grid.grid.q);
  return {{"arrangement", rows_json(grid.times, q)},
          {"nodes", rows_json(grid.nodes, q)},
          {"r", grid.shares.r},
          {"c", grid.shares.c},
          {"objective", grid.objective()},
          {"mean_workload", grid.mean_workload()},
          {"iterations", grid.iterations},
          {"history", grid.history},
          {"converged", grid.converged},
          {"best_seen", grid.best_objective},
          {"panel_rows", distribution.panel.rows},
          {"panel_columns", distribution.panel.columns}};
}

std::string format_grid(GridDistribution const& distribution) {
  ArrangedGrid const& grid = distribution.grid;
  double speed = 0;
  for (double const time : grid.times) speed += 1 / time;
  return fmt::format(
      "grid: r {:.4f}, c {:.4f}\n      {:.2f} % of what its nodes deliver, mean workload {:.4f}\n",
      fmt::join(grid.shares.r, " "), fmt::join(grid.shares.c, " "), 100 * grid.objective() / speed,
      grid.mean_workload());
}

}  // namespace factosim
