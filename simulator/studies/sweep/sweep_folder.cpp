#include "simulator/studies/sweep/sweep_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr char const* format_name = "factosim-sweep-results";

/// The lines of sweep.json before its checksum.
constexpr std::string_view first_lines = "{\n \"format\": \"factosim-sweep-results\",\n \"version\": 1,\n";
constexpr std::array table_files{"sweep.csv", "sweep.jsonl"};

/// Keys of points and the values of the texts in their columns. Empty optional if a text has two values or a
/// key is removed from the scenario: settings cannot express that.
struct KeyValues {
  std::vector<std::string> keys;
  OrderedJson values = OrderedJson::object();
};
std::optional<KeyValues> key_values(Sweep const& sweep) {
  KeyValues out;
  std::map<std::pair<std::string, std::string>, nlohmann::json> known;
  for (SweepPoint const& point : sweep.points)
    for (SweepSetting const& s : point.settings) {
      std::string const key = s.pointer.substr(1), text = cell_text(s.shown);
      if (s.value.is_null() || s.shown.is_null()) return std::nullopt;
      if (std::ranges::find(out.keys, key) == out.keys.end()) out.keys.push_back(key);
      auto const [place, is_new] = known.try_emplace({key, text}, s.value);
      if (!is_new && place->second != s.value) return std::nullopt;
      if (is_new && s.value != s.shown) out.values[key][text] = s.value;
    }
  return out;
}

OrderedJson provenance_of_first(Sweep const& sweep, PointStore const& store) {
  for (SweepPoint const& point : sweep.points)
    if (auto const record = store.find(point.id).record; record && record->done())
      return record->result.value("provenance", OrderedJson());
  return {};
}

std::vector<SweepPlot> read_plots(JsonReader const& json, Table const& table) {
  std::vector<SweepPlot> out;
  read_value(json, out);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::string const& column : {out[i].x, out[i].y, out[i].series})
      if (!column.empty() && column != "speedup")
        require_column(table, json.elements()[i].where(), column, ", speedup");
  return out;
}

[[noreturn]] void fail_line(fs::path const& file, std::size_t line, std::string const& problem) {
  throw InputError(fmt::format("{}:{}", file.string(), line),
                   problem + ". Make it again by factosim sweep --collect");
}

/// The rows of sweep.jsonl.
void read_rows(fs::path const& file, Table& table) {
  std::istringstream in(read_input_text(file, "Make it again by factosim sweep --collect"));
  std::map<std::string, std::size_t> places;
  for (std::size_t c = 0; c < table.columns.size(); ++c) places[table.columns[c]] = c;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    check_input(InputLimit::cells, number * table.columns.size(), file.string() + "#");
    check_json(line, fmt::format("{}:{}", file.string(), number));
    nlohmann::json const json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) fail_line(file, number, "is no point of a sweep (a JSON object is expected)");
    auto& row = table.rows.emplace_back(table.columns.size());
    for (auto const& [name, value] : json.items()) {
      auto const place = places.find(name);
      if (place == places.end())
        fail_line(file, number, fmt::format("has \"{}\" (sweep.json beside it names no such column)", name));
      row[place->second] = Table::Cell(value);
    }
  }
}

[[noreturn]] void fail_checksum(fs::path const& file) {
  throw InputError(file.string() + "#",
                   "is damaged or altered (its checksum is not that of its content). Make it again by "
                   "factosim sweep --collect");
}

/// Compares sweep.json and the tables beside it with their checksums, which those of older versions lack.
void check_content(fs::path const& file, JsonReader const& json) {
  auto const files = json.find("files");
  bool const has_checksum = files || json.find("checksum");
  if (has_checksum && seal_of(read_input(file), first_lines) != Seal::intact) fail_checksum(file);
  if (!files) return;
  for (char const* const name : table_files) {
    std::string const hash = files->at(name).string();
    std::error_code ignored;
    if (fs::path const table = file.parent_path() / name;
        fs::exists(table, ignored) && file_hash(table) != hash)
      fail_checksum(table);
  }
}

}  // namespace

