#include "simulator/scenario/keys/format_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr int max_rank = 100'000;

std::vector<std::string> conversion_names() { return {"sender", "receiver", "fewest-bytes"}; }

std::vector<Key> format_keys() {
  return {{.name = "precision",
           .value = {rule::word(names_of(precisions))},
           .meaning = "of the elements",
           .default_text = "the application's `precision`"},
          {.name = "rank",
           .value = {rule::integer(1, max_rank, "columns")},
           .meaning = "columns of the two factors that the tile is the product of",
           .default_text = "the tile is full"}};
}

ObjectKeys const& band_table() {
  static ObjectKeys const table{
      .title = "format_band",
      .meaning = "Format of the tiles (m, n) at distances m - n from the diagonal.",
      .keys = joined({{.name = "below",
                       .value = {rule::integer(1, 5000, "tiles")},
                       .meaning = "distances below this, and not below those of the bands before",
                       .default_text = "all that remain; of the last band only"}},
                     format_keys())};
  return table;
}

ObjectKeys const& covariance_table() {
  static CovarianceModel const defaults;
  static ObjectKeys const table{
      .title = "covariance",
      .meaning =
          "Matérn covariance of variance 1 between locations in the unit square: a grid, each point moved "
          "by up to 0.4 of its distance, in Morton order.",
      .keys = {
          {.name = "range",
           .value = {rule::positive("1")},
           .meaning = "distances are divided by it",
           .default_value = defaults.range},
          {.name = "smoothness",
           .value = {rule::number(0.5, 2.5)},
           .meaning = "of the Matérn function: 0.5, 1.5 or 2.5",
           .default_value = defaults.smoothness},
          {.name = "seed",
           .value = {rule::integer(0, INT64_MAX)},
           .meaning = "of the locations",
           .default_value = defaults.seed},
          {.name = "samples",
           .value = {rule::integer(2, 4096, "rows")},
           .meaning = "rows and columns of a tile, at even distances, that stand for it; with `nb` of them "
                      "norms and ranks are exact",
           .default_value = defaults.samples}}};
  return table;
}

FormatBand read_format(JsonReader const& json, ApplicationParameters const& p) {
  FormatBand out{.format = {.precision = p.precision}};
  if (auto const precision = json.find("precision"))
    out.format.precision = *precision_named(precision->one_of());
  if (auto const rank = json.find("rank")) out.format.rank = static_cast<int>(rank->integer());
  if (out.format.rank > p.nb)
    json.at("rank").fail(
        fmt::format("is {}, and tiles have {} rows. Give a lower rank", out.format.rank, p.nb));
  return out;
}

std::vector<FormatBand> read_bands(JsonReader const& json, ApplicationParameters const& p) {
  std::vector<FormatBand> out;
  auto const bands = json.elements();
  if (bands.empty()) json.fail("is empty (no tile has a format). Give one band at least");
  for (JsonReader const& band : bands) {
    FormatBand read = read_format(band, p);
    bool const last = &band == &bands.back();
    if (auto const below = band.find("below")) {
      read.below = static_cast<int>(below->integer());
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
    band.finish();
    out.push_back(read);
  }
  return out;
}

/// Reads lines "m,n,precision,rank" after a line that names the columns. Tiles that are not named are full, in the application's precision.
class FormatFile {
 public:
  FormatFile(std::filesystem::path const& file, ApplicationParameters const& p)
      : file_(file.string()), p_(p) {}

  [[nodiscard]] std::vector<TileFormat> read() {
    std::vector<TileFormat> out(static_cast<std::size_t>(p_.nt) * (static_cast<std::size_t>(p_.nt) + 1) / 2,
                                TileFormat{.precision = p_.precision});
    std::string const text = read_input_text(file_);
    std::string_view rest = text;
    while (!rest.empty()) {
      std::size_t const end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      ++line_;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line_ == 1) {
        if (line != "m,n,precision,rank") fail("is not \"m,n,precision,rank\" (the names of the columns)");
      } else if (!line.empty()) {
        set(line, out);
      }
    }
    return out;
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw InputError(fmt::format("{}#{}", file_, line_), fmt::format("{}. Correct the line", problem));
  }

  [[nodiscard]] int integer(std::string_view text, int maximum) const {
    int value = -1;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > maximum)
      fail(fmt::format("has \"{}\" where an integer from 0 to {} is expected", text.substr(0, 40), maximum));
    return value;
  }

  void set(std::string_view line, std::vector<TileFormat>& out) const {
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin != std::string_view::npos;) {
      std::size_t const comma = line.find(',', begin);
      fields.push_back(line.substr(begin, comma == std::string_view::npos ? comma : comma - begin));
      begin = comma == std::string_view::npos ? comma : comma + 1;
    }
    if (fields.size() != 4) fail(fmt::format("has {} values, and four columns are expected", fields.size()));
    int const m = integer(fields[0], 4999), n = integer(fields[1], m);
    auto const precision = precision_named(fields[2]);
    if (!precision) fail(fmt::format("has the precision \"{}\", which is none", fields[2].substr(0, 40)));
    int const rank = integer(fields[3], p_.nb);
    if (m == n && rank > 0) fail("gives a rank to a tile on the diagonal (which potrf needs in full)");
    if (m < p_.nt)
      out[static_cast<std::size_t>(m) * (static_cast<std::size_t>(m) + 1) / 2 + static_cast<std::size_t>(n)] =
          {*precision, rank};
  }

  std::string file_;
  ApplicationParameters const& p_;
  int line_ = 0;
};

