#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

struct ChromeOptions {
  bool dependencies = false;  // an arrow per dependency; else per message only
};

/// Writes a trace in the Chrome trace event format, which Perfetto and chrome://tracing open: a process per
/// node, a thread per worker, a slice per task and per state, an arrow from the task that produced to the one
/// that waited for each message, and the messages and copies themselves as asynchronous slices. Times in us.
/// Compressed where the name ends in `.gz`, which Perfetto opens too. The file appears whole or not at all.
void write_chrome(std::filesystem::path const& file, Trace const& trace, ChromeOptions options = {});

}  // namespace factosim