SweepRecord sweep_record(Sweep const& sweep, PointStore const& store, SweepResults const& results,
                         std::vector<ComparedChart> const& comparisons) {
  SweepRecord out{.name = sweep.name,
                  .table = results.table,
                  .plots = sweep.plots,
                  .keys = {},
                  .values = OrderedJson::object(),
                  .comparisons = comparisons_json(comparisons),
                  .origin = {{"sweep", sweep.file.string()}},
                  .provenance = provenance_of_first(sweep, store)};
  if (auto known = key_values(sweep); known && sweep.settings) {
    out.keys = std::move(known->keys);
    out.values = std::move(known->values);
    out.origin["scenario"] = sweep.scenario_file;
    out.origin["settings"] = *sweep.settings;
  }
  if (!sweep.filters.empty()) out.origin["filters"] = sweep.filters;
  return out;
}

void write_sweep_tables(fs::path const& folder, Table const& table) {
  write_file_atomically(folder / "sweep.csv", csv_text(table));
  write_file_atomically(folder / "sweep.jsonl", json_lines(table));
}

void write_sweep_record(fs::path const& folder, SweepRecord const& record) {
  OrderedJson hashes = OrderedJson::object();
  for (char const* const name : table_files) hashes[name] = file_hash(folder / name);
  OrderedJson const json = {{"format", format_name},
                            {"version", 1},
                            {"name", record.name},
                            {"files", hashes},
                            {"points", record.table.rows.size()},
                            {"columns", record.table.columns},
                            {"parameters", record.table.parameters},
                            {"keys", record.keys},
                            {"values", record.values},
                            {"plots", written(record.plots)},
                            {"comparisons", record.comparisons},
                            {"origin", record.origin},
                            {"provenance", record.provenance}};
  write_file_atomically(folder / "sweep.json", sealed(json_text(json, 1) + "\n", first_lines));
}

std::optional<fs::path> sweep_folder(fs::path const& path) {
  std::error_code error;
  std::string const name = path.filename().string();
  if (name == "sweep.json" || name == "sweep.jsonl" || name == "sweep.csv") {
    fs::path const folder = path.parent_path();
    return folder.empty() ? fs::path(".") : folder;
  }
  if (!fs::is_directory(path, error)) return std::nullopt;
  bool const tables = fs::exists(path / "sweep.json", error) || fs::exists(path / "sweep.csv", error);
  bool const points = fs::is_directory(path / "points", error) && !fs::exists(path / "result.json", error);
  return tables || points ? std::optional(path) : std::nullopt;
}

SweepRecord read_sweep_folder(fs::path const& folder) {
  fs::path const file = folder / "sweep.json";
  if (!fs::exists(file))
    throw InputError(folder.string() + "#",
                     "holds points of a sweep but no sweep.json (it still runs, or an older factosim wrote "
                     "it). Make its tables by factosim sweep SWEEP --collect");
  nlohmann::json const document = parse_json_file(file);
  JsonReader const json(document, file.string());
  json.check_format(format_name, 1);
  SweepRecord out;
  out.name = json.at("name").string();
  out.table.columns = json.at("columns").strings();
  out.table.parameters = json.at("parameters").strings();
  for (std::string const& name : out.table.parameters)
    require_column(out.table, json.at("parameters").where(), name);
  out.keys = json.at("keys").strings();
  out.plots = read_plots(json.at("plots"), out.table);
  for (char const* name : {"values", "origin"}) (void)json.at(name).members();
  for (JsonReader const& entry : json.at("comparisons").elements())
    for (char const* name : {"metric", "where", "words"}) (void)entry.at(name).string();
  (void)json.at("provenance");
  auto const points = static_cast<std::size_t>(json.at("points").integer(1, INT64_MAX));
  for (char const* const name : {"checksum", "files"}) (void)json.find(name);
  json.finish();
  OrderedJson const ordered = parse_json_file_in_order(file);
  out.values = ordered["values"];
  out.comparisons = ordered["comparisons"];
  out.origin = ordered["origin"];
  out.provenance = ordered["provenance"];
  read_rows(folder / "sweep.jsonl", out.table);
  if (out.table.rows.size() != points)
    throw InputError(
        (folder / "sweep.jsonl").string() + "#",
        fmt::format(
            "has {} points (sweep.json beside it tells of {}). Make both again by factosim sweep --collect",
            out.table.rows.size(), points));
  check_content(file, json);
  return out;
}

}  // namespace factosim
