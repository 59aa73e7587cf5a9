#include "simulator/traces/programs/program_builder.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "factosim/error.hpp"
#include "factosim/sequential_task_flow.hpp"
#include "models/starpu_symbol.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
#include "simulator/traces/import/fields.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_findings = 20;  // of one reader
constexpr std::size_t max_kernels = std::numeric_limits<std::uint16_t>::max();

bool is_gpu(std::string_view worker) { return worker != "cpu"; }

}  // namespace

ProgramBuilder::ProgramBuilder(std::filesystem::path const& file) { program_.source = file.string(); }

void ProgramBuilder::fail(int line, std::string_view problem_why_remedy) const {
  throw InputError(line > 0 ? fmt::format("{}#line {}", file(), line) : file() + "#",
                   std::string(problem_why_remedy));
}

void ProgramBuilder::note(int line, std::string message) {
  if (program_.findings.size() < max_findings)
    program_.findings.push_back({file(), line, std::move(message)});
}

void ProgramBuilder::add_kernel(ProgramKernel kernel, int line) {
  std::string const name = kernel.kernel.name;
  described_.push_back(name);
  if (program_.recorded.is_there) program_.recorded.kernels.emplace(name, kernel.recorded);
  if (!kernels_.try_emplace(name, std::move(kernel)).second)
    fail(line, fmt::format("describes the kernel \"{}\" again. Describe each kernel once", name));
}

HandleId ProgramBuilder::add_datum(std::string const& name, HandleInfo info, int line) {
  HandleId const number{data_.size()};
  if (!datum_of_name_.try_emplace(name, number).second)
    fail(line, fmt::format("describes the datum \"{}\" again, or after its first use. Describe each datum "
                           "once, before the tasks",
                           name));
  if (number.value() >= 1U << 30U)
    fail(line, "is one datum too many (a graph has 2^30 at most). Split the graph");
  data_.push_back(info);
  return number;
}

HandleId ProgramBuilder::datum(std::string_view name) {
  std::string key(name);
  if (auto const known = datum_of_name_.find(key); known != datum_of_name_.end()) return known->second;
  return add_datum(key, {.size = Bytes{0}, .m = -1, .n = -1}, 0);
}

void ProgramBuilder::add_task(ProgramTask task) {
  auto const number = static_cast<std::uint32_t>(tasks_.size());
  if (std::exchange(next_barrier_, false)) task.barrier = true;
  if (std::exchange(next_flush_, false)) task.flushes_cache = true;
  if (task.barrier) waits_.emplace_back(), last_wait_ = number;
  task.waits = static_cast<std::uint32_t>(waits_.size() - 1);
  last_writer_.resize(data_.size(), 0);
  for (DataAccess const a : task.accesses)
    if (writes(a.mode())) last_writer_[a.handle().index()] = number + 1;
  std::int64_t id = 0;
  auto const [end, error] = std::from_chars(task.id.data(), task.id.data() + task.id.size(), id);
  bool const follows = error == std::errc{} && end == task.id.data() + task.id.size() && id > last_id_;
  last_id_ = follows ? id : std::numeric_limits<std::int64_t>::max();
  if ((!follows || !task_of_id_.empty()) && !numbers().try_emplace(task.id, number).second)
    fail(task.line, fmt::format("is a second task \"{}\" (ids identify tasks). Give it another id", task.id));
  for (auto const& [worker, seconds] : task.seconds)
    if (!(seconds >= 0) || seconds > 1e12)
      fail(task.line, fmt::format("has a task that lasts {} s. Give 0 to 10^12 seconds", seconds));
  tasks_.push_back(std::move(task));
}

std::unordered_map<std::string, std::uint32_t>& ProgramBuilder::numbers() {
  if (task_of_id_.empty())
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) task_of_id_.emplace(tasks_[t].id, t);
  return task_of_id_;
}

