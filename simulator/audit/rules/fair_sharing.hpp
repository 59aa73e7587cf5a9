#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace factosim::audit {

/// A transfer over links with a given start. Crosses a link as often as it is listed.
struct Flow {
  double start_s = 0;  // of the first byte, after all latencies
  double bytes = 0;
  double weight = 1;                   // share of a link relative to other flows
  double limit_Bps = 0;                // of its own, by links that are not shared; infinite: none
  std::vector<std::uint32_t> links{};  // shared ones
};

/// Returns when each flow ends if links are shared max-min fairly: rates are filled up alike, in proportion to the
/// weights, until a link is full; its flows keep their rates, and the others are filled further.
///
/// A plain second implementation of the definition (Bertsekas and Gallager, Data Networks, 6.5.2): after each start
/// and end the flows that are connected to the change by links are filled anew, from nothing.
/// O(flows x (connected flows x links)).
[[nodiscard]] std::vector<double> fair_ends(std::span<Flow const> flows,
                                            std::span<double const> capacity_Bps);

}  // namespace factosim::audit
