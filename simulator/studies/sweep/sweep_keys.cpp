#include "simulator/studies/sweep/sweep.hpp"
#include "simulator/studies/sweep/sweep_space.hpp"

namespace factosim {

namespace {

/// A name that is a JSON pointer into a scenario.
constexpr char const* pointer_pattern = "^/";
constexpr std::int64_t max_count = 1'000'000;  // of nodes

ObjectKeys const& range_table() {
  static ObjectKeys const table{"range",
                                "Values from a first to a last one, by a step or by a factor.",
                                {stated_key("from", {rule::any_number()}, "first value", {.required = true}),
                                 stated_key("to", {rule::any_number()}, "last value", {.required = true}),
                                 stated_key("step", {rule::positive()}, "difference", {.default_value = 1}),
                                 stated_key("factor", {rule::positive()}, "ratio, above 1; instead of `step`",
                                            {.default_text = "none"})}};
  return table;
}

ObjectKeys const& node_set_table() {
  ValueRule const count = rule::integer(0, max_count, "nodes");
  static ObjectKeys const table{
      "nodes of a sweep",
      "Numbers of nodes of one type; those of several types go pairwise.",
      {stated_key("type", {rule::text()}, "name of a node type", {.required = true}),
       stated_key("count", {count, rule::array({count}, 1), rule::object(range_table)},
                  "one number or several; 0 leaves the type out", {.required = true})}};
  return table;
}

Key nodes_key() {
  return stated_key("nodes", {rule::array({rule::object(node_set_table)}, 1)},
                    "types of nodes and their numbers", {.required = true});
}

ObjectKeys const& choice_table() {
  static ObjectKeys const table{
      "listed point",
      "Values of keys, by JSON pointer, and labels.",
      {stated_key("labels", {rule::map({rule::text(), rule::any_number(), rule::boolean(), rule::null()})},
                  "further columns of the table", {.default_text = "none"})},
      {{"", "", {}, "", pointer_pattern, {rule::any()}}}};
  return table;
}

Key combine_key() {
  return stated_key(
      "combine", {rule::word({"zip", "product"})},
      "how lists of counts of several types go together: pairwise (`zip`), or all with all, without "
      "the set of no node",
      {.default_value = "zip"});
}

ObjectKeys const& strong_scaling_table() {
  static ObjectKeys const table{
      "strong_scaling", "Sets of nodes, for one problem.", {nodes_key(), combine_key()}};
  return table;
}

ObjectKeys const& weak_scaling_table() {
  static ObjectKeys const table{
      "weak_scaling",
      "Sets of nodes, for problems that grow with them.",
      {nodes_key(), combine_key(),
       stated_key("nt", {rule::integer(1, 100'000, "tiles")}, "tiles in a row with the first set",
                  {.required = true}),
       stated_key("constant", {rule::word({"memory", "work"})},
                  "what stays the same for each node: nt² (`memory`) or nt³ (`work`) divided by the nodes",
                  {.default_value = "memory"})}};
  return table;
}

constexpr NamedValues<bool, 2> plot_kinds{"kind of a plot", {{{false, "lines"}, {true, "heat-map"}}}};

}  // namespace

ObjectKeys const& sweep_space_table() {
  auto const only = [](char const* name, ValueRule value, char const* meaning) {
    return ObjectKeys::Variant{
        name, "", {stated_key(name, {std::move(value)}, meaning, {.required = true})}, ""};
  };
  ValueRule const parts = rule::array({rule::object(sweep_space_table)}, 1);
  static ObjectKeys const table{
      "points",
      "Points of a sweep: one of these keys alone, or JSON pointers with their values, of which every "
      "combination is a point. Values are a list or a range; `{\"label\", \"value\"}` has a name in "
      "tables.",
      {},
      {only("product", parts, "every combination, the last part varies fastest"),
       only("chain", parts, "the points of the first, then of the second, ..."),
       only("zip", parts, "the first of each, the second of each, ..."),
       only("list", rule::array({rule::object(choice_table)}, 1), "these points"),
       only("strong_scaling", rule::object(strong_scaling_table), "numbers of nodes"),
       only("weak_scaling", rule::object(weak_scaling_table), "numbers of nodes, and a growing matrix"),
       {"",
        "",
        {},
        "JSON pointers.",
        pointer_pattern,
        {rule::array({rule::any()}, 1), rule::object(range_table)}}}};
  return table;
}

Object<SweepPlot> const& object_of(SweepPlot const* /*any*/) {
  using O = SweepPlot;
  static Object<O> const object(
      "plot", "A figure of a sweep, with `--report`.",
      {field<&O::x>("x", "column of the horizontal axis", {.missing = "a column"}),
       field<&O::y>("y", "column of the vertical axis", {.missing = "a column"}),
       field<&O::series>("series", "column with a curve for each value; of a heat map the other axis"),
       field<&O::heat_map, plot_kinds>("kind", "kind of the figure")});
  return object;
}

static Object<SweepComparison> const& object_of(SweepComparison const* /*any*/) {
  using O = SweepComparison;
  static Object<O> const object(
      "comparison", "Values of a column against one of them.",
      {field<&O::of>("of", "column whose values compete", {.missing = "the column whose values compete"}),
       field<&O::baseline>("baseline", "one of them", {.missing = "one of these values"}),
       field<&O::x>("x", "column of numbers", {.missing = "a column of numbers"}),
       field<&O::metric>("metric", "column that is compared")});
  return object;
}

Object<Sweep> const& object_of(Sweep const* /*any*/) {
  using O = Sweep;
  static Object<O> const object(
      "sweep", "Simulations of one scenario with many values of its keys. `factosim-sweep`, version 1.",
      fields_of_file<O>("factosim-sweep") +
          Fields<O>{field<&O::name>("name", "free text", {.default_text = "the file's name"}),
                    field<O>("scenario", {rule::path(), rule::map({rule::any()})},
                             "path of a scenario, or a scenario, whose paths start from the sweep's folder",
                             {.missing = "a path, or a whole scenario"}),
                    field<O>("set", {rule::map({rule::any()}, pointer_pattern)},
                             "values of keys, by JSON pointer, for all points; `null` removes a key",
                             {.default_text = "none"}),
                    field<O>("points", {rule::object(sweep_space_table)}, "which keys take which values",
                             {.required = true}),
                    field<O>("filters", {rule::array({rule::array({rule::any()}, 1)})},
                             "conditions that all points must meet (scenarios/sweeps.md)",
                             {.default_text = "none"}),
                    field<&O::replicas>("replicas", {rule::integer(1, 1'000'000)},
                                        "simulations of each point, with the seeds that follow its own"),
                    field<&O::max_points>("max_points", {rule::integer(1, INT64_MAX, "points")},
                                          "a sweep with more points is refused"),
                    field<&O::comparisons>("comparisons", "tables of ratios", {.default_text = "none"}),
                    field<&O::plots>("plots", "figures of the report", {.default_text = "the usual ones"})});
  return object;
}

ObjectKeys const& sweep_table() { return table_of<Sweep>(); }

}  // namespace factosim
