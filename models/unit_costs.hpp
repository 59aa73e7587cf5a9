#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/cost_curve.hpp"

namespace factosim {

/// What a whole CPU or an accelerator takes for blocks of data-parallel loops, machine by machine: a
/// `factosim-unit-costs` file.
struct UnitCosts {
  struct Unit {
    std::string unit_class;                    // "cpu", "gpu", "phi"
    std::string model;                         // as sold
    std::map<std::string, CostCurve> kernels;  // by the name of the loop's kernel
  };
  using Machine = std::map<std::string, Unit>;  // by the place in the node: "cpu", "cuda0", ...

  std::string file;
  bool estimate = false;
  std::string provenance;
  std::map<std::string, Machine> machines;  // by the name of the node type
};

/// Reads such a file strictly. Throws InputError: a speed of 0, a negative time, a curve that is not
/// monotone.
[[nodiscard]] UnitCosts read_unit_costs(std::filesystem::path const& file);

}  // namespace factosim
