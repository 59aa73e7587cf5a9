#include "simulator/audit/rules/expected_machine.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace factosim::audit {

namespace {
constexpr double impossible = std::numeric_limits<double>::infinity();

/// The factor of durations under a part of the largest cap.
double slowdown_at(std::vector<PowerSpec::CappedSpeed> const& points, double part) {
  double const cap = part * points.back().cap;
  std::size_t i = 0;
  while (i + 2 < points.size() && points[i + 1].cap < cap) ++i;
  if (points.size() == 1 || cap < points[i].cap) return 1 / points[i].speed;
  double const along = (cap - points[i].cap) / (points[i + 1].cap - points[i].cap);
  return 1 / ((1 - along) * points[i].speed + along * points[i + 1].speed);
}

/// Operations of a kernel on tiles of n, of LAPACK's in thirds of n^3 (working note 41); 0 of others.
double operations_of(std::string const& kernel, double n) {
  static std::map<std::string, int> const thirds{{"potrf", 1}, {"getrf", 2},   {"tpqrt", 2},   {"syrk", 3},
                                                 {"trsm", 3},  {"trsm_ll", 3}, {"trsm_ru", 3}, {"geqrt", 4},
                                                 {"gemm", 6},  {"ormqr", 6},   {"tpmqrt", 6}};
  auto const found = thirds.find(kernel);
  return found == thirds.end() ? 0 : found->second * n * n * n / 3;
}

}  // namespace

ExpectedMachine::ExpectedMachine(AuditedRun const& run) : run_(run) {
  for (std::size_t t = 0; t < run.platform.types.size(); ++t) {
    Type& type = types_.emplace_back();
    add_workers(type, run.platform.types[t]);
    KernelModel const* const model = run.runtime.rounded_means ? nullptr : &run.models[t];
    add_kernels(type, run.platform.types[t], model);
    if (model != nullptr) add_parts(type, *model);
  }
}

void ExpectedMachine::add_workers(Type& type, NodeType const& described) const {
  auto const gpus = static_cast<int>(described.gpus.size());
  int taken = run_.runtime.reserved_cores + gpus * run_.runtime.cores_per_gpu;
  if (run_.platform.nodes.size() > 1) taken += run_.runtime.communication_cores;
  if (described.cycle_time.value > 0) taken = gpus * run_.runtime.cores_per_gpu;  // a core without a driver
  for (int g = 0; g < gpus; ++g)
    for (int i = 0; i < run_.runtime.workers_per_gpu; ++i)
      type.workers.push_back(
          {.name = "cuda" + std::to_string(g) + (i > 0 ? "_" + std::to_string(i) : ""),
           .memory = static_cast<std::size_t>(described.unified_memory ? g * described.numa_nodes / gpus
                                                                       : described.numa_nodes + g),
           .gpu = true,
           .spare = false,
           .device = static_cast<std::size_t>(g),
           .further = i > 0});
  int const cores = std::max(0, described.cores - taken);
  for (int c = 0; c < cores + run_.runtime.oversubscribed_workers; ++c) {
    bool const spare = c >= cores;
    auto const part = [&](int parts) { return static_cast<std::size_t>(spare ? 0 : c * parts / cores); };
    type.workers.push_back(
        {"cpu" + std::to_string(c), part(described.numa_nodes), false, spare,
         part(described.sockets.value_or(described.numa_nodes)),
         c == cores - 1 && run_.platform.nodes.size() > 1 && run_.runtime.communication_cores == 0});
  }
}

/// What the kernel draws on a worker, and by how much its cap slows it down.
ExpectedMachine::OnWorker ExpectedMachine::powered(Kernel const& kernel, Worker const& worker,
                                                   NodeType const& described) {
  PowerSpec const& power = described.power;
  auto const own = power.kernels.find(timing_name(kernel));
  auto const of_kernel = own != power.kernels.end() ? own->second : PowerSpec::OfKernel{};
  if (!worker.gpu) return {.busy_W = of_kernel.core.value_or(power.core)};
  double const watts = of_kernel.gpu.value_or(power.gpu);
  double const cap = described.gpu_caps.empty() ? impossible : described.gpu_caps[worker.device];
  if (power.gpu_idle + watts <= cap) return {.busy_W = watts};
  return {.capped = slowdown_at(power.gpu_speeds, cap / (power.gpu_idle + watts)),
          .busy_W = cap - power.gpu_idle};
}

