#include "simulator/studies/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "factosim/error.hpp"
#include "platforms/platform_json.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/scenario.hpp"
#include "simulator/scenario/keys/settings.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/scenario/simulation/run.hpp"
#include "simulator/studies/sweep/point_store.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t max_candidates = 10'000'000;

/// The scenario that the sweep varies, and the file that its relative paths refer to.
struct Base {
  Json scenario;
  std::string file;
  std::optional<std::vector<std::string>> settings;  // as in `Sweep`
};

Base read_base(JsonReader const& json) {
  if (!json.is_string()) return {json.value(), json.file(), std::nullopt};
  fs::path const file = json.path();
  return {parse_json_file(file), file.string(), std::vector<std::string>()};
}

std::string const& pointer_text(JsonReader const& json, std::string const& key) {
  if (!key.starts_with('/'))
    json.fail(fmt::format("\"{}\" is no JSON pointer (it starts with a slash). Write \"/{}\"", key, key));
  return key;
}

void set(Json& scenario, std::string const& where, std::string const& pointer, Json const& value) {
  auto const refuse = [&](std::string_view why) {
    throw InputError(where, fmt::format("{} cannot be set to {} ({}). Check the pointer against the scenario",
                                        pointer, json_text(value), why));
  };
  try {
    set_at(scenario, pointer, value);
  } catch (std::exception const& error) {
    refuse(error.what());
  }
}

void apply_set(Base& base, JsonReader const& json) {
  for (auto const& [key, member] : json.members()) {
    set(base.scenario, member.where(), pointer_text(member, key), member.value());
    if (member.value().is_null()) base.settings.reset();
    if (base.settings) base.settings->push_back(key + "=" + json_text(member.value()));
  }
}

/// Parses the filters of the command line; JSON readers point into the list.
std::list<Json> conditions(std::vector<std::string> const& texts) {
  std::list<Json> out;
  for (std::string const& text : texts) {
    out.push_back(Json::parse(text, nullptr, /*allow_exceptions=*/false));
    if (out.back().is_discarded() || too_deep(out.back()))
      throw InputError(
          "--filter",
          fmt::format("\"{}\" is not JSON (a condition is a list). Write '[\"<=\", \"/application/nt\", 50]'",
                      text));
  }
  return out;
}

// Single measurements on a busy machine, with up to 10^5 points of first/lu_mirage.json (tests/robustness.md).
constexpr double seconds_per_point = 20e-6;   // to list it
constexpr double seconds_per_value = 1.2e-3;  // to read a scenario with a value that no other has had
constexpr double bytes_beside_scenario = 1000;

/// Estimates the memory of a JSON value.
double bytes_of(Json const& value) {
  double bytes = 48;
  if (value.is_string()) bytes += static_cast<double>(value.get_ref<std::string const&>().size());
  if (value.is_object())
    for (auto const& [key, member] : value.items())
      bytes += 64 + static_cast<double>(key.size()) + bytes_of(member);
  if (value.is_array())
    for (Json const& element : value) bytes += bytes_of(element);
  return bytes;
}

/// Builds the points one by one.
class Expansion {
 public:
  /// `values`: that are tried in a scenario; 0: none.
  Expansion(Sweep& sweep, Base base, std::string where, SizeLimit const& size, std::uint64_t values)
      : sweep_(sweep),
        base_(std::move(base)),
        where_(std::move(where)),
        size_(size),
        values_(static_cast<double>(values)) {
    base_.scenario.erase("outputs");  // a sweep writes results only
    bytes_per_point_ = bytes_beside_scenario + bytes_of(base_.scenario);
    if (!size_.memory_bytes) size_.memory_bytes = available_memory_bytes();
  }

  /// Estimates the list of that many points.
  [[nodiscard]] WorkEstimate size_of(std::uint64_t points) const {
    auto const count = static_cast<double>(points);
    return {.count = count,
            .things = "points",
            .memory_bytes = bytes_per_point_ * count,
            .cpu_s = seconds_per_point * count + seconds_per_value * std::min(values_, count)};
  }
  void check_points(std::uint64_t points) const {
    check_work(size_of(points), max_preparation_s, size_, where_, "Leave values out");
  }
  /// Checks the time that filters take for that many combinations.
  void check_filters(std::uint64_t combinations) const {
    auto const count = static_cast<double>(combinations);
    check_work({.count = count, .things = "combinations to filter", .cpu_s = seconds_per_point * count},
               max_preparation_s, size_, where_, "Leave values out");
  }
  std::vector<SweepFilter> filters;

