#include "simulator/report/text/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

std::string joules(Joules e) {
  if (e.value >= 1e6) return fmt::format("{:.4g} MJ", e.value / 1e6);
  if (e.value >= 1e3) return fmt::format("{:.4g} kJ", e.value / 1e3);
  return fmt::format("{:.4g} J", e.value);
}

class SummaryText {
 public:
  SummaryText(Result const& r, SummaryLength length) : r_(r), all_(length == SummaryLength::all) {}

  std::string text() {
    if (!r_.name.empty()) row("scenario", r_.name);
    makespan();
    if (r_.detail) estimate(*r_.detail);
    lines("limit", r_.diagnosis.text);
    all_ ? bounds() : bound();
    if (!r_.detail) use();
    if (all_) tasks();
    lines("traffic", traffic());
    disks();
    if (r_.energy) energy(*r_.energy);
    if (all_) node_types();
    row("cost", fmt::format("{} CPU, {} tasks/s, {} of memory", format_duration(Seconds{r_.cost.cpu_s}),
                            grouped(static_cast<std::uint64_t>(r_.cost.tasks_per_s)),
                            format_bytes(Bytes{r_.cost.peak_rss_bytes})));
    if (r_.replicas) replicas(*r_.replicas);
    if (r_.sensitivity) sensitivity(*r_.sensitivity);
    return std::move(out_) + findings_text(r_.findings);
  }

 private:
  void row(std::string_view label, std::string_view value) {
    out_ += fmt::format("{:<14}{}\n", label, value);
  }

  void makespan() {
    std::string text = fmt::format("{}   {}", format_duration(r_.makespan),
                                   r_.gflops > 0 ? format_gflops(r_.gflops) : tasks_per_second());
    if (r_.detail && r_.detail->error_relative > 0)
      text += "   ESTIMATE: not every task was simulated";
    else if (r_.estimate)
      text += "   ESTIMATE: some timings or networks are not measurements";
    row("makespan", text);
  }

  /// Tasks per second: the rate where the number of operations is not known.
  [[nodiscard]] std::string tasks_per_second() const {
    if (!(r_.makespan.value > 0)) return {};
    return fmt::format("{:.4g} tasks/s", static_cast<double>(r_.tasks) / r_.makespan.value);
  }

  void estimate(Result::Detail const& d) {
    lines("estimate", fmt::format("\u00b1 {:.2g} % ({}); {} of {} tasks simulated", 100 * d.error_relative,
                                  d.error_text, grouped(d.tasks_simulated), grouped(r_.tasks)));
  }

  /// Breaks the text into lines of up to 100 columns.
  void lines(std::string_view label, std::string_view text) {
    for (std::string_view const line : broken_lines(text, 86)) {
      row(label, line);
      label = "";
    }
  }

  void disks() {
    Result::DiskUse sum;
    std::size_t count = 0;
    for (Result::Node const& node : r_.nodes) {
      if (!node.disk) continue;
      ++count;
      sum.read += node.disk->read;
      sum.written += node.disk->written;
    }
    if (count > 0)
      row(count == 1 ? "disk" : "disks",
          fmt::format("{} read, {} written", format_bytes(sum.read), format_bytes(sum.written)));
  }

  void use() {
    Seconds gpu_busy{0}, core_busy{0};
    std::uint64_t gpus = 0, cores = 0;
    for (Result::Node const& n : r_.nodes) {
      gpus += n.gpu_workers, cores += n.workers - n.gpu_workers;
      gpu_busy += n.gpu_busy.value_or(Seconds{0});
      core_busy += std::max(Seconds{0}, n.busy - n.gpu_busy.value_or(Seconds{0}));  // without rounding errors
    }
    auto const share = [&](Seconds busy, std::uint64_t workers) {
      return 100 * busy.value / (static_cast<double>(workers) * r_.makespan.value);
    };
    std::string kinds;
    if (gpus > 0 && cores > 0)
      kinds = fmt::format(" (GPUs {:.1f} %, cores {:.1f} %)", share(gpu_busy, gpus), share(core_busy, cores));
    row("use", fmt::format("{:.1f} % of the workers' time{}, {:.1f} % within the first 90 %",
                           100 * r_.utilization, kinds, 100 * r_.utilization_first_90));
  }

  /// What moves between nodes and over the buses; empty if nothing does.
  [[nodiscard]] std::string traffic() const {
    std::string out;
    if (r_.nodes.size() > 1)
      out = fmt::format("{} {} between nodes, {}", grouped(r_.tiles_sent), of_tiles() ? "tiles" : "data",
                        format_bytes(r_.bytes_sent));
    if (r_.host_to_device.value + r_.device_to_host.value + r_.device_to_device.value > 0)
      out += fmt::format("{}{} into GPUs, {} back, {} among them", out.empty() ? "" : "; ",
                         format_bytes(r_.host_to_device), format_bytes(r_.device_to_host),
                         format_bytes(r_.device_to_device));
    return out;
  }

  void bound() {
    auto const least = [&](Seconds value) {
      return fmt::format("{} ({:.1f} %)", format_duration(value), 100 * (value / r_.makespan));
    };
    std::string text = fmt::format("at least {} on these nodes", least(r_.bounds.problem()));
    if (r_.nodes.size() > 1)
      text += fmt::format(", {} with this distribution", least(r_.bounds.distribution()));
    lines("bound", text);
    beyond_the_bound();
  }

