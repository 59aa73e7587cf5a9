#include "simulator/calibration/trace_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "factosim/error.hpp"
#include "models/timing_checks.hpp"
#include "simulator/analysis/trace_timings.hpp"
#include "simulator/core/sample.hpp"
#include "simulator/replay/trace_platform.hpp"

namespace factosim {

namespace {

constexpr double rounding = 1e-9;  // relative, of dates

/// Identifies a timing; the result is sorted by it.
struct Subject {
  std::string kernel, application;
  Precision precision;
  std::string worker;
  int nb;
  auto operator<=>(Subject const&) const = default;
};

struct Executions {
  std::vector<double> first, later;  // seconds
};

class Calibration {
 public:
  explicit Calibration(CalibrationOptions const& options) : options_(options) {}

  void add(Trace const& trace) {
    out_.findings.insert(out_.findings.end(), trace.findings.begin(), trace.findings.end());
    std::vector<double> const seconds = kernel_seconds(trace);
    std::vector<std::uint32_t> order(trace.task_count());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return trace.start_s[a] < trace.start_s[b]; });
    std::set<std::tuple<std::uint16_t, int, WorkerId>> warm;
    std::map<std::uint16_t, std::size_t> left_out;
    for (std::uint32_t const t : order) {
      if (!trace.worker[t].valid()) continue;
      auto const subject = subject_of(trace, t);
      if (!subject) {
        ++left_out[trace.kernel[t]];
        continue;
      }
      Executions& e = executions_[*subject];
      bool const first = warm.insert({trace.kernel[t], subject->nb, trace.worker[t]}).second;
      (first ? e.first : e.later).push_back(seconds[t]);
    }
    for (auto const& [kernel, count] : left_out)
      out_.findings.push_back(
          {trace.source, 0,
           fmt::format("{} executions of {} are left out (its name or its data tell no tile size)", count,
                       trace.kernels[kernel].name)});
  }

  void add_links(std::vector<Trace> const& traces) {
    for (Trace const& trace : traces) {
      if (auto const network = fit_network(trace)) out_.links.push_back({"network", *network});
      for (auto const& [link, fit] : fit_copies(trace))
        out_.links.push_back({fmt::format("{}:{}-{}", trace.memory_nodes[link.first.index()].node.value(),
                                          trace.memory_nodes[link.first.index()].name,
                                          trace.memory_nodes[link.second.index()].name),
                              fit});
    }
  }

  TraceCalibration finish() && {
    std::vector<SourcedTiming> sourced;
    for (auto const& [subject, e] : executions_) {
      CalibratedKernel const kernel = calibrated(subject, e);
      if (kernel.timing.samples == 0) {
        out_.findings.push_back(
            {"", 0,
             fmt::format("{} on {} ran once only on each worker: its timing is that of first "
                         "executions",
                         subject.kernel, subject.worker)});
        continue;
      }
      sourced.push_back({kernel.timing, options_.machine, 0});
      out_.model.timings.push_back(kernel.timing);
      out_.kernels.push_back(kernel);
    }
    if (out_.kernels.empty())
      throw InputError("calibrate#",
                       "no kernel is left (no execution tells its kernel and tile size, see the "
                       "findings). Use traces of StarPU with the names and sizes of their data");
    std::vector<Finding> const odd = check_timings(sourced, {});
    out_.findings.insert(out_.findings.end(), odd.begin(), odd.end());
    out_.model.machine = options_.machine;
    out_.model.provenance = options_.provenance;
    return std::move(out_);
  }

 private:
  static std::optional<Subject> subject_of(Trace const& trace, std::uint32_t t) {
    auto const symbol = symbol_of(trace, trace.kernel[t]);
    if (!symbol || trace.access_begin.empty()) return std::nullopt;
    Bytes size{0};
    for (DataAccess const& access : trace.accesses_of(TaskId{t}))
      size += trace.handles[access.handle().index()].size;
    auto const nb = tile_size(*symbol, size);
    if (!nb) return std::nullopt;
    Trace::Worker const& worker = trace.workers[trace.worker[t].index()];
    return Subject{symbol->kernel, symbol->application, symbol->precision, timing_worker(worker), *nb};
  }

  [[nodiscard]] CalibratedKernel calibrated(Subject const& subject, Executions const& e) const {
    CalibratedKernel out;
    out.executions = e.first.size() + e.later.size();
    out.first = e.first.size();
    out.first_mean_s = summarize(e.first).mean;
    std::vector<double> kept = e.later;
    if (options_.keep_first || kept.empty()) kept.insert(kept.end(), e.first.begin(), e.first.end());
    double const bound = (1 + rounding) * summarize(kept).outlier_limit();
    std::vector<double> outliers;
    std::copy_if(kept.begin(), kept.end(), std::back_inserter(outliers), [&](double s) { return s > bound; });
    out.outliers = outliers.size();
    out.outlier_mean_s = summarize(outliers).mean;
    if (!options_.keep_outliers) std::erase_if(kept, [&](double s) { return s > bound; });
    SampleSummary const s = summarize(kept);
    out.timing = {.kernel = subject.kernel,
                  .application = subject.application,
                  .precision = subject.precision,
                  .worker = subject.worker,
                  .nb = subject.nb,
                  .mean = Seconds{s.mean},
                  .deviation = Seconds{s.deviation},
                  .samples = static_cast<long>(s.count)};
    return out;
  }

  CalibrationOptions const& options_;
  TraceCalibration out_;
  std::map<Subject, Executions> executions_;
};

}  // namespace

TraceCalibration calibrate_from(std::vector<Trace> const& traces, CalibrationOptions const& options) {
  Calibration calibration(options);
  for (Trace const& trace : traces) calibration.add(trace);
  calibration.add_links(traces);
  return std::move(calibration).finish();
}

Platform calibrated_platform(Trace const& trace, std::string const& machine, std::string const& kernels_file,
                             std::vector<Finding>& findings) {
  constexpr LinkRate assumed{BytesPerSecond{1e9}, Seconds{1e-6}};
  Platform platform = trace_platform(trace, {}, findings);
  auto const network = fit_network(trace);
  if (!network)
    findings.push_back({trace.source, 0, "has no messages: a network of 1 GB/s with 1 us is assumed"});
  else if (!network->latency_known)
    findings.push_back(
        {trace.source, 0, "has messages of one size only: their latency is within the bandwidth"});
  findings.push_back({trace.source, 0, "does not tell the RAM of a node: 64 GiB are assumed"});
  bool estimate = !network.has_value();
  for (std::size_t t = 0; t < platform.types.size(); ++t) {
    NodeType& type = platform.types[t];
    type.name = platform.types.size() > 1 ? fmt::format("{}_{}", machine, t) : machine;
    type.kernels_file = kernels_file;
    type.ram = Bytes{std::int64_t{64} << 30U};
    for (GpuSpec& gpu : type.gpus) gpu.memory = Bytes{std::int64_t{16} << 30U};
    type.nic = network ? LinkRate{network->rate.bandwidth, network->rate.latency / 2} : assumed;
    type.estimate = estimate || !type.gpus.empty();
    type.provenance += "; RAM, and memory of GPUs (16 GiB), are assumed";
  }
  return platform;
}

}  // namespace factosim
