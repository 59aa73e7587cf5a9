#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

constexpr double flops_round_off = 1e-12;  // relative, of products in another order

/// The tasks before each task, by the graph's edges.
CompressedRows<std::uint32_t> predecessors(TaskGraph const& graph) {
  return collect_rows<std::uint32_t>(graph.task_count(), [&](auto const& use) {
    for (std::uint32_t t = 0; t < graph.task_count(); ++t)
      for (TaskId const after : graph.successors_of(TaskId{t})) use(after.index(), t);
  });
}

/// Compares the application's tasks, one after the other, with those of the second construction.
class GraphCheck final : public ReferenceSink {
 public:
  GraphCheck(RunView const& view, Reference const& reference, Check& check)
      : view_(view),
        graph_(view.run.graph),
        reference_(reference),
        check_(check),
        before_(predecessors(graph_)),
        datum_of_(graph_.handles.size()),
        known_(graph_.handles.size(), false) {
    for (Kernel const& kernel : graph_.kernels) {
      auto const own = std::ranges::find(reference.kernels, kernel.name, &Reference::KernelCost::name);
      kernel_.push_back(
          own == reference.kernels.end() ? -1 : static_cast<std::int32_t>(own - reference.kernels.begin()));
    }
  }

  void compare() {
    reference_.submit(*this);
    if (next_ != graph_.task_count())
      check_.add({"another number of tasks", fmt::format("{} tasks", graph_.task_count()),
                  fmt::format("{} tasks", next_)});
    // A barrier after the last task separates nothing.
    std::erase(barriers_, next_);
    if (barriers_ != graph_.barriers || flushes_ != graph_.cache_flushes)
      check_.add({"other barriers or cache flushes", fmt::format("{}", graph_.barriers.size()),
                  fmt::format("{} barriers", barriers_.size())});
  }

  void task(ReferenceTask const& expected) override {
    std::uint32_t const t = next_++;
    if (t >= graph_.task_count()) return;
    ++check_.cases;
    iteration_.push_back(expected.name.iteration);
    TaskName const found = name_of(t);
    auto const add = [&](std::string what, std::string wanted) {
      check_.add({std::move(what), view_.name_of_task(t), std::move(wanted), TaskId{t}});
    };
    if (found != expected.name)
      return add("is not the task of this place in the program", description(expected.name));
    Kernel const& kernel = graph_.kernel_of(TaskId{t});
    double const flops = reference_.kernels[static_cast<std::size_t>(found.kernel)].flops;
    if (std::abs(kernel.flops.value - flops) > flops_round_off * flops)
      add(fmt::format("has {:.9g} operations", kernel.flops.value), fmt::format("{:.9g}", flops));
    auto const& cost = reference_.kernels[static_cast<std::size_t>(found.kernel)];
    if (!cost.timing.empty() &&
        (cost.timing != timing_name(kernel) || cost.precision != kernel.precision || cost.nb != kernel.nb))
      add(fmt::format("has the timings of {}", timing_name(kernel)), cost.timing);
    if (graph_.priority[t] != expected.priority)
      add(fmt::format("has priority {}", graph_.priority[t]), fmt::format("{}", expected.priority));
    if (graph_.writes_back[t] != expected.writes_back || graph_.flushes(TaskId{t}) != expected.flushes_inputs)
      add("has other hints for its data", expected.writes_back ? "to be written back" : "none");
    if (!graph_.phases.empty() && (graph_.phases[graph_.phase[t]].name != expected.phase ||
                                   graph_.placement(TaskId{t}) != expected.placement))
      add("is of another phase", std::string(expected.phase));
    compare_data(t, expected);
    compare_predecessors(t, expected);
  }
  void barrier() override {
    if (next_ > 0 && (barriers_.empty() || barriers_.back() < next_)) barriers_.push_back(next_);
  }
  void flush_cache() override { flushes_.push_back(next_); }

 private:
  [[nodiscard]] TaskName name_of(std::uint32_t t) const {
    TaskIndices const i = graph_.indices[t];
    return {kernel_[graph_.kernel[t]], i.k, i.m, i.n, t < iteration_.size() ? iteration_[t] : 0};
  }
  [[nodiscard]] std::string description(TaskName const& task) const {
    return fmt::format("{} ({}, {}, {})", reference_.kernels[static_cast<std::size_t>(task.kernel)].name,
                       task.k, task.m, task.n);
  }

  /// A handle stands for one datum in all tasks, with its size, its coordinates and its owner.
  void compare_data(std::uint32_t t, ReferenceTask const& expected) {
    auto const accesses = graph_.accesses_of(TaskId{t});
    bool ok = accesses.size() == expected.uses.size();
    for (std::size_t i = 0; ok && i < accesses.size(); ++i) {
      auto const& [datum, mode] = expected.uses[i];
      std::size_t const h = accesses[i].handle().index();
      ok = accesses[i].mode() == mode;
      if (!known_[h]) {
        known_[h] = true;
        datum_of_[h] = datum;
        compare_handle(t, h, datum);
      }
      ok = ok && datum_of_[h] == datum;
    }
    if (!ok)
      check_.add(
          {"uses other data, or in another way", view_.name_of_task(t), "the data of its paper", TaskId{t}});
  }

  void compare_handle(std::uint32_t t, std::size_t h, Datum const& datum) {
    HandleInfo const& handle = graph_.handles[h];
    std::int64_t const bytes = reference_.bytes(datum);
    if (handle.data != datum.kind || handle.m != datum.m || handle.n != datum.n ||
        handle.size.value != bytes || handle.owner != datum.node ||
        handle.temporary != (reference_.temporary && reference_.temporary(datum)))
      check_.add(
          {fmt::format("uses a {} of {} bytes", view_.name_of_handle(HandleId{h}), handle.size.value),
           view_.name_of_task(t),
           fmt::format("{} ({}, {}) of {} bytes", factosim::name_of(datum.kind), datum.m, datum.n, bytes),
           TaskId{t}});
  }

  void compare_predecessors(std::uint32_t t, ReferenceTask const& expected) {
    found_.clear();
    for (std::uint32_t const before : before_.of(t)) found_.push_back(name_of(before));
    wanted_ = expected.after;
    std::sort(found_.begin(), found_.end());
    std::sort(wanted_.begin(), wanted_.end());
    if (found_ == wanted_) return;
    std::string list;
    for (TaskName const& name : wanted_) list += (list.empty() ? "" : ", ") + description(name);
    check_.add({"depends on other tasks", view_.name_of_task(t), list.empty() ? "none" : list, TaskId{t}});
  }

  RunView const& view_;
  TaskGraph const& graph_;
  Reference const& reference_;
  Check& check_;
  CompressedRows<std::uint32_t> before_;
  std::vector<Datum> datum_of_;          // [handles]
  std::vector<bool> known_;              // [handles]
  std::vector<std::int32_t> kernel_;     // [kernels] of the graph: number in the reference
  std::vector<std::int32_t> iteration_;  // [tasks] so far
  std::vector<std::uint32_t> barriers_, flushes_;
  std::vector<TaskName> found_, wanted_;  // scratch
  std::uint32_t next_ = 0;
};

}  // namespace

void check_graph(RunView const& view, AuditReport& report) {
  Check& check = report.check("graph");
  if (!view.run.problem || !view.run.map) return check.skip("the tasks are those of a file");
  auto const reference = reference_of(*view.run.problem, view.run.map->main);
  if (!reference)
    return check.skip(
        fmt::format("there is no second construction of \"{}\"", view.run.problem->application));
  GraphCheck(view, *reference, check).compare();
}

}  // namespace factosim::audit
