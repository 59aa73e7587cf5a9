
#include <climits>

#include "models/applications/registry.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/format_keys.hpp"
#include "simulator/scenario/keys/graph_keys.hpp"

namespace factosim {

namespace {

ValueRule rule_of(ApplicationKey const& key) {
  if (std::holds_alternative<bool>(key.default_value)) return rule::boolean();
  if (std::holds_alternative<std::int64_t>(key.default_value)) return rule::integer(1, key.maximum);
  if (std::holds_alternative<double>(key.default_value)) return rule::positive();
  return rule::word(key.choices);
}

ObjectKeys const& nested_table() {
  static ObjectKeys const table{
      .title = "nested_tasks",
      .meaning = "Tasks that are replaced, before the run, by the same computation on parts of their tiles.",
      .keys = {{.name = "tile",
                .value = {rule::integer(1, 1'000'000, "rows")},
                .meaning = "rows of a part; the kernel file has timings of this size too",
                .default_text = "as `split` says"},
               {.name = "split",
                .value = {rule::integer(2, 64, "parts")},
                .meaning = "parts of a tile in each direction, instead of `tile`",
                .default_text = "`nb` / `tile`",
                .source = "PaRSEC, parsec_recursivecall"}}};
  return table;
}

/// Returns the keys of a factorization or a product on tiles.
std::vector<Key> tiled_keys(Application const& app) {
  std::vector<Key> keys{{.name = "nt",
                         .value = {rule::integer(1, 5000, "tiles")},
                         .meaning = "tiles in a row of the matrix",
                         .required = true},
                        {.name = "nb",
                         .value = {rule::integer(1, 1'000'000, "rows")},
                         .meaning = "rows of a tile; the kernel file has timings of this size, or rates",
                         .required = true},
                        {.name = "precision",
                         .value = {rule::word(names_of(precisions))},
                         .meaning = "of the elements; the kernel file has timings of it",
                         .default_value = name_of(ApplicationParameters{}.precision)},
                        {.name = "variant",
                         .value = {rule::word(app.variants)},
                         .meaning = "library whose order of submission and priorities are followed",
                         .default_value = app.variants.front()}};
  if (app.has_partial_tiles)
    keys.push_back({.name = "n",
                    .value = {rule::integer(1, INT32_MAX, "rows")},
                    .meaning =
                        "rows of the matrix, where the last tiles are smaller; their kernels are timed as "
                        "whole ones",
                    .default_text = "`nt` × `nb`"});
  if (app.may_be_nested)
    keys.push_back({.name = "nested",
                    .value = {rule::object(nested_table)},
                    .meaning = "tasks on full tiles are replaced by tasks on smaller ones",
                    .default_text = "none is"});
  if (app.may_have_formats)
    keys.push_back({.name = "tile_formats",
                    .value = {rule::object(tile_formats_table)},
                    .meaning = "precision and rank of each tile",
                    .default_text = "all tiles are full, in `precision`"});
  if (app.has_formulas)
    keys.push_back({.name = "task_graph",
                    .value = {rule::word(task_graph_forms())},
                    .meaning =
                        "`stored`: all tasks and dependencies are in memory; `formulas`: tasks come from "
                        "formulas when they are needed, with the same results and memory for each tile only; "
                        "`automatic`: formulas from 4 million tasks on, where they can",
                    .default_value = "automatic"});
  for (ApplicationKey const& key : app.keys) {
    Key& added = keys.emplace_back(
        Key{.name = key.name, .value = {rule_of(key)}, .meaning = key.description, .source = key.source});
    std::visit([&](auto const& value) { added.default_value = value; }, key.default_value);
  }
  return keys;
}

ObjectKeys make_application_table() {
  std::vector<std::string> types = application_names();
  ObjectKeys table{.title = "application", .meaning = "What is computed.", .keys = {}, .variants = {}};
  for (Application const& app : applications())
    table.variants.push_back({.selector = "type", .word = app.name, .keys = tiled_keys(app)});
  table.variants.push_back({.selector = "type", .word = "trace", .keys = trace_application_keys()});
  table.variants.push_back({.selector = "type", .word = "graph", .keys = graph_application_keys()});
  types.insert(types.end(), {"trace", "graph"});
  for (ExperimentKind const& kind : experiment_kinds()) {
    table.variants.push_back({.selector = "type", .word = kind.name, .keys = kind.application_keys()});
    types.emplace_back(kind.name);
  }
  table.keys = {
      {.name = "type", .value = {rule::word(types)}, .meaning = "name of the application", .required = true}};
  return table;
}

}  // namespace

ObjectKeys const& application_table() {
  static std::size_t revision = registry_revision();
  static ObjectKeys table = make_application_table();
  if (revision != registry_revision()) {
    revision = registry_revision();
    table = make_application_table();
  }
  return table;
}

}  // namespace factosim
