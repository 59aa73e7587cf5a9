#pragma once

#include <climits>
#include <optional>
#include <string_view>

#include "simulator/base/core/fields.hpp"

namespace factosim {

/// Returns the whole number from `least` on that a text writes in decimal digits; nullopt if it is none.
[[nodiscard]] std::optional<int> whole_number(std::string_view text, int least);

/// Returns the rank of a worker's name in kernel files: of "cpu" -1, of "cuda3" 3; nullopt for other names.
[[nodiscard]] std::optional<int> worker_rank(std::string_view worker);

/// Throws InputError, by `fail` of the value, if it is not the name of a worker.
void check_worker(JsonReader const& json, std::string_view worker);

/// The key `worker` of a timing or a history.
template <class O>
Field<O> worker_field() {
  return field<&O::worker>("worker", {rule::text("^(cpu|cuda(0|[1-9][0-9]{0,8}))$")},
                           "`cpu`, a core, or `cuda0`, `cuda1`, ..., a GPU",
                           {.missing = "cpu, cuda0, ...", .check = [](JsonReader const& json, O const& o) {
                              check_worker(json, o.worker);
                            }});
}

/// The keys of a measured duration: its mean and deviation in seconds, and how many executions they are of.
template <class O>
Fields<O> statistics_fields() {
  return {field<&O::mean>("mean_s", {rule::positive("s")}, "mean duration",
                          {.missing = "mean duration in seconds"}),
          field<&O::deviation>("deviation_s", "standard deviation of one execution"),
          field<&O::samples>("samples", {rule::integer(0, LONG_MAX, "executions")},
                             "executions that were measured")};
}

}  // namespace factosim
