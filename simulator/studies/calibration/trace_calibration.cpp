#include "simulator/studies/calibration/trace_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "factosim/error.hpp"
#include "models/timing_checks.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/scenario/replay/replay.hpp"
#include "simulator/studies/calibration/contradiction.hpp"
#include "simulator/studies/calibration/duration_effects.hpp"

namespace factosim {

namespace {

constexpr std::size_t min_tasks = 20;  // fewer say nothing about a mean of microseconds

/// Adds the pauses before the tasks on cores, except the first on each, with numbers of operands in the place of bytes.
void add_pauses_on_cores(Trace const& trace, std::vector<TransferTime>& out) {
  if (trace.access_begin.empty() || trace.predecessor_begin.empty() || trace.task_count() == 0) return;
  std::vector<double> const seconds = pauses(trace);
  std::map<WorkerId, double> first_start;
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    auto const [place, is_new] = first_start.try_emplace(trace.worker[t], trace.start_s[t]);
    if (!is_new) place->second = std::min(place->second, trace.start_s[t]);
  }
  for (std::uint32_t t = 0; t < trace.task_count(); ++t) {
    WorkerId const worker = trace.worker[t];
    if (!worker.valid() || trace.workers[worker.index()].device != Trace::Device::cpu) continue;
    if (trace.start_s[t] == first_start[worker]) continue;
    out.push_back({static_cast<double>(trace.accesses_of(TaskId{t}).size()), seconds[t]});
  }
}

/// Estimates what the runtime system takes on a core between the end of a kernel, or the date at which the
/// next one could start, and its start: a time for each task (`progress`) and one for each operand
/// (`fetch`), by least squares over the pauses of all traces. Long pauses count: where the communication thread
/// shares the core, most of the time between kernels is in few of them. Pushing ready tasks is in it, so `push`
/// is 0. Returns nullopt if the traces do not contain dependencies and the data of tasks,
/// or too few tasks.
std::optional<WorkerCosts> estimate_worker_costs(std::vector<Trace> const& traces) {
  std::vector<TransferTime> all;  // a line, as that of a link
  for (Trace const& trace : traces) add_pauses_on_cores(trace, all);
  if (all.size() < min_tasks) return std::nullopt;
  auto const line = fit_link(all);
  if (!line) return std::nullopt;
  return WorkerCosts{
      .push = Seconds{0}, .fetch = Seconds{1 / line->rate.bandwidth.value}, .progress = line->rate.latency};
}

constexpr double rounding = 1e-9;           // relative, of dates
constexpr std::size_t max_samples = 1'000;  // kept of a timing
constexpr double false_slowdown = 0.01;     // probability of any in one calibration

std::vector<double> seconds_of(std::vector<Execution> const& executions) {
  std::vector<double> out;
  for (Execution const& e : executions) out.push_back(e.seconds);
  return out;
}

std::string name_of(TimingSubject const& s) {
  return fmt::format("{} {}{} of tile {} on {}", factosim::name_of(s.precision), s.kernel,
                     s.application.empty() ? "" : " in " + s.application, s.nb, s.worker);
}

/// Returns at most `max_samples` values with the same mean: sorted, and each the mean of as many neighbours.
std::vector<double> thinned(std::vector<double> values) {
  std::ranges::sort(values);
  if (values.size() <= max_samples) return values;
  double const mean = moments(values).mean;
  std::vector<double> out;
  for (std::size_t i = 0; i < max_samples; ++i) {
    std::size_t const begin = i * values.size() / max_samples, end = (i + 1) * values.size() / max_samples;
    out.push_back(moments(std::span(values).subspan(begin, end - begin)).mean);
  }
  double const scale = mean / moments(out).mean;  // parts differ in size by one
  for (double& v : out) v *= scale;
  return out;
}

/// The executions of one kernel that count, and those that do not.
struct CountedKernel {
  TimingSubject subject;
  CalibratedKernel kernel;  // without its timing
  std::vector<Execution> kept;
  std::vector<Execution> first;  // left out
  Slowdown slowdown{};
};

CountedKernel count(TimingSubject const& subject, KernelExecutions const& e,
                    CalibrationOptions const& options) {
  CountedKernel out{.subject = subject, .kernel = {}, .kept = e.later, .first = e.first};
  out.kernel.executions = e.first.size() + e.later.size();
  out.kernel.first = e.first.size();
  out.kernel.first_mean_s = summarize(seconds_of(out.first)).mean;
  if (options.keep_first || out.kept.empty()) {
    out.kept.insert(out.kept.end(), e.first.begin(), e.first.end());
    out.first.clear();
  }
  double const bound = (1 + rounding) * summarize(seconds_of(out.kept)).outlier_limit();
  std::vector<double> outliers = seconds_of(out.kept);
  std::erase_if(outliers, [&](double s) { return s <= bound; });
  out.kernel.outliers = outliers.size();
  out.kernel.outlier_mean_s = summarize(outliers).mean;
  if (!options.keep_outliers) std::erase_if(out.kept, [&](Execution const& x) { return x.seconds > bound; });
  return out;
}

/// Returns the mean of the executions, and their deviation and samples without the factors of workers and
/// runs.
KernelTiming timing_of(CountedKernel const& counted, SpeedFactors const& factors) {
  SampleSummary const all = summarize(seconds_of(counted.kept));
  std::vector<double> single;
  for (Execution const& e : counted.kept) single.push_back(e.seconds / factors.factor(e.by));
  double const scale = all.mean / summarize(single).mean;
  for (double& seconds : single) seconds *= scale;
  TimingSubject const& s = counted.subject;
  return {.kernel = s.kernel,
          .application = s.application,
          .precision = s.precision,
          .worker = s.worker,
          .nb = s.nb,
          .mean = Seconds{all.mean},
          .deviation = Seconds{summarize(single).deviation},
          .samples = static_cast<long>(all.count),
          .sample_seconds = thinned(std::move(single)),
          .first_seconds = thinned(seconds_of(counted.first)),
          .slowdown = counted.slowdown};
}

std::vector<std::vector<Execution>> kept_of(std::vector<CountedKernel> const& counted) {
  std::vector<std::vector<Execution>> out;
  for (CountedKernel const& c : counted) out.push_back(c.kept);
  return out;
}

/// Divides all durations by the factor of the slow-down at their start, with the same mean of those that
/// count.
void take_out_slowdown(CountedKernel& counted) {
  double const mean = moments(seconds_of(counted.kept)).mean;
  for (auto* const executions : {&counted.kept, &counted.first})
    for (Execution& e : *executions) e.seconds /= counted.slowdown.at(e.busy_cores);
  double const scale = mean / moments(seconds_of(counted.kept)).mean;
  for (auto* const executions : {&counted.kept, &counted.first})
    for (Execution& e : *executions) e.seconds *= scale;
}

/// Fits the slow-downs of the kernels on cores and takes them out of their durations. The probability of a
/// false one is divided among the kernels (Bonferroni).
void fit_slowdowns(std::vector<CountedKernel>& counted) {
  double const of_workers = SpeedFactors(kept_of(counted)).variability().worker_deviation;
  for (CountedKernel& c : counted) {
    if (c.subject.worker != "cpu") continue;
    c.slowdown = fit_slowdown(c.kept, of_workers, false_slowdown / static_cast<double>(counted.size()));
    if (!c.slowdown.points.empty()) take_out_slowdown(c);
  }
}

/// Returns the text without the paths to the folders of the runs: they mean nothing on other machines.
std::string portable(std::string text, std::vector<Trace> const& traces) {
  for (Trace const& trace : traces) {
    std::filesystem::path const above = std::filesystem::path(trace.source).parent_path().parent_path();
    if (above.empty() || above == above.root_path()) continue;
    std::string const prefix = above.string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, prefix.size());
  }
  return text;
}

