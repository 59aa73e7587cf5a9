#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// Whether the file begins as our own traces do.
[[nodiscard]] bool is_native_trace(std::filesystem::path const& file);

/// Reads what `write_native` has written. Throws InputError where the file is no such trace, is cut short,
/// has been changed, or refers to what it does not hold. Memory: that of the trace.
[[nodiscard]] Trace read_native(std::filesystem::path const& file);

}  // namespace factosim
