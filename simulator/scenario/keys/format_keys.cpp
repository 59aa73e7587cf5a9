#include "simulator/scenario/keys/application_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <sstream>
#include <string_view>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/parsed.hpp"

namespace factosim {

namespace {

constexpr int max_rank = 100'000;

constexpr NamedValues<ConversionPlace, 3> conversion_names{
    .what = "place of conversions",
    .values = {{{ConversionPlace::sender, "sender"},
                {ConversionPlace::receiver, "receiver"},
                {ConversionPlace::fewest_bytes, "fewest-bytes"}}}};

Fields<TileFormat> format_fields() {
  using F = TileFormat;
  return {
      field<&F::precision>("precision", "of the elements", {.default_text = "the application's `precision`"}),
      field<&F::rank>("rank", {rule::integer(1, max_rank, "columns")},
                      "columns of the two factors that the tile is the product of",
                      {.default_text = "the tile is full", .echo = Echo::if_changed})};
}

}  // namespace

Object<FormatBand> const& object_of(FormatBand const* /*any*/) {
  static Object<FormatBand> const object(
      "format_band", "Format of the tiles (m, n) at distances m - n from the diagonal.",
      Fields<FormatBand>{field<&FormatBand::below>(
          "below", {rule::integer(1, 5000, "tiles")},
          "distances below this, and not below those of the bands before",
          {.default_text = "all that remain; of the last band only", .echo = Echo::if_changed})} +
          within<&FormatBand::format>(format_fields()));
  return object;
}

Object<CovarianceModel> const& object_of(CovarianceModel const* /*any*/) {
  using M = CovarianceModel;
  static Object<M> const object(
      "covariance",
      "Matérn covariance of variance 1 between locations in the unit square: a grid, each point "
      "moved by up to 0.4 of its distance, in Morton order.",
      {field<&M::range>("range", {rule::positive("1")}, "distances are divided by it"),
       field<&M::smoothness>("smoothness", {rule::number(0.5, 2.5)},
                             "of the Matérn function: 0.5, 1.5 or 2.5",
                             {.check =
                                  [](JsonReader const& json, M const& m) {
                                    if (m.smoothness != 0.5 && m.smoothness != 1.5 && m.smoothness != 2.5)
                                      json.fail("has no closed form. Use 0.5, 1.5 or 2.5");
                                  }}),
       field<&M::seed>("seed", {rule::integer(0, INT64_MAX)}, "of the locations"),
       field<&M::samples>("samples", {rule::integer(2, 4096, "rows")},
                          "rows and columns of a tile, at even distances, that stand for it; "
                          "with `nb` of them norms and ranks are exact")});
  return object;
}

namespace {

std::vector<FormatBand> read_bands(JsonReader const& json, ApplicationParameters const& p) {
  std::vector<FormatBand> out;
  auto const bands = json.elements();
  if (bands.empty()) json.fail("is empty (no tile has a format). Give one band at least");
  for (JsonReader const& band : bands) {
    FormatBand read{.format = {.precision = p.precision}};
    read_object(band, read);
    bool const last = &band == &bands.back();
    if (read.format.rank > p.nb)
      band.at("rank").fail(
          fmt::format("is {}, and tiles have {} rows. Give a lower rank", read.format.rank, p.nb));
    if (auto const below = band.find("below")) {
      if (last) below->fail("leaves tiles without a format (the last band has all others). Leave it out");
      if (!out.empty() && read.below <= out.back().below)
        below->fail(fmt::format("is {}, and the band before ends at {}. Give a larger distance", read.below,
                                out.back().below));
    } else if (!last) {
      band.fail("has no \"below\" (only the last band has all tiles that remain). Add it");
    }
    if (out.empty() && read.format.rank > 0)
      band.at("rank").fail(
          "is that of tiles on the diagonal (which potrf needs in full). Start with a band without");
    out.push_back(read);
  }
  return out;
}

/// Reads lines "m,n,precision,rank" after a line that names the columns. Tiles that are not named are full, in the
/// application's precision.
std::vector<TileFormat> read_format_file(std::filesystem::path const& file, ApplicationParameters const& p) {
  auto const place = [](auto m, auto n) { return m * (m + 1) / 2 + n; };
  std::vector<TileFormat> out(place(static_cast<std::size_t>(p.nt), std::size_t{0}),
                              TileFormat{.precision = p.precision});
  int number = 0;  // of the line
  auto const fail = [&](std::string_view problem) {
    throw InputError(fmt::format("{}#{}", file.string(), number),
                     fmt::format("{}. Correct the line", problem));
  };
  auto const integer = [&](std::string_view text, int maximum) {
    auto const value = parsed<int>(text);
    if (!value || *value < 0 || *value > maximum)
      fail(fmt::format("has \"{}\" where an integer from 0 to {} is expected", text.substr(0, 40), maximum));
    return *value;
  };
  std::istringstream in(read_input_text(file));
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (++number == 1 && line != "m,n,precision,rank")
      fail("is not \"m,n,precision,rank\" (the names of the columns)");
    if (number == 1 || line.empty()) continue;
    std::vector<std::string_view> fields;
    for (auto const field : std::views::split(line, ',')) fields.emplace_back(field.begin(), field.end());
    if (fields.size() != 4) fail(fmt::format("has {} values, and four columns are expected", fields.size()));
    int const m = integer(fields[0], 4999), n = integer(fields[1], m);
    auto const precision = precision_named(fields[2]);
    if (!precision) fail(fmt::format("has the precision \"{}\", which is none", fields[2].substr(0, 40)));
    int const rank = integer(fields[3], p.nb);
    if (m == n && rank > 0) fail("gives a rank to a tile on the diagonal (which potrf needs in full)");
    if (m < p.nt)
      out[place(static_cast<std::size_t>(m), static_cast<std::size_t>(n))] = {precision.value_or(p.precision),
                                                                              rank};
  }
  return out;
}

void check_order(JsonReader const& json, ToleranceRule const& rule) {
  auto const& given = rule.precisions;
  if (given.empty()) json.fail("is empty (no tile has a precision). Give one at least, or leave the key out");
  for (std::size_t i = 1; i < given.size(); ++i)
    if (unit_roundoff(given[i]) <= unit_roundoff(given[i - 1]))
      json.fail("do not fall (the first is the highest). Sort them");
}

Fields<ToleranceRule> tolerance_fields() {
  using R = ToleranceRule;
  return {field<&R::tolerance>(
              "tolerance", {rule::positive("1", 1)},
              "bound of the error of storing the matrix, relative to its Frobenius norm: a tile "
              "gets the lowest of `precisions` with the unit roundoff u for which u times the "
              "norm of the tile is at most `tolerance` times that norm / `nt`, and the lowest "
              "rank whose remainder is not above that, up to `max_rank`",
              {.default_text = "none", .source = "Higham and Mary, Acta Numerica 31, 2022, section 8"}),
          field<&R::precisions>("precisions", {rule::array(usual_rules<Precision>(), 1)},
                                "of tiles by `tolerance`, the highest first",
                                {.default_text = "the application's `precision`", .check = check_order}),
          field<&R::max_rank>("max_rank", {rule::integer(1, max_rank, "columns")},
                              "of tiles by `tolerance`; tiles of a higher rank are full",
                              {.default_text = "all tiles are full", .echo = Echo::if_changed}),
          field<&R::covariance>("covariance", "the matrix, for `tolerance`", {.default_text = "none"})};
}

/// The keys of tiles of an application.
Fields<TileFormats> tile_formats_fields(ApplicationParameters const& p) {
  using F = TileFormats;
  Fields<F> out{
      field<&F::bands>(
          "bands", {rule::array(rules_of<FormatBand>(), 1)}, "formats by the distance from the diagonal",
          {.default_text = "none",
           .echo = Echo::if_changed,
           .read = [p](JsonReader const& json, F& formats) { formats.bands = read_bands(json, p); }}),
      field<&F::file>("file",
                      "formats by tile: CSV with the columns m, n, precision and rank (0: full); others are "
                      "full in the application's precision, and tiles beyond the matrix are ignored",
                      {.default_text = "none", .echo = Echo::if_changed})};
  out += within<&F::tolerance>(tolerance_fields());
  out += {field<&F::conversion, conversion_names>(
              "conversion",
              "where tiles are converted: `sender`: on their owner, once for each precision that "
              "readers need; `receiver`: on each node that reads them; `fewest-bytes`: for each node "
              "on the owner, if what the node needs has fewer bytes than the tile, otherwise there",
              {.source = "HiCMA-PaRSEC, decision_make_send.jdf"}),
          field<&F::core_conversion_Bps>(
              "core_conversion_Bps", {rule::positive("B/s")},
              "bytes that a conversion reads and writes per second on a core, where the kernel file "
              "has no timing of `convert`: an estimate"),
          field<&F::gpu_conversion_Bps>("gpu_conversion_Bps", {rule::positive("B/s")}, "the same on a GPU"),
          field<&F::low_rank_efficiency>(
              "low_rank_efficiency", {rule::positive("1", 100)},
              "rate of kernels on tiles of low rank in relation to that of gemm on full ones in the "
              "same precision, where the kernel file has no timing of `trsm_lr`, `syrk_lr`, "
              "`gemm_dense_lr` or `gemm_lr`: an estimate",
              {.source = "HiCMA-PaRSEC, band_size_dense_auto_tuning.jdf: a third"})};
  return out;
}

/// Refuses keys that need a "tolerance" without one, and a tolerance without a matrix.
void check_tolerance(JsonReader const& json) {
  auto const covariance = json.find("covariance");
  if (json.find("tolerance")) {
    if (!covariance)
      json.fail("has a \"tolerance\" and no \"covariance\" (whose tiles have the norms). Add it");
    return;
  }
  for (auto const& key : {json.find("precisions"), json.find("max_rank"), covariance})
    if (key) key->fail("has no effect (there is no \"tolerance\"). Leave it out, or add that");
}

}  // namespace

