#include "models/loop_kernels.hpp"
#include "platforms/platform_limits.hpp"
#include "simulator/experiments/balance/balancers.hpp"
#include "simulator/scenario/keys/loop_keys.hpp"
#include "simulator/scenario/keys/scenario.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_size = 1'000'000'000'000;

Key count(char const* name, char const* meaning, nlohmann::json otherwise = nullptr) {
  return {.name = name,
          .value = {rule::integer(1, max_size)},
          .meaning = meaning,
          .required = otherwise.is_null(),
          .default_value = std::move(otherwise)};
}

ObjectKeys const& loop_table() {
  auto const bytes = [](char const* name, char const* meaning) {
    return Key{.name = name,
               .value = {rule::non_negative("B")},
               .meaning = meaning,
               .default_value = LoopCost{}.bytes_in};
  };
  static ObjectKeys const table{
      .title = "loop",
      .meaning =
          "The loop of a data-parallel application: a built-in kernel and its sizes, or the cost of a chunk.",
      .keys = {{.name = "kernel",
                .value = {rule::text()},
                .meaning = "`matmul`, `grn`, `kmeans`, or with `chunks` any kernel of `costs`",
                .required = true}},
      .variants = {
          {.selector = "chunks",
           .word = "",
           .keys = {count("chunks", "chunks of the loop"),
                    {.name = "operations_per_chunk",
                     .value = {rule::positive("operations")},
                     .meaning = "work of a chunk",
                     .required = true},
                    bytes("bytes_in_per_chunk", "data that a chunk needs"),
                    bytes("bytes_out_per_chunk", "data that a chunk returns")},
           .meaning = "A loop that is given by the cost of a chunk."},
          {.selector = "kernel",
           .word = "matmul",
           .keys = {count("n", "rows of the matrices"), count("rows_per_chunk", "rows of a chunk", 16)},
           .meaning = "Product of square matrices."},
          {.selector = "kernel",
           .word = "grn",
           .keys = {count("genes", "genes, of which sets of three are evaluated"),
                    count("samples", "samples of each gene", 50)},
           .meaning = "Gene regulatory network."},
          {.selector = "kernel",
           .word = "kmeans",
           .keys = {count("points", "points"), count("dimensions", "dimensions of a point", 64),
                    count("clusters", "clusters"), count("points_per_chunk", "points of a chunk", 4096)},
           .meaning = "One pass of k-means."}}};
  return table;
}

ObjectKeys make_balancer_table() {
  BalancerOptions const defaults;
  ValueRule const share = rule::positive("", 1);
  Key const first{.name = "first_block",
                  .value = {share},
                  .meaning = "share of all chunks in the first block of each worker",
                  .default_value = defaults.first_block};
  Key const fixed{.name = "fixed_block",
                  .value = {share},
                  .meaning = "share of all chunks in a block",
                  .default_value = defaults.fixed_block};
  Key const least = count("least_block", "minimum number of chunks of a block", defaults.min_block);
  Key const steps{.name = "steps",
                  .value = {rule::integer(3, 1000, "steps")},
                  .meaning = "steps of the main phase",
                  .default_value = defaults.steps};
  ObjectKeys table{.title = "balancer",
                   .meaning =
                       "Chooses the block sizes of a data-parallel loop "
                       "(simulator/experiments/balance/README.md). Instead of "
                       "the object, the name may be given.",
                   .keys = {{.name = "type",
                             .value = {rule::word(balancer_names())},
                             .meaning = "name of the balancer",
                             .required = true}},
                   .variants = {}};
  for (std::string const& name : balancer_names()) {
    std::vector<Key> keys;
    if (name == "hdss" || name == "plb-hac") keys.push_back(first);
    if (name == "greedy") keys.push_back(fixed);
    if (name == "hdss" || name == "guided") keys.push_back(least);
    if (name == "plb-hac") keys.push_back(steps);
    table.variants.push_back({.selector = "type", .word = name, .keys = std::move(keys)});
  }
  return table;
}

ObjectKeys const& balancer_table() {
  static ObjectKeys const table = make_balancer_table();
  return table;
}

ObjectKeys const& event_table() {
  auto const date = [](char const* name, char const* meaning) {
    return Key{.name = name, .value = {rule::non_negative("s")}, .meaning = meaning, .required = true};
  };
  Key const at = date("at_s", "date of the event");
  static ObjectKeys const table{
      .title = "event",
      .meaning = "What happens to a worker during a data-parallel loop.",
      .keys = {{.name = "type",
                .value = {rule::word({"load", "lost", "join"})},
                .meaning = "kind of the event",
                .required = true},
               {.name = "worker",
                .value = {rule::text()},
                .meaning = "worker, such as `0:cuda0`",
                .required = true}},
      .variants = {{.selector = "type",
                    .word = "load",
                    .keys = {date("from_s", "begin of the load"),
                             {.name = "until_s",
                              .value = {rule::non_negative("s")},
                              .meaning = "end of the load, after `from_s`",
                              .default_text = "the end of the loop"},
                             {.name = "share",
                              .value = {rule::positive()},
                              .meaning = "share of the worker's speed that another program takes, below 1",
                              .required = true}},
                    .meaning = "Another program takes a share of the worker."},
                   {.selector = "type",
                    .word = "lost",
                    .keys = {at},
                    .meaning = "The worker disappears; its block is assigned again."},
                   {.selector = "type",
                    .word = "join",
                    .keys = {at},
                    .meaning = "The worker is available from then."}}};
  return table;
}

}  // namespace

std::vector<Key> loop_application_keys() {
  return {
      {.name = "loop", .value = {rule::object(loop_table)}, .meaning = "what is computed", .required = true},
      {.name = "costs",
       .value = {rule::path()},
       .meaning = "`factosim-unit-costs` file; a unit that it does not describe takes no part",
       .required = true},
      {.name = "balancer",
       .value = {rule::word(balancer_names()), rule::object(balancer_table)},
       .meaning = "algorithm that chooses the block sizes",
       .required = true},
      {.name = "master",
       .value = {rule::integer(0, static_cast<std::int64_t>(max_nodes) - 1)},
       .meaning = "node from whose RAM blocks come and to which results go",
       .default_value = 0},
      {.name = "deviation",
       .value = {rule::non_negative()},
       .meaning = "relative deviation of the time of a block; `noise` draws it",
       .default_value = 0},
      {.name = "events",
       .value = {rule::array({rule::object(event_table)})},
       .meaning = "loads, losses and arrivals of workers",
       .default_text = "none"}};
}

std::vector<Key> loop_scenario_keys() { return {platform_key(), noise_key(), network_key()}; }

}  // namespace factosim
