#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "factosim/error.hpp"
#include "models/applications/application.hpp"
#include "models/applications/layered_flow.hpp"
#include "models/applications/tile_formats.hpp"

namespace factosim {

namespace {

/// A task on parts, relative to the task that it is a part of.
struct Part {
  struct Use {
    std::optional<std::size_t>
        input{};            // place among the accesses of the whole task; none: a part of the written tile
    std::size_t place = 0;  // of the part: row times the parts, plus column
  };
  std::size_t kernel = 0;  // of the plain graph
  TaskIndices indices;     // less those of the whole task times the parts
  std::vector<Use> uses;   // the last one is written
  bool is_first = false;   // on the part that it writes
};

/// The tasks that tasks of one kernel are replaced by.
struct Split {
  std::vector<Part> tasks;
  std::vector<std::size_t> places;  // of the parts that they write, sorted
};

/// What the tasks of all kernels are replaced by, from the first iteration of the plain graph on whole tiles and the
/// iterations that are its parts.
class Splits {
 public:
  Splits(ApplicationParameters p, Application const& application) : parts_(p.nested->parts(p.nb)) {
    p.nested.reset();
    p.formats.reset();
    p.nt = 3;  // the fewest with a task of each kernel in the first iteration
    p.iterations = {0, 1};
    TaskGraph const coarse = graph_of(*application.plain_flow(p, {}));
    p.nt *= parts_;
    p.nb /= parts_;
    nb_ = p.nb;
    p.iterations = {0, parts_};
    TaskGraph const fine = graph_of(*application.plain_flow(p, {}));
    kernels_ = fine.kernels;
    for (HandleInfo const& part : fine.handles)
      if (part.m < parts_ && part.n < parts_) in_diagonal_.push_back(place_of(part));
    for (std::uint16_t kernel = 0; kernel < coarse.kernels.size(); ++kernel) {
      auto const task = std::ranges::find(coarse.kernel, kernel);
      splits_.push_back(split_of(coarse, TaskId{task - coarse.kernel.begin()}, fine));
    }
  }

  /// Returns the split of the tasks of a kernel; null if they are not replaced.
  [[nodiscard]] Split const* find(Kernel const& kernel) const {
    auto const own = std::ranges::find(kernels_, timing_name(kernel), &Kernel::name);
    return own == kernels_.end() ? nullptr : &splits_[static_cast<std::size_t>(own - kernels_.begin())];
  }
  [[nodiscard]] int parts() const { return parts_; }
  [[nodiscard]] std::size_t places_of_tile() const {
    return static_cast<std::size_t>(parts_) * static_cast<std::size_t>(parts_);
  }
  /// Returns the places of the parts that a tile has.
  [[nodiscard]] std::vector<std::size_t> places(HandleInfo const& tile) const {
    if (tile.m == tile.n) return in_diagonal_;
    std::vector<std::size_t> all(places_of_tile());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  /// Returns the kernel of a part of a task of that kernel.
  [[nodiscard]] Kernel kernel_of(Part const& part, Kernel const& whole, Precision usual) const {
    Kernel out = kernels_[part.kernel];
    out.timing = timing_name(out);
    out.name = fmt::format("{}_{}", out.name, nb_);
    if (whole.precision.value_or(usual) != usual) out.name += fmt::format("_{}", name_of(*whole.precision));
    out.precision = whole.precision;
    out.nb = nb_;
    return out;
  }

 private:
  [[nodiscard]] std::size_t place_of(HandleInfo const& part) const {
    return static_cast<std::size_t>(part.m % parts_ * parts_ + part.n % parts_);
  }

  [[nodiscard]] Split split_of(TaskGraph const& coarse, TaskId whole, TaskGraph const& fine) const {
    Split out;
    TaskIndices const at = coarse.indices[whole.index()];
    for (std::uint32_t t = 0; t < fine.task_count(); ++t) {
      TaskIndices const i = fine.indices[t];
      if (i.k / parts_ != at.k || i.m / parts_ != at.m || i.n / parts_ != at.n) continue;
      Part part{.kernel = fine.kernel[t],
                .indices = {i.k - at.k * parts_, i.m - at.m * parts_, i.n - at.n * parts_},
                .uses = uses_of(coarse, coarse.accesses_of(whole), fine, fine.accesses_of(TaskId{t}))};
      std::size_t const place = part.uses.back().place;
      part.is_first = std::ranges::find(out.places, place) == out.places.end();
      if (part.is_first) out.places.push_back(place);
      out.tasks.push_back(std::move(part));
    }
    std::ranges::sort(out.places);
    return out;
  }

  [[nodiscard]] std::vector<Part::Use> uses_of(TaskGraph const& coarse, std::span<DataAccess const> whole,
                                               TaskGraph const& fine,
                                               std::span<DataAccess const> accesses) const {
    std::vector<Part::Use> out;
    for (DataAccess const access : accesses) {
      HandleInfo const& part = fine.handles[access.handle().index()];
      auto const own = std::ranges::find_if(whole, [&](DataAccess a) {
        HandleInfo const& tile = coarse.handles[a.handle().index()];
        return tile.m == part.m / parts_ && tile.n == part.n / parts_;
      });
      FACTOSIM_EXPECT(own != whole.end(), "a part of a task uses parts of its tiles only");
      auto const input = static_cast<std::size_t>(own - whole.begin());
      if (input + 1 == whole.size())
        out.push_back({.place = place_of(part)});
      else if (std::ranges::find(out, std::optional(input), &Part::Use::input) == out.end())
        out.push_back({.input = input});
    }
    return out;
  }

  int parts_;
  int nb_ = 0;                            // rows of a part
  std::vector<Kernel> kernels_;           // of the plain graph, on parts
  std::vector<std::size_t> in_diagonal_;  // places of the parts of tiles on the diagonal
  std::vector<Split> splits_;             // [kernels]
};

/// The kernels of the parts of tasks of these kernels, by number.
struct NestedKernels {
  std::vector<Kernel> added;
  std::vector<Split const*> split;           // [kernels] null: tasks are not replaced
  std::vector<std::vector<std::size_t>> of;  // [kernels][parts of its tasks] into `added`

