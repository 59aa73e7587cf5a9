#include "models/kernel_model_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/parsed.hpp"

namespace factosim {
namespace {

/// Returns the whole number from `least` on that a text writes in decimal digits; nullopt if it is none.
std::optional<int> whole_number(std::string_view text, int least) {
  auto const number = parsed<int>(text);
  return number && std::to_string(*number) == text && *number >= least ? number : std::nullopt;
}

/// Returns the rank of a worker's name in kernel files: of "cpu" -1, of "cuda3" 3; nullopt for other names.
std::optional<int> worker_rank(std::string_view worker) {
  if (worker == "cpu") return -1;
  return worker.starts_with("cuda") ? whole_number(worker.substr(4), 0) : std::nullopt;
}

/// The key `worker` of a timing or a history.
template <class O>
Field<O> worker_field() {
  return field<&O::worker>(
      "worker", {rule::text("^(cpu|cuda(0|[1-9][0-9]{0,8}))$")},
      "`cpu`, a core, or `cuda0`, `cuda1`, ..., a GPU",
      {.missing = "cpu, cuda0, ...", .check = [](JsonReader const& json, O const& o) {
         if (!worker_rank(o.worker))
           json.fail(fmt::format(
               "\"{}\" is no worker (cores are alike and called cpu, GPUs are numbered). Use \"cpu\", "
               "\"cuda0\", \"cuda1\" ...",
               o.worker));
       }});
}

/// The keys of a measured duration: its mean and deviation in seconds, and how many executions they are of.
template <class O>
Fields<O> statistics_fields() {
  return {field<&O::mean>("mean_s", {rule::positive("s")}, "mean duration",
                          {.missing = "mean duration in seconds"}),
          field<&O::deviation>("deviation_s", "standard deviation of one execution"),
          field<&O::samples>("samples", {rule::integer(0, LONG_MAX, "executions")},
                             "executions that were measured")};
}

}  // namespace

Object<KernelHistory> const& object_of(KernelHistory const* /*any*/) {
  using O = KernelHistory;
  FieldRules<O> const if_changed{.echo = Echo::if_changed};
  Fields<O> const shapes{
      field<&O::symbol>("symbol", "name of the performance model",
                        {.missing = "the name of the performance model"}),
      field<&O::footprint>(
          "footprint", {rule::text("^[0-9a-f]{8}$")}, "StarPU's hash of the shapes of the data",
          {.missing = "8 hexadecimal digits",
           .check =
               [](JsonReader const& json, O const& history) {
                 std::string const& text = history.footprint;
                 if (text.size() != 8 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
                   json.fail(fmt::format("\"{}\" is no footprint. Give 8 hexadecimal digits", text));
               }}),
      worker_field<O>()};
  Fields<O> const work{field<&O::size>("size", {rule::integer(0, std::int64_t{1} << 50, "B")},
                                       "bytes of the data of a task; 0: not known", if_changed),
                       field<&O::flops>("flops", {rule::non_negative("flop")},
                                        "operations of a task; 0: not known", if_changed)};
  static Object<O> const object(
      "history",
      "The duration of tasks of a StarPU performance model whose data have the same shapes. Recorded "
      "programs find their durations here first.",
      shapes + statistics_fields<O>() + work);
  return object;
}

namespace {

constexpr double max_deviation = 1000;  // relative; as of a scenario's noise
constexpr int after_durations = 1;      // rank of keys that follow the durations in a file

/// Key of a timing; sorts the file.
auto subject(KernelTiming const& t) {
  return std::tuple(t.kernel, t.application, name_of(t.precision), worker_rank(t.worker).value_or(INT_MAX),
                    t.nb);
}

/// Reads the slowdown of a timing whose worker is known.
void read_slowdown(JsonReader const& json, KernelTiming& t) {
  if (t.worker != "cpu")
    json.fail(fmt::format("stands in a timing of {} (it says how busy cores slow each other down). Remove it",
                          t.worker));
  for (auto const& [key, factor] : json.members()) {
    auto const cores = whole_number(key, 1);
    if (!cores)
      factor.fail(fmt::format(
          "is the factor for \"{}\" busy cores (they are counted from 1). Use \"1\", \"2\" ...", key));
    t.slowdown.points.push_back({*cores, factor.quantity()});
  }
  if (t.slowdown.points.empty())
    json.fail("is empty (it gives factors by the number of busy cores). Give one at least, or no such key");
  std::ranges::sort(t.slowdown.points, {}, &Slowdown::Point::busy_cores);
}

nlohmann::ordered_json written_slowdown(KernelTiming const& t) {
  nlohmann::ordered_json out;
  for (auto const& [cores, factor] : t.slowdown.points) out[std::to_string(cores)] = factor;
  return out;
}

/// Throws InputError if `json` has a time beside the rate but no range of tile sizes in which the sum holds.
void check_fitted_times(JsonReader const& json) {
  bool const has_range = json.find("min_nb") && json.find("max_nb");
  for (char const* const key : {"launch_s", "per_column_s", "per_element_s"})
    if (auto const time = json.find(key); time && !has_range)
      time->fail(
          "a fitted time without the tile sizes it is for (nothing is extrapolated). Give \"min_nb\" and "
          "\"max_nb\"");
}

void check_range(JsonReader const& json, KernelRate const& rate) {
  auto const least = json.find("min_nb"), most = json.find("max_nb");
  if (rate.min_nb > rate.max_nb)
    (most ? *most : *least)
        .fail(fmt::format("is below \"min_nb\", {} (no tile size would remain). Give at least that",
                          rate.min_nb));
}

Fields<Variability> run_fields() {
  using O = Variability;
  return {field<&O::run_deviation>("run_deviation", {rule::number(0, max_deviation)}, "of a factor per run",
                                   {.required = true}),
          field<&O::degrees_of_freedom>("degrees_of_freedom", {rule::integer(1, 1'000'000)},
                                        "degrees of freedom of `run_deviation`",
                                        {.missing = "those of \"run_deviation\"",
                                         .applies = [](O const& o) { return o.run_deviation.has_value(); }})};
}

Fields<Variability> worker_fields() {
  using O = Variability;
  return {field<&O::worker_deviation>("worker_deviation", {rule::number(0, max_deviation)},
                                      "of a factor per worker and run",
                                      {.missing = "relative, of a factor per worker and run"}),
          field<&O::runs>("runs", {rule::integer(1, 1'000'000, "runs")}, "real runs that a mean is from",
                          {.missing = "runs that a mean is from", .rank = after_durations})};
}

Object<Variability> const& variability() {
  static Object<Variability> const object(
      "variability",
      "Relative standard deviations of factors that all executions of a worker, or of a run, "
      "have in common. `factosim calibrate` writes it.",
      worker_fields(),
      {{"run_deviation", "", "From several runs.", run_fields()}, {"", "", "From one run.", {}}});
  return object;
}

ObjectKeys const& variability_table() { return variability().keys; }

/// Returns the keys of what every timing has.
Fields<KernelTiming> subject_fields() {
  using O = KernelTiming;
  return {field<&O::application>(
              "application",
              "application in which it was measured and only counts; it wins over a timing without",
              {.echo = Echo::if_changed}),
          field<&O::precision>("precision",
                               "of the elements and of the arithmetic; `tf32` has elements of 4 bytes",
                               {.missing = "that of the elements"}),
          worker_field<O>(),
          field<O>("slowdown", {rule::map({rule::positive()}, "^[1-9][0-9]{0,8}$", 1)},
                   "on cores: factor of the duration by the number of cores of the socket that run "
                   "kernels, linear between them",
                   {.default_text = "none",
                    .rank = after_durations,
                    .read = read_slowdown,
                    .write = written_slowdown}),
          field<&O::findings>("findings", {rule::array({rule::integer(0, INT_MAX)})},
                              "indices of the file's `findings` about this timing",
                              {.default_text = "none", .rank = after_durations, .applies = [](O const& o) {
                                 return !o.findings.empty();
                               }})};
}

Fields<KernelTiming> rate_fields() {
  using O = KernelRate;
  auto const rows = [] { return ValueRules{rule::integer(1, O{}.max_nb, "rows")}; };
  FieldRules<O> const if_changed{.echo = Echo::if_changed};
  return within<&KernelTiming::rate>(Fields<O>{
      field<&O::flops_per_second>("flops_per_second", {rule::positive("flop/s")},
                                  "asymptotic rate; only in estimates", {.required = true}),
      field<&O::launch>("launch_s", "time of a launch; needs `min_nb` and `max_nb`", if_changed),
      field<&O::per_column>(
          {.name = "per_column_s",
           .meaning = "latency per column of the tile, of its sequential part; needs `min_nb` and `max_nb`"},
          if_changed),
      field<&O::per_element>("per_element_s",
                             "time per element of the tile, for memory traffic and for compute "
                             "units that small tiles leave idle; needs `min_nb` and `max_nb`",
                             if_changed),
      field<&O::min_nb>("min_nb", rows(), "least rows of the tiles that the rate is for", if_changed),
      field<&O::max_nb>("max_nb", rows(), "most rows of these tiles", if_changed)});
}

/// Returns the field of durations, of which there is one at least.
template <auto member>
Field<KernelTiming> durations_field(char const* name, char const* meaning) {
  using O = KernelTiming;
  return field<member>(name, {rule::array({rule::positive("s")}, 1)}, meaning,
                       {.default_text = "none",
                        .applies = [](O const& o) { return !(o.*member).empty(); },
                        .check =
                            [](JsonReader const& json, O const& o) {
                              if ((o.*member).empty())
                                json.fail(
                                    "is empty (durations are drawn from it). Give at least one duration in "
                                    "seconds, or no such key");
                            }});
}

Fields<KernelTiming> measured_fields() {
  using O = KernelTiming;
  Fields<O> const tile{field<&O::nb>("nb", {rule::integer(1, 1'000'000, "rows")}, "rows of the tile",
                                     {.missing = "the tile size"})};
  Fields<O> const executions{
      durations_field<&O::sample_seconds>("samples_s", "durations of single executions, for empirical noise"),
      durations_field<&O::first_seconds>("first_samples_s", "durations of first executions on a worker")};
  return tile + statistics_fields<O>() + executions;
}

Object<KernelTiming> const& timing() {
  static Object<KernelTiming> const object(
      "timing", "The duration of a kernel on a worker.", subject_fields(),
      {{"flops_per_second", "",
        "A rate: a kernel of w operations on tiles of `nb` lasts `launch_s` + `per_column_s` "
        "x `nb` + `per_element_s` x `nb`² + w / `flops_per_second`.",
        rate_fields()},
       {"", "", "A measured tile size.", measured_fields()}});
  return object;
}

ObjectKeys const& timing_table() { return timing().keys; }

/// `model`: all of the file but its timings.
KernelTiming read_timing(std::string const& kernel, JsonReader const& json, KernelModel const& model) {
  KernelTiming t;
  t.kernel = kernel;
  if (auto const findings = json.find("findings"))
    for (JsonReader const& index : findings->elements())
      if (std::int64_t const i = index.integer(); i < 0 || std::cmp_greater_equal(i, model.findings.size()))
        index.fail(fmt::format("is {} (the file has {} findings, counted from 0). Give the number of one", i,
                               model.findings.size()));
  auto const rate = json.find("flops_per_second");
  if (rate && !model.estimate)
    rate->fail(
        "a rate in measured timings (a rate for every tile size is a guess). Set \"estimate\" to true or "
        "give nb and mean_s");
  if (rate) check_fitted_times(json);
  read_object(json, timing(), &t);
  if (rate) check_range(json, t.rate);
  return t;
}

nlohmann::ordered_json written_timing(KernelTiming const& t) {
  nlohmann::ordered_json out;
  write_fields(out, subject_fields() + (t.nb == 0 ? rate_fields() : measured_fields()), t);
  return out;
}

/// All of a file but the timings, which are understood together.
Object<KernelModel> const& kernel_file() {
  using O = KernelModel;
  static Object<O> const object(
      "kernels", "Durations of kernels on one kind of machine. `factosim-kernels`, version 1.",
      fields_of_file<O>("factosim-kernels") +
          Fields<O>{
              field<&O::machine>("machine", "name of the machine", {.missing = "the name of the machine"}),
              field<&O::provenance>("provenance", "who measured what", {.required = true}),
              field<&O::estimate>("estimate", "values are assumed, not measured",
                                  {.missing = "false when measured"}),
              field<&O::findings>(
                  "findings", "doubts about the timings, repeated in every result",
                  {.default_text = "none", .applies = [](O const& o) { return !o.findings.empty(); }}),
              field<O>("variability", {rule::object(variability_table)},
                       "deviations of workers and of runs, for calibrated noise",
                       {.default_text = "none",
                        .read = [](JsonReader const& json,
                                   O& o) { read_object(json, variability(), &o.variability.emplace()); },
                        .write =
                            [](O const& o) {
                              nlohmann::ordered_json out;
                              if (o.variability)
                                write_fields(out, worker_fields() + run_fields(), *o.variability);
                              return out;
                            }}),
              field<O>("kernels", {rule::map({rule::array({rule::object(timing_table)})})},
                       "timings by kernel", {.required = true}),
              field<&O::histories>(
                  "histories", "timings by performance model and shapes, for recorded programs",
                  {.default_text = "none", .rank = after_durations, .applies = [](O const& o) {
                     return !o.histories.empty();
                   }})});
  return object;
}

ValueRules kernels_rules() { return {rule::object(kernels_table)}; }

/// One timing a line.
bool in_lines(std::string_view parent, std::string_view key) {
  return key.empty() || parent == "kernels" || key == "kernels" || key == "findings" || key == "histories";
}

}  // namespace

ObjectKeys const& kernels_table() { return kernel_file().keys; }

KernelModel read_kernel_model(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(kernels_rules);
  json.check_own_format("factosim-kernels", 1);
  KernelModel model;
  model.file = file.string();
  read_object(json, kernel_file(), &model);
  std::set<decltype(subject(KernelTiming{}))> known;
  for (auto const& [kernel, timings] : json.at("kernels").members()) {
    for (JsonReader const& entry : timings.elements()) {
      model.timings.push_back(read_timing(kernel, entry, model));
      if (!known.insert(subject(model.timings.back())).second)
        entry.fail(
            "a second timing of the same kernel, application, precision, worker and tile size (one of them "
            "would be ignored). Keep one");
    }
  }
  std::set<std::tuple<std::string, std::string, std::string>> histories;
  for (std::size_t h = 0; h < model.histories.size(); ++h) {
    KernelHistory const& history = model.histories[h];
    if (!histories.emplace(history.symbol, history.footprint, history.worker).second)
      json.at("histories")
          .elements()[h]
          .fail(
              "a second history of the same symbol, footprint and worker (one of them would be ignored). "
              "Keep "
              "one");
  }
  return model;
}

std::string kernel_model_json(KernelModel const& model) {
  std::vector<KernelTiming> sorted = model.timings;
  std::ranges::stable_sort(sorted, {}, subject);
  nlohmann::ordered_json out{{"format", "factosim-kernels"}, {"version", 1}};
  out.update(write_object(kernel_file(), &model));
  out["kernels"] = nlohmann::ordered_json::object();
  for (KernelTiming const& t : sorted) out["kernels"][t.kernel].push_back(written_timing(t));
  return json_file_text(out, in_lines);
}

}  // namespace factosim
