#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/cost_curve.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// Costs of blocks of data-parallel loops on whole CPUs and accelerators, by node type: a
/// `factosim-unit-costs` file.
struct UnitCosts {
  struct Unit {
    std::string unit_class;                    // "cpu", "gpu", "phi"
    std::string model;                         // product name
    std::map<std::string, CostCurve> kernels;  // by kernel of the loop
  };
  using Machine = std::map<std::string, Unit>;  // by name within the node: "cpu", "cuda0", ...

  std::string file;
  bool estimate = false;
  std::string provenance;
  std::map<std::string, Machine> machines;  // by node type
};

/// The keys of such a file, and of a unit in it.
[[nodiscard]] Object<UnitCosts> const& object_of(UnitCosts const* any);
[[nodiscard]] Object<UnitCosts::Unit> const& object_of(UnitCosts::Unit const* any);

/// Reads such a file strictly. Throws InputError for a speed of 0, a negative time, or a curve that is not
/// monotone.
[[nodiscard]] UnitCosts read_unit_costs(std::filesystem::path const& file);

}  // namespace factosim
