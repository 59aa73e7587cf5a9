#include "simulator/scenario/keys/application_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "factosim/error.hpp"
#include "models/applications/registry.hpp"
#include "models/applications/tile_formats.hpp"
#include "simulator/scenario/keys/experiment_kinds.hpp"
#include "simulator/scenario/keys/format_keys.hpp"

namespace factosim {

namespace {

Application const& read_type(JsonReader const& json) {
  auto const names = names_of(application_types());
  JsonReader const type = json.at("type", fmt::format("one of: {}", fmt::join(names, ", ")));
  std::string const name = type.one_of(names);
  auto const tiled = application_names();
  if (std::ranges::find(tiled, name) == tiled.end())
    type.fail(
        fmt::format("is \"{}\" (this needs tasks on tiles). Use one of: {}", name, fmt::join(tiled, ", ")));
  return application(name);
}

int read_tile_size(JsonReader const& json, int nt) {
  JsonReader const nb = json.at("nb", "the size of a tile");
  auto const size = nb.integer();
  if (nt * size > INT32_MAX)
    nb.fail(
        fmt::format("is {}, which makes {} rows ({} are the most: LAPACK counts in 32 bits). Use fewer or "
                    "smaller tiles",
                    size, nt * size, INT32_MAX));
  return static_cast<int>(size);
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

NestedOptions read_nested(JsonReader const& json, Application const& app, ApplicationParameters const& p) {
  NestedOptions out;
  auto const tile = json.find("tile"), split = json.find("split");
  if (tile.has_value() == split.has_value())
    json.fail(
        "needs one of \"tile\", the rows of a part, and \"split\", the parts of a tile. Give one of them");
  if (tile) out.tile = static_cast<int>(tile->integer());
  if (split) out.split = static_cast<int>(split->integer());
  bool const divides = tile ? p.nb % out.tile == 0 && out.tile < p.nb : p.nb % out.split == 0;
  if (!divides)
    (tile ? *tile : *split)
        .fail(fmt::format(
            "is {} (tiles of {} are divided into at least two equal parts each way). Use a divisor of "
            "{}",
            tile ? out.tile : out.split, p.nb, p.nb));
  if (p.variant != app.variants.front())
    json.fail(fmt::format(
        "splits tasks of the variant \"{}\" (only those of \"{}\" can be split). Use that variant", p.variant,
        app.variants.front()));
  json.finish();
  return out;
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

KeyValue read_value(JsonReader const& json, ApplicationKey const& key) {
  if (std::holds_alternative<bool>(key.default_value)) return json.boolean();
  if (std::holds_alternative<std::int64_t>(key.default_value)) return json.integer();
  if (std::holds_alternative<double>(key.default_value)) return json.quantity();
  return json.one_of();
}

}  // namespace

ValueRules application_rules() { return {rule::object(application_table)}; }

std::vector<std::string> const& task_graph_forms() {
  static std::vector<std::string> const names{"automatic", "stored", "formulas"};
  return names;
}

std::vector<DescribedName> application_types() {
  std::vector<DescribedName> out;
  for (Application const& app : applications()) out.push_back({app.name, app.description});
  out.push_back({"trace", "replay of a recorded run: its tasks, on its own or on another platform"});
  out.push_back({"graph", "program of tasks from a file, without a schedule"});
  for (ExperimentKind const& kind : experiment_kinds()) out.push_back({kind.name, kind.description});
  return out;
}

std::pair<Application const*, ApplicationParameters> read_application(JsonReader const& given) {
  JsonReader const json = given.by(application_rules);
  Application const& app = read_type(json);
  ApplicationParameters p;
  p.nt = static_cast<int>(json.at("nt", "the number of tiles in a row").integer());
  p.nb = read_tile_size(json, p.nt);
  if (auto const precision = json.find("precision")) p.precision = *precision_named(precision->one_of());
  if (!app.has_formulas) refuse_task_graph(json, app);
  if (auto const form = app.has_formulas ? json.find("task_graph") : std::nullopt)
    p.task_graph = static_cast<TaskGraphForm>(std::ranges::find(task_graph_forms(), form->one_of()) -
                                              task_graph_forms().begin());
  auto const variant = json.find("variant");
  p.variant = variant ? variant->one_of() : app.variants.front();
  if (auto const n = app.has_partial_tiles ? json.find("n") : std::nullopt) p.n = read_rows(*n, p);
  if (auto const nested = app.may_be_nested ? json.find("nested") : std::nullopt)
    p.nested = read_nested(*nested, app, p);
  if (auto const formats = app.may_have_formats ? json.find("tile_formats") : std::nullopt) {
    if (std::ranges::find(app.variants_in_one_format, p.variant) != app.variants_in_one_format.end())
      formats->fail(
          fmt::format("are not known of the variant \"{}\" (which drops received tiles). Use another variant",
                      p.variant));
    p.formats = std::make_shared<TileFormats const>(read_tile_formats(*formats, p));
  }
  for (ApplicationKey const& key : app.keys)
    if (auto const value = json.find(key.name)) p.own_values[key.name] = read_value(*value, key);
  json.finish();
  return {&app, p};
}

nlohmann::ordered_json effective_application(Application const& app, ApplicationParameters const& p) {
  nlohmann::ordered_json out = {{"type", app.name},
                                {"nt", p.nt},
                                {"nb", p.nb},
                                {"precision", name_of(p.precision)},
                                {"variant", p.variant}};
  if (app.has_partial_tiles) out["n"] = matrix_rows(p);
  if (p.nested) {
    int const parts = p.nested->parts(p.nb);
    out["nested"] = p.nested->split > 0 ? nlohmann::ordered_json{{"split", parts}}
                                        : nlohmann::ordered_json{{"tile", p.nb / parts}};
  }
  if (p.formats) out["tile_formats"] = effective_tile_formats(*p.formats);
  if (p.task_graph != TaskGraphForm::automatic)
    out["task_graph"] = task_graph_forms()[static_cast<std::size_t>(p.task_graph)];
  for (ApplicationKey const& key : app.keys)
    std::visit([&](auto const& value) { out[key.name] = value; }, value_of(p, key));
  return out;
}

}  // namespace factosim
