#pragma once

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The keys of the switches between nodes, in a network of a platform and in a usual network; one of them at most is
/// written.
[[nodiscard]] Fields<NetworkSpec> fabric_fields();
/// Throws InputError if a network has two fabrics.
void check_fabrics(JsonReader const& network);

/// The key "efficiency" of networks, which is not written for that of full bandwidth.
[[nodiscard]] Field<NetworkSpec> efficiency_field();

}  // namespace factosim
