#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// An output format of traces.
struct TraceFormat {
  std::string_view name;      // name on the command line and in scenarios
  std::string_view run_name;  // name of the file or folder in the folder of a run
  bool folder = false;        // writes several files
  void (*write)(std::filesystem::path const& path, Trace const& trace);  // a folder exists already
};

/// The table of all formats.
std::vector<TraceFormat> const& trace_formats();
/// Throws std::out_of_range if the name is unknown.
TraceFormat const& trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

}  // namespace factosim