/// Reports the two runs in which a kernel's means are furthest apart, if they contradict each other.
void report_contradiction(CountedKernel const& counted, std::vector<Trace> const& traces,
                          std::vector<Finding>& findings) {
  std::map<std::size_t, std::vector<double>> by_run;
  for (Execution const& e : counted.kept) by_run[e.by.run].push_back(e.seconds);
  std::map<std::size_t, Moments> means;
  for (auto const& [run, seconds] : by_run) means[run] = moments(seconds);
  auto const [fast, slow] =
      std::ranges::minmax_element(means, {}, [](auto const& run) { return run.second.mean; });
  if (!contradict(fast->second, slow->second)) return;
  findings.push_back(
      {traces[slow->first].source, 0,
       fmt::format("{} takes {:.4g} ms on average, and {:.4g} ms in {} (beyond their deviations)",
                   name_of(counted.subject), 1e3 * slow->second.mean, 1e3 * fast->second.mean,
                   traces[fast->first].source)});
}

/// Combines the estimated deviation of runs with the one that is expected before any run is seen, as two
/// estimates of a variance are pooled by their degrees of freedom (Gelman et al., Bayesian Data Analysis,
/// 2013, section 2.6: scaled inverse chi-square distribution). Two or three runs alone would say nothing.
Variability with_expectation(Variability v, std::vector<Finding>& findings) {
  constexpr int weight = repeatable_weight;
  double const estimated = v.run_deviation.value_or(0);
  if (v.degrees_of_freedom == 0)
    findings.push_back(
        {"calibrate", 0,
         fmt::format(
             "no kernel ran in two of the traces: how much one run differs from the next is not known, and "
             "{:.0f} % are assumed (the tolerance of SPEC MPI2007). Give traces of several runs",
             100 * repeatable)});
  else if (v.degrees_of_freedom < weight)
    findings.push_back({"calibrate", 0,
                        fmt::format("the deviation of runs, {:.1f} %, is estimated from few runs: {:.0f} % "
                                    "(the tolerance of SPEC MPI2007) are assumed as well, with more weight",
                                    100 * estimated, 100 * repeatable)});
  double const pooled = weight * repeatable * repeatable + v.degrees_of_freedom * estimated * estimated;
  v.degrees_of_freedom += weight;
  v.run_deviation = std::sqrt(pooled / v.degrees_of_freedom);
  return v;
}

