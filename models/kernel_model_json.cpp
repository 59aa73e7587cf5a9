#include "models/kernel_model_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <set>
#include <tuple>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace {

/// "cpu" is -1, "cuda3" is 3; nullopt for other names.
std::optional<int> worker_rank(std::string_view worker) {
  if (worker == "cpu") return -1;
  if (!worker.starts_with("cuda")) return std::nullopt;
  std::string_view const digits = worker.substr(4);
  int rank = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  bool const canonical = error == std::errc{} && std::to_string(rank) == digits && rank >= 0;
  return canonical ? std::optional(rank) : std::nullopt;
}

/// Key of a timing; sorts the file.
auto subject(KernelTiming const& t) {
  return std::tuple(t.kernel, t.application, name_of(t.precision), worker_rank(t.worker).value_or(INT_MAX),
                    t.nb);
}

std::string read_worker(JsonReader const& json) {
  std::string worker = json.string();
  if (!worker_rank(worker))
    json.fail(
        fmt::format("\"{}\" is no worker (cores are alike and called cpu, GPUs are numbered). Use \"cpu\", "
                    "\"cuda0\", \"cuda1\" ...",
                    worker));
  return worker;
}

std::vector<double> read_samples(JsonReader const& json) {
  std::vector<double> seconds;
  for (JsonReader const& sample : json.elements()) seconds.push_back(sample.quantity());
  if (seconds.empty())
    json.fail(
        "is empty (durations are drawn from it). Give at least one duration in seconds, or no such key");
  return seconds;
}

Variability read_variability(JsonReader const& json) {
  Variability v;
  v.worker_deviation = json.at("worker_deviation", "relative, of a factor per worker and run").quantity();
  v.runs = static_cast<int>(json.at("runs", "runs that a mean is from").integer());
  if (auto const run = json.find("run_deviation")) {
    v.run_deviation = run->quantity();
    v.degrees_of_freedom =
        static_cast<int>(json.at("degrees_of_freedom", "those of \"run_deviation\"").integer());
  }
  json.finish();
  return v;
}

/// Returns the number that a key writes in decimal digits; nullopt if it is none of at least 1.
std::optional<int> count_named(std::string_view key) {
  int count = 0;
  auto const [end, error] = std::from_chars(key.data(), key.data() + key.size(), count);
  bool const canonical = error == std::errc{} && std::to_string(count) == key && count >= 1;
  return canonical ? std::optional(count) : std::nullopt;
}

Slowdown read_slowdown(JsonReader const& json, std::string_view worker) {
  if (worker != "cpu")
    json.fail(fmt::format("stands in a timing of {} (it says how busy cores slow each other down). Remove it",
                          worker));
  Slowdown slowdown;
  for (auto const& [key, factor] : json.members()) {
    auto const cores = count_named(key);
    if (!cores)
      factor.fail(fmt::format(
          "is the factor for \"{}\" busy cores (they are counted from 1). Use \"1\", \"2\" ...", key));
    slowdown.points.push_back({*cores, factor.quantity()});
  }
  if (slowdown.points.empty())
    json.fail("is empty (it gives factors by the number of busy cores). Give one at least, or no such key");
  std::ranges::sort(slowdown.points, {}, &Slowdown::Point::busy_cores);
  return slowdown;
}

/// Throws InputError if `json` has a time beside the rate but no range of tile sizes in which the sum holds.
KernelRate read_rate(JsonReader const& json, double flops_per_second) {
  KernelRate rate{.flops_per_second = flops_per_second};
  auto const least = json.find("min_nb"), most = json.find("max_nb");
  if (least) rate.min_nb = static_cast<int>(least->integer());
  if (most) rate.max_nb = static_cast<int>(most->integer());
  if (rate.min_nb > rate.max_nb)
    (most ? *most : *least)
        .fail(fmt::format("is below \"min_nb\", {} (no tile size would remain). Give at least that",
                          rate.min_nb));
  for (auto const& [key, value] : {std::pair{"launch_s", &rate.launch},
                                   {"per_column_s", &rate.per_column},
                                   {"per_element_s", &rate.per_element}}) {
    auto const time = json.find(key);
    if (!time) continue;
    *value = {time->quantity()};
    if (!least || !most)
      time->fail(
          "a fitted time without the tile sizes it is for (nothing is extrapolated). Give \"min_nb\" and "
          "\"max_nb\"");
  }
  return rate;
}

/// `model`: all of the file but its timings.
KernelTiming read_timing(std::string const& kernel, JsonReader const& json, KernelModel const& model) {
  KernelTiming t;
  t.kernel = kernel;
  if (auto const findings = json.find("findings"))
    for (JsonReader const& index : findings->elements())
      t.findings.push_back(
          static_cast<std::size_t>(index.integer(0, static_cast<std::int64_t>(model.findings.size()) - 1)));
  if (auto application = json.find("application")) t.application = application->string();
  t.precision = *precision_named(json.at("precision", "that of the elements").one_of());
  t.worker = read_worker(json.at("worker", "cpu, cuda0, ..."));
  if (auto slowdown = json.find("slowdown")) t.slowdown = read_slowdown(*slowdown, t.worker);
  if (auto rate = json.find("flops_per_second")) {
    if (!model.estimate)
      rate->fail(
          "a rate in measured timings (a rate for every tile size is a guess). Set \"estimate\" to true or "
          "give nb and mean_s");
    t.rate = read_rate(json, rate->quantity());
  } else {
    t.nb = static_cast<int>(json.at("nb", "the tile size").integer());
    t.mean = {json.at("mean_s", "mean duration in seconds").quantity()};
    if (auto deviation = json.find("deviation_s")) t.deviation = {deviation->quantity()};
    if (auto samples = json.find("samples")) t.samples = static_cast<long>(samples->integer());
    if (auto durations = json.find("samples_s")) t.sample_seconds = read_samples(*durations);
    if (auto first = json.find("first_samples_s")) t.first_seconds = read_samples(*first);
  }
  json.finish();
  return t;
}

