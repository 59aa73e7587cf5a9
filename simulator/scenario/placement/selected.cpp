#include <fmt/format.h>

#include "distributions/selected_map.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind selected_kind() {
  return {
      .name = "1d1d-l",
      .description = "1d1d-c+s with the number of nodes, columns and sections that simulations find best",
      .meaning =
          "1Dx1D-L: of 1Dx1D-C+S with other numbers of nodes, columns, sections and shuffles, and of "
          "regular maps, the one that simulations find best.",
      .keys =
          joined(cost_keys(),
                 {stated_key("simulations", {rule::integer(0, 100'000, "simulations")},
                             "candidates that are simulated, on fewer tiles if the matrix is large; "
                             "0, or without a platform: a closed form decides",
                             {.default_text = "as many as have 2.5 million tasks together, but 24 to 100"})}),
      .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
        constexpr int maximum = 2000;
        if (context.nodes > maximum)
          json.fail(fmt::format(
              "is made for {} nodes (it compares maps by their messages; {} are the most). Use \"1d1d-c+s\"",
              context.nodes, maximum));
        GivenCosts const costs = read_costs(json, context);
        std::optional<int> simulations;  // none: a number that costs seconds
        if (auto const given = json.find("simulations")) simulations = static_cast<int>(given->integer());
        return {.map = [=](DistributionRequest const& request) -> Distribution {
          return {.map = selected_map(request.nt, request.factorization, costs_of_nodes(request, costs),
                                      judge_among(request), simulations)
                             .map,
                  .description = "1Dx1D-L"};
        }};
      }};
}

}  // namespace factosim
