#include "simulator/audit/rules/run_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

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
  auto own = power.kernels.find(timing_name(kernel));
  if (own == power.kernels.end()) own = power.kernels.find(kernel.name);
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

namespace {

constexpr double simgrid_precision_s = 2e-9;

/// A tick of the simulator's clock is at most this part of the makespan, by the contract of its dates.
constexpr double most_per_makespan = 0x1p-41;

double longest_tick_s(nlohmann::json const& result) {
  auto const makespan = result.find("makespan_s");
  bool const known = makespan != result.end() && makespan->is_number();
  return known ? most_per_makespan * makespan->get<double>() : 0;
}

}  // namespace

RunView::RunView(AuditedRun const& audited)
    : run(audited),
      machine(audited),
      routes(audited.platform),
      home(audited.node_of_task),
      tick_s(longest_tick_s(audited.result)),
      tie_s(std::max(simgrid_precision_s, ticks_per_tie * tick_s)) {
  for (std::uint32_t t = 0; home.size() < run.graph.task_count(); ++t) {
    HandleId const written = run.graph.written_by(TaskId{t});
    home.push_back(written.valid() ? run.owners[run.graph.placement(TaskId{t})][written.index()] : NodeId{});
  }
  if (run.trace == nullptr) return;
  Trace const& trace = *run.trace;
  for (std::size_t w = 0; w < trace.workers.size(); ++w)
    if (w == 0 || trace.workers[w].node != trace.workers[w - 1].node) {
      first_worker_.resize(std::max(first_worker_.size(), trace.workers[w].node.index() + 1), w);
      first_worker_[trace.workers[w].node.index()] = w;
    }
  for (std::size_t t = 0; t < trace.task_count(); ++t)
    ran_.push_back(trace.worker[t].valid() && std::isfinite(trace.start_s[t]) &&
                   std::isfinite(trace.end_s[t]));
}

std::vector<Trace::Message> RunView::messages_by_pair() const {
  std::vector<Trace::Message> out = run.trace->messages;
  // A message without bytes ends with the one that it follows; of several, the last to start made the others
  // wait, unless they left in order.
  double const sign = run.platform.network.wire == Wire::fifo ? 1 : -1;
  std::ranges::sort(out, {}, [&](Trace::Message const& m) {
    return std::tuple(m.from, m.to, m.end_s, -m.size.value, sign * m.start_s);
  });
  return out;
}

std::string RunView::name_of_task(std::size_t task) const {
  TaskIndices const i = run.graph.indices[task];
  std::string out =
      fmt::format("task {} {} ({}, {}, {})", task, run.graph.kernel_of(TaskId{task}).name, i.k, i.m, i.n);
  if (ran(task)) out += fmt::format(" on {}:{}", node(task).value(), worker(task).name);
  return out;
}

std::string RunView::name_of_handle(HandleId handle) const {
  HandleInfo const& h = run.graph.handles[handle.index()];
  return fmt::format("{} ({}, {})", factosim::name_of(h.data), h.m, h.n);
}

std::string RunView::name_of_memory(MemoryNodeId memory) const {
  return fmt::format("{}:{}", memory_owner(memory).value(), run.trace->memory_nodes[memory.index()].name);
}

