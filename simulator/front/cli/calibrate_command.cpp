#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "factosim/error.hpp"
#include "models/kernel_model_json.hpp"
#include "platforms/platform_json.hpp"
#include "platforms/wire_names.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/front/cli/command_line.hpp"
#include "simulator/studies/calibration/machine_calibration.hpp"
#include "simulator/studies/calibration/tile_kernels.hpp"
#include "simulator/studies/calibration/trace_calibration.hpp"
#include "simulator/traces/import/read_trace.hpp"

namespace factosim {

FACTOSIM_JSON_MEMBERS(CalibratedKernel, executions, first, first_mean_s, outliers, outlier_mean_s)
FACTOSIM_JSON_MEMBERS(MeasuredKernel, first_s, disturbed, gflops)

namespace {

struct CalibrateArguments {
  std::vector<std::filesystem::path> traces;
  bool machine = false;
  std::filesystem::path output, platform;
  CalibrationOptions options;
  bool without_outliers = false;
  MachineCalibrationOptions measure;
  std::vector<std::string> precisions{"double"};
  std::string workers = "all";
  bool json = false, force = false;
};

nlohmann::ordered_json timing_json(KernelTiming const& t) {
  nlohmann::ordered_json out = {{"kernel", t.kernel},
                                {"application", t.application},
                                {"precision", name_of(t.precision)},
                                {"worker", t.worker},
                                {"nb", t.nb},
                                {"mean_s", t.mean.value},
                                {"deviation_s", t.deviation.value},
                                {"samples", t.samples}};
  for (auto const& [cores, factor] : t.slowdown.points) out["slowdown"][std::to_string(cores)] = factor;
  return out;
}

/// Returns the list of kernels: the timing of each, and its own members.
template <class Kernels>
nlohmann::ordered_json kernels_json(Kernels const& kernels) {
  return json_list(kernels, [](auto const& kernel) {
    nlohmann::ordered_json out = timing_json(kernel.timing);
    out.update(nlohmann::ordered_json(kernel));
    return out;
  });
}

/// Prints the factors at both ends of the kernel's slow-down, if it has one.
void print_slowdown(KernelTiming const& t) {
  if (t.slowdown.points.empty()) return;
  Slowdown::Point const &low = t.slowdown.points.front(), &high = t.slowdown.points.back();
  fmt::print("{}{} {} of tile {} takes {:.3f} of its mean with {} busy cores, {:.3f} with {}\n",
             info_of(t.precision).prefix, t.kernel, t.application, t.nb, low.factor, low.busy_cores,
             high.factor, high.busy_cores);
}

nlohmann::ordered_json variability_json(Variability const& v) {
  nlohmann::ordered_json out = {{"worker_deviation", v.worker_deviation}};
  if (v.run_deviation) {
    out["run_deviation"] = *v.run_deviation;
    out["degrees_of_freedom"] = v.degrees_of_freedom;
  }
  out["runs"] = v.runs;
  return out;
}

nlohmann::ordered_json calibration_json(TraceCalibration const& c) {
  auto const link_json = [](CalibratedLink const& l) -> nlohmann::ordered_json {
    return {{"link", l.name},
            {"latency_s", l.fit.rate.latency.value},
            {"bandwidth_Bps", l.fit.rate.bandwidth.value},
            {"transfers", l.fit.transfers},
            {"residual_s", l.fit.residual_s},
            {"latency_known", l.fit.latency_known}};
  };
  nlohmann::ordered_json out = {{"format", "factosim-calibration"},
                                {"version", 1},
                                {"kernels", kernels_json(c.kernels)},
                                {"variability", variability_json(*c.model.variability)},
                                {"links", json_list(c.links, link_json)}};
  if (c.network && c.network->wire) out["wire"] = wire_names.name_of(*c.network->wire);
  if (c.worker_costs)
    out["runtime"] = {{"push_cost_s", c.worker_costs->push.value},
                      {"fetch_cost_s", c.worker_costs->fetch.value},
                      {"progress_cost_s", c.worker_costs->progress.value}};
  out["findings"] = texts_of(c.findings);
  return out;
}

void print(TraceCalibration const& c) {
  fmt::print("{:<14}{:<10}{:<7}{:>6}{:>11}{:>11}{:>9}{:>11}{:>10}{:>11}\n", "kernel", "of", "worker", "tile",
             "mean ms", "dev. ms", "samples", "first ms", "outliers", "their ms");
  for (CalibratedKernel const& k : c.kernels)
    fmt::print("{:<14}{:<10}{:<7}{:>6}{:>11.4f}{:>11.4f}{:>9}{:>11.4f}{:>10}{:>11.4f}\n",
               fmt::format("{}{}", info_of(k.timing.precision).prefix, k.timing.kernel), k.timing.application,
               k.timing.worker, k.timing.nb, 1e3 * k.timing.mean.value, 1e3 * k.timing.deviation.value,
               k.timing.samples, 1e3 * k.first_mean_s, k.outliers, 1e3 * k.outlier_mean_s);
  for (CalibratedKernel const& k : c.kernels) print_slowdown(k.timing);
  Variability const& v = *c.model.variability;
  fmt::print("deviation of workers {:.2f} %, of runs {}\n", 100 * v.worker_deviation,
             v.run_deviation ? fmt::format("{:.2f} % ({} degrees of freedom)", 100 * *v.run_deviation,
                                           v.degrees_of_freedom)
                             : "unknown");
  if (auto const& costs = c.worker_costs)
    fmt::print("runtime system: {:.4g} us a task, {:.4g} us an operand\n", 1e6 * costs->progress.value,
               1e6 * costs->fetch.value);
  if (c.network && c.network->wire)
    fmt::print("messages between two nodes: {}\n", wire_names.name_of(*c.network->wire));
  for (CalibratedLink const& l : c.links)
    fmt::print("link {:<20} {:.4g} us + size / {:.4g} GB/s, from {} transfers, residual {:.4g} us{}\n",
               l.name, 1e6 * l.fit.rate.latency.value, 1e-9 * l.fit.rate.bandwidth.value, l.fit.transfers,
               1e6 * l.fit.residual_s, l.fit.latency_known ? "" : " (sizes alike: latency not known)");
}

void write_files(CalibrateArguments const& a, KernelModel const& model, std::vector<Finding> const& findings,
                 Platform const& platform) {
  warn_of(findings);
  write_output(a.output, a.output.empty() ? "" : kernel_model_json(model));
  write_output(a.platform, a.platform.empty() ? "" : platform_json(platform, a.platform.parent_path()));
}

void calibrate_traces(CalibrateArguments a) {
  std::vector<Trace> traces;
  for (auto const& path : a.traces) traces.push_back(read_trace(path));
  if (a.options.machine.empty()) a.options.machine = "traced";
  if (a.options.provenance.empty()) {
    a.options.provenance = "Measured in the traces";
    for (auto const& path : a.traces) a.options.provenance += " " + path.filename().string();
  }
  a.options.keep_outliers = !a.without_outliers;
  TraceCalibration calibration = calibrate_from(traces, a.options);
  Platform platform;
  if (!a.platform.empty())
    platform = calibrated_platform(traces, a.options.machine, a.output.string(), calibration);
  write_files(a, calibration.model, calibration.findings, platform);
  if (a.json)
    print_json(calibration_json(calibration));
  else if (a.output != standard_stream)
    print(calibration);
}

/// Returns the GPUs of this machine, or null with a message about the reason.
std::unique_ptr<Gpus> gpus_to_measure() {
  try {
    return find_gpus();
  } catch (std::runtime_error const& error) {
    print_warning(fmt::format("GPUs are left out: {}", error.what()));
    return nullptr;
  }
}

void calibrate_this_machine(CalibrateArguments a) {
  a.measure.precisions.clear();
  for (std::string const& p : a.precisions) a.measure.precisions.push_back(*precision_named(p));
  if (!a.options.machine.empty()) a.measure.machine = a.options.machine;
  a.measure.on_cores = a.workers != "gpus";
  auto const gpus = a.workers == "cores" ? nullptr : gpus_to_measure();
  MachineCalibration measured =
      calibrate_machine(a.measure, gpus.get(), [](std::string const& line) { print_note(line); });
  if (!a.options.provenance.empty())
    measured.model.provenance = a.options.provenance + ". " + measured.model.provenance;
  Platform platform;
  if (!a.platform.empty()) platform = measured_platform(measured, a.output, measured.findings);
  write_files(a, measured.model, measured.findings, platform);
  if (a.json) {
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (MeasuredLink const& l : measured.links)
      links.push_back({{"from", l.from},
                       {"to", l.to},
                       {"latency_s", l.fit.rate.latency.value},
                       {"bandwidth_Bps", l.fit.rate.bandwidth.value},
                       {"spread", l.spread}});
    print_json({{"format", "factosim-calibration"},
                {"version", 1},
                {"machine", measured.model.machine},
                {"foreign_load", measured.foreign_load},
                {"kernels", kernels_json(measured.kernels)},
                {"links", links},
                {"findings", texts_of(measured.findings)}});
    return;
  }
  if (a.output == standard_stream) return;
  fmt::print("{:<12}{:<7}{:>6}{:>11}{:>11}{:>9}{:>11}{:>11}{:>10}\n", "kernel", "worker", "tile", "mean ms",
             "dev. ms", "samples", "first ms", "disturbed", "GFlop/s");
  for (MeasuredKernel const& k : measured.kernels)
    fmt::print("{:<12}{:<7}{:>6}{:>11.4f}{:>11.4f}{:>9}{:>11.4f}{:>11}{:>10.2f}\n",
               fmt::format("{}{}", info_of(k.timing.precision).prefix, k.timing.kernel), k.timing.worker,
               k.timing.nb, 1e3 * k.timing.mean.value, 1e3 * k.timing.deviation.value, k.timing.samples,
               1e3 * k.first_s, k.disturbed, k.gflops);
  for (MeasuredLink const& l : measured.links)
    fmt::print("memory node {} to {}: {:.4g} us + size / {:.4g} GB/s\n", l.from, l.to,
               1e6 * l.fit.rate.latency.value, 1e-9 * l.fit.rate.bandwidth.value);
}

void calibrate(CalibrateArguments const& a) {
  if (a.machine == !a.traces.empty())
    throw InputError("calibrate#",
                     a.machine
                         ? "both --machine and traces are given (one of them is measured). Leave one out"
                         : "neither traces nor --machine are given. Give one of them");
  if (!a.platform.empty() && a.output.empty())
    throw InputError("calibrate#--platform", "needs --out (a platform names its kernel file). Give both");
  if (a.platform == standard_stream || (a.output == standard_stream && (a.json || !a.platform.empty())))
    throw InputError("calibrate#",
                     "standard output takes one file (it is \"-\" twice, or beside --json). Name files");
  for (auto const& file : {a.output, a.platform})
    if (!file.empty()) refuse_to_overwrite(file, a.force);
  if (a.machine)
    calibrate_this_machine(a);
  else
    calibrate_traces(a);
}

}  // namespace

void add_calibrate_command(CLI::App& program) {
  auto [options, a] =
      add_command(program, "calibrate",
                  "Kernel timings and links from traces of real runs, or from this machine", calibrate,
                  "Examples: factosim calibrate ~/run1 ~/run2 --name mycluster --out mycluster.json "
                  "--platform platform.json\n"
                  "          factosim calibrate --machine --tiles 320,640 --cores 0 --out here.json\n"
                  "See simulator/traces/trace/README.md.");
  options.path("trace", a.traces, "Traces of runs on machines of one kind: directories or files");
  options.flag("--machine", a.machine, "Run the kernels here, instead of reading traces");
  options.path("-o,--out,--output", a.output, "factosim-kernels file to write");
  options.path("--platform", a.platform,
               "factosim-platform file to write, of this machine or from the first trace");
  options.add("--name", a.options.machine, "Name of the machine", "NAME");
  options.json(a.json, "Print the result as JSON");
  options.force(a.force);
  options.more();
  options.provenance(a.options.provenance);
  options.flag("--with-first", a.options.keep_first, "First executions of a kernel on a worker count too");
  options.flag("--without-outliers", a.without_outliers, "Outliers (StarVZ's rule) do not count");
  options.range("--tiles", a.measure.tiles, "Tile sizes to measure", 8, 8192)
      ->delimiter(',')
      ->capture_default_str();
  options
      .choices("--precision", a.precisions,
               "Precisions to measure; of tf32, half and bfloat16 only gemm on GPUs",
               {"double", "single", "tf32", "half", "bfloat16"})
      ->capture_default_str();
  options.choices("--kernels", a.measure.kernels, "Kernels to measure; default: all", tile_kernel_names());
  options.choice("--workers", a.workers, "Workers to measure", {"all", "cores", "gpus"})
      ->capture_default_str();
  options.range("--cores", a.measure.cores, "Cores that run the kernel at once; 0: all", 0, 4096)
      ->capture_default_str();
  options.range("--seconds", a.measure.seconds, "Least time for each kernel and tile size", 0.01, 600.0)
      ->capture_default_str();
}

}  // namespace factosim
