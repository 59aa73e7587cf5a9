#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// File name of the native trace in the folder of a run.
constexpr std::string_view native_trace_name = "run.trace";

/// Writes a trace without loss: a line of JSON (format, names, and a list of columns with numpy type and
/// size), the columns in order, and the CRC-32 of everything before it in four bytes. scenarios/traces.md
/// describes the format. The file appears complete or not at all.
void write_native(std::filesystem::path const& file, Trace const& trace);
/// Returns what `write_native` writes.
[[nodiscard]] std::string native_bytes(Trace const& trace);

/// Returns the line of JSON without the columns.
[[nodiscard]] nlohmann::ordered_json native_names(Trace const& trace);

/// Returns whether the file begins like a native trace.
[[nodiscard]] bool is_native_trace(std::filesystem::path const& file);

/// Reads a file of `write_native`. Throws InputError if the file is not such a trace, is truncated or
/// modified, or contains dangling references. Uses no memory besides the trace.
[[nodiscard]] Trace read_native(std::filesystem::path const& file);

}  // namespace factosim
