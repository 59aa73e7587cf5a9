#pragma once

#include <cstdint>
#include <memory>

#include "simulator/scenario/study.hpp"

namespace factosim {

/// The application "ring": finds a ring of processors, simulates its iterations, and tells what other
/// heuristics would have found. Throws InputError.
std::unique_ptr<Study const> read_ring_study(JsonReader const& scenario, std::uint64_t seed);

}  // namespace factosim
