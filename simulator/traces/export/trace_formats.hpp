#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/python_package.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// An output format of traces.
struct TraceFormat {
  std::string_view name;      // name on the command line and in scenarios
  std::string_view run_name;  // name of the file or folder in the folder of a run
  bool folder = false;        // writes several files
  void (*write)(std::filesystem::path const& path, Trace const& trace);  // a folder exists already
  std::string_view description;           // one line: for which tool, and whether it is read too
  PythonPackage const* python = nullptr;  // the part of the Python package that makes its content
};

/// The formats, one line each. NAME: NAME_format is defined in a file of this folder.
// clang-format off
#define FACTOSIM_TRACE_WRITERS(writer) \
  writer(native)                       \
  writer(chrome)                       \
  writer(starpu)                       \
  writer(paje)                         \
  writer(dot)
// clang-format on

#define FACTOSIM_DECLARE_WRITER(name) extern TraceFormat const name##_format;
FACTOSIM_TRACE_WRITERS(FACTOSIM_DECLARE_WRITER)
#undef FACTOSIM_DECLARE_WRITER

[[nodiscard]] std::vector<TraceFormat> const& trace_formats();
/// Throws std::out_of_range if the name is unknown.
TraceFormat const& trace_format(std::string_view name);
std::vector<std::string> trace_format_names();

struct ChromeOptions {
  bool dependencies = false;  // an arrow per dependency; otherwise only per message
};

/// Writes a trace in the Chrome trace event format (Perfetto, chrome://tracing): a process per node, a thread
/// per worker, a slice per task and per state, an arrow from producer to consumer of each message, and
/// messages and copies as asynchronous slices. Times in us. Compressed if the name ends in `.gz`, which
/// Perfetto also opens. The file appears complete or not at all.
void write_chrome(std::filesystem::path const& file, Trace const& trace, ChromeOptions options = {});

/// Throws InputError if a trace may not be written there: `refuse_to_overwrite`; of some formats it is a folder, whose
/// files are replaced. Throws also if Python is to write it and cannot.
void refuse_to_overwrite_trace(TraceFormat const& format, std::filesystem::path const& path, bool force);

}  // namespace factosim