/// Reports kernels and copies that one mean, or one bandwidth, describes badly.
void report_residuals(TraceCalibration& c) {
  auto const report = [&](std::string const& what, double residual, double mean) {
    if (residual > doubtful_residual * mean)
      c.findings.push_back(
          {"calibrate", 0,
           fmt::format("{}: single times deviate by {:.0f} % of their mean", what, 100 * residual / mean)});
  };
  for (CalibratedKernel const& k : c.kernels)
    report(fmt::format("{} of tile {} on {}", k.timing.kernel, k.timing.nb, k.timing.worker),
           k.timing.deviation.value, k.timing.mean.value);
  for (CalibratedLink const& link : c.links)
    if (!link.name.starts_with("network")) report(link.name, link.fit.residual_s, link.fit.mean_s);
}

class Calibration {
 public:
  Calibration(std::vector<Trace> const& traces, CalibrationOptions const& options)
      : traces_(traces), options_(options) {}

  TraceCalibration calibrated() && {
    for (std::size_t run = 0; run < traces_.size(); ++run) {
      auto const& findings = traces_[run].findings;
      out_.findings.insert(out_.findings.end(), findings.begin(), findings.end());
      add_samples(samples_, traces_[run], run, out_.findings);
    }
    add_kernels();
    add_links();
    report_residuals(out_);
    out_.worker_costs = estimate_worker_costs(traces_);
    out_.model.machine = options_.machine;
    out_.model.provenance = options_.provenance;
    for (Finding const& f : out_.findings) out_.model.findings.push_back(portable(f.text(), traces_));
    return std::move(out_);
  }

