#include <fmt/format.h>

#include <array>
#include <climits>

#include "models/applications/registry.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/keys/format_keys.hpp"
#include "simulator/scenario/keys/graph_keys.hpp"
#include "simulator/scenario/keys/loop_keys.hpp"
#include "simulator/scenario/keys/ring_keys.hpp"

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

std::vector<Key> trace_keys() {
  ReplayOptions const defaults;
  auto const recorded = [](bool value, char const* otherwise) { return value ? "recorded" : otherwise; };
  return {
      {.name = "file",
       .value = {rule::path()},
       .meaning = "trace of any format that `simulator/traces/trace/README.md` lists, a folder or a file",
       .required = true},
      {.name = "timings",
       .value = {rule::word(replay_timings_names())},
       .meaning =
           "duration of a kernel: `own-means`, its mean in the trace over data of one shape on one kind of "
           "worker; `recorded`, each task's own; `platform`, that of the platform's kernel files",
       .default_value = name_of(defaults.timings)},
      {.name = "mapping",
       .value = {rule::word(replay_mapping_names())},
       .meaning =
           "`devices`: each task on its node and kind of worker, in the recorded order as far as ready; "
           "`workers`: on its own worker, strictly in the recorded order; `nodes`: on its node, where the "
           "policy chooses; `distribution`: by the scenario's distribution",
       .default_text = "`distribution` with one, else `nodes` with a scheduler, else `devices`"},
      {.name = "submission",
       .value = {rule::word({"recorded", "runtime"})},
       .meaning = "`recorded`: no task is submitted before its recorded date; `runtime`: one after the other",
       .default_value = recorded(defaults.recorded_submission, "runtime")},
      {.name = "pauses",
       .value = {rule::word({"recorded", "runtime"})},
       .meaning = "on the trace's own platform: delay of each kernel's start after it became possible, as "
                  "`recorded` or by the costs of `runtime`",
       .default_value = recorded(defaults.recorded_pauses, "runtime")},
      {.name = "messages",
       .value = {rule::word({"recorded", "means"})},
       .meaning =
           "on the trace's own platform: arrival of each message after its task, as `recorded` or by the "
           "latency and bandwidth of all of them",
       .default_value = recorded(defaults.recorded_messages, "means")}};
}

ObjectKeys make_application_table() {
  std::vector<std::string> types = application_names();
  ObjectKeys table{.title = "application", .meaning = "What is computed.", .keys = {}, .variants = {}};
  for (Application const& app : applications())
    table.variants.push_back({.selector = "type", .word = app.name, .keys = tiled_keys(app)});
  table.variants.push_back({.selector = "type", .word = "trace", .keys = trace_keys()});
  table.variants.push_back({.selector = "type", .word = "graph", .keys = graph_application_keys()});
  table.variants.push_back({.selector = "type", .word = "ring", .keys = ring_application_keys()});
  table.variants.push_back({.selector = "type", .word = "data-parallel", .keys = loop_application_keys()});
  types.insert(types.end(), {"trace", "graph", "ring", "data-parallel"});
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
