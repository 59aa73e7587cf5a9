#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "factosim/task_graph.hpp"

namespace factosim {

/// Adds an access of a task whose accesses begin at `first`. Two accesses to one handle become one of both modes.
inline void add_access(std::vector<DataAccess>& accesses, std::size_t first, DataAccess access) {
  auto const earlier = std::find_if(accesses.begin() + static_cast<std::ptrdiff_t>(first), accesses.end(),
                                    [&](DataAccess a) { return a.handle() == access.handle(); });
  if (earlier == accesses.end())
    accesses.push_back(access);
  else
    *earlier = DataAccess(access.handle(), earlier->mode() | access.mode());
}

}  // namespace factosim
