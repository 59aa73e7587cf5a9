#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// A format that traces are written in.
struct TraceFormat {
  std::string_view name;      // as users give it
  std::string_view run_name;  // of the file, or the folder, in the folder of a run
  bool folder = false;        // of several files
  void (*write)(std::filesystem::path const& path, Trace const& trace);  // a folder is there already
};

/// The one place that knows which formats exist.
std::vector<TraceFormat> const& trace_formats();
/// Throws std::out_of_range for a name that is not listed.
TraceFormat const& trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

}  // namespace factosim
