#include "simulator/studies/search/tile_choices.hpp"

#include <fmt/format.h>

#include "factosim/error.hpp"

namespace factosim {

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

}  // namespace factosim
