#include "models/timing_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "models/device_peaks.hpp"
#include "simulator/core/sample.hpp"

namespace factosim {

namespace {

// StarPU uses a history after 10 samples (_STARPU_CALIBRATION_MINIMUM).
constexpr long trusted_samples = 10;
constexpr double peak_tolerance = 1.05;  // measured clocks may exceed the published boost
constexpr double outlier_factor = 5;

std::string device_of(DeviceModels const& devices, std::string const& worker) {
  auto const found = devices.find(worker);
  return found == devices.end() ? std::string() : found->second;
}

bool is_gpu(std::string const& worker) { return worker != "cpu"; }

std::string what(KernelTiming const& t) {
  return fmt::format("{} {} of tile {}{}", name_of(t.precision), t.kernel, t.nb,
                     t.application.empty() ? "" : " in " + t.application);
}

void check_alone(SourcedTiming const& sourced, DeviceModels const& devices, std::vector<Finding>& findings) {
  KernelTiming const& t = sourced.timing;
  if (t.samples < trusted_samples)
    findings.push_back({sourced.file, sourced.line,
                        fmt::format("{} on {}: only {} samples (StarPU trusts {} or more)", what(t), t.worker,
                                    t.samples, trusted_samples)});
  std::string const device = device_of(devices, t.worker);
  double const rate = nominal_flops(t.kernel, t.nb) / t.mean.value;
  double const peak = peak_flops_per_second(device, is_gpu(t.worker), t.precision);
  if (rate > peak_tolerance * peak)
    findings.push_back(
        {sourced.file, sourced.line,
         fmt::format("{} on {}: {:.4g} GFlop/s is above the {:.4g} GFlop/s of {} (a time of launch "
                     "instead of execution?)",
                     what(t), t.worker, rate * 1e-9, peak * 1e-9,
                     device.empty() ? "any such device" : device)});
}

using Group = std::vector<SourcedTiming const*>;  // same kernel, application, precision, tile size

void check_twins(Group const& group, DeviceModels const& devices, std::vector<Finding>& findings) {
  std::map<std::string, std::vector<double>> by_model;
  for (SourcedTiming const* s : group)
    if (is_gpu(s->timing.worker))
      by_model[device_of(devices, s->timing.worker)].push_back(s->timing.mean.value);
  for (SourcedTiming const* s : group) {
    if (!is_gpu(s->timing.worker)) continue;
    std::vector<double>& twins = by_model[device_of(devices, s->timing.worker)];
    std::sort(twins.begin(), twins.end());
    double const typical = median(twins);
    if (twins.size() >= 3 && s->timing.mean.value > outlier_factor * typical)
      findings.push_back({s->file, s->line,
                          fmt::format("{} on {}: {:.4g} us, {:.3g} times the median of its {} twin GPUs",
                                      what(s->timing), s->timing.worker, s->timing.mean.value * 1e6,
                                      s->timing.mean.value / typical, twins.size())});
  }
}

/// Returns the kinds of workers for which the kernel has no timing. GPUs count only if another GPU has one.
std::vector<std::string> missing_workers(Group const& group, std::set<std::string> const& gpus) {
  std::set<std::string> present;
  for (SourcedTiming const* s : group) present.insert(s->timing.worker);
  std::vector<std::string> missing;
  if (!present.contains("cpu")) missing.emplace_back("cpu");
  bool const on_some_gpu = std::any_of(present.begin(), present.end(), is_gpu);
  if (on_some_gpu)
    std::set_difference(gpus.begin(), gpus.end(), present.begin(), present.end(),
                        std::back_inserter(missing));
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return missing;
}

}  // namespace

std::vector<Finding> check_timings(std::vector<SourcedTiming> const& timings, DeviceModels const& devices) {
  std::vector<Finding> findings;
  std::set<std::string> gpus;
  std::map<std::tuple<std::string, std::string, Precision, int>, Group> groups;
  for (SourcedTiming const& sourced : timings) {
    KernelTiming const& t = sourced.timing;
    check_alone(sourced, devices, findings);
    if (is_gpu(t.worker)) gpus.insert(t.worker);
    groups[{t.kernel, t.application, t.precision, t.nb}].push_back(&sourced);
  }
  for (auto const& [subject, group] : groups) {
    check_twins(group, devices, findings);
    if (auto const missing = missing_workers(group, gpus); !missing.empty())
      findings.push_back(
          {group.front()->file, 0,
           fmt::format("{}: not measured on {}", what(group.front()->timing), fmt::join(missing, ", "))});
  }
  return findings;
}

bool is_consistent(StarpuEntry const& entry) {
  auto const n = static_cast<double>(entry.samples);
  double const mean = entry.sum_us / n;
  double const square = entry.sum_squares_us2 / n;
  double const variance = std::abs(square - mean * mean);
  // The file has 7 digits: both squares, and therefore the deviation, have a relative error of 1e-6.
  double const slack = 2e-6 * square + 2e-6 * variance;
  return std::abs(entry.mean_us - mean) <= 1e-6 * mean &&
         std::abs(entry.deviation_us * entry.deviation_us - variance) <= slack;
}

}  // namespace factosim