Object<TileFormats> const& object_of(TileFormats const* /*any*/) {
  static Object<TileFormats> const object(
      "tile_formats",
      "Precision and rank of each tile: by bands, from a file, or from a tolerance. A kernel "
      "computes in the precision of the tile that it writes; tiles that it reads in another "
      "precision are converted.",
      tile_formats_fields({}));
  return object;
}

TileFormats read_tile_formats(JsonReader const& json, ApplicationParameters const& p) {
  TileFormats out;
  check_tolerance(json);
  read_fields(json, tile_formats_fields(p), out);
  json.finish();
  if ((out.bands.empty() ? 0 : 1) + (out.file.empty() ? 0 : 1) + (out.tolerance ? 1 : 0) != 1)
    json.fail(
        "needs one of \"bands\", \"file\" and \"tolerance\" (each says the format of all tiles). Give one");
  if (!out.bands.empty()) {
    out.formats = formats_by_bands(p.nt, out.bands);
  } else if (!out.file.empty()) {
    out.formats = read_format_file(out.file, p);
  } else {
    if (out.tolerance->precisions.empty()) out.tolerance->precisions = {p.precision};
    out.formats = formats_by_tolerance(p.nt, p.nb, *out.tolerance);
  }
  return out;
}

}  // namespace factosim