 private:
  void add_kernels() {
    std::vector<CountedKernel> counted;
    for (auto const& [subject, executions] : samples_)
      counted.push_back(count(subject, executions, options_));
    fit_slowdowns(counted);
    SpeedFactors const factors(kept_of(counted));
    std::vector<SourcedTiming> sourced;
    for (CountedKernel& c : counted) {
      c.kernel.timing = timing_of(c, factors);
      report_contradiction(c, traces_, out_.findings);
      sourced.push_back({c.kernel.timing, options_.machine, 0});
      out_.model.timings.push_back(c.kernel.timing);
      out_.kernels.push_back(std::move(c.kernel));
    }
    if (out_.kernels.empty())
      throw InputError("calibrate#",
                       fmt::format("no kernel is left (no execution tells its kernel and the size of square "
                                   "tiles: {}). Use traces of StarPU with the names and sizes of their data",
                                   out_.findings.empty() ? "there is none" : out_.findings.back().text()));
    std::vector<Finding> const odd = check_timings(sourced, {});
    out_.findings.insert(out_.findings.end(), odd.begin(), odd.end());
    out_.model.variability = with_expectation(factors.variability(), out_.findings);
  }

  void add_links() {
    out_.network = fit_service(traces_);
    if (out_.network) {
      for (PairFit const& pair : out_.network->pairs)
        out_.links.push_back({link_name(pair.from, pair.to), pair.fit});
      auto const& findings = out_.network->findings;
      out_.findings.insert(out_.findings.end(), findings.begin(), findings.end());
    }
    for (Trace const& trace : traces_)
      for (auto const& [link, fit] : fit_copies(trace))
        out_.links.push_back({fmt::format("{}:{}-{}", trace.memory_nodes[link.first.index()].node.value(),
                                          trace.memory_nodes[link.first.index()].name,
                                          trace.memory_nodes[link.second.index()].name),
                              fit});
  }

  std::vector<Trace> const& traces_;
  CalibrationOptions const& options_;
  KernelSamples samples_;
  TraceCalibration out_;
};

}  // namespace

TraceCalibration calibrate_from(std::vector<Trace> const& traces, CalibrationOptions const& options) {
  return Calibration(traces, options).calibrated();
}

Platform calibrated_platform(std::vector<Trace> const& traces, std::string const& machine,
                             std::string const& kernels_file, TraceCalibration& calibration) {
  constexpr LinkRate assumed{BytesPerSecond{1e9}, Seconds{1e-6}};
  Trace const& trace = traces.front();
  std::vector<Finding> findings;
  Platform platform = trace_platform(trace, {}, findings);
  auto const& network = calibration.network;
  if (!network)
    findings.push_back({trace.source, 0, "has no messages: a network of 1 GB/s with 1 us is assumed"});
  else if (!network->latency_known())
    findings.push_back(
        {trace.source, 0, "has messages of one size only: their latency is within the bandwidth"});
  findings.push_back({trace.source, 0, "does not tell the RAM of a node: 64 GiB are assumed"});
  for (std::uint32_t t = 0; t < platform.types.size(); ++t) {
    NodeType& type = platform.types[t];  // one for each node of a trace
    type.name = platform.types.size() > 1 ? fmt::format("{}_{}", machine, t) : machine;
    type.kernels_file = kernels_file;
    type.ram = Bytes{std::int64_t{64} << 30U};
    for (GpuSpec& gpu : type.gpus) gpu.memory = Bytes{std::int64_t{16} << 30U};
    type.nic = network ? LinkRate{network->bandwidth(NodeId{t}), network->latency() / 2} : assumed;
    type.estimate = true;  // the RAM is assumed, and more where a finding says so
    type.provenance += "; RAM, and memory of GPUs (16 GiB), are assumed";
  }
  if (network && network->wire) platform.network.wire = *network->wire;
  platform.worker_costs = calibration.worker_costs;
  for (Finding const& f : findings) platform.findings.push_back(portable(f.text(), traces));
  calibration.findings.insert(calibration.findings.end(), findings.begin(), findings.end());
  return platform;
}

}  // namespace factosim
