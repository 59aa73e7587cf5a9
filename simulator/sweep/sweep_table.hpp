#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/analysis/comparison.hpp"
#include "simulator/analysis/table.hpp"
#include "simulator/sweep/point_store.hpp"
#include "simulator/sweep/sweep.hpp"

namespace factosim {

struct FailedPoint {
  std::size_t index = 0;
  ExitCode code = ExitCode::internal_error;
  std::string description, message;
};

/// A sweep's results.
struct SweepResults {
  Table table;  // a row a point, in the order of the points, failed and missing ones too
  std::vector<FailedPoint> failed;
  std::size_t missing = 0;
  double simulation_cpu_s = 0;                  // of all points, as their results tell
  std::map<std::string, std::size_t> programs;  // version and revision, as they tell; how many points of each
};

/// Throws InputError, of `where`, if the table has no such column; `also` is what may be named beside its
/// own.
void require_column(Table const& table, std::string const& where, std::string const& column,
                    std::string_view also = "");

[[nodiscard]] SweepResults collect(Sweep const& sweep, PointStore const& store);

/// A comparison that the sweep asks for, within one combination of the other parameters.
struct ComparedPanel {
  SweepComparison asked;
  std::string where;  // "" or the other parameters
  std::vector<CurveComparison> curves;
};
/// Throws InputError where a comparison names a column or a baseline that does not exist.
[[nodiscard]] std::vector<ComparedPanel> compare_results(Sweep const& sweep, Table const& table);
[[nodiscard]] nlohmann::ordered_json comparisons_json(std::vector<ComparedPanel> const& panels);

}  // namespace factosim