CovarianceModel read_covariance(JsonReader const& json) {
  CovarianceModel out;
  if (auto const range = json.find("range")) out.range = range->quantity();
  if (auto const smoothness = json.find("smoothness")) {
    out.smoothness = smoothness->quantity();
    if (out.smoothness != 0.5 && out.smoothness != 1.5 && out.smoothness != 2.5)
      smoothness->fail("has no closed form. Use 0.5, 1.5 or 2.5");
  }
  if (auto const seed = json.find("seed")) out.seed = static_cast<std::uint64_t>(seed->integer());
  if (auto const samples = json.find("samples")) out.samples = static_cast<int>(samples->integer());
  json.finish();
  return out;
}

/// Reads "tolerance" and the keys that need it; nothing without it.
std::vector<ToleranceRule> read_tolerance(JsonReader const& json, ApplicationParameters const& p) {
  auto const tolerance = json.find("tolerance"), given = json.find("precisions"),
             rank = json.find("max_rank"), covariance = json.find("covariance");
  if (!tolerance) {
    for (auto const& key : {given, rank, covariance})
      if (key) key->fail("has no effect (there is no \"tolerance\"). Leave it out, or add that");
    return {};
  }
  if (!covariance)
    json.fail("has a \"tolerance\" and no \"covariance\" (whose tiles have the norms). Add it");
  ToleranceRule out{.tolerance = tolerance->quantity(),
                    .precisions = {p.precision},
                    .covariance = read_covariance(*covariance)};
  if (given) {
    out.precisions.clear();
    for (JsonReader const& precision : given->elements())
      out.precisions.push_back(*precision_named(precision.one_of()));
    if (out.precisions.empty())
      given->fail("is empty (no tile has a precision). Give one at least, or leave the key out");
    for (std::size_t i = 1; i < out.precisions.size(); ++i)
      if (unit_roundoff(out.precisions[i]) <= unit_roundoff(out.precisions[i - 1]))
        given->fail("do not fall (the first is the highest). Sort them");
  }
  if (rank) out.max_rank = static_cast<int>(rank->integer());
  return {out};
}

}  // namespace

