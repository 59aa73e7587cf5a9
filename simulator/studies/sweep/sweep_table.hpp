#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/report/analysis/curves.hpp"
#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/studies/sweep/point_store.hpp"
#include "simulator/studies/sweep/sweep.hpp"

namespace factosim {

struct FailedPoint {
  std::size_t index = 0;
  ExitCode code = ExitCode::internal_error;
  std::string description, message;
};

/// The results of a sweep.
struct SweepResults {
  Table table;  // one row per point, including failed and missing ones
  std::vector<FailedPoint> failed;
  std::size_t missing = 0;                      // with the damaged ones
  std::vector<std::string> damaged;             // why their files are not used
  std::size_t unchecked = 0;                    // points without a checksum, of an older version
  double simulation_cpu_s = 0;                  // of all points, from their results
  std::map<std::string, std::size_t> programs;  // number of points by version and revision
};

/// Throws InputError, naming `where`, if the table has no such column. `also`: further valid names for the
/// message.
void require_column(Table const& table, std::string const& where, std::string const& column,
                    std::string_view also = "");

[[nodiscard]] SweepResults collect(Sweep const& sweep, PointStore const& store);

/// A comparison that the sweep asks for, within one combination of the other parameters.
struct ComparedChart {
  SweepComparison asked;
  std::string where;  // "" or the other parameters
  std::vector<CurveComparison> curves;
};
/// Throws InputError if a comparison names a column or a baseline that does not exist.
[[nodiscard]] std::vector<ComparedChart> compare_results(Sweep const& sweep, Table const& table);
[[nodiscard]] nlohmann::ordered_json comparisons_json(std::vector<ComparedChart> const& charts);

}  // namespace factosim
