#pragma once

#include <filesystem>
#include <string_view>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// The name of our own trace in the folder of a run.
constexpr std::string_view native_trace_name = "run.trace";

/// Writes all that a trace knows, exactly: a line of JSON (format, names, and a list of columns with numpy's
/// type and their number), the columns one after the other, and the CRC-32 of all before it as four bytes.
/// scenarios/traces.md describes the file. It appears whole or not at all.
void write_native(std::filesystem::path const& file, Trace const& trace);

}  // namespace factosim
