#pragma once

#include <filesystem>
#include <optional>

#include "simulator/trace/trace.hpp"

namespace factosim {

/// The result.json of a run of ours, where `path` is its folder, that file, or its trace; none otherwise.
[[nodiscard]] std::optional<std::filesystem::path> result_of(std::filesystem::path const& path);

/// The trace of a run, ours or a real one, with its findings told as warnings; none, where a run of ours kept
/// no trace. Throws InputError where there is no run.
[[nodiscard]] std::optional<Trace> trace_of_run(std::filesystem::path const& path);

}  // namespace factosim
