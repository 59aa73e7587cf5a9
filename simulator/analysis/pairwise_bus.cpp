#include "simulator/analysis/pairwise_bus.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"
#include "platforms/bus_prediction.hpp"

namespace factosim {

Bus pairwise_bus(std::size_t memories,
                 std::function<std::optional<LinkRate>(std::size_t, std::size_t)> const& link) {
  Bus bus;
  if (memories == 1) return bus;
  bus.routes.resize(memories * memories);
  for (std::size_t from = 0; from < memories; ++from)
    for (std::size_t to = 0; to < memories; ++to) {
      if (from == to) continue;
      auto const rate = link(from, to);
      FACTOSIM_EXPECT(rate || (from != 0 && to != 0), "the RAM is joined with all other memory nodes");
      if (!rate) continue;
      bus.routes[from * memories + to] = {static_cast<std::uint32_t>(bus.links.size())};
      bus.links.push_back({fmt::format("{}-{}", from, to), *rate});
    }
  bus.predicted = predict_from_routes(bus, memories);
  return bus;
}

}  // namespace factosim