ProgramTask* ProgramBuilder::find_task(std::string_view id) {
  auto const known = numbers().find(std::string(id));
  return known == task_of_id_.end() ? nullptr : &tasks_[known->second];
}

HandleId ProgramBuilder::find_datum(std::string_view name) const {
  auto const known = datum_of_name_.find(std::string(name));
  return known == datum_of_name_.end() ? HandleId{} : known->second;
}

void ProgramBuilder::ignore_order(HandleId datum) {
  unordered_.resize(std::max(unordered_.size(), datum.index() + 1), false);
  unordered_[datum.index()] = true;
}

void ProgramBuilder::add_access(ProgramTask& task, HandleId datum, std::uint8_t mode) {
  commuting_ += (mode & commutes) != 0 ? 1 : 0;
  if ((mode & scratch_access) != 0) {
    ++scratch_;
    data_[datum.index()].data = DataKind::scratch;
    return;
  }
  bool const ordered = task.ordered && (datum.index() >= unordered_.size() || !unordered_[datum.index()]);
  unordered_accesses_ += ordered ? 0 : 1;
  bool const reduction = (mode & reduces) != 0;
  auto const access = reduction ? Access::read : static_cast<Access>(mode & 3U);
  reductions_ += reduction;
  if (ordered) follow_other_uses(task, datum, access, reduction);
  if (mode != commutes) task.accesses.emplace_back(datum, access);
}

/// Reductions are reads of the graph: only those that follow reads, and reads that follow reductions, need edges of their own.
void ProgramBuilder::follow_other_uses(ProgramTask& task, HandleId datum, Access access, bool reduction) {
  uses_.resize(std::max(uses_.size(), data_.size()));
  auto const number = static_cast<std::uint32_t>(tasks_.size());
  for (std::uint32_t const t : uses_[datum.index()].add(number, reduction, writes(access)))
    if (t != number) task.after.push_back({.before = tasks_[t].id});
}

void ProgramBuilder::note_modes() {
  note_count(
      reductions_,
      "accesses reduce (mode X): their tasks run side by side; what combines their copies takes no time");
  note_count(commuting_, "accesses commute (mode C): their tasks run in order of submission");
  note_count(unordered_accesses_,
             "accesses give no order (\"ordered\": false): tasks that exclude each other by them follow the "
             "other dependencies, then the order of submission");
}

void ProgramBuilder::wont_use(HandleId datum) {
  if (datum.index() >= last_writer_.size() || last_writer_[datum.index()] == 0) return;
  ProgramTask& writer = tasks_[last_writer_[datum.index()] - 1];
  writer.writes_back = true;
  shared_hints_ +=
      std::ranges::count_if(writer.accesses, [](DataAccess a) { return writes(a.mode()); }) > 1 ? 1 : 0;
}

void ProgramBuilder::flush(HandleId datum) {
  if (datum.valid())
    flushes_.emplace_back(tasks_.size(), datum);
  else
    next_flush_ = !tasks_.empty();
}

/// Every task depends on all that the host has waited for before its submission: on the last wait's only, if one of these was
/// submitted after the wait before, and so depends on those.
void ProgramBuilder::wait_for(std::vector<std::string> const& tasks, int line) {
  if (tasks.empty() || next_barrier_) return;
  constexpr std::size_t max_waits = 32;  // edges of each task that follows
  std::set<std::uint32_t> all;
  bool follows = false;
  for (std::string const& id : tasks) {
    auto const known = numbers().find(id);
    if (known == task_of_id_.end())
      fail(line, fmt::format("waits for the task \"{}\" (no line before it has it). Correct it", id));
    all.insert(known->second);
    follows = follows || known->second >= last_wait_;
  }
  if (!follows) all.insert(waits_.back().begin(), waits_.back().end());
  last_wait_ = tasks_.size();
  if (all.size() > max_waits) {
    next_barrier_ = true;
    whole_waits_ += all.size() < tasks_.size() ? 1 : 0;
  } else {
    waits_.emplace_back(all.begin(), all.end());
  }
}

