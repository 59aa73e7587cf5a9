#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "factosim/id.hpp"

namespace factosim {

/// Throws InputError at a task of a cycle if tasks wait for each other, or one for itself. The predecessors of task
/// t are `predecessors[begin[t]]` to `predecessors[begin[t + 1] - 1]`; `place` returns where a task is recorded,
/// "FILE#line N". O(edges + tasks log tasks).
void refuse_cycles(std::span<std::uint32_t const> begin, std::span<TaskId const> predecessors,
                   std::function<std::string(TaskId)> const& place);

}  // namespace factosim
