#include "models/kernel_model_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <set>
#include <tuple>

#include "simulator/core/json_reader.hpp"
#include "simulator/core/json_text.hpp"

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
  for (JsonReader const& sample : json.elements()) seconds.push_back(sample.positive());
  if (seconds.empty())
    json.fail(
        "is empty (durations are drawn from it). Give at least one duration in seconds, or no such key");
  return seconds;
}

/// Reads the relative deviation of a factor.
double read_deviation(JsonReader const& json) {
  constexpr double maximum = 1000;  // as of a scenario's noise
  double const deviation = json.non_negative();
  if (deviation > maximum)
    json.fail(
        fmt::format("is {} (nothing deviates by so much of its mean). Give at most {}", deviation, maximum));
  return deviation;
}

Variability read_variability(JsonReader const& json) {
  Variability v;
  v.worker_deviation =
      read_deviation(json.at("worker_deviation", "relative, of a factor per worker and run"));
  v.runs = static_cast<int>(json.at("runs", "runs that a mean is from").integer(1, 1'000'000));
  if (auto const run = json.find("run_deviation")) {
    v.run_deviation = read_deviation(*run);
    v.degrees_of_freedom =
        static_cast<int>(json.at("degrees_of_freedom", "those of \"run_deviation\"").integer(1, 1'000'000));
  }
  json.finish();
  return v;
}

KernelTiming read_timing(std::string const& kernel, JsonReader const& json, bool estimate) {
  KernelTiming t;
  t.kernel = kernel;
  if (auto application = json.find("application")) t.application = application->string();
  t.precision = json.at("precision", "single or double").one_of({"single", "double"}) == "single"
                    ? Precision::single_
                    : Precision::double_;
  t.worker = read_worker(json.at("worker", "cpu, cuda0, ..."));
  if (auto rate = json.find("flops_per_second")) {
    if (!estimate)
      rate->fail(
          "a rate in measured timings (a rate for every tile size is a guess). Set \"estimate\" to true or "
          "give nb and mean_s");
    t.flops_per_second = rate->positive();
  } else {
    t.nb = static_cast<int>(json.at("nb", "the tile size").integer(1, 1'000'000));
    t.mean = {json.at("mean_s", "mean duration in seconds").positive()};
    if (auto deviation = json.find("deviation_s")) t.deviation = {deviation->non_negative()};
    if (auto samples = json.find("samples")) t.samples = static_cast<long>(samples->integer(0, LONG_MAX));
    if (auto durations = json.find("samples_s")) t.sample_seconds = read_samples(*durations);
    if (auto first = json.find("first_samples_s")) t.first_seconds = read_samples(*first);
  }
  json.finish();
  return t;
}

std::string timing_json(KernelTiming const& t) {
  std::string text = "{";
  if (!t.application.empty()) text += fmt::format("\"application\": {}, ", json_text(t.application));
  text += fmt::format("\"precision\": {}, \"worker\": {}, ", json_text(name_of(t.precision)),
                      json_text(t.worker));
  if (t.nb == 0) return text + fmt::format("\"flops_per_second\": {}}}", t.flops_per_second);
  text += fmt::format("\"nb\": {}, \"mean_s\": {}, \"deviation_s\": {}, \"samples\": {}", t.nb, t.mean.value,
                      t.deviation.value, t.samples);
  if (!t.sample_seconds.empty())
    text += fmt::format(", \"samples_s\": [{}]", fmt::join(t.sample_seconds, ", "));
  if (!t.first_seconds.empty())
    text += fmt::format(", \"first_samples_s\": [{}]", fmt::join(t.first_seconds, ", "));
  return text + "}";
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
  JsonReader const json(parsed, file.string());
  json.check_format("factosim-kernels", 1);
  KernelModel model;
  model.file = file.string();
  model.machine = json.at("machine", "the name of the machine").string();
  model.provenance = json.at("provenance", "who measured what").string();
  model.estimate = json.at("estimate", "false when measured").boolean();
  if (auto const findings = json.find("findings"))
    for (JsonReader const& finding : findings->elements()) model.findings.push_back(finding.string());
  if (auto const variability = json.find("variability")) model.variability = read_variability(*variability);
  JsonReader const kernels = json.at("kernels", "timings by kernel");
  json.finish();

  std::set<decltype(subject(KernelTiming{}))> known;
  for (auto const& [kernel, timings] : kernels.members()) {
    for (JsonReader const& entry : timings.elements()) {
      model.timings.push_back(read_timing(kernel, entry, model.estimate));
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
  if (!model.findings.empty())
    text += fmt::format("  \"findings\": {},\n", json_text(nlohmann::json(model.findings)));
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