  void beyond_the_bound() {
    if (r_.bounds.distribution() > r_.makespan)
      row("", "bounds are of mean durations; those drawn or recorded let this run end before");
  }

  void part(std::string_view label, Seconds value, std::string_view meaning) {
    row(label, fmt::format("{:<12}{:>5.1f} % of the makespan   {}", format_duration(value),
                           100 * (value / r_.makespan), meaning));
  }

  void bounds() {
    Bounds const& b = r_.bounds;
    part("bound", b.problem(), "of the problem on these nodes");
    if (r_.nodes.size() > 1) part("map's bound", b.distribution(), "of this distribution");
    beyond_the_bound();
    part("area bound", b.abe, "all workers busy all the time");
    if (r_.nodes.size() > 1) part("fullest node", b.most_loaded_node(), "the same on the most loaded node");
    part("critical path", b.critical_path, "longest chain, each task on its fastest worker");
    if (r_.nodes.size() > 1) part("with messages", b.critical_path_with_comm, "the same with its messages");
  }

  void energy(Result::Energy const& e) {
    std::string text = fmt::format("{}, {} of them above idle", joules(e.total), joules(e.busy));
    if (e.powered_off_nodes)
      text += fmt::format("; {} with nodes off after their last task", joules(e.total_with_power_off));
    if (e.co2) text += fmt::format("; {:.4g} g of CO2", *e.co2);
    row("energy", text);
  }

  void replicas(Replicas const& r) {
    Spread const& s = r.makespan_s;
    out_ +=
        fmt::format("makespan of {} replicas: mean {}, deviation {}, 95 % confidence interval +- {}\n",
                    r.seeds.size(), format_duration(Seconds{s.mean}), format_duration(Seconds{s.deviation}),
                    format_duration(Seconds{(s.ci95_high - s.ci95_low) / 2}));
    out_ += fmt::format("a single run: {:g} % prediction interval {} to {}, +- {:.3g} %\n", 100 * r.interval,
                        format_duration(Seconds{std::max(0.0, s.prediction_low)}),
                        format_duration(Seconds{s.prediction_high}), 100 * relative_reach(s, s.mean));
  }

  void sensitivity(Sensitivity const& s) {
    auto const [least, most] = std::ranges::minmax(s.makespan_s.values);
    row("sensitivity",
        fmt::format("+- {:.2g} %: {} runs with durations within {:g} and overheads within {:g} take {} to {}",
                    100 * s.relative, s.makespan_s.values.size(), s.duration_precision, s.overhead_precision,
                    format_duration(Seconds{least}), format_duration(Seconds{most})));
  }

  void tasks() {
    std::string list;
    for (auto const& [kernel, count] : r_.tasks_by_kernel)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", grouped(count), kernel);
    row("tasks", fmt::format("{}: {}", grouped(r_.tasks), list));
  }

  /// A graph need not have tiles.
  [[nodiscard]] bool of_tiles() const {
    auto const& options = r_.provenance.options;
    return !options.contains("application") || options["application"].value("type", "") != "graph";
  }

  /// Prints one line per type of node.
  void node_types() {
    out_ += fmt::format("\n{:<14}{:>6}{:>9}{:>9}{:>12}{:>12}{:>12}{:>14}\n", "machine", "nodes", "workers",
                        "busy %", "first task", "last task", of_tiles() ? "tiles sent" : "data sent",
                        "peak memory");
    std::vector<std::string> done;
    for (Result::Node const& first : r_.nodes) {
      if (std::find(done.begin(), done.end(), first.type) != done.end()) continue;
      done.push_back(first.type);
      node_type(first.type);
    }
    out_ += '\n';
  }

  void node_type(std::string const& type) {
    std::uint64_t nodes = 0, workers = 0, sent = 0;
    Seconds busy{0}, first{r_.makespan}, last{0};
    std::int64_t peak = 0;
    for (Result::Node const& n : r_.nodes) {
      if (n.type != type) continue;
      ++nodes;
      workers += n.workers;
      sent += n.tiles_sent;
      busy += n.busy;
      first = n.tasks > 0 ? std::min(first, n.first_task) : first;
      last = std::max(last, n.last_task);
      peak = std::max(peak, n.peak_memory_bytes);
    }
    double const share = busy.value / (static_cast<double>(workers) * r_.makespan.value);
    out_ +=
        fmt::format("{:<14}{:>6}{:>9}{:>9.1f}{:>12}{:>12}{:>12}{:>14}\n", type, nodes, workers, 100 * share,
                    format_duration(first), format_duration(last), grouped(sent), format_bytes(Bytes{peak}));
  }

  Result const& r_;
  bool all_;
  std::string out_;
};

}  // namespace

std::string summary(Result const& result, SummaryLength length) { return SummaryText(result, length).text(); }

std::string findings_text(std::vector<std::string> const& findings) {
  if (findings.empty()) return {};
  std::string out = "findings: check them before you trust the result\n";
  for (std::string const& finding : findings) out += "  " + finding + "\n";
  return out;
}

}  // namespace factosim
