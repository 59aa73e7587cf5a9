#pragma once

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

/// Returns the names of precisions in files; the value does not matter.
[[nodiscard]] constexpr NamedValues<Precision, precisions.size()> names_of(Precision /*any*/) {
  NamedValues<Precision, precisions.size()> out{"precision", {}};
  for (std::size_t p = 0; p < precisions.size(); ++p)
    out.values[p] = {precisions[p].precision, precisions[p].name};
  return out;
}

}  // namespace factosim