void ProgramBuilder::set_provenance(nlohmann::ordered_json provenance, int line) {
  auto const findings = provenance.find("findings");
  if (findings != provenance.end()) {
    if (!findings->is_array() || !std::ranges::all_of(*findings, [](auto const& f) { return f.is_string(); }))
      fail(line, "has \"findings\" in \"recorded\" that are no list of texts. Give texts");
    for (auto const& finding : *findings) note(0, finding.template get<std::string>());
  }
  if (provenance.contains("complete") && provenance["complete"] == false)
    note(0, "the recording ended early: the graph has the tasks up to there");
  program_.recorded.provenance = std::move(provenance);
}

/// Which kernels are asynchronous is not known of a program without code for GPUs: takes what our own applications have.
void ProgramBuilder::settle_asynchronous() {
  auto const& recorded = program_.recorded.kernels;
  if (std::ranges::any_of(recorded, [](auto const& k) { return k.second.has_gpu_code(); })) return;
  std::set<std::string> synchronous;
  for (auto const& [name, kernel] : recorded) {
    if (kernel.devices.empty()) continue;
    auto const symbol = parse_starpu_symbol(kernel.symbol);
    bool const waits =
        symbol && (symbol->kernel == "potrf" || symbol->kernel == "getrf" || symbol->kernel == "geqrt");
    kernels_.find(name)->second.kernel.asynchronous_on_gpu = !waits;
    if (waits) synchronous.insert(symbol->kernel);
  }
  if (std::ranges::any_of(recorded, [](auto const& k) { return !k.second.devices.empty(); }))
    note(0, fmt::format(
                "ASSUMPTION: the program was built without code for GPUs; a GPU's driver is taken to wait "
                "for the end of {}",
                synchronous.empty() ? "no kernel" : fmt::format("{} only", fmt::join(synchronous, ", "))));
}

/// Numbers the flushes by the tasks of the graph, and notes what is not simulated as it was recorded.
void ProgramBuilder::settle_recorded() {
  std::vector<TaskId> number(order_.size());
  for (std::uint32_t t = 0; t < order_.size(); ++t) number[order_[t].index()] = TaskId{t};
  for (auto const& [task, datum] : flushes_)
    if (task < number.size()) program_.recorded.flushes.emplace_back(number[task], datum);
  std::ranges::sort(program_.recorded.flushes);
  note_count(scratch_, "accesses to scratch data (mode S): the memory of workers is not simulated");
  note_count(shared_hints_,
             "hints (wont_use) are about one of several data that a task writes: they count for the first");
  note_count(whole_waits_, "waits of the host for more than 32 tasks: it waits for all that were submitted");
  note_count(restricted_, "tasks name the workers that may run them: any worker runs them");
  std::vector<bool> used(data_.size(), false);
  for (ProgramTask const& task : tasks_)
    for (DataAccess const a : task.accesses) used[a.handle().index()] = true;
  for (std::size_t h = 0; program_.recorded.is_there && h < data_.size(); ++h)
    if (!used[h])
      data_[h].data = DataKind::scratch;  // such as the whole of a matrix in parts: needs no memory
  auto const is_used = [&](HandleId datum) { return datum.valid() && used[datum.index()]; };
  note_count(std::ranges::count_if(
                 parents_,
                 [&](auto const& part) { return is_used(part.first) && is_used(find_datum(part.second)); }),
             "data are parts of others that tasks use: the simulator moves all, as data of their own");
}

