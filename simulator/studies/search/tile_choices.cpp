#include "simulator/studies/search/tile_choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/runtime/policies/splitter.hpp"

namespace factosim {

namespace {

bool divides(int part, int nb) { return part < nb && nb % part == 0; }

/// Sets what the options leave to the scenario.
void complete(TileOptions& o, ApplicationParameters const& p) {
  if (o.part_sizes.empty() && p.recursive) o.part_sizes = {p.nb / p.recursive->parts(p.nb)};
  if (o.tile_sizes.empty()) {
    o.tile_sizes = {p.nb};
    for (int const part : o.part_sizes)
      if (std::ranges::find(o.tile_sizes, part) == o.tile_sizes.end()) o.tile_sizes.push_back(part);
  }
  // Tasks that are never split are the tasks on whole tiles.
  bool const all = o.splitters.empty();
  if (all) o.splitters = splitter_names();
  std::erase_if(o.splitters, [&](std::string const& name) {
    SplitterKind const& kind = splitter_named(name);
    return kind.make == nullptr && (all || !kind.nested);
  });
}

void check(TileOptions const& o, Application const& application, std::string const& file) {
  if (!o.formats.empty() && !application.may_have_formats)
    throw InputError(file + "#/application/type",
                     fmt::format("is \"{}\" (its tiles have one format, and --formats is given). Leave that "
                                 "option out",
                                 application.name));
  if (!o.formats.empty() && !o.part_sizes.empty())
    throw InputError(
        file + "#/application/recursive",
        "splits tasks (and --formats is given, of tasks that are not split). Leave one of them out");
  for (std::string const& splitter : o.splitters)
    if (splitter_named(splitter).nested)
      throw InputError(
          file + "#/application/recursive",
          fmt::format("is searched with the splitter \"{}\" (its runs are simulated one by one, by "
                      "run or sweep). Leave it out of --splitters",
                      splitter));
  if (!o.part_sizes.empty() && !application.may_be_recursive)
    throw InputError(file + "#/application/type",
                     fmt::format("is \"{}\" (its tasks cannot be split, and --part-sizes is given). Leave "
                                 "that option out",
                                 application.name));
  for (int const part : o.part_sizes)
    if (std::ranges::none_of(o.tile_sizes, [&](int nb) { return divides(part, nb); }))
      throw InputError(file + "#/application/nb",
                       fmt::format("parts of {} divide none of the tile sizes {} (a tile is split into at "
                                   "least two equal parts each way). Give other --tile-sizes or --part-sizes",
                                   part, fmt::join(o.tile_sizes, ", ")));
}

}  // namespace

std::string TileChoice::description() const {
  if (splits()) return fmt::format("{} split into {} by {}", nb, part, splitter);
  return formats.name.empty() ? fmt::format("{}", nb) : fmt::format("{} in {}", nb, formats.name);
}

nlohmann::json TileChoice::recursive() const {
  return splits() ? nlohmann::json{{"tile", part}, {"splitter", splitter}} : nlohmann::json();
}

void TileChoice::apply(nlohmann::json& scenario, int rows) const {
  nlohmann::json& application = scenario["application"];
  application["nt"] = (rows + nb - 1) / nb;
  application["nb"] = nb;
  application.erase("recursive");
  if (splits()) application["recursive"] = recursive();
  if (formats.name.empty()) return;
  application.erase("tile_formats");
  if (!formats.tile_formats.is_null()) application["tile_formats"] = formats.tile_formats;
}

std::vector<TileChoice> tile_choices(TileOptions options, Application const& application,
                                     ApplicationParameters const& parameters, std::string const& file) {
  bool const splitters_given = !options.splitters.empty();
  complete(options, parameters);
  if (splitters_given && options.part_sizes.empty())
    throw InputError(
        file + "#/application/recursive",
        "is missing (--splitters is given, and no size of the parts of tiles). Give --part-sizes");
  check(options, application, file);
  std::vector<TileChoice> out;
  if (options.formats.empty()) options.formats.emplace_back();
  for (int const nb : options.tile_sizes)
    for (FormatChoice const& formats : options.formats) out.push_back({.nb = nb, .formats = formats});
  for (int const nb : options.tile_sizes)
    for (int const part : options.part_sizes)
      for (std::string const& splitter : options.splitters)
        if (divides(part, nb)) out.push_back({.nb = nb, .part = part, .splitter = splitter});
  return out;
}

}  // namespace factosim
