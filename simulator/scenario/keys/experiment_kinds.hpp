#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/experiments/experiment.hpp"

namespace factosim {

/// An application without a task graph, as its file states it; experiment_kinds.cpp lists all of them.
struct ExperimentKind {
  char const* name;         // "type" of the application
  char const* description;  // one line about what it computes
  char const* meaning;      // of the keys of its scenario
  /// The keys of the application.
  std::vector<Key> (*application_keys)();
  /// The keys of the scenario besides those of all scenarios.
  std::vector<Key> (*scenario_keys)();
  /// Reads all keys of `scenario` that have not been asked for. `seed` decides what is drawn. Throws InputError.
  Experiment (*read)(JsonReader const& scenario, std::uint64_t seed);
};

[[nodiscard]] std::span<ExperimentKind const> experiment_kinds();
/// Returns null if there is no such kind.
[[nodiscard]] ExperimentKind const* experiment_kind(std::string_view name);

}  // namespace factosim