  NestedKernels(Splits const& splits, std::span<Kernel const> kernels, Precision usual) {
    std::map<std::string, std::size_t> known;
    for (Kernel const& whole : kernels) {
      split.push_back(splits.find(whole));
      of.emplace_back();
      if (split.back() == nullptr) continue;
      for (Part const& part : split.back()->tasks) {
        Kernel kernel = splits.kernel_of(part, whole, usual);
        auto const [place, is_new] = known.emplace(kernel.name, added.size());
        if (is_new) added.push_back(std::move(kernel));
        of.back().push_back(place->second);
      }
    }
    added.push_back({.name = "unpartition", .flops = {0}, .is_free = true});
  }
};

/// The kernels and handles of a flow, and those of its parts.
struct NestedNumbers {
  std::vector<Kernel> kernels;
  std::vector<HandleInfo> handles;
  std::optional<NestedKernels> nested{};
  std::vector<KernelId> added{};               // [nested->added]
  std::vector<std::vector<HandleId>> parts{};  // [handles][places]; none: no task on parts uses the handle
};

/// Replaces tasks. While the flow adds kernels and handles, it notes them.
class NestedSink final : public FlowSink {
 public:
  NestedSink(FlowSink& out, Splits const& splits, NestedNumbers& numbers)
      : out_(out), splits_(splits), numbers_(numbers) {}

  using FlowSink::submit;

  KernelId add_kernel(Kernel kernel) override {
    numbers_.kernels.push_back(kernel);
    return out_.add_kernel(std::move(kernel));
  }
  HandleId add_handle(HandleInfo handle) override {
    numbers_.handles.push_back(handle);
    return out_.add_handle(handle);
  }
  /// Adds the kernels and handles of parts after those of the flow.
  void add_parts(ApplicationParameters const& p) {
    numbers_.nested.emplace(splits_, numbers_.kernels, p.precision);
    for (Kernel const& kernel : numbers_.nested->added) numbers_.added.push_back(out_.add_kernel(kernel));
    for (HandleInfo tile : numbers_.handles) {
      auto& parts = numbers_.parts.emplace_back();
      if (tile.temporary || (p.formats && p.formats->of(tile.m, tile.n).rank > 0)) continue;
      tile.size = Bytes{0};
      parts.resize(splits_.places_of_tile());
      for (std::size_t const place : splits_.places(tile)) parts[place] = out_.add_handle(tile);
    }
  }

