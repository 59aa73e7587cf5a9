#pragma once

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// Names of workers in kernel files.
inline constexpr char const* worker_pattern = "^(cpu|cuda(0|[1-9][0-9]{0,8}))$";

/// The keys of a history in a kernel file.
Object<KernelHistory> const& object_of(KernelHistory const* any);

}  // namespace factosim
