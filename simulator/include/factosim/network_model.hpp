#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// Models of how transfers share links.
enum class NetworkModel {
  simgrid,  // SimGrid's flows; at most one simulation in a process
  maxmin,   // max-min fairness, exact, without a library
  constant  // no sharing
};

/// SimGrid, unless factosim was built without it: then max-min fairness.
[[nodiscard]] NetworkModel default_network_model();

[[nodiscard]] std::string_view name_of(NetworkModel model);
[[nodiscard]] std::vector<std::string> network_model_names();
/// Throws std::out_of_range for an unknown name.
[[nodiscard]] NetworkModel network_model(std::string_view name);

}  // namespace factosim
