#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// What readers look at to tell whether a path is in their format.
struct TraceSource {
  std::filesystem::path path;
  bool is_folder = false;
  std::string first_line;  // `first_line` of a file; empty for a folder
};

/// A format of other programs whose traces are read.
struct TraceReader {
  bool (*recognises)(TraceSource const& source);
  /// Throws InputError at damaged files.
  Trace (*read)(TraceSource const& source);
};

/// The readers, in the order in which a path is offered to them. NAME: NAME_reader is defined in a file of this folder.
// clang-format off
#define FACTOSIM_TRACE_READERS(reader) \
  reader(starpu)                       \
  reader(starvz)                       \
  reader(paje)                         \
  reader(chrome)                       \
  reader(csv)
// clang-format on

#define FACTOSIM_DECLARE_READER(name) extern TraceReader const name##_reader;
FACTOSIM_TRACE_READERS(FACTOSIM_DECLARE_READER)
#undef FACTOSIM_DECLARE_READER

[[nodiscard]] std::span<TraceReader const* const> trace_readers();

/// Returns whether a file of JSON holds Chrome trace events.
[[nodiscard]] bool is_chrome_trace(std::filesystem::path const& file);

/// Throws InputError: the path is no trace. `what`: to stand in brackets.
[[noreturn]] void refuse_unknown_trace(std::filesystem::path const& path, std::string_view what);

/// Reads a run in any supported format: the folder of a run of this program or its run.trace; a directory
/// with tasks.rec (and data.rec, comms.rec, paje.trace), a StarVZ directory, a directory with only a
/// paje.trace; one of these files; Chrome trace events; a table of tasks in CSV; all plain or gzipped. Oddities are reported in
/// its findings. Throws InputError if the file has none of these formats or is damaged (`FILE#line N: ...`),
/// or if the dependencies form a cycle. Time (except sorting) and memory are proportional to the size of the
/// files.
[[nodiscard]] Trace read_trace(std::filesystem::path const& path);

}  // namespace factosim
