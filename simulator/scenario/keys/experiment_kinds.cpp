#include "simulator/scenario/keys/experiment_kinds.hpp"

#include <algorithm>
#include <array>

namespace factosim {

/// To add an experiment: write its file in this folder, which defines such a function, and add its name below.
ExperimentKind ring_experiment();
ExperimentKind data_parallel_experiment();

std::span<ExperimentKind const> experiment_kinds() {
  static std::array const all{ring_experiment(), data_parallel_experiment()};
  return all;
}

ExperimentKind const* experiment_kind(std::string_view name) {
  auto const all = experiment_kinds();
  auto const found = std::ranges::find(all, name, &ExperimentKind::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace factosim
