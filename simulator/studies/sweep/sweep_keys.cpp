#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/studies/sweep/sweep_space.hpp"

namespace factosim {

namespace {

/// A name that is a JSON pointer into a scenario.
constexpr char const* pointer_pattern = "^/";
constexpr std::int64_t max_count = 1'000'000;  // of nodes

ObjectKeys const& range_table() {
  static ObjectKeys const table{
      .title = "range",
      .meaning = "Values from a first to a last one, by a step or by a factor.",
      .keys = {{.name = "from", .value = {rule::any_number()}, .meaning = "first value", .required = true},
               {.name = "to", .value = {rule::any_number()}, .meaning = "last value", .required = true},
               {.name = "step", .value = {rule::positive()}, .meaning = "difference", .default_value = 1},
               {.name = "factor",
                .value = {rule::positive()},
                .meaning = "ratio, above 1; instead of `step`",
                .default_text = "none"}}};
  return table;
}

ObjectKeys const& node_set_table() {
  ValueRule const count = rule::integer(0, max_count, "nodes");
  static ObjectKeys const table{
      .title = "nodes of a sweep",
      .meaning = "Numbers of nodes of one type; those of several types go pairwise.",
      .keys = {{.name = "type", .value = {rule::text()}, .meaning = "name of a node type", .required = true},
               {.name = "count",
                .value = {count, rule::array({count}, 1), rule::object(range_table)},
                .meaning = "one number or several; 0 leaves the type out",
                .required = true}}};
  return table;
}

Key nodes_key() {
  return {.name = "nodes",
          .value = {rule::array({rule::object(node_set_table)}, 1)},
          .meaning = "types of nodes and their numbers",
          .required = true};
}

ObjectKeys const& choice_table() {
  static ObjectKeys const table{
      .title = "listed point",
      .meaning = "Values of keys, by JSON pointer, and labels.",
      .keys = {{.name = "labels",
                .value = {rule::map({rule::text(), rule::any_number(), rule::boolean(), rule::null()})},
                .meaning = "further columns of the table",
                .default_text = "none"}},
      .variants = {
          {.selector = "", .word = "", .other_names = pointer_pattern, .others = {rule::any()}}}};
  return table;
}

Key combine_key() {
  return {.name = "combine",
          .value = {rule::word({"zip", "product"})},
          .meaning =
              "how lists of counts of several types go together: pairwise (`zip`), or all with all, without "
              "the set of no node",
          .default_value = "zip"};
}

ObjectKeys const& strong_scaling_table() {
  static ObjectKeys const table{.title = "strong_scaling",
                                .meaning = "Sets of nodes, for one problem.",
                                .keys = {nodes_key(), combine_key()}};
  return table;
}

ObjectKeys const& weak_scaling_table() {
  static ObjectKeys const table{
      .title = "weak_scaling",
      .meaning = "Sets of nodes, for problems that grow with them.",
      .keys = {nodes_key(),
               combine_key(),
               {.name = "nt",
                .value = {rule::integer(1, 100'000, "tiles")},
                .meaning = "tiles in a row with the first set",
                .required = true},
               {.name = "constant",
                .value = {rule::word({"memory", "work"})},
                .meaning =
                    "what stays the same for each node: nt² (`memory`) or nt³ (`work`) divided by the nodes",
                .default_value = "memory"}}};
  return table;
}

}  // namespace

ObjectKeys const& sweep_space_table() {
  auto const only = [](char const* name, ValueRule value, char const* meaning) {
    return ObjectKeys::Variant{
        .selector = name,
        .word = "",
        .keys = {{.name = name, .value = {std::move(value)}, .meaning = meaning, .required = true}},
        .meaning = ""};
  };
  ValueRule const parts = rule::array({rule::object(sweep_space_table)}, 1);
  static ObjectKeys const table{
      .title = "points",
      .meaning =
          "Points of a sweep: one of these keys alone, or JSON pointers with their values, of which every "
          "combination is a point. Values are a list or a range; `{\"label\", \"value\"}` has a name in "
          "tables.",
      .variants = {
          only("product", parts, "every combination, the last part varies fastest"),
          only("chain", parts, "the points of the first, then of the second, ..."),
          only("zip", parts, "the first of each, the second of each, ..."),
          only("list", rule::array({rule::object(choice_table)}, 1), "these points"),
          only("strong_scaling", rule::object(strong_scaling_table), "numbers of nodes"),
          only("weak_scaling", rule::object(weak_scaling_table), "numbers of nodes, and a growing matrix"),
          {.selector = "",
           .word = "",
           .meaning = "JSON pointers.",
           .other_names = pointer_pattern,
           .others = {rule::array({rule::any()}, 1), rule::object(range_table)}}}};
  return table;
}

namespace {

constexpr NamedValues<bool, 2> plot_kinds{"kind of a plot", {{{false, "lines"}, {true, "heat-map"}}}};

}  // namespace

Object<SweepPlot> const& object_of(SweepPlot const* /*any*/) {
  using O = SweepPlot;
  static Object<O> const object(
      {.title = "plot",
       .meaning = "A figure of a sweep, with `--report`.",
       .fields = {
           field<&O::x>({.name = "x",
                         .meaning = "column of the horizontal axis",
                         .missing = "a column"}),
           field<&O::y>({.name = "y",
                         .meaning = "column of the vertical axis",
                         .missing = "a column"}),
           field<&O::series>({.name = "series",
                              .meaning = "column with a curve for each value; of a heat map the other axis"}),
           field<&O::heat_map, plot_kinds>({.name = "kind", .meaning = "kind of the figure"})}});
  return object;
}

static Object<SweepComparison> const& object_of(SweepComparison const* /*any*/) {
  using O = SweepComparison;
  static Object<O> const object(
      {.title = "comparison",
       .meaning = "Values of a column against one of them.",
       .fields = {field<&O::of>({.name = "of",
                                 .meaning = "column whose values compete",
                                 .missing = "the column whose values compete"}),
                  field<&O::baseline>({.name = "baseline",
                                       .meaning = "one of them",
                                       .missing = "one of these values"}),
                  field<&O::x>({.name = "x",
                                .meaning = "column of numbers",
                                .missing = "a column of numbers"}),
                  field<&O::metric>({.name = "metric", .meaning = "column that is compared"})}});
  return object;
}

Object<Sweep> const& object_of(Sweep const* /*any*/) {
  using O = Sweep;
  static Object<O> const object(
      {.title = "sweep",
       .meaning = "Simulations of one scenario with many values of its keys. `factosim-sweep`, version 1.",
       .fields =
           fields_of_file<O>("factosim-sweep") +
           Fields<O>{
               field<&O::name>({.name = "name", .meaning = "free text", .default_text = "the file's name"}),
               field<O>(
                   {.name = "scenario",
                    .value = {rule::path(), rule::map({rule::any()})},
                    .meaning = "path of a scenario, or a scenario, whose paths start from the sweep's folder",
                    .missing = "a path, or a whole scenario"}),
               field<O>({.name = "set",
                         .value = {rule::map({rule::any()}, pointer_pattern)},
                         .meaning = "values of keys, by JSON pointer, for all points; `null` removes a key",
                         .default_text = "none"}),
               field<O>({.name = "points",
                         .value = {rule::object(sweep_space_table)},
                         .meaning = "which keys take which values",
                         .required = true}),
               field<O>({.name = "filters",
                         .value = {rule::array({rule::array({rule::any()}, 1)})},
                         .meaning = "conditions that all points must meet (scenarios/sweeps.md)",
                         .default_text = "none"}),
               field<&O::replicas>(
                   {.name = "replicas",
                    .value = {rule::integer(1, 1'000'000)},
                    .meaning = "simulations of each point, with the seeds that follow its own"}),
               field<&O::max_points>({.name = "max_points",
                                      .value = {rule::integer(1, INT64_MAX, "points")},
                                      .meaning = "a sweep with more points is refused"}),
               field<&O::comparisons>(
                   {.name = "comparisons", .meaning = "tables of ratios", .default_text = "none"}),
               field<&O::plots>({.name = "plots",
                                 .meaning = "figures of the report",
                                 .default_text = "the usual ones"})}});
  return object;
}

ObjectKeys const& sweep_table() { return table_of<Sweep>(); }

}  // namespace factosim
