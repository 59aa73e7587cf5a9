#include "simulator/simulation/run_source.hpp"

#include "simulator/trace/import/read_trace.hpp"
#include "simulator/trace/native_writer.hpp"

namespace factosim {

namespace fs = std::filesystem;

std::optional<fs::path> result_of(fs::path const& path) {
  std::error_code error;
  fs::path const result = fs::is_directory(path, error)          ? path / "result.json"
                          : path.extension() == ".json"          ? path
                          : path.filename() == native_trace_name ? path.parent_path() / "result.json"
                                                                 : fs::path();
  return !result.empty() && fs::exists(result, error) ? std::optional(result) : std::nullopt;
}

std::optional<Trace> trace_of_run(fs::path const& path) {
  if (auto const result = result_of(path); result && !fs::exists(result->parent_path() / native_trace_name))
    return std::nullopt;
  bool const is_result = path.extension() == ".json" && fs::is_regular_file(path);
  return read_trace(is_result ? path.parent_path() : path);
}

}  // namespace factosim
