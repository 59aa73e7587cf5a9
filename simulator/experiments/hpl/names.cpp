#include "simulator/experiments/hpl/names.hpp"

#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr NamedValues<HplBroadcast, 6> broadcasts{.what = "broadcast of HPL",
                                                  .values = {{{HplBroadcast::ring_1, "1ring"},
                                                              {HplBroadcast::ring_1_modified, "1ringM"},
                                                              {HplBroadcast::ring_2, "2ring"},
                                                              {HplBroadcast::ring_2_modified, "2ringM"},
                                                              {HplBroadcast::long_, "long"},
                                                              {HplBroadcast::long_modified, "longM"}}}};
constexpr NamedValues<HplSwap, 3> swaps{
    .what = "swap of HPL",
    .values = {
        {{HplSwap::binary_exchange, "binary-exchange"}, {HplSwap::long_, "long"}, {HplSwap::mix, "mix"}}}};
constexpr NamedValues<HplMapping, 2> mappings{
    .what = "mapping of HPL",
    .values = {{{HplMapping::row_major, "row-major"}, {HplMapping::column_major, "column-major"}}}};
constexpr NamedValues<HplDetail, 2> details{
    .what = "detail of HPL", .values = {{{HplDetail::steps, "steps"}, {HplDetail::messages, "messages"}}}};

}  // namespace

std::string_view name_of(HplBroadcast broadcast) { return broadcasts.name_of(broadcast); }
std::string_view name_of(HplSwap swap) { return swaps.name_of(swap); }
std::string_view name_of(HplMapping mapping) { return mappings.name_of(mapping); }
std::string_view name_of(HplDetail detail) { return details.name_of(detail); }

std::vector<std::string> hpl_broadcast_names() { return broadcasts.names(); }
std::vector<std::string> hpl_swap_names() { return swaps.names(); }
std::vector<std::string> hpl_mapping_names() { return mappings.names(); }
std::vector<std::string> hpl_detail_names() { return details.names(); }

HplBroadcast hpl_broadcast(std::string_view name) { return broadcasts.named(name); }
HplSwap hpl_swap(std::string_view name) { return swaps.named(name); }
HplMapping hpl_mapping(std::string_view name) { return mappings.named(name); }
HplDetail hpl_detail(std::string_view name) { return details.named(name); }

}  // namespace factosim
