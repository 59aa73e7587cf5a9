#include "simulator/traces/export/trace_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/os/atomic_file.hpp"
#include "simulator/traces/trace/native_trace.hpp"

namespace factosim {

TraceFormat const native_format{"trace", native_trace_name, false, write_native,
                                "factosim's own; read and written"};

std::vector<TraceFormat> const& trace_formats() {
#define FACTOSIM_WRITER(name) name##_format,
  static std::vector<TraceFormat> const formats{FACTOSIM_TRACE_WRITERS(FACTOSIM_WRITER)};
#undef FACTOSIM_WRITER
  return formats;
}

TraceFormat const& trace_format(std::string_view name) {
  auto const found = std::ranges::find(trace_formats(), name, &TraceFormat::name);
  if (found == trace_formats().end()) throw std::out_of_range("unknown trace format " + std::string(name));
  return *found;
}

std::vector<std::string> trace_format_names() { return names_of(trace_formats()); }

void refuse_to_overwrite_trace(TraceFormat const& format, std::filesystem::path const& path, bool force) {
  if (format.folder && path == standard_stream)
    throw InputError("-#",
                     fmt::format("is standard output ({} is a folder of files). Give a folder", format.name));
  if (!format.folder) require_replaceable(path);
  refuse_existing(path, force);
  if (format.python != nullptr) (void)python_command(*format.python, path.string() + "#");
}

}  // namespace factosim