void ExpectedMachine::add_kernels(Type& type, NodeType const& described, KernelModel const* model) const {
  std::map<std::size_t, int> cores;  // by socket
  for (Worker const& worker : type.workers)
    if (!worker.gpu) ++cores[worker.socket];
  int most = 0;
  for (auto const& [socket, count] : cores) most = std::max(most, count);
  for (Kernel const& kernel : run_.graph.kernels)
    for (Worker const& worker : type.workers) {
      OnWorker& on = type.on.emplace_back(powered(kernel, worker, described));
      if (model == nullptr) continue;
      int const nb = kernel.nb == 0 ? run_.nb : kernel.nb;
      if (!kernel.is_free && (!worker.spare || kernel.on_spare_workers))
        on.timing =
            model->timing(timing_name(kernel), run_.application, kernel.precision.value_or(run_.precision),
                          worker.gpu ? "cuda" + std::to_string(worker.device) : "cpu", nb);
      on.mean_s = kernel.is_free && (!worker.gpu || most == 0) ? 0 : impossible;
      if (on.timing != nullptr) on.mean_s = on.capped * duration_by(*on.timing, nb, kernel.flops).value;
      on.least_s = on.mean_s;
      if (on.timing == nullptr || worker.gpu) continue;
      double least = impossible;
      for (int busy = 1; busy <= most; ++busy) least = std::min(least, on.timing->slowdown.at(busy));
      on.least_s *= least;
    }
}

void ExpectedMachine::add_parts(Type& type, KernelModel const& model) const {
  if (!run_.runtime.parts_by_rate || run_.runtime.workers_per_gpu == 1) return;
  std::size_t const workers = type.workers.size();
  auto const operations_per_s = [&](std::size_t i) {
    Kernel const& kernel = run_.graph.kernels[i / workers];
    if (type.on[i].timing == nullptr || kernel.memory_bound) return 0.0;
    double const seconds = duration_by(*type.on[i].timing, run_.nb, kernel.flops).value;
    return seconds > 0 ? kernel.flops.value / seconds : 0.0;
  };
  for (std::size_t i = 0; i < type.on.size(); ++i) {
    double const own = operations_per_s(i);
    if (!type.workers[i % workers].gpu || own == 0) continue;
    Precision const precision = run_.graph.kernels[i / workers].precision.value_or(run_.precision);
    double highest = own;
    for (std::size_t j = i % workers; j < type.on.size(); j += workers)
      if (run_.graph.kernels[j / workers].precision.value_or(run_.precision) == precision)
        highest = std::max(highest, operations_per_s(j));
    model.for_each_of_file([&](KernelTiming const& known) {
      if (known.precision != precision || known.worker != type.on[i].timing->worker) return;
      double const operations = operations_of(known.kernel, known.nb > 0 ? known.nb : 1);
      if (known.nb == 0 && operations > 0) highest = std::max(highest, known.rate.flops_per_second);
      if (known.nb > 0 && known.mean.value > 0) highest = std::max(highest, operations / known.mean.value);
    });
    type.on[i].part = own / highest;
  }
}

double ExpectedMachine::min_s(NodeId node, std::size_t task) const {
  std::size_t const workers = type(node).workers.size(), kernel = run_.graph.kernel[task];
  double least = impossible;
  for (std::size_t w = 0; w < workers; ++w)
    least = std::min(least, on(node, kernel, w).least_s * weight(node, task, w));
  return least;
}

double ExpectedMachine::weight(NodeId node, std::size_t task, std::size_t worker) const {
  if (run_.graph.weights.empty()) return 1;
  TaskWeight const& weight = run_.graph.weights[task];
  return type(node).workers[worker].gpu ? weight.gpu : weight.core;
}

}  // namespace factosim::audit
