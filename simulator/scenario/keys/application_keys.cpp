#include "simulator/scenario/keys/application_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>

#include "factosim/error.hpp"
#include "models/applications/application.hpp"
#include "models/kernel_model_json.hpp"
#include "simulator/base/core/suggestion.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

constexpr NamedValues<TaskGraphForm, 3> task_graph_forms{.what = "form of a task graph",
                                                         .values = {{{TaskGraphForm::automatic, "automatic"},
                                                                     {TaskGraphForm::stored, "stored"},
                                                                     {TaskGraphForm::formulas, "formulas"}}}};

Application const& read_type(JsonReader const& json) {
  auto const names = names_of(application_types());
  JsonReader const type = json.at("type", fmt::format("one of: {}", fmt::join(names, ", ")));
  std::string const name = type.one_of(names);
  auto const tiled = application_names();
  if (std::ranges::find(tiled, name) == tiled.end())
    type.fail(fmt::format("is \"{}\" (this needs tasks on tiles). {}", name, use_one_of(name, tiled)));
  return application(name);
}

void check_tile_size(JsonReader const& nb, ApplicationParameters const& p) {
  std::int64_t const rows = std::int64_t{p.nt} * p.nb;
  if (rows > INT32_MAX)
    nb.fail(fmt::format(
        "is {}, which makes {} rows ({} are the most: LAPACK counts in 32 bits). Use fewer or smaller tiles",
        p.nb, rows, INT32_MAX));
}

int read_rows(JsonReader const& n, ApplicationParameters const& p) {
  auto const rows = static_cast<int>(n.integer(1, matrix_rows(p)));
  int const minimum = (p.nt - 1) * p.nb;
  if (rows <= minimum)
    n.fail(
        fmt::format("is {} (that is {} tiles of {}, and nt is {}). Give the rows of the matrix, more than "
                    "{}, or no such key",
                    rows, (rows + p.nb - 1) / p.nb, p.nb, p.nt, minimum));
  return rows;
}

}  // namespace

Object<NestedOptions> const& object_of(NestedOptions const* /*any*/) {
  using O = NestedOptions;
  static Object<O> const object(
      "nested_tasks",
      "Tasks that are replaced, before the run, by the same computation on parts of their tiles.",
      {field<&O::tile>("tile", {rule::integer(1, 1'000'000, "rows")},
                       "rows of a part; the kernel file has timings of this size too",
                       {.default_text = "as `split` says"}),
       field<&O::split>("split", {rule::integer(2, 64, "parts")},
                        "parts of a tile in each direction, instead of `tile`",
                        {.default_text = "`nb` / `tile`", .source = "PaRSEC, parsec_recursivecall"})});
  return object;
}

