#pragma once

#include <cstdint>

#include "models/applications/application.hpp"
#include "simulator/base/core/fields.hpp"

namespace factosim {

/// How much of a run is simulated.
enum class Detail : std::uint8_t {
  tasks,   // every task
  sampled  // some windows of iterations, from which the makespan is estimated
};
[[nodiscard]] constexpr NamedValues<Detail, 2> names_of(Detail /*any*/) {
  return {"detail", {{{Detail::tasks, "tasks"}, {Detail::sampled, "sampled"}}}};
}

struct DetailOptions {
  Detail type = Detail::tasks;
  double tolerance = 0.01;  // of sampled iterations: relative error that refining aims at
};

/// The keys of "detail".
[[nodiscard]] Object<DetailOptions> const& object_of(DetailOptions const* any);

/// Throws InputError if not every task is simulated of an application without iterations that are alike.
/// `scenario`: the whole document; `application`: null for one that is not tiled.
void check_estimate(JsonReader const& scenario, DetailOptions const& options, Application const* application,
                    ApplicationParameters const& parameters);

}  // namespace factosim
