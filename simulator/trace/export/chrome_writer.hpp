#pragma once

#include <filesystem>

#include "simulator/trace/trace.hpp"

namespace factosim {

struct ChromeOptions {
  bool dependencies = false;  // an arrow per dependency; otherwise only per message
};

/// Writes a trace in the Chrome trace event format (Perfetto, chrome://tracing): a process per node, a thread
/// per worker, a slice per task and per state, an arrow from producer to consumer of each message, and
/// messages and copies as asynchronous slices. Times in us. Compressed if the name ends in `.gz`, which
/// Perfetto also opens. The file appears complete or not at all.
void write_chrome(std::filesystem::path const& file, Trace const& trace, ChromeOptions options = {});

}  // namespace factosim
