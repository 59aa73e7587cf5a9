#include "simulator/placement/distribution_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace factosim {

namespace {

template <class T>
nlohmann::ordered_json rows_json(std::vector<T> const& values, std::size_t q) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < values.size(); i += q)
    rows.push_back(std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(i),
                                  values.begin() + static_cast<std::ptrdiff_t>(i + q)));
  return rows;
}

nlohmann::ordered_json grid_json(GridDetails const& details) {
  ArrangedGrid const& grid = details.grid;
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
          {"panel_rows", details.panel.rows},
          {"panel_columns", details.panel.columns}};
}

nlohmann::ordered_json partition_json(PartitionDetails const& details) {
  nlohmann::ordered_json rectangles = nlohmann::ordered_json::array();
  for (auto const& r : details.partition.rectangles) rectangles.push_back({r.left, r.top, r.width, r.height});
  return {{"columns", details.partition.columns},
          {"cost", details.partition.cost()},
          {"lower_bound", details.lower_bound},
          {"rectangles", rectangles}};
}

nlohmann::ordered_json moves_json(std::vector<TileMove> const& moves) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (TileMove const& move : moves)
    out.push_back({{"m", move.m}, {"n", move.n}, {"from", move.from.value()}, {"to", move.to.value()}});
  return out;
}

}  // namespace

nlohmann::ordered_json distribution_json(Distribution const& d) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  PartitionDetails const* const partition = d.partition();
  if (partition != nullptr) {
    out["partition"] = partition_json(*partition);
    for (Section const& s : partition->sections)
      out["sections"].push_back({{"first_k", s.first_k}, {"last_k", s.last_k}, {"nodes", s.nodes}});
  }
  if (GridDetails const* const grid = d.grid()) out["grid"] = grid_json(*grid);
  out.update(phases_json(d));
  if (partition != nullptr && !partition->moves.empty()) out["moves"] = moves_json(partition->moves);
  return out;
}

nlohmann::ordered_json phases_json(Distribution const& d) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (d.redistributed) out["redistributed_tiles"] = *d.redistributed;
  if (PhaseLoads const* const loads = d.loads())
    out["lp"] = {
        {"objective_sum", loads->objective_sum},
        {"makespan_s", loads->makespan_s},
        {"generation_end_s", loads->generation_end_s},
        {"tiles", {{"generation", loads->generation}, {"factorization_flops", loads->factorization}}}};
  return out;
}

std::string format_grid(GridDetails const& details) {
  ArrangedGrid const& grid = details.grid;
  double speed = 0;
  for (double const time : grid.times) speed += 1 / time;
  return fmt::format(
      "grid: r {:.4f}, c {:.4f}\n      {:.2f} % of what its nodes deliver, mean workload {:.4f}\n",
      fmt::join(grid.shares.r, " "), fmt::join(grid.shares.c, " "), 100 * grid.objective() / speed,
      grid.mean_workload());
}

}  // namespace factosim