ObjectKeys const& tile_formats_table() {
  static TileFormats const defaults;
  static ObjectKeys const table{
      .title = "tile_formats",
      .meaning =
          "Precision and rank of each tile: by bands, from a file, or from a tolerance. A kernel computes in "
          "the "
          "precision of the tile that it writes; tiles that it reads in another precision are converted.",
      .keys = {
          {.name = "bands",
           .value = {rule::array({rule::object(band_table)}, 1)},
           .meaning = "formats by the distance from the diagonal",
           .default_text = "none"},
          {.name = "file",
           .value = {rule::path()},
           .meaning = "formats by tile: CSV with the columns m, n, precision and rank (0: full); others are "
                      "full in the application's precision, and tiles beyond the matrix are ignored",
           .default_text = "none"},
          {.name = "tolerance",
           .value = {rule::positive("1", 1)},
           .meaning = "bound of the error of storing the matrix, relative to its Frobenius norm: a tile "
                      "gets the lowest of `precisions` with the unit roundoff u for which u times the norm "
                      "of the tile is at most "
                      "`tolerance` times that norm / `nt`, and the lowest rank whose remainder is not above "
                      "that, up to "
                      "`max_rank`",
           .default_text = "none",
           .source = "Higham and Mary, Acta Numerica 31, 2022, section 8"},
          {.name = "precisions",
           .value = {rule::array({rule::word(names_of(precisions))}, 1)},
           .meaning = "of tiles by `tolerance`, the highest first",
           .default_text = "the application's `precision`"},
          {.name = "max_rank",
           .value = {rule::integer(1, max_rank, "columns")},
           .meaning = "of tiles by `tolerance`; tiles of a higher rank are full",
           .default_text = "all tiles are full"},
          {.name = "covariance",
           .value = {rule::object(covariance_table)},
           .meaning = "the matrix, for `tolerance`",
           .default_text = "none"},
          {.name = "conversion",
           .value = {rule::word(conversion_names())},
           .meaning =
               "where tiles are converted: `sender`: on their owner, once for each precision that "
               "readers need; `receiver`: on each node that reads them; `fewest-bytes`: for each "
               "node on the owner, if what the node needs has fewer bytes than the tile, otherwise there",
           .default_value = conversion_names().front(),
           .source = "HiCMA-PaRSEC, decision_make_send.jdf"},
          {.name = "core_conversion_Bps",
           .value = {rule::positive("B/s")},
           .meaning = "bytes that a conversion reads and writes per second on a core, where the kernel file "
                      "has no timing of `convert`: an estimate",
           .default_value = defaults.core_conversion_Bps},
          {.name = "gpu_conversion_Bps",
           .value = {rule::positive("B/s")},
           .meaning = "the same on a GPU",
           .default_value = defaults.gpu_conversion_Bps},
          {.name = "low_rank_efficiency",
           .value = {rule::positive("1", 100)},
           .meaning = "rate of kernels on tiles of low rank in relation to that of gemm on full ones in the "
                      "same precision, where the kernel file has no timing of `trsm_lr`, `syrk_lr`, "
                      "`gemm_dense_lr` or `gemm_lr`: an estimate",
           .default_value = defaults.low_rank_efficiency,
           .source = "HiCMA-PaRSEC, band_size_dense_auto_tuning.jdf: a third"}}};
  return table;
}

TileFormats read_tile_formats(JsonReader const& json, ApplicationParameters const& p) {
  TileFormats out;
  auto const bands = json.find("bands"), file = json.find("file");
  out.tolerance = read_tolerance(json, p);
  if ((bands ? 1 : 0) + (file ? 1 : 0) + (out.tolerance.empty() ? 0 : 1) != 1)
    json.fail(
        "needs one of \"bands\", \"file\" and \"tolerance\" (each says the format of all tiles). Give one");
  if (bands) {
    out.bands = read_bands(*bands, p);
    out.formats = formats_by_bands(p.nt, out.bands);
  } else if (file) {
    out.file = file->path().string();
    out.formats = FormatFile(out.file, p).read();
  } else {
    out.formats = formats_by_tolerance(p.nt, p.nb, out.tolerance.front());
  }
  if (auto const place = json.find("conversion")) {
    auto const names = conversion_names();
    out.conversion = static_cast<ConversionPlace>(std::ranges::find(names, place->one_of()) - names.begin());
  }
  if (auto const rate = json.find("core_conversion_Bps")) out.core_conversion_Bps = rate->quantity();
  if (auto const rate = json.find("gpu_conversion_Bps")) out.gpu_conversion_Bps = rate->quantity();
  if (auto const rate = json.find("low_rank_efficiency")) out.low_rank_efficiency = rate->quantity();
  json.finish();
  return out;
}

nlohmann::ordered_json effective_tile_formats(TileFormats const& f) {
  nlohmann::ordered_json out;
  for (FormatBand const& band : f.bands) {
    nlohmann::ordered_json one;
    if (&band != &f.bands.back()) one["below"] = band.below;
    one["precision"] = name_of(band.format.precision);
    if (band.format.rank > 0) one["rank"] = band.format.rank;
    out["bands"].push_back(one);
  }
  if (!f.file.empty()) out["file"] = f.file;
  for (ToleranceRule const& rule : f.tolerance) {
    out["tolerance"] = rule.tolerance;
    for (Precision const precision : rule.precisions) out["precisions"].push_back(name_of(precision));
    if (rule.max_rank > 0) out["max_rank"] = rule.max_rank;
    out["covariance"] = {{"range", rule.covariance.range},
                         {"smoothness", rule.covariance.smoothness},
                         {"seed", rule.covariance.seed},
                         {"samples", rule.covariance.samples}};
  }
  out["conversion"] = conversion_names()[static_cast<std::size_t>(f.conversion)];
  out["core_conversion_Bps"] = f.core_conversion_Bps;
  out["gpu_conversion_Bps"] = f.gpu_conversion_Bps;
  out["low_rank_efficiency"] = f.low_rank_efficiency;
  return out;
}

}  // namespace factosim
