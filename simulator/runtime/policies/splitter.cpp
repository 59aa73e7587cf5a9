#include "simulator/runtime/policies/splitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace factosim {

namespace {

class AlwaysSplitter final : public Splitter {
 public:
  bool splits(std::uint32_t /*task*/, std::size_t /*kernel*/, SplitState const& /*state*/) override {
    return true;
  }
};

/// Splits tasks for cores and none for GPUs. A task goes where it is expected to end first: on a GPU after an equal
/// share of the coarse tasks that were kept, or on all cores together after all children of split tasks.
class CoresSplitter final : public Splitter {
 public:
  explicit CoresSplitter(SplitCosts const& costs) : costs_(costs) {}

  bool splits(std::uint32_t /*task*/, std::size_t kernel, SplitState const& state) override {
    if (std::isinf(costs_.coarse[kernel].gpu_s)) return true;
    if (costs_.cores == 0) return false;
    double on_gpus = 0, on_cores = 0, children = 0;
    for (std::size_t k = 0; k < costs_.coarse.size(); ++k)
      if (state.unfinished[k] > 0)
        on_gpus += static_cast<double>(state.unfinished[k]) * costs_.coarse[k].gpu_s;
    for (std::size_t f = 0; f < costs_.fine.size(); ++f) {
      if (std::isinf(costs_.fine[f].core_s)) continue;
      on_cores += static_cast<double>(state.unfinished[costs_.coarse.size() + f]) * costs_.fine[f].core_s;
      children += costs_.children[kernel][f] * costs_.fine[f].core_s;
    }
    double const end_on_gpu = on_gpus / costs_.gpus + costs_.coarse[kernel].gpu_s;
    double const end_on_cores = on_cores / costs_.cores + costs_.split_s[kernel] +
                                std::max(children / costs_.cores, costs_.chain_s[kernel]);
    return end_on_cores < end_on_gpu;
  }

 private:
  SplitCosts const& costs_;
};

/// Splits so many tasks of each kernel that the time of cores and GPUs is balanced over the tasks that are ready
/// now, by a linear program (`split_ratios`). It is solved at every 20th ready task, and when a kernel is ready that was
/// not at the last time. Since then, a task is split if split / (kept + split + 1) is below the kernel's ratio.
/// Source: StarPU 1.5 `sched_policies/splitter.c`, rule 3, which counts from the start of the run.
class ProgramSplitter final : public Splitter {
 public:
  explicit ProgramSplitter(SplitCosts const& costs)
      : costs_(costs), ratio_(costs.coarse.size(), unknown), split_(costs.coarse.size(), 0), kept_(split_) {}

  bool splits(std::uint32_t /*task*/, std::size_t kernel, SplitState const& state) override {
    if (tasks_++ % period == 0 || ratio_[kernel] == unknown) {
      ratio_ = split_ratios(costs_, state.ready);
      std::ranges::fill(split_, 0);
      std::ranges::fill(kept_, 0);
    }
    bool const split = split_[kernel] / (kept_[kernel] + split_[kernel] + 1) < ratio_[kernel];
    ++(split ? split_ : kept_)[kernel];
    return split;
  }

 private:
  static constexpr std::uint64_t period = 20;
  static constexpr double unknown = no_ready_task;

  SplitCosts const& costs_;
  std::vector<double> ratio_, split_, kept_;  // [coarse kernels]
  std::uint64_t tasks_ = 0;
};

template <class T>
std::unique_ptr<Splitter> make(SplitCosts const& costs) {
  return std::make_unique<T>(costs);
}

constexpr std::array kinds{
    SplitterKind{"never", "no task is split", nullptr},
    SplitterKind{
        "always", "every task is split",
        [](SplitCosts const&) -> std::unique_ptr<Splitter> { return std::make_unique<AlwaysSplitter>(); }},
    SplitterKind{
        "cores",
        "tasks for cores are split, those for GPUs are not: a task goes where it is expected to end first",
        make<CoresSplitter>, true},
    SplitterKind{"linear-program",
                 "of each kernel the ratio that balances the time of cores and GPUs over the ready tasks",
                 make<ProgramSplitter>},
    SplitterKind{"nested",
                 "before the run, each task on full tiles; what follows it starts when all its parts have "
                 "ended. On any number of nodes, without GPUs",
                 nullptr, false, true}};

}  // namespace

std::span<SplitterKind const> splitters() { return kinds; }

std::vector<std::string> splitter_names() {
  std::vector<std::string> out;
  for (SplitterKind const& kind : kinds) out.emplace_back(kind.name);
  return out;
}

SplitterKind const& splitter_named(std::string_view name) {
  auto const kind = std::ranges::find(kinds, name, &SplitterKind::name);
  if (kind == kinds.end()) throw std::out_of_range("unknown splitter " + std::string(name));
  return *kind;
}

}  // namespace factosim
