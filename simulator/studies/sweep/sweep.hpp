#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/core/fields.hpp"
#include "simulator/report/analysis/sweep_record.hpp"
#include "simulator/scenario/simulation/size_limit.hpp"
#include "simulator/studies/sweep/sweep_space.hpp"

namespace factosim {

/// A sweep with more points is refused unless it, or the command line, says otherwise.
inline constexpr std::uint64_t default_max_points = 10'000;

/// One simulation of a sweep.
struct SweepPoint {
  std::size_t index = 0;
  std::string id{};  // hash of the scenario and of the files that it names
  std::vector<SweepSetting> settings;
  std::vector<std::pair<std::string, nlohmann::json>> labels;
  std::map<std::string, std::int64_t> nodes;  // by type
  int replica = 0;
  std::uint64_t seed = 0;
  nlohmann::json scenario;  // complete

  /// "application/nt=50, distribution=1d1d": the values that identify it among the points.
  [[nodiscard]] std::string description() const;
};

/// Defines a comparison of results with the same x and all other parameters equal.
struct SweepComparison {
  std::string of;        // column whose values are compared
  std::string baseline;  // one of its values
  std::string x;         // numeric column
  std::string metric = "makespan_s";
};

/// A sweep, read and checked, with its points.
struct Sweep {
  std::string name;
  std::filesystem::path file;
  std::string scenario_file;  // base of relative paths of points; named in messages
  /// "/json/pointer=value" common to all points, from the sweep, then from the command line; none if settings
  /// cannot express them: the sweep contains the scenario, or removes a key from it.
  std::optional<std::vector<std::string>> settings;
  std::vector<std::string> filters;  // of the command line
  std::vector<SweepPoint> points;
  std::uint64_t count = 0;       // of points; without `points` if they were only counted
  std::uint64_t candidates = 0;  // number of points before filters, without replicas
  int replicas = 1;
  std::uint64_t max_points = default_max_points;
  std::vector<SweepComparison> comparisons;
  std::vector<SweepPlot> plots;
};

/// The keys of a `factosim-sweep` file; those of its scenario, points and filters are read by `read_sweep`.
[[nodiscard]] Object<Sweep> const& object_of(Sweep const* any);
[[nodiscard]] Object<SweepPlot> const& object_of(SweepPlot const* any);
[[nodiscard]] ObjectKeys const& sweep_table();

struct SweepLimits {
  SizeLimit size{};                           // for the list of points
  bool count_only = false;                    // a long list of points may be left empty
  std::optional<int> replicas{};              // instead of the file's
  std::optional<std::uint64_t> max_points{};  // overrides the file's limit, default 10 000
  std::vector<std::string> filters{};         // conditions as JSON text, in addition to the file's
  bool check_values = true;                   // check that every value of a key is valid in some point
};

/// Reads a sweep; `settings` are "/json/pointer=value" that override its scenario. Throws InputError if the
/// sweep is malformed, has no point, too many points or more than fit into memory, or if a value of a key is
/// invalid in every point that has it. Values that are invalid only in some points are reported when these run.
[[nodiscard]] Sweep read_sweep(std::filesystem::path const& file, std::vector<std::string> const& settings,
                               SweepLimits const& limits);

}  // namespace factosim
