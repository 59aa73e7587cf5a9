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
    out.push_back(
        field<&O::first_block>({.name = "first_block",
                                .value = {share},
                                .meaning = "share of all chunks in the first block of each worker"}));
  if (type == "greedy")
    out.push_back(field<&O::fixed_block>(
        {.name = "fixed_block", .value = {share}, .meaning = "share of all chunks in a block"}));
  if (type == "hdss" || type == "guided")
    out.push_back(field<&O::min_block>({.name = "least_block",
                                        .value = {rule::integer(1, 1'000'000'000'000)},
                                        .meaning = "minimum number of chunks of a block"}));
  if (type == "plb-hac")
    out.push_back(field<&O::steps>(
        {.name = "steps", .value = {rule::integer(3, 1000, "steps")}, .meaning = "steps of the main phase"}));
  return out;
}

}  // namespace

/// The keys of "balancer".
Object<BalancerOptions> const& object_of(BalancerOptions const* /*any*/) {
  static Object<BalancerOptions> const object = [] {
    std::vector<FieldVariant<BalancerOptions>> variants;
    for (std::string const& name : balancer_names())
      variants.push_back({.selector = "type", .word = name, .fields = fields_of_balancer(name)});
    return Object<BalancerOptions>(
        {.title = "balancer",
         .meaning =
             "Chooses the block sizes of a data-parallel loop (simulator/experiments/balance/README.md). "
             "Instead of the object, the name may be given.",
         .fields = {field<&BalancerOptions::type>(
             {.name = "type",
              .value = {rule::word(balancer_names())},
              .meaning = "name of the balancer",
              .missing = fmt::format("one of: {}", fmt::join(balancer_names(), ", "))})},
         .variants = std::move(variants),
         .short_form = "type"});
  }();
  return object;
}

}  // namespace factosim
