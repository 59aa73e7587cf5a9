#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// Durations of one task, or of all tasks of a kernel, by kind of worker: ("cpu", seconds).
using WorkerSeconds = std::vector<std::pair<std::string, double>>;

/// Mode of an access, beyond those of StarPU's readers.
inline constexpr std::uint8_t scratch_access = 16;

/// A dependency on a task that the file names.
struct ProgramEdge {
  std::string before;
  std::optional<std::int64_t> bytes{};  // sent along the edge; none: it carries no data
};

/// A task as a file states it.
struct ProgramTask {
  std::string id;
  std::string kernel;
  int line = 0;  // in the file; 0: unknown
  std::int32_t priority = 0;
  TaskIndices indices{};
  std::vector<DataAccess> accesses{};
  std::vector<ProgramEdge> after{};
  WorkerSeconds seconds{};  // empty: those of its kernel
  double flops = 0;
  NodeId node{};
  std::string phase{};
  bool writes_back = false, flushes_inputs = false, barrier = false, flushes_cache = false;
  bool ordered = true;         // its accesses give order
  bool is_restricted = false;  // to some workers
  std::uint32_t waits = 0;     // tasks that the host has waited for: index into the builder's lists
};

/// A kernel as a file states it.
struct ProgramKernel {
  Kernel kernel;
  WorkerSeconds seconds{};
  RecordedKernel recorded{};
};

