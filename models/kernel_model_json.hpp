#pragma once

#include <filesystem>
#include <string>

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// The keys of a `factosim-kernels` file.
[[nodiscard]] ObjectKeys const& kernels_table();

/// Reads a `factosim-kernels` file strictly: unknown keys, duplicate timings, and rates in a file that is not
/// an estimate are errors.
KernelModel read_kernel_model(std::filesystem::path const& file);

/// Returns a model as `factosim-kernels` text, one timing per line, in a fixed order. Reading it back gives
/// the same timings; the same timings give the same bytes.
std::string kernel_model_json(KernelModel const& model);

}  // namespace factosim
