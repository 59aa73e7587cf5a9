#include "simulator/scenario/keys/experiment_kinds.hpp"

#include <algorithm>
#include <array>

/// To add an experiment: write its file in this folder, which defines `ExperimentKind NAME_experiment()`, and add its
/// name here.
#define FACTOSIM_EXPERIMENTS(add) add(ring) add(data_parallel)

namespace factosim {

#define FACTOSIM_DECLARE(name) ExperimentKind name##_experiment();
FACTOSIM_EXPERIMENTS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

std::span<ExperimentKind const> experiment_kinds() {
#define FACTOSIM_MAKE(name) name##_experiment(),
  static std::array const all{FACTOSIM_EXPERIMENTS(FACTOSIM_MAKE)};
#undef FACTOSIM_MAKE
  return all;
}

ExperimentKind const* experiment_kind(std::string_view name) {
  auto const all = experiment_kinds();
  auto const found = std::ranges::find(all, name, &ExperimentKind::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace factosim
