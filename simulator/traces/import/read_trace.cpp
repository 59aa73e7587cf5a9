#include "simulator/traces/import/read_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "factosim/error.hpp"
#include "simulator/base/core/foreign_format.hpp"
#include "simulator/traces/import/contracted_graph.hpp"
#include "simulator/traces/import/line_reader.hpp"
#include "simulator/traces/trace/native_trace.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

constexpr double date_rounding_s = 2e-6;  // dates are printed in ns or us
constexpr std::size_t min_samples = 10;   // StarPU's minimum

/// The number of violations and the worst of them.
struct Wrong {
  std::size_t count = 0;
  double worst_s = 0;
  void add(double by_s) {
    if (!(by_s > date_rounding_s)) return;
    ++count;
    worst_s = std::max(worst_s, by_s);
  }
};

/// Warnings about a run. Each kind is reported once, with its count and the largest deviation. O(tasks log tasks).
class Lints {
 public:
  explicit Lints(Trace const& trace) : trace_(trace) {}

  std::vector<Finding> find() && {
    durations();
    overlaps();
    order();
    messages();
    return std::move(findings_);
  }

 private:
  void find(std::string message) { findings_.push_back({trace_.source, 0, std::move(message)}); }
  void find(Wrong const& wrong, std::string_view what, std::string_view why) {
    if (wrong.count > 0)
      find(fmt::format("{} {}, by up to {:.3g} ms ({})", wrong.count, what, 1e3 * wrong.worst_s, why));
  }

  struct Sample {
    std::size_t count = 0;
    double minimum = INFINITY, maximum = 0;
  };

  void durations() {
    std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, Sample>
        samples;  // kernel, footprint, worker kind
    for (std::size_t t = 0; t < trace_.task_count(); ++t) {
      if (!trace_.worker[t].valid()) continue;
      Trace::Worker const& worker = trace_.workers[trace_.worker[t].index()];
      std::uint32_t const footprint = trace_.footprint.empty() ? 0 : trace_.footprint[t];
      Sample& s = samples[{trace_.kernel[t], footprint, static_cast<std::uint32_t>(worker.device)}];
      double const duration = trace_.end_s[t] - trace_.start_s[t];
      ++s.count;
      s.minimum = std::min(s.minimum, duration);
      s.maximum = std::max(s.maximum, duration);
    }
    std::size_t many = 0, constant = 0, few = 0;
    for (auto const& [key, s] : samples) {
      if (s.count < min_samples) ++few;
      if (s.count < min_samples) continue;
      ++many;
      if (s.maximum - s.minimum <= 1e-6 * s.maximum) ++constant;
    }
    if (constant > 0)
      find(
          fmt::format("{} of {} kernels with at least {} executions always last the same: this is the trace "
                      "of a simulation, not of a real run",
                      constant, many, min_samples));
    if (few > 0)
      find(
          fmt::format("{} of {} timings (a kernel, the shape of its data, a kind of worker) rest on fewer "
                      "than {} executions",
                      few, samples.size(), min_samples));
  }

