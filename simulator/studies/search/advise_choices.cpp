#include "simulator/studies/search/advise_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "factosim/error.hpp"
#include "simulator/scenario/keys/application_keys.hpp"

namespace factosim {

Object<FormatChoice> const& object_of(FormatChoice const* /*any*/) {
  using O = FormatChoice;
  static Object<O> const object(
      "format choice", "Formats of tiles, and the error that they cause.",
      {field<&O::name>("name", "stands for them in results", {.missing = "a name of the formats"}),
       field<&O::error>("error", {rule::non_negative()}, "the error, in the `measure` of the file",
                        {.missing = "the error that they cause"}),
       field<O>("tile_formats", rules_of<TileFormats>(), "as in a scenario's application",
                {.default_text = "all tiles are full, in the application's `precision`",
                 .read = [](JsonReader const& json, O& o) { o.tile_formats = json.value(); }})});
  return object;
}

namespace {

/// A `factosim-format-errors` file.
struct FormatErrors {
  std::string provenance, measure;
  std::vector<FormatChoice> choices;
};

Object<FormatErrors> const& object_of(FormatErrors const* /*any*/) {
  using O = FormatErrors;
  static Object<O> const object(
      "format errors",
      "Formats of tiles from which `factosim advise` chooses. `factosim-format-errors`, version 1.",
      fields_of_file<O>("factosim-format-errors") +
          Fields<O>{
              field<&O::provenance>("provenance",
                                    "who measured the errors, of which problem, or what is assumed",
                                    {.required = true}),
              field<&O::measure>("measure", "what `error` is, such as the deviation of an estimate",
                                 {.missing = "what \"error\" is, such as the deviation of an estimate"}),
              field<&O::choices>("choices", {rule::array({rule::object(table_of<FormatChoice>)}, 1)},
                                 "formats with their errors", {.required = true})});
  return object;
}

void check(TileOptions const& o, Application const& application, ApplicationParameters const& parameters,
           std::string const& file) {
  if (!o.formats.empty() && !application.may_have_formats)
    throw InputError(
        file + "#/application/type",
        fmt::format("is \"{}\" (its tiles have one format, and --formats is given). Leave that option out",
                    application.name));
  if (parameters.is_nested())
    throw InputError(file + "#/application/nested",
                     "splits tasks (whose tile sizes are not searched: runs are simulated one by one, by run "
                     "or sweep). Leave it out");
}

}  // namespace

ObjectKeys const& format_errors_table() { return table_of<FormatErrors>(); }

std::vector<FormatChoice> read_format_choices(std::filesystem::path const& file, double max_error) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json = JsonReader(document, file.string()).by(rules_of<FormatErrors>);
  json.check_own_format("factosim-format-errors", 1);
  auto errors = read_object<FormatErrors>(json);
  auto const places = json.at("choices").elements();
  std::vector<FormatChoice> out;
  std::set<std::string> names;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < errors.choices.size(); ++i) {
    FormatChoice& choice = errors.choices[i];
    if (!names.insert(choice.name).second)
      places[i].at("name").fail(fmt::format("\"{}\" is there twice. Use another name", choice.name));
    least = std::min(least, choice.error);
    if (choice.error <= max_error) out.push_back(std::move(choice));
  }
  if (places.empty()) json.at("choices").fail("is empty. Add formats");
  if (out.empty())
    throw InfeasibleError(fmt::format(
        "none of the formats in {} has an error of at most {:g} (the least is {:g}: {}). Allow a larger one",
        file.string(), max_error, least, errors.measure));
  return out;
}

std::string TileChoice::description() const {
  return formats.name.empty() ? fmt::format("{}", nb) : fmt::format("{} in {}", nb, formats.name);
}

void TileChoice::apply(nlohmann::json& scenario, int rows) const {
  nlohmann::json& application = scenario["application"];
  application["nt"] = (rows + nb - 1) / nb;
  application["nb"] = nb;
  if (formats.name.empty()) return;
  application.erase("tile_formats");
  if (!formats.tile_formats.is_null()) application["tile_formats"] = formats.tile_formats;
}

std::vector<TileChoice> tile_choices(TileOptions options, Application const& application,
                                     ApplicationParameters const& parameters, std::string const& file) {
  check(options, application, parameters, file);
  if (options.tile_sizes.empty()) options.tile_sizes = {parameters.nb};
  std::vector<TileChoice> out;
  if (options.formats.empty()) options.formats.emplace_back();
  for (int const nb : options.tile_sizes)
    for (FormatChoice const& formats : options.formats) out.push_back({.nb = nb, .formats = formats});
  return out;
}

std::vector<nlohmann::json> distribution_choices(std::string const& name, int nodes) {
  std::vector<nlohmann::json> out;
  if (name == "layers") {
    for (int layers = 2; layers <= std::min(3, nodes); ++layers)
      out.push_back({{"type", name}, {"layers", layers}, {"layer", {{"type", "1d1d-c"}}}});
    return out;
  }
  if (name != "block-cyclic") return {{{"type", name}}};
  for (int p = 1; p * p <= nodes; ++p)
    if (nodes % p == 0) out.push_back({{"type", name}, {"p", p}, {"q", nodes / p}});
  return out;
}

void apply_distribution(nlohmann::json& scenario, nlohmann::json const& choice) {
  scenario["application"].erase("placement");
  scenario.erase("distribution");
  if (choice["type"] == by_earliest_finish)
    scenario["application"]["placement"] = by_earliest_finish;
  else
    scenario["distribution"] = choice;
}

std::string distribution_text(nlohmann::json const& choice) {
  if (choice.contains("layers"))
    return fmt::format("{} layers of {}", choice["layers"].get<int>(),
                       choice["layer"]["type"].get<std::string>());
  std::string out = choice["type"];
  if (choice.contains("p")) out += fmt::format(" {} x {}", choice["p"].get<int>(), choice["q"].get<int>());
  return out;
}

}  // namespace factosim
