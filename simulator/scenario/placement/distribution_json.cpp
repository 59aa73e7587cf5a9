#include "simulator/scenario/placement/distribution_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <span>

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

/// Work r_i t_ij c_j of a step's nodes, and the cycle-times for which it would be 1.
struct StepWork {
  std::vector<double> workload, optimal_times;  // [p][q]

  explicit StepWork(GridStep const& step) {
    for (double const r : step.shares.r)
      for (double const c : step.shares.c) {
        workload.push_back(r * step.times[workload.size()] * c);
        optimal_times.push_back(1 / (r * c));
      }
  }
};

/// Returns a number with four decimals, as the paper prints it; small ones with four significant digits.
std::string table_number(double value) {
  return std::abs(value) >= 0.01 ? fmt::format("{:.4f}", value) : fmt::format("{:.4g}", value);
}

std::string table_row(std::span<double const> values) {
  std::string out;
  for (double const value : values) out += fmt::format(" {:>9}", table_number(value));
  return out;
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
  std::optional<PartitionDetails> const& partition = d.partition;
  if (partition) {
    out["partition"] = partition_json(*partition);
    for (Section const& s : partition->sections)
      out["sections"].push_back({{"first_k", s.first_k}, {"last_k", s.last_k}, {"nodes", s.nodes}});
  }
  if (d.grid) out["grid"] = grid_json(*d.grid);
  out.update(phases_json(d));
  if (d.layers) {
    for (LayerOfNodes const& layer : d.layers->layers) {
      nlohmann::ordered_json of_layer = {
          {"nodes", layer.nodes}, {"share", layer.share}, {"distribution", layer.distribution.description}};
      of_layer.update(distribution_json(layer.distribution));
      out["layers"].push_back(std::move(of_layer));
    }
    out["layer_of_iteration"] = d.map.layers.of_iteration;
    out["layer_of_panel"] = d.map.layers.of_panel;
    out["consecutive"] = d.layers->consecutive;
  }
  if (partition && !partition->moves.empty()) out["moves"] = moves_json(partition->moves);
  return out;
}

nlohmann::ordered_json phases_json(Distribution const& d) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (d.redistributed) out["redistributed_tiles"] = *d.redistributed;
  if (std::optional<PhaseLoads> const& loads = d.loads)
    out["lp"] = {
        {"objective_sum", loads->objective_sum},
        {"makespan_s", loads->makespan_s},
        {"generation_end_s", loads->generation_end_s},
        {"tiles", {{"generation", loads->generation}, {"factorization_flops", loads->factorization}}}};
  return out;
}

nlohmann::ordered_json grid_steps_json(ArrangedGrid const& grid) {
  auto const q = static_cast<std::size_t>(grid.grid.q);
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (GridStep const& step : grid.steps) {
    StepWork const work(step);
    out.push_back({{"arrangement", rows_json(step.times, q)},
                   {"nodes", rows_json(step.nodes, q)},
                   {"r", step.shares.r},
                   {"c", step.shares.c},
                   {"workload", rows_json(work.workload, q)},
                   {"optimal_times", rows_json(work.optimal_times, q)},
                   {"objective", step.shares.objective()},
                   {"mean_workload", step.shares.mean_workload(step.times)}});
  }
  return out;
}

std::string format_grid_steps(ArrangedGrid const& grid) {
  auto const q = static_cast<std::size_t>(grid.grid.q);
  std::size_t const width = 10 * q;
  std::string out;
  for (std::size_t s = 0; s < grid.steps.size(); ++s) {
    GridStep const& step = grid.steps[s];
    StepWork const work(step);
    out += fmt::format("{}: objective {}, mean workload {:.4f}\n",
                       s == 0 ? "first arrangement" : fmt::format("step {}", s),
                       table_number(step.shares.objective()), step.shares.mean_workload(step.times));
    out += fmt::format("  r{}\n  c{}\n", table_row(step.shares.r), table_row(step.shares.c));
    out += fmt::format("   {:<{}}   {:<{}}   {}\n", " cycle-times", width, " workload", width,
                       " optimal cycle-times");
    for (std::size_t i = 0; i < step.shares.r.size(); ++i) {
      auto const row = [&](std::vector<double> const& values) {
        return table_row(std::span(values).subspan(i * q, q));
      };
      out += fmt::format("   {:<{}}   {:<{}}   {}\n", row(step.times), width, row(work.workload), width,
                         row(work.optimal_times));
    }
  }
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