namespace {

NestedOptions read_nested(JsonReader const& json, Application const& app, ApplicationParameters const& p) {
  NestedOptions out;
  read_object(json, out);
  auto const tile = json.find("tile"), split = json.find("split");
  if (tile.has_value() == split.has_value())
    json.fail(
        "needs one of \"tile\", the rows of a part, and \"split\", the parts of a tile. Give one of them");
  bool const divides = tile ? p.nb % out.tile == 0 && out.tile < p.nb : p.nb % out.split == 0;
  if (!divides)
    (tile ? *tile : *split)
        .fail(fmt::format(
            "is {} (tiles of {} are divided into at least two equal parts each way). Use a divisor of {}",
            tile ? out.tile : out.split, p.nb, p.nb));
  if (p.variant != app.variants.front())
    json.fail(fmt::format(
        "splits tasks of the variant \"{}\" (only those of \"{}\" can be split). Use that variant", p.variant,
        app.variants.front()));
  return out;
}

Json effective_nested(ApplicationParameters const& p) {
  if (!p.nested) return {};
  int const parts = p.nested->parts(p.nb);
  return p.nested->split > 0 ? Json{{"split", parts}} : Json{{"tile", p.nb / parts}};
}

std::shared_ptr<TileFormats const> read_formats(JsonReader const& json, Application const& app,
                                                ApplicationParameters const& p) {
  if (std::ranges::find(app.variants_in_one_format, p.variant) != app.variants_in_one_format.end())
    json.fail(fmt::format(
        "are not known of the variant \"{}\" (which drops received tiles). Use another variant", p.variant));
  return std::make_shared<TileFormats const>(read_tile_formats(json, p));
}

/// Until version 0.3, tasks of QR and ExaGeoStat came from formulas, too.
void refuse_task_graph(JsonReader const& json, Application const& app) {
  if (!json.value().contains("task_graph")) return;
  std::vector<std::string> known;
  for (Application const& other : applications())
    if (other.has_formulas) known.push_back(other.name);
  throw InputError(
      json.where() + "/task_graph",
      fmt::format("is of no use for {} (its tasks are always stored; only {} have formulas). Leave it out",
                  app.name, fmt::join(known, ", ")));
}

ValueRule rule_of(ApplicationKey const& key) {
  if (std::holds_alternative<bool>(key.default_value)) return rule::boolean();
  if (std::holds_alternative<std::int64_t>(key.default_value)) return rule::integer(1, key.maximum);
  if (std::holds_alternative<double>(key.default_value)) return rule::positive();
  return rule::word(key.choices);
}

KeyValue read_value(JsonReader const& json, ApplicationKey const& key) {
  if (std::holds_alternative<bool>(key.default_value)) return json.boolean();
  if (std::holds_alternative<std::int64_t>(key.default_value)) return json.integer();
  if (std::holds_alternative<double>(key.default_value)) return json.quantity();
  return json.one_of();
}

Field<ApplicationParameters> own_field(ApplicationKey const& key) {
  using P = ApplicationParameters;
  Key stated{.name = key.name, .value = {rule_of(key)}, .meaning = key.description, .source = key.source};
  std::visit([&](auto const& value) { stated.default_value = value; }, key.default_value);
  return field<P>(
      std::move(stated),
      {.read = [key](JsonReader const& json, P& p) { p.own_values[key.name] = read_value(json, key); },
       .write =
           [key](P const& p) {
             return std::visit([](auto const& value) { return Json(value); }, value_of(p, key));
           }});
}

/// The keys of a factorization or a product on tiles, which is in the registry.
Fields<ApplicationParameters> tiled_fields(Application const& app) {
  using P = ApplicationParameters;
  Fields<P> out{field<&P::nt>("nt", {rule::integer(1, 5000, "tiles")}, "tiles in a row of the matrix",
                              {.missing = "the number of tiles in a row"}),
                field<&P::nb>("nb", {rule::integer(1, 1'000'000, "rows")},
                              "rows of a tile; the kernel file has timings of this size, or rates",
                              {.missing = "the size of a tile", .check = check_tile_size}),
                field<&P::precision>("precision", "of the elements; the kernel file has timings of it"),
                field<&P::variant>("variant", {rule::word(app.variants)},
                                   "library whose order of submission and priorities are followed",
                                   {.default_value = app.variants.front()})};
  if (app.has_partial_tiles)
    out.push_back(field<P>(
        "n", {rule::integer(1, INT32_MAX, "rows")},
        "rows of the matrix, where the last tiles are smaller; their kernels are timed as whole ones",
        {.default_text = "`nt` × `nb`",
         .read = [](JsonReader const& json, P& p) { p.n = read_rows(json, p); },
         .write = [](P const& p) { return Json(matrix_rows(p)); }}));
  if (app.may_be_nested)
    out.push_back(field<P>(
        "nested", rules_of<NestedOptions>(), "tasks on full tiles are replaced by tasks on smaller ones",
        {.default_text = "none is",
         .read = [&app](JsonReader const& json, P& p) { p.nested = read_nested(json, app, p); },
         .write = effective_nested}));
  if (app.may_have_formats)
    out.push_back(
        field<P>("tile_formats", rules_of<TileFormats>(), "precision and rank of each tile",
                 {.default_text = "all tiles are full, in `precision`",
                  .read = [&app](JsonReader const& json, P& p) { p.formats = read_formats(json, app, p); },
                  .write = [](P const& p) { return p.formats ? written(*p.formats) : Json(); }}));
  if (app.has_formulas)
    out.push_back(field<&P::task_graph, task_graph_forms>(
        "task_graph",
        "`stored`: all tasks and dependencies are in memory; `formulas`: tasks come from "
        "formulas when they are needed, with the same results and memory for each tile only; "
        "`automatic`: formulas from 50 000 tasks on, where they can, and no stored graph beside them from 4 "
        "million on",
        {.echo = Echo::if_changed}));
  for (ApplicationKey const& key : app.keys) out.push_back(own_field(key));
  return out;
}

ObjectKeys make_application_table() {
  std::vector<std::string> types = application_names();
  ObjectKeys table{"application", "What is computed.", {}, {}};
  for (Application const& app : applications())
    table.variants.push_back({"type", app.name, keys_of(tiled_fields(app))});
  table.variants.push_back({"type", "trace", trace_application_keys()});
  table.variants.push_back({"type", "graph", graph_application_keys()});
  types.insert(types.end(), {"trace", "graph"});
  for (ExperimentKind const& kind : experiment_kinds()) {
    table.variants.push_back({"type", kind.name, kind.application_keys()});
    types.emplace_back(kind.name);
  }
  table.keys = {stated_key("type", {rule::word(types)}, "name of the application", {.required = true})};
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

ValueRules application_rules() { return {rule::object(application_table)}; }

std::vector<DescribedName> application_types() {
  std::vector<DescribedName> out;
  for (Application const& app : applications()) out.push_back({app.name, app.description});
  out.push_back({"trace", "replay of a recorded run: its tasks, on its own or on another platform"});
  out.push_back({"graph", "program of tasks from a file, without a schedule"});
  for (ExperimentKind const& kind : experiment_kinds()) out.push_back({kind.name, kind.description});
  return out;
}

TiledApplication read_application(JsonReader const& given) {
  JsonReader const json = given.by(application_rules);
  Application const& app = read_type(json);
  if (!app.has_formulas) refuse_task_graph(json, app);
  ApplicationParameters p;
  p.variant = app.variants.front();
  read_fields(json, tiled_fields(app), p);
  json.finish();
  return {&app, p};
}

Json effective_application(TiledApplication const& app) {
  Json out = {{"type", app.definition->name}};
  write_fields(out, tiled_fields(*app.definition), app.parameters);
  return out;
}

}  // namespace factosim
