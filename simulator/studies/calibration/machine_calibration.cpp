#include "simulator/studies/calibration/machine_calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "factosim/error.hpp"
#include "models/device_peaks.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/scenario/simulation/resources.hpp"
#include "simulator/studies/calibration/tile_kernels.hpp"

namespace factosim {

namespace {

constexpr int warm_up_copies = 3;
constexpr Bytes one_byte{1}, large{std::int64_t{32} << 20};

SampleSummary time_copies(std::function<void(Bytes)> const& copy, Bytes size, int count) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < warm_up_copies; ++i) copy(size);
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    auto const start = Clock::now();
    copy(size);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return summarize(std::move(seconds));
}

/// Measures a link as StarPU does, one copy at a time: the latency is the median time of copies of one byte, the
/// bandwidth follows from the additional time of copies of 32 MiB. `copy(bytes)` copies and waits.
MeasuredLink measure_link(std::size_t from, std::size_t to, std::function<void(Bytes)> const& copy) {
  constexpr int small_copies = 128, large_copies = 32;
  double const latency = time_copies(copy, one_byte, small_copies).median;
  SampleSummary const transfer = time_copies(copy, large, large_copies);
  double const moving = std::max(transfer.median - latency, 1e-9);
  MeasuredLink link{.from = from, .to = to, .fit = {}};
  link.fit = {.rate = {.bandwidth = BytesPerSecond{static_cast<double>(large.value) / moving},
                       .latency = Seconds{latency}},
              .transfers = small_copies + large_copies};
  link.spread = (transfer.upper_quartile - transfer.lower_quartile) / transfer.median;
  return link;
}

/// Measures both directions between the RAM and each GPU, and between all pairs of GPUs.
std::vector<MeasuredLink> measure_links(Gpus& gpus) {
  std::vector<MeasuredLink> out;
  std::size_t const memories = 1 + gpus.specs().size();
  for (std::size_t from = 0; from < memories; ++from)
    for (std::size_t to = 0; to < memories; ++to) {
      if (from == to) continue;
      out.push_back(measure_link(from, to, [&](Bytes size) { gpus.copy(from, to, size); }));
    }
  return out;
}

