#pragma once

#include <filesystem>

#include "simulator/analysis/run_view.hpp"

namespace factosim {

/// Returns the view of a run without a trace: totals of its result, levels and iterations of its series
/// (null: it has none). Throws InputError if `series` is not a valid file of series.
[[nodiscard]] RunView view_of_result(ComparedRun run, std::filesystem::path const* series);

}  // namespace factosim
