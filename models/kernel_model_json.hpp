#pragma once

#include <filesystem>
#include <string>

#include "factosim/kernel_model.hpp"

namespace factosim {

/// Reads a `factosim-kernels` file strictly: unknown keys, two timings of the same thing, and rates in a
/// file that is no estimate are errors.
KernelModel read_kernel_model(std::filesystem::path const& file);

/// The `factosim-kernels` text of a model, one timing a line, in a fixed order: reading it back gives the
/// same timings, and the same timings give the same bytes.
std::string kernel_model_json(KernelModel const& model);

}  // namespace factosim
