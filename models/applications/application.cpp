#include "models/applications/application.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

Flops Application::update_flops(ApplicationParameters const& parameters) const {
  auto const [costed, kinds] = factorization_kernels(parameters);
  auto const update = std::ranges::find(kinds, TaskKind::update);
  FACTOSIM_EXPECT(kinds.size() == costed.size() && update != kinds.end(), "a kernel that updates tiles");
  return costed[static_cast<std::size_t>(update - kinds.begin())].flops;
}

}  // namespace factosim
