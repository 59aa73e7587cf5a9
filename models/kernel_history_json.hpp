#pragma once

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The keys of a history in a kernel file.
Object<KernelHistory> const& object_of(KernelHistory const* any);

}  // namespace factosim
