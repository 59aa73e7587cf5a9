#include "simulator/studies/search/advise_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "factosim/error.hpp"
#include "simulator/base/core/json_reader.hpp"

namespace factosim {

std::vector<FormatChoice> read_format_choices(std::filesystem::path const& file, double max_error) {
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json(document, file.string());
  json.check_own_format("factosim-format-errors", 1);
  (void)json.at("provenance", "who measured the errors, of which problem, or what is assumed").string();
  std::string const measure =
      json.at("measure", "what \"error\" is, such as the deviation of an estimate").string();
  std::vector<FormatChoice> out;
  double least = std::numeric_limits<double>::infinity();
  auto const choices = json.at("choices", "formats with their errors").elements();
  for (JsonReader const& choice : choices) {
    FormatChoice read{.name = choice.at("name", "a name of the formats").string(),
                      .error = choice.at("error", "the error that they cause").non_negative()};
    if (auto const formats = choice.find("tile_formats")) read.tile_formats = formats->value();
    choice.finish();
    if (std::ranges::find(out, read.name, &FormatChoice::name) != out.end())
      choice.at("name").fail(fmt::format("\"{}\" is there twice. Use another name", read.name));
    least = std::min(least, read.error);
    if (read.error <= max_error) out.push_back(std::move(read));
  }
  json.finish();
  if (choices.empty()) json.at("choices").fail("is empty. Add formats");
  if (out.empty())
    throw InfeasibleError(fmt::format(
        "none of the formats in {} has an error of at most {:g} (the least is {:g}: {}). Allow a larger one",
        file.string(), max_error, least, measure));
  return out;
}

namespace {

void check(TileOptions const& o, Application const& application, ApplicationParameters const& parameters,
           std::string const& file) {
  if (!o.formats.empty() && !application.may_have_formats)
    throw InputError(file + "#/application/type",
                     fmt::format("is \"{}\" (its tiles have one format, and --formats is given). Leave that "
                                 "option out",
                                 application.name));
  if (parameters.is_nested())
    throw InputError(file + "#/application/nested",
                     "splits tasks (whose tile sizes are not searched: runs are simulated one by one, by run "
                     "or sweep). Leave it out");
}

}  // namespace

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

std::string distribution_text(nlohmann::json const& choice) {
  if (choice.contains("layers"))
    return fmt::format("{} layers of {}", choice["layers"].get<int>(),
                       choice["layer"]["type"].get<std::string>());
  std::string out = choice["type"];
  if (choice.contains("p")) out += fmt::format(" {} x {}", choice["p"].get<int>(), choice["q"].get<int>());
  return out;
}

}  // namespace factosim