constexpr int warm_ups = 3;
constexpr std::size_t min_samples = 20;
constexpr double undisturbed = 0.95;  // minimum share of the time during which the thread has the core
constexpr double max_patience = 10;   // times the requested seconds
constexpr double hiccup =
    1.5;  // times the median: what StarPU's histories leave out, 50 % or more above the mean

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// Returns the busy time of all cores since the machine started, in seconds; 0 if the system does not report it.
double machine_busy_seconds() {
  std::ifstream in("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
  if (!(in >> cpu >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal)) return 0;
  return (user + nice + system + irq + softirq + steal) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Executions of one kernel in one thread.
struct Samples {
  double first_s = 0;
  std::vector<double> good;
  long disturbed = 0;
};

/// Runs from when it is made.
struct Stopwatch {
  double cpu = thread_seconds(), wall = wall_seconds();

  [[nodiscard]] double lasted() const { return wall_seconds() - wall; }
  /// Returns whether the thread has had its core nearly all the time.
  [[nodiscard]] bool had_core() const {
    double const all = lasted();
    return thread_seconds() - cpu >= undisturbed * all;
  }
};

/// Takes samples for that many seconds and until there are enough, but not without end.
template <class Take>
void take_samples(Samples& out, double seconds, Take const& take) {
  Stopwatch const all;
  for (double spent = 0; (spent < seconds || out.good.size() < min_samples) &&
                         spent < max_patience * seconds + 10 * out.first_s;
       spent = all.lasted())
    take();
}

Samples measure(TileKernel& kernel, double seconds, std::barrier<>& start) {
  Samples out;
  kernel.restore();
  std::size_t set = 0;
  auto const run = [&](bool counts) {
    if (set == kernel.sets()) {
      kernel.restore();
      set = 0;
    }
    Stopwatch const own;
    kernel.run(set++);
    double const lasted = own.lasted();
    if (!counts) return lasted;
    if (own.had_core())
      out.good.push_back(lasted);
    else
      ++out.disturbed;
    return lasted;
  };
  start.arrive_and_wait();
  out.first_s = run(false);
  for (int i = 1; i < warm_ups; ++i) run(false);
  take_samples(out, seconds, [&] { run(true); });
  start.arrive_and_wait();  // until all have enough samples, all cores are busy
  return out;
}

/// Queues after the first, which warms up, each without its first execution, which waits for its launch. Executions that
/// waited for a late launch are disturbed, too: on a real GPU the means of 8 of 84 kernels were a third or more too long.
Samples measure(GpuKernel& kernel, double seconds) {
  Samples out;
  kernel.restore();
  out.first_s = kernel.run([] {}).front();
  take_samples(out, seconds, [&] {
    kernel.restore();
    Stopwatch const launch;
    bool had_core = false;
    std::vector<double> const queue = kernel.run([&] { had_core = launch.had_core(); });
    if (had_core)
      out.good.insert(out.good.end(), queue.begin() + 1, queue.end());
    else  // the queue may have run dry
      out.disturbed += static_cast<long>(queue.size()) - 1;
  });
  if (out.good.empty()) return out;
  double const longest = hiccup * summarize(out.good).median;
  out.disturbed += static_cast<long>(std::erase_if(out.good, [&](double s) { return s > longest; }));
  return out;
}

class MachineCalibrator {
 public:
  MachineCalibrator(MachineCalibrationOptions const& options, TileKernels const* kernels, Gpus* gpus,
                    std::function<void(std::string const&)> const& progress)
      : options_(options), kernels_(kernels), gpus_(gpus), progress_(progress) {
    int const there = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    cores_ = options.cores == 0 ? there : std::min(options.cores, there);
  }

  MachineCalibration run() && {
    double const wall = wall_seconds(), own = process_cpu_seconds(), busy = machine_busy_seconds();
    if (kernels_ != nullptr)
      each_kernel(
          [&](std::string const& name, Precision precision, int nb) { on_cores(name, precision, nb); });
    if (gpus_ != nullptr) {
      out_.gpus = gpus_->specs();
      for (std::size_t gpu = 0; gpu < out_.gpus.size(); ++gpu)
        each_kernel(
            [&](std::string const& name, Precision precision, int nb) { on_gpu(gpu, name, precision, nb); });
      links();
    }
    double const all = machine_busy_seconds() - busy;
    out_.foreign_load = std::max(0.0, all - (process_cpu_seconds() - own)) / (wall_seconds() - wall);
    if (out_.foreign_load > 0.05)
      find(
          fmt::format("others used {:.2f} cores while this was measured: stop them and measure again for "
                      "timings to rely on",
                      out_.foreign_load));
    out_.model.machine = options_.machine;
    std::vector<std::string> measured;
    if (kernels_ != nullptr)
      measured.push_back(
          fmt::format("OpenBLAS, one thread, {} cores at once, tiles rotating through 64 MiB", cores_));
    if (!out_.gpus.empty())
      measured.push_back(
          fmt::format("{}, one GPU at a time, kernels in a full queue, tiles rotating through its memory",
                      gpus_->libraries()));
    out_.model.provenance = fmt::format(
        "Measured by factosim calibrate --machine: {}; first executions and those that lost their core left "
        "out; others used {:.2f} cores meanwhile",
        fmt::join(measured, "; "), out_.foreign_load);
    return std::move(out_);
  }

 private:
  /// `of_timings`: every run with these timings is to say it.
  void find(std::string message, bool of_timings = false) {
    if (of_timings) out_.model.findings.push_back(message);
    out_.findings.push_back({options_.machine, 0, std::move(message)});
  }

  template <class Measure>
  void each_kernel(Measure measure) const {
    for (std::string const& name : options_.kernels.empty() ? tile_kernel_names() : options_.kernels)
      for (Precision const precision : options_.precisions)
        for (int const nb : options_.tiles) measure(name, precision, nb);
  }

  void on_cores(std::string const& name, Precision precision, int nb) {
    std::vector<std::unique_ptr<TileKernel>> work;
    work.reserve(static_cast<std::size_t>(cores_));
    for (int c = 0; c < cores_; ++c) work.push_back(kernels_->make(name, precision, nb));
    if (!work.front()) return;
    std::vector<Samples> samples(work.size());
    {
      std::barrier start(cores_);
      std::vector<std::jthread> threads;
      for (std::size_t c = 0; c < work.size(); ++c)
        threads.emplace_back([&, c] { samples[c] = measure(*work[c], options_.seconds, start); });
    }
    add("cpu", name, precision, nb, samples);
  }

  void on_gpu(std::size_t gpu, std::string const& name, Precision precision, int nb) {
    auto const work = gpus_->make_kernel(gpu, name, precision, nb);
    if (!work) return;
    add(fmt::format("cuda{}", gpu), name, precision, nb, {measure(*work, options_.seconds)});
  }

  void links() {
    out_.links = measure_links(*gpus_);
    for (MeasuredLink const& link : out_.links) {
      std::string const way = fmt::format("from memory node {} to {}", link.from, link.to);
      progress_(fmt::format("{}: {:.4g} us and {:.4g} GB/s", way, 1e6 * link.fit.rate.latency.value,
                            1e-9 * link.fit.rate.bandwidth.value));
      if (link.spread > 0.2)
        find(fmt::format("copies {} of 32 MiB differ by {:.0f} % between their quartiles: others use the bus",
                         way, 100 * link.spread));
    }
  }

  void add(std::string const& worker, std::string const& name, Precision precision, int nb,
           std::vector<Samples> const& samples) {
    MeasuredKernel k;
    std::vector<double> good;
    for (Samples const& s : samples) {
      good.insert(good.end(), s.good.begin(), s.good.end());
      k.disturbed += s.disturbed;
      k.first_s = std::max(k.first_s, s.first_s);
    }
    std::string const what =
        fmt::format("{}{} on {} and tiles of {}", info_of(precision).prefix, name, worker, nb);
    if (good.empty()) return find(fmt::format("{}: not measured (always disturbed)", what), true);
    SampleSummary const statistics = summarize(good);
    k.timing = {.kernel = name,
                .precision = precision,
                .worker = worker,
                .nb = nb,
                .mean = Seconds{statistics.mean},
                .deviation = Seconds{statistics.deviation},
                .samples = static_cast<long>(statistics.count)};
    k.gflops = nominal_flops(name, nb) / statistics.mean / 1e9;
    progress_(fmt::format("{}: {:.4g} ms, {} samples", what, 1e3 * statistics.mean, statistics.count));
    if (statistics.count < min_samples)
      find(fmt::format("{}: {} undisturbed samples only", what, statistics.count), true);
    if (k.disturbed > static_cast<long>(good.size()) / 10)
      find(fmt::format("{}: {} of {} executions lost their core for 5 % of the time or more", what,
                       k.disturbed, static_cast<std::size_t>(k.disturbed) + good.size()));
    if (statistics.deviation > 0.2 * statistics.mean)
      find(fmt::format("{} deviates by {:.0f} % of its mean: clocks or caches are shared with others", what,
                       100 * statistics.deviation / statistics.mean));
    out_.model.timings.push_back(k.timing);
    out_.kernels.push_back(std::move(k));
  }

  MachineCalibrationOptions const& options_;
  TileKernels const* kernels_;  // of the cores; null: they are not measured
  Gpus* gpus_;
  std::function<void(std::string const&)> const& progress_;
  MachineCalibration out_;
  int cores_ = 1;
};

}  // namespace

MachineCalibration calibrate_machine(MachineCalibrationOptions const& options, Gpus* gpus,
                                     std::function<void(std::string const&)> const& progress) {
  TileKernels const* const kernels = options.on_cores ? find_tile_kernels() : nullptr;
  if (!options.on_cores && gpus == nullptr)
    throw InputError("calibrate#--workers",
                     "gpus: none was found (no driver, runtime library or device of CUDA or ROCm). Leave it "
                     "out to measure cores");
  if (options.on_cores && kernels == nullptr)
    throw InputError("calibrate#--machine",
                     "needs OpenBLAS, LAPACKE and GSL (the program was built without them). Install "
                     "libopenblas-dev, liblapacke-dev and libgsl-dev, and build again");
  return MachineCalibrator(options, kernels, gpus, progress).run();
}

Platform measured_platform(MachineCalibration const& c, std::filesystem::path const& kernels_file,
                           std::vector<Finding>& findings) {
  NodeType type;
  type.name = c.model.machine;
  type.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  type.ram = Bytes{std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE)};
  type.gpus = c.gpus;
  type.bus = pairwise_bus(type.memory_node_count(),
                          [&](std::size_t from, std::size_t to) -> std::optional<LinkRate> {
                            for (MeasuredLink const& link : c.links)
                              if (link.from == from && link.to == to) return link.fit.rate;
                            return {};
                          });
  type.kernels_file = kernels_file.string();
  type.nic = {BytesPerSecond{1e9}, Seconds{1e-6}};
  type.provenance =
      "Cores and RAM as the system tells them, copies measured by factosim calibrate --machine; the network "
      "card is assumed";
  findings.push_back({type.name, 0, "has no network that was measured: 1 GB/s with 1 us are assumed"});
  return {.types = {type}, .nodes = {0}, .network = {.estimate = true}};
}

}  // namespace factosim