  void add(SweepChoice const& choice) {
    Json scenario = base_.scenario;
    for (SweepSetting const& s : choice.settings) set(scenario, where_, s.pointer, s.value);
    std::map<std::string, std::int64_t> nodes = nodes_of(scenario);
    FilteredPoint const asked{scenario, nodes, choice.labels};
    if (!std::all_of(filters.begin(), filters.end(), [&](SweepFilter const& f) { return f(asked); })) return;
    check_room();
    Json const seed_key = scenario.value("seed", Json(0));
    std::uint64_t const seed = seed_key.is_number_unsigned() ? seed_key.get<std::uint64_t>() : 0;
    for (int r = 0; r < sweep_.replicas; ++r) {
      SweepPoint point{.index = sweep_.points.size(),
                       .settings = choice.settings,
                       .labels = choice.labels,
                       .nodes = nodes,
                       .replica = r,
                       .seed = seed + static_cast<std::uint64_t>(r),
                       .scenario = scenario};
      if (r > 0) point.scenario["seed"] = point.seed;
      point.id = hasher_.of(point.scenario, fs::path(base_.file).parent_path());
      sweep_.points.push_back(std::move(point));
    }
  }

 private:
  /// Checks that the replicas of one more point fit.
  void check_room() const {
    std::uint64_t const points = sweep_.points.size() + static_cast<std::uint64_t>(sweep_.replicas);
    if (points > sweep_.max_points)
      throw InputError(where_,
                       fmt::format("makes more than {} points ({} combinations before filters, {} replicas "
                                   "each). Leave values out, or confirm with --max-points or \"max_points\"",
                                   sweep_.max_points, sweep_.candidates, sweep_.replicas));
    check_points(points);
  }

  /// Returns nothing if the platform cannot be read: simulating the point will report the error.
  std::map<std::string, std::int64_t> nodes_of(Json const& scenario) {
    Json const platform = scenario.is_object() ? scenario.value("platform", Json()) : Json();
    auto const [place, is_new] = nodes_.try_emplace(json_text(platform));
    if (!is_new) return place->second;
    try {
      JsonReader const json(platform, base_.file, "/platform");
      Platform const read = read_platform(json);
      for (std::uint32_t const type : read.nodes) ++place->second[read.types[type].name];
    } catch (InputError const&) {
      place->second.clear();
    }
    return place->second;
  }

  Sweep& sweep_;
  Base base_;
  std::string where_;
  SizeLimit size_;
  double values_;
  double bytes_per_point_ = 0;
  FileHasher hasher_;
  std::map<std::string, std::map<std::string, std::int64_t>> nodes_;  // by the JSON text of the platform
};

