#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simulator/analysis/sweep_record.hpp"
#include "simulator/sweep/sweep_space.hpp"

namespace factosim {

/// One simulation of a sweep.
struct SweepPoint {
  std::size_t index = 0;
  std::string id;  // hash of the scenario and of the files it names
  std::vector<SweepSetting> settings;
  std::vector<std::pair<std::string, nlohmann::json>> labels;
  std::map<std::string, std::int64_t> nodes;  // by type
  int replica = 0;
  std::uint64_t seed = 0;
  nlohmann::json scenario;  // the whole of it

  /// "application/nt=50, distribution=1d1d": what tells it from the others.
  [[nodiscard]] std::string description() const;
};

/// Which results are set against each other: at the same x and with all else the same.
struct SweepComparison {
  std::string of;        // column whose values compete
  std::string baseline;  // one of them
  std::string x;         // column of numbers
  std::string metric = "makespan_s";
};

/// A sweep, read and checked; its points are few enough.
struct Sweep {
  std::string name;
  std::filesystem::path file;
  std::string scenario_file;  // where relative paths of points start, and what messages name
  /// "/json/pointer=value" that all points share, of the sweep and then of the command line; none where they
  /// cannot be told so: the scenario stands in the sweep itself, or a key is taken out of it.
  std::optional<std::vector<std::string>> settings;
  std::vector<std::string> filters;  // of the command line
  std::vector<SweepPoint> points;
  std::uint64_t candidates = 0;  // points before filters, replicas not counted
  int replicas = 1;
  std::vector<SweepComparison> comparisons;
  std::vector<SweepPlot> plots;
};

struct SweepLimits {
  std::optional<std::uint64_t> max_points{};  // instead of the file's, or 10 000
  std::vector<std::string> filters{};         // conditions as JSON text, besides those of the file
  bool check_values = true;                   // whether every value of a key fits some point
};

/// Reads a sweep; `settings` are "/json/pointer=value" that override its scenario. Throws InputError where it
/// is malformed, has no point or too many of them, or where a value of a key fits no point that has it: what
/// only some points suffer from is told when they run.
[[nodiscard]] Sweep read_sweep(std::filesystem::path const& file, std::vector<std::string> const& settings,
                               SweepLimits const& limits);

}  // namespace factosim
