#include "simulator/tasks/bounds/task_work.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace factosim {

namespace {

/// Most ratios of one row of durations that are kinds of their own. More are rounded down to a power of
/// 2^(1/4), within 2^-16 and 2^16.
constexpr std::size_t max_ratios = 16;

/// Makes the kinds of tasks with weights: pairs of a row of durations, which several kernels may share, and a ratio of
/// the weights on GPUs and cores.
class WeightedWork {
 public:
  WeightedWork(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid)
      : graph_(graph), machine_(machine), grid_(grid), has_gpus_(has_gpus(machine)) {
    for (std::size_t k = 0; k < graph.kernels.size(); ++k) {
      std::vector<double> row;
      for (Machine::Type const& type : machine.types)
        for (std::size_t w = 0; w < type.workers.size(); ++w)
          row.insert(row.end(), {type.shortest_duration(k, w), type.gpu_part(k, w)});
      auto const place = rows_.try_emplace(std::move(row), static_cast<std::uint32_t>(rows_.size())).first;
      row_of_kernel_.push_back(place->second);
    }
    for (std::size_t t = 0; t < graph.task_count(); ++t)
      if (auto& of_row = ratios_[row(t)]; of_row.size() <= max_ratios) of_row.insert(ratio(t));
  }

  TaskWork work() {
    TaskWork out{.kernel = &graph_.kernel, .kinds = 0, .machine = machine_};
    for (std::size_t t = 0; t < graph_.task_count(); ++t) {
      double const at_least = rounded(t);
      auto const [place, is_new] = kinds_.try_emplace({row(t), at_least}, kinds_.size());
      if (is_new) examples_.emplace_back(graph_.kernel[t], at_least);
      out.kinds_.push_back(static_cast<std::uint16_t>(place->second));
      // Beyond the range of ratios the GPU may be faster than the kind says: then there is less of it.
      out.amounts_.push_back(graph_.weights[t].core * std::min(1.0, ratio(t) / at_least));
    }
    out.kinds = kinds_.size();
    for (std::size_t i = 0; i < machine_.types.size(); ++i)
      set_durations(machine_.types[i], out.machine.types[i]);
    return out;
  }

 private:
  static bool has_gpus(Machine const& machine) {
    return std::ranges::any_of(machine.types, [](Machine::Type const& type) { return type.gpus > 0; });
  }
  [[nodiscard]] std::uint32_t row(std::size_t task) const { return row_of_kernel_[graph_.kernel[task]]; }
  [[nodiscard]] double ratio(std::size_t task) const {
    return has_gpus_ ? graph_.weights[task].gpu / graph_.weights[task].core : 1;
  }
  [[nodiscard]] double rounded(std::size_t task) const {
    double const exact = ratio(task);
    if (ratios_.at(row(task)).size() <= max_ratios) return exact;
    return std::exp2(std::clamp(std::floor(std::log2(exact) * 4) / 4, -16.0, 16.0));
  }

  void set_durations(Machine::Type const& from, Machine::Type& to) const {
    std::size_t const workers = from.workers.size();
    to.durations.clear();
    to.gpu_parts.clear();
    for (auto const& [kernel, gpu] : examples_)
      for (std::size_t w = 0; w < workers; ++w) {
        to.durations.push_back(from.shortest_duration(kernel, w) * (from.workers[w].gpu ? gpu : 1) /
                               grid_.tick().value);
        to.gpu_parts.push_back(from.gpu_part(kernel, w));
      }
    to.contention.reset();
  }

  TaskGraph const& graph_;
  Machine const& machine_;
  TimeGrid grid_;
  bool has_gpus_;
  std::map<std::vector<double>, std::uint32_t> rows_;
  std::vector<std::uint32_t> row_of_kernel_;
  std::map<std::uint32_t, std::set<double>> ratios_;  // by row
  std::map<std::pair<std::uint32_t, double>, std::size_t> kinds_;
  std::vector<std::pair<std::uint16_t, double>> examples_;  // [kinds] kernel, ratio
};

}  // namespace

Machine machine_in_ticks(Machine machine, TimeGrid const& grid) {
  for (Machine::Type& type : machine.types) {
    std::size_t const workers = type.workers.size();
    for (std::size_t i = 0; i < type.durations.size(); ++i)
      if (!std::isinf(type.durations[i]))
        type.durations[i] = grid.ticks(Seconds{type.shortest_duration(i / workers, i % workers)});
    type.contention.reset();
  }
  return machine;
}

TaskWork work_of(TaskGraph const& graph, Machine const& machine, TimeGrid const& grid) {
  if (!graph.weights.empty()) return WeightedWork(graph, machine, grid).work();
  return {.kernel = &graph.kernel, .kinds = graph.kernels.size(), .machine = machine_in_ticks(machine, grid)};
}

bool uses_gpu_parts(Machine const& machine) {
  return std::ranges::any_of(machine.types, [](Machine::Type const& t) { return !t.gpu_parts.empty(); });
}

}  // namespace factosim