/// Collects the tasks and data of one file, in any order, and makes a program of them.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(std::filesystem::path const& file);

  [[nodiscard]] TaskProgram& program() { return program_; }
  [[nodiscard]] std::string const& file() const { return program_.source; }

  /// Describes a kernel beyond its name. Throws InputError if it is described already.
  void add_kernel(ProgramKernel kernel, int line);
  /// Adds a datum. Throws InputError if the name is taken.
  HandleId add_datum(std::string const& name, HandleInfo info, int line);
  /// Returns the datum of that name, which is added, without a size, if it is new.
  HandleId datum(std::string_view name);
  /// Returns the properties of a datum, to be changed.
  [[nodiscard]] HandleInfo& info(HandleId datum) { return data_[datum.index()]; }
  /// Returns the datum of that name; none if no datum has it.
  [[nodiscard]] HandleId find_datum(std::string_view name) const;
  /// States that accesses to the datum give no dependencies.
  void ignore_order(HandleId datum);
  /// States that a datum is part of another one, which may follow.
  void add_part(HandleId datum, std::string parent) { parents_.emplace_back(datum, std::move(parent)); }
  /// Adds an access to a task that is about to be added: bits of Access, with `reduces`, `commutes` or `scratch_access`.
  /// Tasks that reduce into a datum run side by side, each on a copy; those that use it otherwise come before or after all.
  /// Commuting accesses are in order of submission; scratch data give no dependency.
  void add_access(ProgramTask& task, HandleId datum, std::uint8_t mode);
  /// Notes what became of these modes.
  void note_modes();
  /// The datum is not used for a while by the tasks that follow: a hint to the last task that writes it.
  void wont_use(HandleId datum);
  /// Nodes that have received the datum drop it, or, of none, all data.
  void flush(HandleId datum);
  /// The host waits for tasks before it submits those that follow.
  void wait_for_all() { next_barrier_ = !tasks_.empty(); }
  void wait_for(std::vector<std::string> const& tasks, int line);
  /// Sets what a recorder says of its run ("findings" become the program's). Throws InputError at a wrong type.
  void set_provenance(nlohmann::ordered_json provenance, int line);
  /// Adds a task. Throws InputError if its id is taken.
  void add_task(ProgramTask task);
  [[nodiscard]] std::size_t task_count() const { return tasks_.size(); }
  [[nodiscard]] ProgramTask* find_task(std::string_view id);
  [[nodiscard]] std::vector<ProgramTask>& tasks() { return tasks_; }

  /// Throws InputError `FILE#line N: ...`, or `FILE#: ...` with line 0.
  [[noreturn]] void fail(int line, std::string_view problem_why_remedy) const;
  void note(int line, std::string message);

  /// Orders the tasks so that each follows those that it depends on, otherwise as in the file, and derives the
  /// dependencies of their accesses. Throws InputError for unknown or cyclic dependencies, and for more kinds of tasks
  /// than a graph can have. O(edges + tasks log tasks).
  [[nodiscard]] TaskProgram finish() &&;

 private:
  /// A kernel of the graph: tasks of one name whose durations differ by a weight for cores and one for GPUs.
  struct KernelKey {
    std::string name;
    double flops;
    WorkerSeconds seconds;  // of weight 1
    bool is_free;
    auto operator<=>(KernelKey const&) const = default;
  };
  struct Weighted {
    KernelKey key;
    TaskWeight weight;
  };

  /// Mean of operations; exact where all are equal.
  struct MeanFlops {
    double mean = 0;
    std::uint64_t tasks = 0;
    void add(double flops) { mean += (flops - mean) / static_cast<double>(++tasks); }
  };

  /// Tasks that only read a datum since it was written, or only reduce into it, and those before them of the other kind.
  struct UsesSinceWrite {
    std::vector<std::uint32_t> tasks, before;  // numbers
    bool reduce = false;

    /// Adds the next use. Returns the tasks that it follows, beside those that the accesses of the graph say.
    std::vector<std::uint32_t> add(std::uint32_t task, bool reduces, bool writes) {
      if (reduce != reduces && !tasks.empty()) before = std::exchange(tasks, {});
      reduce = reduces;
      tasks.push_back(task);
      if (!writes) return before;
      tasks.clear();
      return std::exchange(before, {});
    }
  };

  void follow_other_uses(ProgramTask& task, HandleId datum, Access access, bool reduction);
  /// Returns the tasks by their ids.
  [[nodiscard]] std::unordered_map<std::string, std::uint32_t>& numbers();
  void note_count(std::ptrdiff_t count, std::string_view what) {
    if (count > 0) note(0, std::to_string(count) + " " + std::string(what));
  }
  void resolve_edges();
  void settle_recorded();
  void settle_asynchronous();
  void order_tasks();
  [[nodiscard]] Weighted weighted(ProgramTask const& task) const;
  [[nodiscard]] double flops_of(ProgramTask const& task) const;
  [[nodiscard]] std::uint32_t kernel_of(ProgramTask const& task, KernelKey key);
  void submit_all();

  TaskProgram program_;
  std::vector<ProgramTask> tasks_;
  /// Empty as long as ids are ascending numbers and no dependency refers to one: `numbers()` fills it.
  std::unordered_map<std::string, std::uint32_t> task_of_id_;
  std::int64_t last_id_ = -1;
  std::vector<HandleInfo> data_;
  std::unordered_map<std::string, HandleId> datum_of_name_;
  std::map<std::string, ProgramKernel, std::less<>> kernels_;
  std::vector<std::string> described_;       // names of kernels_, in the order of the file
  std::vector<TaskId> before_;               // [edges] predecessors, by task
  std::vector<std::uint32_t> before_begin_;  // [tasks + 1]
  std::vector<TaskId> order_;                // [tasks] of the graph: index into tasks_
  std::map<KernelKey, std::uint32_t> kernel_number_;
  std::vector<KernelKey> kernel_keys_;  // [kernels of the graph]
  std::vector<Kernel> graph_kernels_;
  std::vector<MeanFlops> mean_flops_;       // [kernels of the graph] of tasks with durations of their own
  std::vector<std::uint32_t> last_writer_;  // [data] number of a task + 1; 0: none
  std::vector<UsesSinceWrite> uses_;        // [data]
  std::vector<bool> unordered_;             // [data] whose accesses give no order
  std::vector<std::pair<HandleId, std::string>> parents_;    // of parts of data
  std::vector<std::pair<std::uint32_t, HandleId>> flushes_;  // before which task
  std::vector<std::vector<std::uint32_t>> waits_{{}};        // lists of tasks that the host has waited for
  std::size_t last_wait_ = 0;                                // tasks that were there
  bool next_barrier_ = false, next_flush_ = false;           // of the next task
  std::ptrdiff_t reductions_ = 0, commuting_ = 0, unordered_accesses_ = 0, scratch_ = 0, shared_hints_ = 0,
                 whole_waits_ = 0, restricted_ = 0;
};

}  // namespace factosim
