#include <fmt/format.h>

#include "distributions/block_cyclic.hpp"
#include "simulator/scenario/placement/distribution_keys.hpp"

namespace factosim {

DistributionKind sbc_kind() {
  return {
      .name = "sbc",
      .description = "symmetric block-cyclic: least communication of Cholesky, for special numbers of nodes",
      .meaning =
          "Symmetric block-cyclic, for Cholesky on r²/2 (r even) or r(r−1)/2 nodes: (i, j) and (j, i) of an "
          "r × r pattern belong to one node.",
      .keys = {stated_key("variant", {rule::word({"basic", "extended"})}, "which of the two forms",
                          {.default_text = "the one that the number of nodes allows, `extended` first"})},
      .read = [](JsonReader const& json, DistributionContext const& context) -> DistributionMethod {
        auto const given = json.find("variant");
        std::string const variant = given ? given->one_of() : "";
        for (auto const& [kind, name] :
             {std::pair{SbcVariant::extended, "extended"}, {SbcVariant::basic, "basic"}}) {
          auto const r = sbc_size(context.nodes, kind);
          if (!r || !(variant.empty() || variant == name)) continue;
          return {
              .map = [kind = kind, name = name, r = *r](DistributionRequest const& request) -> Distribution {
                return {.map = symmetric_block_cyclic(request.nt, r, kind),
                        .description = fmt::format("symmetric block-cyclic, {}, r = {}", name, r)};
              }};
        }
        json.fail(fmt::format(
            "does not exist for {} nodes (it needs r (r - 1) / 2, \"extended\", or r r / 2 with an "
            "even r, \"basic\"). Use another number of nodes, or \"g-2dbc\"",
            context.nodes));
      }};
}

}  // namespace factosim