/// Formats a value for messages: text without quotes.
std::string shown_text(Json const& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

/// Returns the keys and values of a point, for messages.
std::vector<std::string> describe_settings(SweepPoint const& point) {
  std::vector<std::string> out;
  out.reserve(point.settings.size());
  for (SweepSetting const& s : point.settings)
    out.push_back(fmt::format("{} = {}", s.pointer, shown_text(s.shown)));
  if (out.empty()) out.emplace_back("the scenario");
  return out;
}

/// Returns the error of reading a point; empty if it is valid.
std::string problem_of(SweepPoint const& point, std::string const& file, SizeLimit const& limit) {
  try {
    check_scenario(scenario_of(point.scenario, file), limit);
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

/// Finds keys and values that make every point with them invalid. Each value is tried in its points, in
/// order, until one is valid.
void check_values(Sweep const& sweep, SizeLimit const& limit) {
  struct Use {
    std::size_t points = 0;
    std::string problem;  // of the first point
    bool works = false;
  };
  std::map<std::string, Use> uses;
  for (SweepPoint const& point : sweep.points) {
    auto const values = describe_settings(point);
    bool needed = false;
    for (std::string const& value : values) {
      ++uses[value].points;
      needed = needed || !uses[value].works;
    }
    if (!needed || point.replica > 0) continue;
    std::string const problem = problem_of(point, sweep.scenario_file, limit);
    for (std::string const& value : values) {
      Use& use = uses[value];
      if (problem.empty()) use.works = true;
      if (use.problem.empty()) use.problem = problem;
    }
  }
  for (auto const& [value, use] : uses)
    if (!use.works)
      throw InputError(
          sweep.file.string() + "#/points",
          fmt::format("{} fails in all {} points that have it ({}). Nothing has been run; correct it", value,
                      use.points, use.problem));
}

/// Reads the space of points and checks the number of its points before filters.
SweepSpace read_candidates(JsonReader const& points, std::uint64_t limit) {
  SweepSpace space = read_sweep_space(points);
  if (space.count() > std::max(limit, max_candidates))
    points.fail(
        fmt::format("makes {} combinations before filters (more than {} are not even counted through). Leave "
                    "values out, or confirm with --max-points or \"max_points\"",
                    space.count(), std::max(limit, max_candidates)));
  return space;
}

/// Adds the points of the space that pass the filters to the sweep, or only counts them if the list would be long.
void add_points(Sweep& sweep, Expansion& expansion, SweepSpace const& space, JsonReader const& points,
                bool count_only) {
  constexpr double counted_s = 10;  // longer lists are only counted
  if (expansion.filters.empty() &&
      sweep.candidates > sweep.max_points / static_cast<std::uint64_t>(sweep.replicas))
    points.fail(
        fmt::format("makes {} points x {} replicas (more than {}). Leave values out, or confirm with "
                    "--max-points or \"max_points\"",
                    sweep.candidates, sweep.replicas, sweep.max_points));
  auto const replicas = static_cast<std::uint64_t>(sweep.replicas);
  sweep.count = sweep.candidates > UINT64_MAX / replicas ? UINT64_MAX : sweep.candidates * replicas;
  if (expansion.filters.empty()) {
    if (count_only && expansion.size_of(sweep.count).cpu_s > counted_s) return;
    expansion.check_points(sweep.count);
  } else {
    expansion.check_filters(sweep.candidates);
  }
  for (std::uint64_t i = 0; i < sweep.candidates; ++i) expansion.add(space.at(i));
  sweep.count = sweep.points.size();
  if (sweep.points.empty())
    points.fail(fmt::format("has no point left (the filters keep none of {} combinations). Relax a filter",
                            sweep.candidates));
}

}  // namespace

std::string SweepPoint::description() const {
  std::string out;
  auto const add = [&](std::string_view name, Json const& value) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, shown_text(value));
  };
  for (SweepSetting const& s : settings) add(std::string_view(s.pointer).substr(1), s.shown);
  for (auto const& [name, value] : labels) add(name, value);
  if (replica > 0) add("replica", replica);
  return out;
}

Sweep read_sweep(fs::path const& file, std::vector<std::string> const& settings, SweepLimits const& limits) {
  Json const document = parse_json_file(file);
  JsonReader const json = JsonReader(document, file.string()).by(rules_of<Sweep>);
  json.check_own_format("factosim-sweep", 1);
  Sweep sweep;
  sweep.file = file;
  sweep.name = file.stem().string();
  read_object(json, sweep);
  for (std::size_t i = 0; i < sweep.plots.size(); ++i)
    if (sweep.plots[i].heat_map && sweep.plots[i].series.empty())
      json.at("plots").elements()[i].fail(
          "is a heat map without \"series\" (it has two axes). Give the other column");
  if (limits.replicas) sweep.replicas = *limits.replicas;
  if (limits.max_points) sweep.max_points = *limits.max_points;
  Base base = read_base(json.at("scenario"));
  sweep.scenario_file = base.file;
  if (auto const constant = json.find("set")) apply_set(base, *constant);
  std::vector<std::string> const whole = set_keys(base.scenario, settings);
  if (base.settings) base.settings->insert(base.settings->end(), whole.begin(), whole.end());
  sweep.settings = base.settings;
  sweep.filters = limits.filters;
  JsonReader(base.scenario, base.file).check_own_format("factosim-scenario", 1);

  JsonReader const points = json.at("points");
  SweepSpace const space = read_candidates(points, sweep.max_points);
  sweep.candidates = space.count();
  Expansion expansion(sweep, std::move(base), points.where(), limits.size,
                      limits.check_values ? space.values() : 0);
  if (auto const filters = json.find("filters"))
    for (JsonReader const& entry : filters->elements()) expansion.filters.push_back(read_sweep_filter(entry));
  std::list<Json> const given = conditions(limits.filters);
  for (Json const& condition : given)
    expansion.filters.push_back(read_sweep_filter(JsonReader(condition, "--filter")));
  add_points(sweep, expansion, space, points, limits.count_only);
  if (limits.check_values && !sweep.points.empty()) check_values(sweep, limits.size);
  return sweep;
}

}  // namespace factosim
