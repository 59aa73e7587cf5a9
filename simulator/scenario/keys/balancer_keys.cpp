#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "simulator/base/core/fields.hpp"
#include "simulator/experiments/balance/balancers.hpp"

namespace factosim {

namespace {

Fields<BalancerOptions> fields_of_balancer(std::string_view type) {
  using O = BalancerOptions;
  ValueRule const share = rule::positive("", 1);
  Fields<O> out;
  if (type == "hdss" || type == "plb-hac")
    out.push_back(field<&O::first_block>("first_block", {share},
                                         "share of all chunks in the first block of each worker"));
  if (type == "greedy")
    out.push_back(field<&O::fixed_block>("fixed_block", {share}, "share of all chunks in a block"));
  if (type == "hdss" || type == "guided")
    out.push_back(field<&O::min_block>("least_block", {rule::integer(1, 1'000'000'000'000)},
                                       "minimum number of chunks of a block"));
  if (type == "plb-hac")
    out.push_back(field<&O::steps>("steps", {rule::integer(3, 1000, "steps")}, "steps of the main phase"));
  return out;
}

}  // namespace

/// The keys of "balancer".
Object<BalancerOptions> const& object_of(BalancerOptions const* /*any*/) {
  static Object<BalancerOptions> const object = [] {
    std::vector<FieldVariant<BalancerOptions>> variants;
    for (std::string const& name : balancer_names())
      variants.push_back({"type", name, "", fields_of_balancer(name)});
    return Object<BalancerOptions>(
        "balancer",
        "Chooses the block sizes of a data-parallel loop (simulator/experiments/balance/README.md). "
        "Instead of the object, the name may be given.",
        {field<&BalancerOptions::type>(
            "type", {rule::word(balancer_names())}, "name of the balancer",
            {.missing = fmt::format("one of: {}", fmt::join(balancer_names(), ", "))})},
        std::move(variants), "type");
  }();
  return object;
}

}  // namespace factosim
