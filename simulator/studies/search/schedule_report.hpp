#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factosim/result.hpp"
#include "simulator/studies/search/schedule_search.hpp"

namespace factosim {

/// A schedule's file, and the makespan of a run that follows it.
struct WrittenSchedule {
  std::string file, format;
  Seconds makespan;
};

/// Returns the policies by makespan, the answer and the bounds as text.
[[nodiscard]] std::string found_schedule_text(FoundSchedule const& found, Bounds const& bounds,
                                              std::vector<WrittenSchedule> const& files);
[[nodiscard]] nlohmann::ordered_json found_schedule_json(FoundSchedule const& found, Bounds const& bounds,
                                                         std::vector<WrittenSchedule> const& files);

}  // namespace factosim
