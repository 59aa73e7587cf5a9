#include "simulator/report/analysis/run_parts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "simulator/report/analysis/delay_model.hpp"
#include "simulator/report/analysis/run_summary.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim {

namespace {

constexpr std::array<Delay, 4> removable{Delay::durations, Delay::messages, Delay::copies, Delay::overhead};
constexpr unsigned subsets = 1U << removable.size();

/// Returns the makespans with each subset of the removable delays kept, and all others.
std::array<double, subsets> makespans(DelayModel const& model, std::span<double const> common) {
  std::array<double, subsets> out{};
  for (unsigned subset = 0; subset < subsets; ++subset) {
    Delays kept = Delays().with(Delay::unexplained);
    for (std::size_t i = 0; i < removable.size(); ++i)
      if ((subset >> i & 1U) != 0) kept = kept.with(removable[i]);
    out[subset] = model.makespan(kept, common);
  }
  return out;
}

/// Returns the Shapley value of each removable delay.
std::array<double, removable.size()> shares(std::array<double, subsets> const& makespan) {
  // |S|! (3 - |S|)! / 4!, the weight of a subset without the delay.
  constexpr std::array<double, removable.size()> weight{1.0 / 4, 1.0 / 12, 1.0 / 12, 1.0 / 4};
  std::array<double, removable.size()> out{};
  for (std::size_t i = 0; i < removable.size(); ++i)
    for (unsigned subset = 0; subset < subsets; ++subset)
      if ((subset >> i & 1U) == 0)
        out[i] += weight[static_cast<std::size_t>(std::popcount(subset))] *
                  (makespan[subset | 1U << i] - makespan[subset]);
  return out;
}

/// Returns what the makespan loses if the durations of one class alone are common; [classes].
std::vector<double> saved_by_class(DelayModel const& model, Trace const& trace, CommonDurations const& common,
                                   std::size_t run, double makespan) {
  std::vector<std::uint32_t> const& class_of = common.class_of(run);
  std::vector<double> out, durations(trace.task_count());
  for (std::uint32_t c = 0; c < common.classes().size(); ++c) {
    for (std::size_t t = 0; t < trace.task_count(); ++t)
      durations[t] = class_of[t] == c ? common.of_run(run)[t] : trace.end_s[t] - trace.start_s[t];
    out.push_back(makespan - model.makespan(Delays::all().without(Delay::durations), durations));
  }
  return out;
}

class LoadCounter {
 public:
  LoadCounter(Trace const& trace, Causes const& causes, CommonDurations const& common, std::size_t run,
              bool by_type)
      : trace_(trace), causes_(causes), common_(common), run_(run), by_type_(by_type) {}

  RunParts::Loads loads() {
    RunParts::Loads out;
    std::vector<Group> nodes(trace_.nodes.size());
    Group all;
    std::vector<double> load(trace_.workers.size(), 0);
    std::vector<double> const& durations = common_.of_run(run_);
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) {
      std::string const resource = resource_of(trace_, WorkerId{w}, by_type_);
      ++all.workers[resource];
      ++nodes[trace_.workers[w].node.index()].workers[resource];
    }
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!causes_.ran(TaskId{t})) continue;
      std::string const& kernel = common_.classes()[common_.class_of(run_)[t]].first;
      WorkerId const w = trace_.worker[t];
      load[w.index()] += durations[t];
      ++all.tasks[kernel];
      ++nodes[trace_.workers[w.index()].node.index()].tasks[kernel];
    }
    out.all_workers = bound(all);
    out.node = out.all_workers;
    if (nodes.size() > 1)
      for (Group const& node : nodes) out.node = std::max(out.node, bound(node));
    out.worker = std::max(out.node, *std::ranges::max_element(load));
    return out;
  }

 private:
  struct Group {
    std::map<std::string, std::uint32_t> workers;  // by resource
    std::map<std::string, std::uint64_t> tasks;    // by kernel
  };

  [[nodiscard]] double bound(Group const& group) const {
    std::vector<std::uint64_t> tasks;
    std::vector<WorkerClass> classes;
    for (auto const& [resource, count] : group.workers) classes.push_back({count, {}});
    for (auto const& [kernel, count] : group.tasks) {
      tasks.push_back(count);
      std::size_t c = 0;
      for (auto const& [resource, workers] : group.workers)
        classes[c++].durations.push_back(duration(kernel, resource));
    }
    return tasks.empty() ? 0 : area_bound(tasks, classes).makespan.value;
  }

  [[nodiscard]] double duration(std::string const& kernel, std::string const& resource) const {
    auto const& classes = common_.classes();
    auto const found = std::ranges::find(classes, std::pair{kernel, resource});
    return found == classes.end()
               ? std::numeric_limits<double>::infinity()
               : common_.of_class(run_, static_cast<std::uint32_t>(found - classes.begin()));
  }

  Trace const& trace_;
  Causes const& causes_;
  CommonDurations const& common_;
  std::size_t run_;
  bool by_type_;
};

}  // namespace

RunParts parts_of_run(TracedRun const& traced, Causes& causes, CommonDurations const& common, std::size_t run,
                      bool by_type) {
  DelayModel const model(traced.trace, causes, traced.origin_s);
  std::array<double, subsets> const makespan = makespans(model, common.of_run(run));
  auto const [durations, messages, copies, overhead] = shares(makespan);
  RunParts out;
  out.durations = durations, out.messages = messages, out.copies = copies, out.overhead = overhead;
  out.structure = model.makespan(Delays(), common.of_run(run));
  out.unexplained = makespan[0] - out.structure + traced.makespan_s - makespan[subsets - 1];
  out.classes = saved_by_class(model, traced.trace, common, run, makespan[subsets - 1]);
  out.loads = LoadCounter(traced.trace, causes, common, run, by_type).loads();
  return out;
}

}  // namespace factosim
