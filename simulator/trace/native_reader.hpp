#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Returns whether the file begins like a native trace.
[[nodiscard]] bool is_native_trace(std::filesystem::path const& file);

/// Reads a file of `write_native`. Throws InputError if the file is not such a trace, is truncated or
/// modified, or contains dangling references. Uses no memory besides the trace.
[[nodiscard]] Trace read_native(std::filesystem::path const& file);

}  // namespace factosim