/// Finds the tasks of the edges. An edge with bytes becomes a datum that its first task writes and its second one reads.
void ProgramBuilder::resolve_edges() {
  before_begin_.push_back(0);
  for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
    for (ProgramEdge const& edge : tasks_[t].after) {
      auto const known = numbers().find(edge.before);
      if (known == task_of_id_.end())
        fail(tasks_[t].line,
             fmt::format("makes the task \"{}\" wait for \"{}\" (no task has this id). Correct it",
                         tasks_[t].id, edge.before));
      if (known->second == t)
        fail(tasks_[t].line, fmt::format("makes the task \"{}\" wait for itself. Remove it", tasks_[t].id));
      before_.emplace_back(known->second);
      if (!edge.bytes) continue;
      HandleId const datum{data_.size()};
      data_.push_back({.size = Bytes{*edge.bytes}, .m = -1, .n = -1});
      tasks_[known->second].accesses.emplace_back(datum, Access::write);
      tasks_[t].accesses.emplace_back(datum, Access::read);
    }
    for (std::uint32_t const waited : waits_[tasks_[t].waits]) before_.emplace_back(waited);
    restricted_ += tasks_[t].is_restricted ? 1 : 0;
    before_begin_.push_back(static_cast<std::uint32_t>(before_.size()));
  }
}

void ProgramBuilder::order_tasks() {
  TaskRows const successors = transpose(before_begin_, before_);
  TopologicalOrder order = topological_order(successors.begin, successors.items);
  if (!order.blocked.empty())
    fail(tasks_[order.blocked.front().index()].line,
         fmt::format("has the task \"{}\", which waits for itself, through others or not ({} tasks do, or "
                     "wait for these). Remove a dependency of the cycle",
                     tasks_[order.blocked.front().index()].id, order.blocked.size()));
  order_ = std::move(order.tasks);
}

/// Separates the durations of a task into those of its kernel and its weights. The kernel lasts 1 s on cores and on the
/// first kind of GPU.
ProgramBuilder::Weighted ProgramBuilder::weighted(ProgramTask const& task) const {
  Weighted out{{task.kernel, task.flops, {}, false}, {}};
  auto const described = kernels_.find(task.kernel);
  if (task.seconds.empty()) {
    if (described == kernels_.end()) return out;
    if (task.flops == 0) out.key.flops = described->second.kernel.flops.value;
    out.key.seconds = described->second.seconds;
    out.key.is_free = described->second.kernel.is_free;
    return out;
  }
  out.key.flops = 0;  // not part of the key: the kernel gets the mean of its tasks
  out.key.is_free = std::ranges::all_of(task.seconds, [](auto const& entry) { return entry.second == 0; });
  if (out.key.is_free) return out;
  double core = 0, gpu = 0;
  for (auto const& [worker, seconds] : task.seconds)
    if (double& first = is_gpu(worker) ? gpu : core; first == 0) first = seconds;
  if (std::ranges::any_of(task.seconds, [](auto const& entry) { return entry.second == 0; }))
    fail(task.line, fmt::format("has the task \"{}\", which takes no time on one kind of worker, but on "
                                "another. Give times above 0, or only zeros",
                                task.id));
  out.weight = {core > 0 ? core : gpu, gpu > 0 ? gpu : core};
  for (auto const& [worker, seconds] : task.seconds)
    out.key.seconds.emplace_back(worker, seconds / (is_gpu(worker) ? gpu : core));
  return out;
}

double ProgramBuilder::flops_of(ProgramTask const& task) const {
  if (task.flops > 0) return task.flops;
  auto const described = kernels_.find(task.kernel);
  return described == kernels_.end() ? 0 : described->second.kernel.flops.value;
}

std::uint32_t ProgramBuilder::kernel_of(ProgramTask const& task, KernelKey key) {
  auto const [place, is_new] =
      kernel_number_.try_emplace(std::move(key), static_cast<std::uint32_t>(kernel_keys_.size()));
  if (!is_new) return place->second;
  mean_flops_.emplace_back();
  if (kernel_keys_.size() >= max_kernels)
    fail(task.line,
         fmt::format(
             "makes more than {} kinds of tasks (each has its own kernel, number of operations, or ratio of "
             "durations on two kinds of GPUs). Name kernels by what tasks do, and give \"flops\" to kernels",
             max_kernels));
  Kernel kernel;
  if (auto const described = kernels_.find(place->first.name); described != kernels_.end())
    kernel = described->second.kernel;
  kernel.name = place->first.name;
  kernel.flops = Flops{place->first.flops};
  kernel.is_free = place->first.is_free;
  for (auto const& [worker, seconds] : place->first.seconds)
    if (!kernel.is_free) program_.timings.push_back({place->second, worker, seconds});
  kernel_keys_.push_back(place->first);
  graph_kernels_.push_back(std::move(kernel));
  return place->second;
}

