#include "simulator/scenario/option_readers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

#include "models/applications/qr.hpp"
#include "simulator/scenario/exageostat_reader.hpp"

namespace factosim {

std::pair<std::string, ApplicationParameters> read_application(JsonReader const& json) {
  std::string const name = json.at("type", fmt::format("one of: {}", fmt::join(application_names(), ", ")))
                               .one_of(application_names());
  ApplicationParameters p;
  p.nt = static_cast<int>(json.at("nt", "the number of tiles in a row").integer(1, 5000));
  JsonReader const nb = json.at("nb", "the size of a tile");
  p.nb = static_cast<int>(nb.integer(1, 1'000'000));
  if (std::int64_t{p.nt} * p.nb > INT32_MAX)
    nb.fail(
        fmt::format("is {}, which makes {} rows ({} are the most: LAPACK counts in 32 bits). Use fewer or "
                    "smaller tiles",
                    p.nb, std::int64_t{p.nt} * p.nb, INT32_MAX));
  if (auto const precision = json.find("precision"))
    p.precision =
        precision->one_of({"double", "single"}) == "double" ? Precision::double_ : Precision::single_;
  if (auto const variant = json.find("variant"))
    p.variant = variant->one_of(application(name).variants);
  else
    p.variant = application(name).variants.front();
  if (auto const tree = name == "qr" ? json.find("tree") : std::nullopt) p.tree = tree->one_of(qr_trees());
  if (name == "exageostat") read_exageostat(json, p);
  json.finish();
  return {name, p};
}

}  // namespace factosim