GpuTime::GpuTime(RunView const& view) : alone_s_(view.run.graph.task_count(), 0) {
  std::map<std::pair<NodeId, std::size_t>, std::vector<std::uint32_t>> on_device;
  drawn_s_ = alone_s_;
  for (std::uint32_t t = 0; t < alone_s_.size(); ++t) {
    if (!view.ran(t)) continue;
    bool const shares = view.run.runtime.workers_per_gpu > 1 && view.worker(t).device == Trace::Device::gpu;
    if (!shares)
      drawn_s_[t] = alone_s_[t] = view.end_s(t) - view.start_s(t);
    else if (view.end_s(t) > view.start_s(t))
      on_device[{view.node(t), view.machine.workers(view.node(t))[view.local_worker(t)].device}].push_back(t);
  }
  for (auto const& [device, tasks] : on_device) {
    std::vector<std::pair<double, std::uint32_t>> changes;
    for (std::uint32_t const t : tasks) {
      changes.emplace_back(view.start_s(t), t);
      changes.emplace_back(view.end_s(t), t);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<Running> by_part;  // ascending
    double since = 0;
    for (auto const& [date, t] : changes) {
      pass(date - since, by_part);
      since = date;
      if (std::erase_if(by_part, [task = t](Running const& r) { return r.task == task; }) > 0) continue;
      double const part = view.on_worker(t).part;
      by_part.insert(std::ranges::upper_bound(by_part, part, {}, &Running::part), {t, part});
    }
  }
}

void GpuTime::pass(double seconds, std::span<Running const> by_part) {
  // The level is the part that kernels limited by others have: were the first i limited by what they use, the others would
  // share the rest equally. The right i gives the largest of these shares.
  double level = 0, before = 0, sum = 0;
  for (std::size_t i = 0; i < by_part.size(); ++i) {
    level = std::max(level, (1 - before) / static_cast<double>(by_part.size() - i));
    before += by_part[i].part;
  }
  for (Running const& r : by_part) sum += std::min(r.part, level);
  for (Running const& r : by_part) {
    alone_s_[r.task] += seconds * std::min(1.0, level / r.part);
    drawn_s_[r.task] += seconds * std::min(r.part, level) / sum;
  }
}

namespace {

/// Follows the accesses of one handle after the other.
class HandleWalk {
 public:
  HandleWalk(TaskGraph const& graph, std::vector<NodeId> const& home, DataFlow& out)
      : graph_(graph), home_(home), out_(out) {}

  void begin(HandleId handle) {
    handle_ = handle;
    version_ = DataFlow::initial;
    readers_.clear();
    here_.clear();
    users_.clear();
    received_.clear();
  }

  DataFlow::Use use(std::uint32_t task, Access mode) {
    NodeId const node = home_[task];
    DataFlow::Use out{.task = task, .writes = writes(mode)};
    if (reads(mode)) {
      out.reads = version_;
      if (version_ != DataFlow::initial) {
        out_.edges.push_back({version_, task});
        if (home_[version_] != node) receive(task, node);
      }
      here_[node] = version_;
    }
    std::vector<std::uint32_t>& users = users_[node];
    users.push_back(task);
    if (!writes(mode)) {
      readers_.push_back(task);
      return out;
    }
    for (std::uint32_t const user : reads(mode) ? readers_ : users)
      if (home_[user] == node && user != task) out_.edges.push_back({user, task});
    users = {task};
    if (auto const had = here_.find(node); had != here_.end()) out.overwrites = had->second;
    readers_.clear();
    received_.clear();
    version_ = here_[node] = task;
    return out;
  }

 private:
  struct Received {
    std::uint32_t epoch;
    bool flushed;  // its last reader so far flushes the data it read
  };

  void receive(std::uint32_t task, NodeId node) {
    std::uint32_t const epoch = graph_.cache_epoch(TaskId{task});
    auto const known = received_.find(node);
    if (known == received_.end() || known->second.epoch != epoch || known->second.flushed)
      out_.messages.push_back({handle_, version_, node, task});
    received_[node] = {epoch, graph_.flushes(TaskId{task}, handle_)};
  }

  TaskGraph const& graph_;
  std::vector<NodeId> const& home_;
  DataFlow& out_;
  HandleId handle_;
  std::uint32_t version_ = DataFlow::initial;
  std::vector<std::uint32_t> readers_;                  // of that version
  std::map<NodeId, std::vector<std::uint32_t>> users_;  // of any version, since the node last wrote one
  std::map<NodeId, std::uint32_t> here_;                // the version that each node used last
  std::map<NodeId, Received> received_;                 // of that version
};

}  // namespace

DataFlow data_flow(TaskGraph const& graph, std::vector<NodeId> const& home) {
  DataFlow out;
  auto const accesses =
      collect_rows<std::pair<std::uint32_t, Access>>(graph.handles.size(), [&](auto const& use) {
        for (std::uint32_t t = 0; t < graph.task_count(); ++t)
          for (DataAccess const a : graph.accesses_of(TaskId{t}))
            use(a.handle().index(), std::pair(t, a.mode()));
      });
  out.first_use = accesses.begin;
  HandleWalk walk(graph, home, out);
  out.uses.reserve(accesses.items.size());
  for (std::uint32_t h = 0; h < graph.handles.size(); ++h) {
    walk.begin(HandleId{h});
    for (auto const& [task, mode] : accesses.of(h)) out.uses.push_back(walk.use(task, mode));
  }
  return out;
}

}  // namespace factosim::audit
