#pragma once

#include <string>

namespace factosim::record {

/// Returns the name of an OpenMP task's kernel from the lines of the event: "FILE+PLACE" of functions, or a remark. It is that of
/// the function by addr2line; of two the first, with line or name of the second; without it file and place.
[[nodiscard]] std::string kernel_name(std::string const& lines);

}  // namespace factosim::record
