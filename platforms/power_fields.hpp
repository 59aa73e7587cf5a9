#pragma once

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The keys of the "power" of a node type, of one kernel, and of a speed under a cap.
[[nodiscard]] Object<PowerSpec> const& object_of(PowerSpec const* any);
[[nodiscard]] Object<PowerSpec::OfKernel> const& object_of(PowerSpec::OfKernel const* any);
[[nodiscard]] Object<PowerSpec::CappedSpeed> const& object_of(PowerSpec::CappedSpeed const* any);
/// What the power caps of a node type's GPUs may be, and the key of a node type for them.
[[nodiscard]] ValueRules gpu_caps_rules();
[[nodiscard]] Key gpu_caps_key();

/// Reads the caps of a node type's GPUs, which it has with their number. Throws InputError.
void read_gpu_caps(NodeType& type, JsonReader const& json);
/// Throws InputError, at `json`, if the power of the type does not tell how fast its GPUs are under their caps.
void check_gpu_caps(NodeType const& type, JsonReader const& json);

}  // namespace factosim