  void overlaps() {
    std::vector<std::uint32_t> order(trace_.task_count());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(trace_.worker[a], trace_.start_s[a]) < std::pair(trace_.worker[b], trace_.start_s[b]);
    });
    Wrong cores, gpus;
    for (std::size_t i = 1; i < order.size(); ++i) {
      std::uint32_t const before = order[i - 1], task = order[i];
      if (!trace_.worker[task].valid() || trace_.worker[before] != trace_.worker[task]) continue;
      bool const gpu = trace_.workers[trace_.worker[task].index()].device == Trace::Device::gpu;
      (gpu ? gpus : cores).add(trace_.end_s[before] - trace_.start_s[task]);
    }
    find(cores, "tasks start on a core that still runs another", "tasks within tasks, or a damaged trace");
    find(gpus, "tasks start on a GPU that still runs another",
         "kernels in a pipeline: single durations there are not to be trusted");
  }

  void order() {
    Wrong same, other;
    for (std::size_t t = 0; t < trace_.task_count(); ++t)
      for (TaskId const before : trace_.predecessors_of(TaskId{t}))
        (trace_.node_of(before) == trace_.node_of(TaskId{t}) ? same : other)
            .add(trace_.end_s[before.index()] - trace_.start_s[t]);
    find(same, "dependencies are violated: the task starts before the one it waits for has ended",
         "a GPU's pipeline, or a damaged trace");
    find(other,
         "dependencies between nodes are violated: the task starts before the one it waits for has ended",
         "the clocks of the nodes differ");
  }

  void messages() {
    Wrong backwards, early, late;
    for (Trace::Message const& m : trace_.messages) {
      backwards.add(m.start_s - m.end_s);
      if (m.producer.valid()) early.add(trace_.end_s[m.producer.index()] - m.start_s);
      if (m.consumer.valid()) late.add(m.end_s - trace_.start_s[m.consumer.index()]);
    }
    find(backwards, "messages come before they are sent", "the clocks of the nodes differ");
    find(early, "messages leave before the task that writes their data has ended",
         "the clocks of the nodes differ");
    find(late, "messages come after the first task that reads their data has started",
         "the clocks of the nodes differ");
  }

  Trace const& trace_;
  std::vector<Finding> findings_;
};

/// Refuses formats that are known, but not as traces.
void refuse_other_formats(TraceSource const& source) {
  std::string_view const first = source.first_line;
  if (first.starts_with("%rec: timing") || first.starts_with("%rec: worker_count"))
    throw InputError(source.path.string() + "#line 1",
                     "holds timings of kernels, no run. Use `factosim import starpu-timings` for it");
  if (first.starts_with("#Paraver")) refuse_unknown_trace(source.path, "it is a trace of Paraver");
}

Trace read_foreign(fs::path const& path, bool folder) {
  TraceSource const source{
      .path = path, .is_folder = folder, .first_line = folder ? std::string() : first_line(path)};
  if (!folder && source.first_line.empty()) refuse_unknown_trace(path, "it is empty");
  refuse_other_formats(source);
  for (TraceReader const* const reader : trace_readers())
    if (reader->recognises(source)) return reader->read(source);
  if (folder) refuse_raw_trace(path);
  if (folder) refuse_unknown_trace(path, "the directory holds none of the files");
  refuse_foreign_file(path, "the trace of a run");
  refuse_unknown_trace(path, "its first line is \"" + source.first_line.substr(0, 60) + "\"");
}

}  // namespace

std::span<TraceReader const* const> trace_readers() {
#define FACTOSIM_READER(name) &name##_reader,
  static constexpr std::array readers{FACTOSIM_TRACE_READERS(FACTOSIM_READER)};
#undef FACTOSIM_READER
  return readers;
}

void refuse_unknown_trace(fs::path const& path, std::string_view what) {
  throw InputError(path.string() + "#",
                   fmt::format("is no trace that is known ({}). Give a directory with tasks.rec, one with "
                               "StarVZ's rec.tasks.csv or paje.worker_state.csv, a Paje trace, Chrome trace "
                               "events, or a CSV table with the columns task, worker, start, end",
                               what));
}

Trace read_trace(fs::path const& path) {
  std::error_code error;
  bool const folder = fs::is_directory(path, error);
  fs::path const own = folder ? path / native_trace_name : path;
  Trace trace = is_native_trace(own) ? read_native(own) : read_foreign(path, folder);
  refuse_cycles(trace.predecessor_begin, trace.predecessors,
                [&](TaskId task) { return fmt::format("{}#task {}", trace.source, task.value()); });
  if (trace.format == "factosim") return trace;  // simulated here: nothing was measured
  std::vector<Finding> const suspicious = Lints(trace).find();
  trace.findings.insert(trace.findings.end(), suspicious.begin(), suspicious.end());
  return trace;
}

}  // namespace factosim
