#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "simulator/traces/import/fields.hpp"
#include "simulator/traces/import/starpu_run.hpp"
#include "simulator/traces/programs/dot_text.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "simulator/traces/programs/program_builder.hpp"

namespace factosim {

namespace {

/// Returns the id of a task as dag.dot writes it: "12", or "0_12" with a rank.
std::string id_of(TaskName name, bool ranks) {
  return ranks ? fmt::format("{}_{}", name.node, name.number) : fmt::format("{}", name.number);
}

class StarpuProgram {
 public:
  StarpuProgram(std::filesystem::path const& file, StarpuRun& run)
      : run_(run),
        builder_(file),
        ranks_(std::ranges::any_of(run.tasks, [](StarpuTask const& t) { return t.name.node > 0; })) {
    for (StarpuRun::Handle const& handle : run.handles) {
      HandleInfo& info = builder_.info(datum(handle.node, handle.address));
      if (handle.size >= 0) info.size = Bytes{handle.size};
      if (handle.m >= 0 && handle.n >= 0) info.m = handle.m, info.n = handle.n;
      if (handle.owner >= 0) info.owner = NodeId{handle.owner};
    }
  }

  TaskProgram program(std::filesystem::path const& dag) && {
    std::vector<std::uint32_t> order(run_.tasks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return run_.tasks[t].submit_order; });
    std::vector<std::pair<std::uint32_t, std::uint64_t>> hints;  // order of submission, datum
    for (StarpuRun::WontUse const& hint : run_.wont_use)
      hints.emplace_back(hint.submit_order, datum(hint.name.node, hint.address).value());
    std::ranges::sort(hints);
    auto hint = hints.begin();
    for (std::uint32_t const t : order) {
      for (; hint != hints.end() && hint->first < run_.tasks[t].submit_order; ++hint)
        builder_.wont_use(HandleId{hint->second});
      add(run_.tasks[t]);
    }
    for (; hint != hints.end(); ++hint) builder_.wont_use(HandleId{hint->second});
    add_further_edges();
    builder_.note_modes();
    if (dropped_ > 0)
      builder_.note(0,
                    fmt::format("{} dependencies on tasks that the file does not have: left out", dropped_));
    if (!dag.empty()) add_dag(dag);
    TaskProgram& program = builder_.program();
    program.format = "starpu";
    program.findings.insert(program.findings.end(), run_.findings.begin(), run_.findings.end());
    return std::move(builder_).finish();
  }

 private:
  static TaskName name_of_key(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key)};
  }

  /// Adds those of a table of dependencies (dag.csv).
  void add_further_edges() {
    for (auto const& [after, before] : run_.further_dependencies)
      if (ProgramTask* const task = builder_.find_task(id_of(name_of_key(after), ranks_)))
        add_edge(*task, name_of_key(before));
      else
        ++dropped_;
  }

  HandleId datum(std::uint32_t node, std::uint64_t address) {
    return builder_.datum(fmt::format("{:x}@{}", address, node));
  }

  void add(StarpuTask const& t) {
    ProgramTask task{.id = id_of(t.name, ranks_), .kernel = "empty", .line = t.line, .priority = t.priority};
    if (t.kernel != StarpuTask::no_kernel) task.kernel = run_.kernels[t.kernel];
    if (t.kernel == StarpuTask::no_kernel) task.seconds = {{"cpu", 0.0}};
    if (t.kernel != StarpuTask::no_kernel && t.kernel < run_.models.size() && !run_.models[t.kernel].empty())
      name_model(task.kernel, run_.models[t.kernel]);
    task.flops = t.flops;
    task.indices = {std::max(t.iteration, -1), t.x, t.y};
    if (ranks_) task.node = NodeId{t.name.node};
    for (std::uint32_t a = t.first_access; a < t.first_access + t.accesses; ++a) {
      StarpuRun::Access const& access = run_.accesses[a];
      HandleId const number = datum(t.name.node, access.address);
      HandleInfo& info = builder_.info(number);
      if (info.size.value == 0 && access.size > 0) info.size = Bytes{access.size};
      if (access.mode != 0) builder_.add_access(task, number, access.mode);
    }
    for (std::uint32_t d = t.first_dependency; d < t.first_dependency + t.dependencies; ++d)
      add_edge(task, name_of_key(run_.dependencies[d]));
    builder_.add_task(std::move(task));
  }

  /// Adds a dependency on a task of the file; starpu_replay too drops the others.
  void add_edge(ProgramTask& task, TaskName before) {
    if (known_.empty())
      for (StarpuTask const& t : run_.tasks) known_.insert(t.name.key());
    if (known_.contains(before.key()))
      task.after.push_back({.before = id_of(before, ranks_)});
    else
      ++dropped_;
  }

  void name_model(std::string const& kernel, std::string const& model) {
    if (!named_.insert(kernel).second || kernel == model) return;
    builder_.add_kernel({.kernel = {.name = kernel, .flops = {}, .timing = model}}, 0);
  }

  void add_dag(std::filesystem::path const& dag) {
    DotText const dot = read_dot_text(dag);
    std::size_t unknown = 0;
    std::set<std::pair<std::string, std::string>> edges;  // each once
    for (DotText::Edge const& edge :
         task_edges(dot, [&](std::size_t v) { return dot.vertices[v].name.starts_with("task_"); }))
      edges.emplace(task_id_of_starpu(dot.vertices[edge.from].name),
                    task_id_of_starpu(dot.vertices[edge.to].name));
    for (auto const& [before, after] : edges) {
      ProgramTask* const task = builder_.find_task(after);
      if (task == nullptr || builder_.find_task(before) == nullptr)
        ++unknown;
      else
        task->after.push_back({.before = before});
    }
    if (unknown > 0)
      builder_.note(0, fmt::format("{} edges of {} join tasks that this file does not have: left out",
                                   unknown, dag.filename().string()));
  }

  StarpuRun& run_;
  ProgramBuilder builder_;
  bool ranks_;  // several nodes
  std::set<std::uint64_t> known_;
  std::set<std::string> named_;
  std::size_t dropped_ = 0;
};

TaskProgram read_starpu(GraphSource const& source) {
  StarpuRun run = read_starpu_records(source.path);
  return StarpuProgram(source.path, run)
      .program(source.folder.empty() ? std::filesystem::path() : plain_or_gzipped(source.folder, "dag.dot"));
}

TaskProgram read_starvz(GraphSource const& source) {
  StarpuRun run = read_starvz_directory(source.folder);
  TaskProgram program = StarpuProgram(source.folder, run).program({});
  program.format = "starvz";
  return program;
}

bool is_starpu(GraphSource const& source) {
  std::string const& first = source.first_line;
  std::size_t const colon = first.find(':');
  bool const field =
      colon != std::string::npos && first.find(' ') > colon && !is_table(first) && first[0] != '{';
  return field || first.starts_with("%rec") || source.path.filename().native().starts_with("tasks.rec");
}

}  // namespace

/// StarPU's tasks.rec, without its times, and dag.dot, if there is one, whose edges are added.
GraphReader const starpu_program{.name = "starpu", .recognises = is_starpu, .read = read_starpu};

/// The folder of StarVZ's first phase (rec.tasks.csv, dag.csv), without times.
GraphReader const starvz_program{
    .name = "starvz",
    .recognises = [](GraphSource const& s) { return s.is_folder() && is_starvz_directory(s.path); },
    .read = read_starvz};

}  // namespace factosim