ValueRules kernels_rules() { return {rule::object(kernels_table)}; }

/// Returns the member "slowdown" with a comma before it; nothing without one.
std::string slowdown_json(Slowdown const& slowdown) {
  if (slowdown.points.empty()) return "";
  std::vector<std::string> points;
  for (auto const& [cores, factor] : slowdown.points)
    points.push_back(fmt::format("\"{}\": {}", cores, factor));
  return fmt::format(", \"slowdown\": {{{}}}", fmt::join(points, ", "));
}

std::string rate_json(KernelRate const& rate) {
  KernelRate const defaults;
  std::string text = fmt::format("\"flops_per_second\": {}", rate.flops_per_second);
  if (rate.launch > Seconds{}) text += fmt::format(", \"launch_s\": {}", rate.launch.value);
  if (rate.per_column > Seconds{}) text += fmt::format(", \"per_column_s\": {}", rate.per_column.value);
  if (rate.per_element > Seconds{}) text += fmt::format(", \"per_element_s\": {}", rate.per_element.value);
  if (rate.min_nb != defaults.min_nb) text += fmt::format(", \"min_nb\": {}", rate.min_nb);
  if (rate.max_nb != defaults.max_nb) text += fmt::format(", \"max_nb\": {}", rate.max_nb);
  return text;
}

std::string timing_json(KernelTiming const& t) {
  std::string text = "{";
  if (!t.application.empty()) text += fmt::format("\"application\": {}, ", json_text(t.application));
  text += fmt::format("\"precision\": {}, \"worker\": {}, ", json_text(name_of(t.precision)),
                      json_text(t.worker));
  std::string end = slowdown_json(t.slowdown);
  if (!t.findings.empty()) end += fmt::format(", \"findings\": [{}]", fmt::join(t.findings, ", "));
  end += "}";
  if (t.nb == 0) return text + rate_json(t.rate) + end;
  text += fmt::format("\"nb\": {}, \"mean_s\": {}, \"deviation_s\": {}, \"samples\": {}", t.nb, t.mean.value,
                      t.deviation.value, t.samples);
  if (!t.sample_seconds.empty())
    text += fmt::format(", \"samples_s\": [{}]", fmt::join(t.sample_seconds, ", "));
  if (!t.first_seconds.empty())
    text += fmt::format(", \"first_samples_s\": [{}]", fmt::join(t.first_seconds, ", "));
  return text + end;
}

std::string variability_json(Variability const& v) {
  std::string text = fmt::format("{{\"worker_deviation\": {}", v.worker_deviation);
  if (v.run_deviation)
    text += fmt::format(", \"run_deviation\": {}, \"degrees_of_freedom\": {}", *v.run_deviation,
                        v.degrees_of_freedom);
  return text + fmt::format(", \"runs\": {}}}", v.runs);
}

}  // namespace

KernelModel read_kernel_model(std::filesystem::path const& file) {
  nlohmann::json const parsed = parse_json_file(file);
  JsonReader const json = JsonReader(parsed, file.string()).by(kernels_rules);
  json.check_own_format("factosim-kernels", 1);
  KernelModel model;
  model.file = file.string();
  model.machine = json.at("machine", "the name of the machine").string();
  model.provenance = json.at("provenance", "who measured what").string();
  model.estimate = json.at("estimate", "false when measured").boolean();
  if (auto const findings = json.find("findings")) model.findings = findings->strings();
  if (auto const variability = json.find("variability")) model.variability = read_variability(*variability);
  JsonReader const kernels = json.at("kernels", "timings by kernel");
  json.finish();

  std::set<decltype(subject(KernelTiming{}))> known;
  for (auto const& [kernel, timings] : kernels.members()) {
    for (JsonReader const& entry : timings.elements()) {
      model.timings.push_back(read_timing(kernel, entry, model));
      if (!known.insert(subject(model.timings.back())).second)
        entry.fail(
            "a second timing of the same kernel, application, precision, worker and tile size (one of them "
            "would be ignored). Keep one");
    }
  }
  return model;
}

std::string kernel_model_json(KernelModel const& model) {
  std::vector<KernelTiming> sorted = model.timings;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto const& a, auto const& b) { return subject(a) < subject(b); });

  std::string text = "{\n  \"format\": \"factosim-kernels\",\n  \"version\": 1,\n";
  text += fmt::format("  \"machine\": {},\n", json_text(model.machine));
  text += fmt::format("  \"provenance\": {},\n", json_text(model.provenance));
  text += fmt::format("  \"estimate\": {},\n", model.estimate);
  if (!model.findings.empty()) {
    std::vector<std::string> findings;
    for (std::string const& finding : model.findings) findings.push_back(json_text(finding));
    text += fmt::format("  \"findings\": [\n    {}\n  ],\n", fmt::join(findings, ",\n    "));
  }
  if (model.variability)
    text += fmt::format("  \"variability\": {},\n", variability_json(*model.variability));
  text += "  \"kernels\": {";
  std::string_view kernel;
  for (KernelTiming const& t : sorted) {
    if (t.kernel == kernel) {
      text += ",\n      ";
    } else {
      text += fmt::format("{}\n    {}: [\n      ", kernel.empty() ? "" : "\n    ],", json_text(t.kernel));
      kernel = t.kernel;
    }
    text += timing_json(t);
  }
  return text + (sorted.empty() ? "}\n}\n" : "\n    ]\n  }\n}\n");
}

}  // namespace factosim