  TaskId submit(KernelId kernel, std::int32_t priority, TaskIndices indices,
                std::span<DataAccess const> accesses) override {
    Split const* const split = numbers_.nested->split[kernel.index()];
    if (split == nullptr) return out_.submit(kernel, priority, indices, accesses);
    DataAccess const written = accesses.back();
    std::vector<HandleId> const& parts = numbers_.parts[written.handle().index()];
    int const n = splits_.parts();
    for (std::size_t i = 0; i < split->tasks.size(); ++i) {
      Part const& task = split->tasks[i];
      uses_.clear();
      for (Part::Use const& use : task.uses)
        uses_.emplace_back(use.input ? accesses[*use.input].handle() : parts[use.place], Access::read);
      HandleId const part = uses_.back().handle();
      uses_.pop_back();
      if (task.is_first && reads(written.mode())) uses_.emplace_back(written.handle(), Access::read);
      uses_.emplace_back(part, task.is_first ? Access::write : Access::read_write);
      TaskIndices const& own = task.indices;
      out_.submit(numbers_.added[numbers_.nested->of[kernel.index()][i]], priority,
                  {indices.k * n + own.k, indices.m * n + own.m, indices.n * n + own.n}, uses_);
    }
    uses_.clear();
    for (std::size_t const place : split->places) uses_.emplace_back(parts[place], Access::read);
    uses_.emplace_back(written.handle(), Access::write);
    return out_.submit(numbers_.added.back(), priority, indices, uses_);
  }

  void wont_use(HandleId handle) override { out_.wont_use(handle); }
  void last_write(HandleId handle) override {
    out_.last_write(handle);
    for_parts(handle, [&](HandleId part) { out_.last_write(part); });
  }
  void last_use(HandleId handle) override {
    out_.last_use(handle);
    for_parts(handle, [&](HandleId part) { out_.last_use(part); });
  }
  void flush_inputs(TaskId task) override { out_.flush_inputs(task); }
  void begin_phase(Phase phase) override { out_.begin_phase(std::move(phase)); }
  void barrier() override { out_.barrier(); }
  void flush_cache() override { out_.flush_cache(); }

 private:
  template <class Use>
  void for_parts(HandleId handle, Use const& use) const {
    for (HandleId const part : numbers_.parts[handle.index()])
      if (part.valid()) use(part);
  }

  FlowSink& out_;
  Splits const& splits_;
  NestedNumbers& numbers_;
  std::vector<DataAccess> uses_;  // scratch
};

/// A flow with its tasks on full tiles replaced by tasks on parts of the tile that they write, as `nested` of the parameters
/// says. The arguments must outlive it.
///
/// - The parts of a task of one of the kernels of a plain flow, in any precision, are the tasks of the plain flow on smaller tiles whose
///   indices, divided by the parts in each direction, are its own. They compute in its precision, at its priority.
/// - They read other tiles whole. The parts of the tile that is written are handles without bytes of their own: they lie in
///   it. The first task on a part reads the tile itself. A task "unpartition", which takes no time, reads all parts
///   and writes the tile; what follows depends on it.
///
/// Source: PaRSEC, parsec_recursivecall; HiCMA-PaRSEC, bodies of type RECURSIVE of HiCMA_dpotrf_L_2flow.jdf.
class NestedFlow final : public ApplicationFlow {
 public:
  NestedFlow(std::unique_ptr<ApplicationFlow> flow, ApplicationParameters const& p,
             Application const& application)
      : flow_(std::move(flow)), p_(p), splits_(p, application) {}

  void begin(FlowSink& sink) override {
    numbers_ = {};
    NestedSink nested(sink, splits_, numbers_);
    flow_->begin(nested);
    nested.add_parts(p_);
  }
  [[nodiscard]] int rounds() const override { return flow_->rounds(); }
  void submit_round(FlowSink& sink, int round) override {
    NestedSink nested(sink, splits_, numbers_);
    flow_->submit_round(nested, round);
  }

 private:
  std::unique_ptr<ApplicationFlow> flow_;
  ApplicationParameters const& p_;
  Splits splits_;
  NestedNumbers numbers_;
};

}  // namespace

// The one place where layers and nesting are applied to the plain flow of an application.

std::unique_ptr<ApplicationFlow> Application::flow(ApplicationParameters const& p, TileMap const& map) const {
  auto out = plain_flow(p, map);
  if (map.has_layers())
    out = on_layers(std::move(out), p, map, is_product ? UpdatedTiles::all : UpdatedTiles::trailing);
  if (p.is_nested()) out = std::make_unique<NestedFlow>(std::move(out), p, *this);
  return out;
}

TaskGraph Application::graph(ApplicationParameters const& p, TileMap const& map) const {
  return graph_of(*flow(p, map));
}

std::vector<Kernel> Application::kernels(ApplicationParameters const& p) const {
  std::vector<Kernel> out = plain_kernels(p);
  if (!p.is_nested()) return out;
  std::vector<Kernel> const added = NestedKernels(Splits(p, *this), out, p.precision).added;
  out.insert(out.end(), added.begin(), added.end());
  return out;
}

}  // namespace factosim
