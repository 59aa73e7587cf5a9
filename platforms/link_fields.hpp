#pragma once

#include "factosim/platform.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// The keys of a link between nodes and switches, and of a link inside a node.
[[nodiscard]] Object<LinkRate> const& object_of(LinkRate const* any);
[[nodiscard]] Object<LinkSpec> const& object_of(LinkSpec const* any);

}  // namespace factosim
