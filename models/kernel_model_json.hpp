#pragma once

#include <filesystem>
#include <string>

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// Returns the names of precisions in files; the value does not matter.
[[nodiscard]] constexpr NamedValues<Precision, precisions.size()> names_of(Precision /*any*/) {
  NamedValues<Precision, precisions.size()> out{"precision", {}};
  for (std::size_t p = 0; p < precisions.size(); ++p)
    out.values[p] = {precisions[p].precision, precisions[p].name};
  return out;
}

/// The keys of a `factosim-kernels` file.
[[nodiscard]] ObjectKeys const& kernels_table();

/// Reads a `factosim-kernels` file strictly: unknown keys, duplicate timings, and rates in a file that is not
/// an estimate are errors.
KernelModel read_kernel_model(std::filesystem::path const& file);

/// Returns a model as `factosim-kernels` text, one timing per line, in a fixed order. Reading it back gives
/// the same timings; the same timings give the same bytes.
std::string kernel_model_json(KernelModel const& model);

}  // namespace factosim
