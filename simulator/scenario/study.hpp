#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/quantity.hpp"
#include "simulator/core/json_reader.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/trace/trace.hpp"

namespace factosim {

/// What a study tells; the keys that all results have are put around it.
struct StudyOutcome {
  Seconds makespan;
  bool estimate = false;            // some speeds or networks are not measurements
  std::uint64_t tasks = 0;          // whatever it counts what it simulates in
  nlohmann::ordered_json metrics;   // numbers by name: columns of a sweep's table
  nlohmann::ordered_json sections;  // of result.json, between "metrics" and "simulation": "nodes" and its own
  std::string summary;              // for people, below the name; lines end with \n
  std::optional<Trace> trace;       // what its workers did, where it was asked for
};

/// An application that is no graph of tile tasks, with all that its scenario says, checked: `simulate` fails
/// for no reason that the user could have been told. It brings its own runtime.
class Study {
 public:
  virtual ~Study() = default;
  /// Throws InfeasibleError where there is no solution. At most one simulation over SimGrid in a process.
  [[nodiscard]] virtual StudyOutcome simulate(bool with_trace) const = 0;
  /// Every option with its value, defaults included.
  [[nodiscard]] virtual nlohmann::ordered_json effective_options() const = 0;
  /// Where its speeds come from: one object a machine, with "estimate".
  [[nodiscard]] virtual nlohmann::ordered_json timings() const = 0;
};

/// One kind of study, by the scenario's /application/type.
struct StudyType {
  std::string_view name;
  /// Reads all keys of the scenario but "name" and "outputs", which are everybody's, and "seed". Each key
  /// that it does not ask for is an error. Throws InputError.
  std::unique_ptr<Study const> (*read)(JsonReader const& scenario, std::uint64_t seed);
};

/// The one place that knows which studies exist.
std::vector<StudyType> const& study_types();

/// A scenario of a study.
struct StudyScenario {
  std::string file;
  std::vector<std::string> settings;  // that override it, as given
  std::string name;
  std::uint64_t seed = 0;
  OutputOptions outputs;
  std::unique_ptr<Study const> study;
};

/// Nothing where the application is a graph of tile tasks, or anything that is none of the studies. Throws
/// InputError for mistakes in a study.
[[nodiscard]] std::optional<StudyScenario> find_study(nlohmann::json const& document,
                                                      std::string const& file);

/// Throws InputError where the application is a study, for commands that need a graph of tasks.
void refuse_study(JsonReader const& application);

/// What became of a study: `result.json`, its summary, and its trace.
struct StudyResult {
  nlohmann::ordered_json json;
  std::string summary;
  std::optional<Trace> trace;
};
[[nodiscard]] StudyResult simulate(StudyScenario const& scenario, bool with_trace);

}  // namespace factosim
