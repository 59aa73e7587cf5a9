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

/// Throws InputError: the path is no trace. `what`: to stand in brackets.
[[noreturn]] void refuse_unknown_trace(std::filesystem::path const& path, std::string_view what);

}  // namespace factosim
