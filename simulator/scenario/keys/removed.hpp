#pragma once

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// Refuses a scenario that names what earlier versions had and this one has not: says so, and what to use instead.
/// `scenario`: the whole document. Throws InputError.
void refuse_removed(JsonReader const& scenario);

}  // namespace factosim