void ProgramBuilder::submit_all() {
  SequentialTaskFlow flow;
  for (HandleInfo const& info : data_) flow.add_handle(info);
  bool const has_weights =
      std::ranges::any_of(tasks_, [](ProgramTask const& t) { return !t.seconds.empty(); });
  bool const has_phases = std::ranges::any_of(tasks_, [](ProgramTask const& t) { return !t.phase.empty(); });
  bool const has_nodes = std::ranges::any_of(tasks_, [](ProgramTask const& t) { return t.node.valid(); });
  std::vector<TaskId> number(tasks_.size());
  std::set<std::string> phases;
  std::string const* last_kernel = nullptr;
  KernelKey last_key;
  std::uint32_t kernel = 0;
  if (!has_weights)  // in the order of the file, whatever tasks come first
    for (std::string const& name : described_) {
      ProgramTask const any{.id = {}, .kernel = name};
      (void)kernel_of(any, weighted(any).key);
    }
  for (TaskId const place : order_) {
    std::size_t const t = place.index();
    ProgramTask const& task = tasks_[t];
    Weighted const w = weighted(task);
    if (last_kernel == nullptr || last_key != w.key) {
      kernel = kernel_of(task, w.key);
      last_key = w.key;
      last_kernel = &task.kernel;
    }
    if (!task.seconds.empty()) mean_flops_[kernel].add(flops_of(task));
    if (has_phases) flow.begin_phase({task.phase.empty() ? "tasks" : task.phase});
    if (has_phases && phases.insert(task.phase).second && phases.size() > 255)
      fail(task.line, "names one phase too many (a graph has 255 at most). Use fewer");
    if (task.barrier) flow.barrier();
    if (task.flushes_cache) flow.flush_cache();
    std::size_t const explicit_end = before_begin_[t + 1] - waits_[task.waits].size();
    for (std::uint32_t e = before_begin_[t]; e < before_begin_[t + 1]; ++e) {
      flow.wait_for(number[before_[e].index()]);
      auto& edges = e < explicit_end ? program_.explicit_edges : program_.recorded.waits;
      edges.emplace_back(number[before_[e].index()], TaskId{program_.id.size()});
    }
    number[t] = flow.submit(KernelId{kernel}, task.priority, task.indices, task.accesses);
    if (has_weights) flow.set_weight(number[t], w.weight);
    if (task.flushes_inputs) flow.flush_inputs(number[t]);
    if (has_nodes) program_.node_of_task.push_back(task.node);
    program_.id.push_back(task.id);
  }
  for (std::size_t k = 0; k < graph_kernels_.size(); ++k) {
    if (mean_flops_[k].tasks > 0) graph_kernels_[k].flops = Flops{mean_flops_[k].mean};
    flow.add_kernel(std::move(graph_kernels_[k]));
  }
  program_.graph = std::move(flow).finish();
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    if (tasks_[order_[i].index()].writes_back && program_.graph.written_by(TaskId{i}).valid())
      program_.graph.writes_back[i] = true;
}

TaskProgram ProgramBuilder::finish() && {
  if (tasks_.empty()) fail(0, "has no task. Give at least one");
  resolve_edges();
  order_tasks();
  settle_asynchronous();
  settle_recorded();
  submit_all();
  std::ranges::sort(program_.explicit_edges);
  auto const rest = std::ranges::unique(program_.explicit_edges);
  program_.explicit_edges.erase(rest.begin(), rest.end());
  return std::move(program_);
}

}  // namespace factosim
