#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "simulator/experiments/hpl/hpl_scenario.hpp"

namespace factosim {

[[nodiscard]] std::string_view name_of(HplBroadcast broadcast);
[[nodiscard]] std::string_view name_of(HplSwap swap);
[[nodiscard]] std::string_view name_of(HplMapping mapping);
[[nodiscard]] std::string_view name_of(HplDetail detail);

[[nodiscard]] std::vector<std::string> hpl_broadcast_names();
[[nodiscard]] std::vector<std::string> hpl_swap_names();
[[nodiscard]] std::vector<std::string> hpl_mapping_names();
[[nodiscard]] std::vector<std::string> hpl_detail_names();

/// Throw std::out_of_range for a name that is not listed.
[[nodiscard]] HplBroadcast hpl_broadcast(std::string_view name);
[[nodiscard]] HplSwap hpl_swap(std::string_view name);
[[nodiscard]] HplMapping hpl_mapping(std::string_view name);
[[nodiscard]] HplDetail hpl_detail(std::string_view name);

}  // namespace factosim
