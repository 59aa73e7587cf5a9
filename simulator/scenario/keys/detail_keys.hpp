#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/applications/application.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

/// How much of a run is simulated.
enum class Detail : std::uint8_t {
  tasks,   // every task
  sampled  // some windows of iterations, from which the makespan is estimated
};

struct DetailOptions {
  Detail type = Detail::tasks;
  double tolerance = 0.01;  // of sampled iterations: relative error that refining aims at
};

[[nodiscard]] std::string_view name_of(Detail detail);

/// The keys of "detail".
[[nodiscard]] ObjectKeys const& detail_table();

/// Reads "detail". Throws InputError.
[[nodiscard]] DetailOptions read_detail(JsonReader const& json);
/// Throws InputError if not every task is simulated of an application without iterations that are alike.
/// `scenario`: the whole document; `application`: null for one that is not tiled; `nested`: its tasks are split; `formats`: its
/// tiles have several formats.
void check_estimate(JsonReader const& scenario, DetailOptions const& options,
                    Application const* application = nullptr, bool nested = false, bool formats = false);
/// Returns every option with its value, including defaults.
[[nodiscard]] nlohmann::ordered_json effective_detail(DetailOptions const& options);

}  // namespace factosim
