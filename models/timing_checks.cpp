#include "models/timing_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "factosim/error.hpp"
#include "models/device_peaks.hpp"

namespace factosim {

namespace {

constexpr double peak_tolerance = 1.05;  // measured clocks may exceed the published boost
// Identical GPUs differ by some per cent; a factor of two is another device, another clock or a mistake.
constexpr double twin_factor = 2;

std::string device_of(DeviceModels const& devices, std::string const& worker) {
  auto const found = devices.find(worker);
  return found == devices.end() ? std::string() : found->second;
}

bool is_gpu(std::string const& worker) { return worker != "cpu"; }

std::string described(KernelTiming const& t) {
  return fmt::format("{} {} of tile {}{}", name_of(t.precision), t.kernel, t.nb,
                     t.application.empty() ? "" : " in " + t.application);
}

/// How a timing exceeds the peak of its device.
struct Excess {
  bool in_tf32;  // not that of TF32, which BLAS may be told to use for single precision
  std::string text;
};

/// Returns nothing for a timing that does not.
std::optional<Excess> beyond_peak(KernelTiming const& t, DeviceModels const& devices) {
  std::string const device = device_of(devices, t.worker);
  double const rate = nominal_flops(t.kernel, t.nb) / t.mean.value;
  double const peak = peak_flops_per_second(device, is_gpu(t.worker), t.precision);
  if (rate <= peak_tolerance * peak) return {};
  bool const tf32 = t.precision == Precision::single_ && is_gpu(t.worker) &&
                    rate <= peak_tolerance * peak_flops_per_second(device, true, Precision::tf32);
  return Excess{tf32,
                fmt::format("{} on {}: {:.4g} GFlop/s is above the {:.4g} GFlop/s of {} {}", described(t),
                            t.worker, rate * 1e-9, peak * 1e-9, device.empty() ? "any such device" : device,
                            tf32 ? "(measured in TF32, or a time of launch)"
                                 : "(a time of launch instead of execution?)")};
}

void check_alone(SourcedTiming const& sourced, DeviceModels const& devices, std::vector<Finding>& findings) {
  KernelTiming const& t = sourced.timing;
  if (t.samples < trusted_samples)
    findings.push_back({sourced.file, sourced.line,
                        fmt::format("{} on {}: only {} samples (StarPU trusts {} or more)", described(t),
                                    t.worker, t.samples, trusted_samples)});
  if (auto excess = beyond_peak(t, devices))
    findings.push_back(
        {sourced.file, sourced.line, std::move(excess->text), Finding::Kind::lasting, described(t)});
}

using Group = std::vector<SourcedTiming const*>;  // same kernel, application, precision, tile size

/// Compares each GPU with the fastest of its model: either may be the wrong one.
void check_twins(Group const& group, DeviceModels const& devices, std::vector<Finding>& findings) {
  std::map<std::string, Group> by_model;
  for (SourcedTiming const* s : group)
    if (is_gpu(s->timing.worker)) by_model[device_of(devices, s->timing.worker)].push_back(s);
  auto const mean_s = [](SourcedTiming const* s) { return s->timing.mean.value; };
  for (auto const& [model, twins] : by_model) {
    SourcedTiming const* const best = *std::ranges::min_element(twins, {}, mean_s);
    std::vector<std::string> slower;
    for (SourcedTiming const* twin : twins)
      if (mean_s(twin) > twin_factor * mean_s(best))
        slower.push_back(fmt::format("{} ({:.4g} us, x {:.3g})", twin->timing.worker, mean_s(twin) * 1e6,
                                     mean_s(twin) / mean_s(best)));
    if (!slower.empty())
      findings.push_back(
          {best->file, best->line,
           fmt::format("{}: {} of {} GPUs of one model are much slower than {} ({:.4g} us): {}",
                       described(best->timing), slower.size(), twins.size(), best->timing.worker,
                       mean_s(best) * 1e6, fmt::join(slower, ", ")),
           Finding::Kind::lasting, described(best->timing)});
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

void settle_implausible(std::vector<SourcedTiming>& timings, DeviceModels const& devices,
                        ImplausibleTiming action, std::vector<Finding>& findings) {
  if (action == ImplausibleTiming::keep) return;
  std::erase_if(timings, [&](SourcedTiming const& sourced) {
    auto const excess = beyond_peak(sourced.timing, devices);
    if (!excess || excess->in_tf32) return false;
    if (action == ImplausibleTiming::refuse)
      throw InputError(fmt::format("{}#line {}", sourced.file, sourced.line),
                       excess->text +
                           ". Give --drop-implausible to leave such timings out, or --keep-implausible to "
                           "keep them with a finding in every result");
    findings.push_back({sourced.file, sourced.line, excess->text + ": left out", Finding::Kind::lasting});
    return true;
  });
}

void add_shared_timings(std::vector<SourcedTiming>& timings, std::vector<Finding>& findings) {
  auto const timed = [&](SourcedTiming const& shared) {
    return std::ranges::any_of(timings, [&](SourcedTiming const& other) {
      return other.timing.kernel == shared.also_kernel &&
             other.timing.application == shared.timing.application &&
             other.timing.precision == shared.timing.precision;
    });
  };
  std::vector<SourcedTiming> added;
  std::ranges::copy_if(timings, std::back_inserter(added),
                       [&](SourcedTiming const& s) { return !s.also_kernel.empty() && !timed(s); });
  std::set<std::pair<std::string, std::string>> reported;
  for (SourcedTiming& shared : added) {
    if (reported.emplace(shared.timing.kernel, shared.also_kernel).second)
      findings.push_back(
          {shared.file, 0,
           fmt::format("its timings of {} are taken for {} too, {}", shared.timing.kernel, shared.also_kernel,
                       shared.renamed ? "as the import was asked to"
                                      : "which this version of StarPU ran with the same codelet"),
           Finding::Kind::lasting});
    shared.timing.kernel = std::exchange(shared.also_kernel, {});
  }
  timings.insert(timings.end(), added.begin(), added.end());
}

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
           fmt::format("{}: not measured on {}", described(group.front()->timing), fmt::join(missing, ", ")),
           Finding::Kind::lasting, described(group.front()->timing)});
  }
  return findings;
}

void keep_lasting(std::vector<Finding> const& findings, KernelModel& model) {
  for (Finding const& finding : findings) {
    if (finding.kind != Finding::Kind::lasting) continue;
    for (KernelTiming& timing : model.timings)
      if (finding.subject == described(timing)) timing.findings.push_back(model.findings.size());
    model.findings.push_back(lasting_text(finding));
  }
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
