#include <string>
#include <utility>

#include "platforms/platform_limits.hpp"
#include "simulator/scenario/keys/distribution_keys.hpp"
#include "simulator/scenario/keys/plugin_keys.hpp"

namespace factosim {

namespace {

constexpr std::int64_t max_tiles = 5000;  // in a row

ObjectKeys const& generation_table();
ObjectKeys const& layer_table();

/// What a table of a distribution is for.
enum class Role { main, generation, layer };

ObjectKeys const& panel_table() {
  static ObjectKeys const table{.title = "panel",
                                .meaning = "Period of a map.",
                                .keys = {{.name = "rows",
                                          .value = {rule::integer(1, 1'000'000, "tiles")},
                                          .meaning = "period of the rows",
                                          .required = true},
                                         {.name = "columns",
                                          .value = {rule::integer(1, 1'000'000, "tiles")},
                                          .meaning = "period of the columns",
                                          .required = true}}};
  return table;
}

ObjectKeys const& drawn_times_table() {
  static ObjectKeys const table{
      .title = "cycle_times",
      .meaning = "Cycle-times drawn from ]0, 1].",
      .keys = {
          {.name = "random", .value = {rule::integer(0, INT64_MAX)}, .meaning = "seed", .required = true}}};
  return table;
}

ValueRule numbers(std::string unit) { return rule::array({rule::positive(std::move(unit))}, 1); }

ValueRule target_rule() { return rule::array({rule::integer(0, max_tiles * max_tiles, "tiles")}, 1); }

Key speeds_key() {
  return {
      .name = "speeds",
      .value = {rule::word({"gemm"}), numbers("")},
      .meaning =
          "shares of the matrix: one number per node, or `gemm`, the total rate of the node's workers on the "
          "update",
      .default_value = "gemm"};
}

Key tie_key() {
  return {.name = "tie",
          .value = {rule::word({"highest", "lowest"})},
          .meaning = "index of the node that is taken among those that would finish at the same time",
          .default_value = "highest"};
}

std::vector<Key> grid_keys() {
  ValueRule const side = rule::integer(1, max_nodes, "nodes");
  return {{.name = "p",
           .value = {side},
           .meaning = "rows of the grid",
           .default_text = "most square grid, p ≤ q"},
          {.name = "q",
           .value = {side},
           .meaning = "columns of the grid",
           .default_text = "most square grid, p ≤ q"}};
}

Key panel_key() {
  return {.name = "panel",
          .value = {rule::object(panel_table)},
          .meaning = "period of the map in tiles",
          .default_text = "the whole matrix"};
}

std::vector<Key> cost_keys() {
  return {
      {.name = "rates",
       .value = {rule::word({"gemm"}), numbers("flop/s")},
       .meaning = "rates for sections and loads: one number per node, or `gemm`, from the kernels' timings",
       .default_value = "gemm"},
      {.name = "transfer_s",
       .value = {rule::non_negative("s")},
       .meaning = "time of one tile between two nodes, for the critical-path bound",
       .default_text = "single transfer over the slower network card"}};
}

std::vector<Key> constrained_keys() { return joined({speeds_key(), tie_key()}, cost_keys()); }

std::vector<Key> shuffled_keys() {
  ShuffleOptions const defaults;
  return joined(
      constrained_keys(),
      {{.name = "threshold_s",
        .value = {rule::positive("s")},
        .meaning = "maximum difference of balanced loads",
        .default_text = "6.3 updates of a tile on the slowest node"},
       {.name = "smaller_tiles",
        .value = {rule::boolean()},
        .meaning = "if the right-bottom-most tile is too large to move, try the next ones",
        .default_value = defaults.smaller_tiles},
       {.name = "rounds",
        .value = {rule::integer(0, 1000, "shuffles")},
        .meaning = "shuffles: the first over the section with the most work, each further one at the maximum "
                   "difference of cumulative loads",
        .default_value = defaults.rounds}});
}

std::vector<Key> selection_keys() {
  return joined(cost_keys(),
                {{.name = "simulations",
                  .value = {rule::integer(0, 100'000, "simulations")},
                  .meaning = "candidates that are simulated, on fewer tiles if the matrix is large; 0, or without a "
                             "platform: a closed form decides",
                  .default_text = "as many as have 2.5 million tasks together, but 24 to 100"}});
}

std::vector<Key> het_grid_keys() {
  return joined(
      grid_keys(),
      {{.name = "cycle_times",
        .value = {rule::array({rule::positive("s"), numbers("s")}, 1), rule::object(drawn_times_table)},
        .meaning = "time of one update: one number per node, in one list or in a list per row of the grid; "
                   "the fastest "
                   "p q nodes are used",
        .default_text = "one over `speeds`"},
       speeds_key(),
       {.name = "method",
        .value = {rule::word(names_of(grid_methods))},
        .meaning = "`exchanges`: local search; `exact`, up to 20 places; `heuristic`: of the paper; "
                   "`as-given`: nodes "
                   "row by row, optimal shares",
        .default_value = grid_methods.front().name},
       panel_key(),
       {.name = "order",
        .value = {rule::word({"consecutive", "one-dimensional"})},
        .meaning = "of the rows and columns in a panel: `one-dimensional` balances the trailing matrix of a "
                   "factorization",
        .default_text = "`one-dimensional`; `consecutive` with `gemm`"}});
}

std::vector<Key> layers_keys() {
  return {
      {.name = "layers",
       .value = {rule::integer(1, 1000, "layers")},
       .meaning = "number of layers",
       .required = true},
      {.name = "layer",
       .value = {rule::object(layer_table), rule::array({rule::object(layer_table)}, 1)},
       .meaning = "distribution of each layer among its nodes: one for all, or one a layer; lists of numbers "
                  "are by the nodes of the layer",
       .default_text = "block-cyclic on the most square grid"},
      {.name = "nodes",
       .value = {rule::array({rule::array({rule::integer(0, max_nodes - 1)}, 1)}, 1)},
       .meaning = "node numbers of each layer",
       .default_text = "the nodes of each type are dealt to the layers in turn"},
      {.name = "shares",
       .value = {numbers("")},
       .meaning = "parts of the iterations, one number a layer",
       .default_text = "total rates of the layers' nodes on the update"},
      {.name = "consecutive",
       .value = {rule::integer(1, max_tiles, "iterations")},
       .meaning = "iterations in a row on one layer",
       .default_value = 1},
      {.name = "panels",
       .value = {rule::word({"own"}), rule::integer(0, 999)},
       .meaning = "layer of the panels: that of the iteration (`own`), or the number of one layer for all",
       .default_value = "own"},
      {.name = "addition_Bps",
       .value = {rule::positive("B/s")},
       .meaning = "bytes that a core reads and writes while it adds two tiles, where the machine has no "
                  "timing of `tile_add`; an estimate",
       .default_value = default_addition_Bps}};
}

/// Returns the table of "distribution", of a layer, or of its "generation", in which "redistribute" starts from the map of
/// the distribution.
ObjectKeys make_distribution_table(std::string title, std::string meaning, Role role) {
  bool const of_generation = role == Role::generation;
  ObjectKeys table{.title = std::move(title), .meaning = std::move(meaning), .keys = {}, .variants = {}};
  table.keys = {{.name = "type",
                 .value = {rule::word(distribution_names()), plugin_rule()},
                 .meaning = "name of the distribution, or path of a shared library that offers one",
                 .required = true}};
  Key const generation{.name = "generation",
                       .value = {rule::object(generation_table)},
                       .meaning = "distribution of the tiles while they are generated, for `exageostat`",
                       .default_text = "the same as of the factorization"};
  auto const add = [&](char const* name, char const* about, std::vector<Key> keys, char const* source = "") {
    for (Key& key : keys)
      if (key.source.empty()) key.source = source;
    if (role == Role::main || (of_generation && std::string_view(name) != "redistribute"))
      keys.push_back(generation);
    table.variants.push_back({.selector = "type", .word = name, .keys = std::move(keys), .meaning = about});
  };
  Key const target{.name = "target",
                   .value = {target_rule()},
                   .meaning = "tiles of the lower triangle, for each node",
                   .required = true};
  add("block-cyclic", "Tile (m, n) on node (m mod p) q + (n mod q).", grid_keys());
  add("1d1d",
      "1Dx1D: the unit square is cut by speeds and its borders are extended; Algorithm 1 distributes rows "
      "and columns.",
      {speeds_key(),
       tie_key(),
       {.name = "partition",
        .value = {rule::word({"columns", "nagamochi-abe"})},
        .meaning = "of the unit square: into columns, or Nagamochi and Abe's",
        .default_value = "columns"}},
      "ICPADS 2020");
  add("1d1d-c", "1Dx1D-C: few nodes at the end of the factorization, more in each earlier section.",
      constrained_keys(), "ICPADS 2020");
  add("1d1d-c+s", "1Dx1D-C+S: moves tiles afterwards until the largest section is balanced.", shuffled_keys(),
      "ICPADS 2020");
  add("1d1d-l",
      "1Dx1D-L: of 1Dx1D-C+S with other numbers of nodes, columns, sections and shuffles, and of regular maps, "
      "the one that simulations find best.",
      selection_keys());
  add("het-grid",
      "Heterogeneous grid: nodes are arranged by speed; rows and columns of tiles in proportion to the "
      "shares of the "
      "rows and columns of the grid.",
      het_grid_keys(), "IPDPS 2000");
  add("kalinov-lastovetsky",
      "Heterogeneous block-cyclic: columns of tiles in proportion to the speed of each grid column, rows "
      "within a grid "
      "column in proportion to the speeds of its nodes.",
      joined(grid_keys(), {speeds_key(), panel_key()}), "Kalinov and Lastovetsky");
  add("sbc",
      "Symmetric block-cyclic, for Cholesky on r²/2 (r even) or r(r−1)/2 nodes: (i, j) and (j, i) of an r × "
      "r pattern "
      "belong to one node.",
      {{.name = "variant",
        .value = {rule::word({"basic", "extended"})},
        .meaning = "which of the two forms",
        .default_text = "the one that the number of nodes allows, `extended` first"}});
  add("g-2dbc",
      "Block-cyclic generalised to any number of equal nodes: a row plus a column has about 2√P nodes.", {});
  add("triangle-blocks",
      "Triangle blocks, for Cholesky and SYRK on q(q + 1) or q(q + 1) + 1 nodes, q prime: nodes are the "
      "lines of a "
      "plane, rows its points.",
      {}, "SPAA 2022, SPAA 2023");
  if (role == Role::main)
    add("layers",
        "2.5D: layers of nodes compute the updates of different iterations, in partial sums that are added "
        "up "
        "before the panel of a tile.",
        layers_keys(), "Euro-Par 2011, SC 2022");
  add("file", "A map in Chameleon's text format: line 1 `M N`, then M lines of N node numbers from 1.",
      {{.name = "file", .value = {rule::path()}, .meaning = "the map", .required = true}});
  std::vector<Key> redistribution{target};
  if (!of_generation)
    redistribution.push_back(
        {.name = "from",
         .value = {rule::array(
             {rule::array({rule::integer(-1, static_cast<std::int64_t>(max_nodes) - 1)}, 1)}, 1)},
         .meaning = "[nt][nt] node numbers; -1 above the diagonal where nothing is stored",
         .required = true});
  add("redistribute",
      of_generation ? "Algorithm 2: the map nearest to that of the distribution with the given number of "
                      "tiles per node."
                    : "Algorithm 2: the map nearest to `from` with the given number of tiles of the lower "
                      "triangle per node.",
      redistribution, "ICPP 2021, Algorithm 2");
  add("lp-multiphase",
      "`exageostat`: loads of both phases by linear program, factorization 1Dx1D, generation by Algorithm 2.",
      {{.name = "factorization",
        .value = {rule::word({"all", "gpu-nodes"})},
        .meaning = "nodes of the factorization",
        .default_value = "all"},
       tie_key()},
      "ICPP 2021, section 4.3");
  table.variants.push_back(
      plugin_variant("A distribution of your own, with its own keys: see `scenarios/guide/extend.md`."));
  table.variants.back().keys.push_back(generation);
  return table;
}

ObjectKeys const& generation_table() {
  static ObjectKeys const table = make_distribution_table(
      "generation", "The distribution of the tiles of `exageostat` while they are generated.",
      Role::generation);
  return table;
}

ObjectKeys const& layer_table() {
  static ObjectKeys const table =
      make_distribution_table("layer", "The distribution of a layer among its nodes.", Role::layer);
  return table;
}

}  // namespace

ObjectKeys const& distribution_table() {
  static ObjectKeys const table = make_distribution_table(
      "distribution", "The owner of each tile; by default block-cyclic on the most square grid of all nodes.",
      Role::main);
  return table;
}

}  // namespace factosim
