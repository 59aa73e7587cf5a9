#pragma once

#include <filesystem>
#include <memory>

#include "simulator/tasks/schedule/static_schedule.hpp"

namespace factosim {

/// Reads a schedule of any format, which its content tells: a factosim-schedule, NNTile's execution.json or StarPU's
/// sched.rec. Throws InputError.
[[nodiscard]] std::shared_ptr<StaticSchedule const> read_schedule(std::filesystem::path const& file);

}  // namespace factosim
