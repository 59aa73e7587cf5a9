#pragma once

#include <string>
#include <vector>

#include "simulator/app/sweep.hpp"
#include "simulator/app/sweep_table.hpp"

namespace factosim {

/// A picture of a report.
struct ReportPicture {
  std::string name;  // of its file, without ".svg"
  std::string svg;
};

/// The plots that the sweep asks for; where it asks for none, the classical ones over the nodes, or over
/// another number that varies: makespan with bounds, GFlop/s, efficiency, speed-up, tiles sent, energy.
/// Throws InputError where a plot names a column that does not exist.
[[nodiscard]] std::vector<ReportPicture> draw_plots(Sweep const& sweep, Table const& table);

/// One page with all pictures, what comparisons say, and what failed; opens without a network.
[[nodiscard]] std::string report_html(Sweep const& sweep, SweepResults const& results,
                                      std::vector<ComparedPanel> const& comparisons,
                                      std::vector<ReportPicture> const& pictures);

}  // namespace factosim
