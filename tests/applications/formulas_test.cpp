// Tasks from formulas against the stored graph.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "models/applications/registry.hpp"
#include "simulator/graph/task_formulas.hpp"
#include "simulator/graph/transpose.hpp"

namespace factosim {

namespace {

TileMap one_node(int nt) {
  return tile_map(nt, nt, [](int, int) { return NodeId{0}; });
}

/// The tasks of a graph by their tile, which is the first handle that they write, and the number of its tasks before.
using Numbering = std::map<std::pair<HandleId, std::uint32_t>, TaskId>;

Numbering numbering(TaskGraph const& graph) {
  Numbering out;
  std::map<HandleId, std::uint32_t> tasks;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    HandleId const tile = graph.written_by(TaskId{t});
    out[{tile, tasks[tile]++}] = TaskId{t};
  }
  return out;
}

void check_task(TaskGraph const& graph, FormulaTask const& formula, TaskId task) {
  std::size_t const t = task.index();
  CHECK(formula.position == t);
  CHECK(formula.kernel == graph.kernel[t]);
  CHECK(formula.priority == graph.priority[t]);
  CHECK(formula.indices.k == graph.indices[t].k);
  CHECK(formula.indices.m == graph.indices[t].m);
  CHECK(formula.indices.n == graph.indices[t].n);
  CHECK(formula.writes_back == graph.writes_back[t]);
  auto const accesses = graph.accesses_of(task);
  REQUIRE(accesses.size() == formula.input_count + (formula.passed.valid() ? 2U : 1U));
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    CHECK(accesses[i].handle() == formula.inputs[i]);
    CHECK(accesses[i].mode() == Access::read);
  }
  CHECK(accesses[formula.input_count].handle() == graph.written_by(task));
  CHECK(accesses[formula.input_count].mode() == formula.access);
  if (!formula.passed.valid()) return;
  CHECK(accesses.back().handle() == formula.passed);
  CHECK(accesses.back().mode() == formula.passed_access);
}

/// Adds the tasks that read a handle after `version` writes, by the formulas.
void add_readers(TaskFormulas const& formulas, Numbering const& numbers, HandleId handle,
                 std::uint32_t version, std::set<TaskId>& out) {
  TileReaders const readers = formulas.readers(handle, version);
  if (readers.taker.valid()) out.insert(numbers.at({readers.taker, readers.version}));
  for (TileRun const& run : readers.all())
    for (int i = run.first; i < run.end; ++i)
      out.insert(
          numbers.at({run.in_row ? formulas.updated_tile(run.line, i) : formulas.updated_tile(i, run.line),
                      readers.version}));
}

/// Returns the tasks that the formulas name as successors.
std::set<TaskId> successors(TaskFormulas const& formulas, Numbering const& numbers, HandleId tile,
                            std::uint32_t version, FormulaTask const& task) {
  std::set<TaskId> out;
  if (task.last)
    add_readers(formulas, numbers, tile, version + 1, out);
  else
    out.insert(numbers.at({tile, version + 1}));
  if (task.passed.valid()) add_readers(formulas, numbers, task.passed, task.passed_version + 1, out);
  return out;
}

void check_formulas(Application const& application, std::string const& variant, int nt,
                    IterationRange iterations = {}) {
  CAPTURE(application.name);
  CAPTURE(variant);
  CAPTURE(nt);
  ApplicationParameters parameters;
  parameters.nt = nt;
  parameters.nb = 10;
  parameters.variant = variant;
  parameters.iterations = iterations;
  CAPTURE(iterations.first);
  CAPTURE(iterations.end);
  auto const formulas = application.formulas(parameters);
  if (variant == "starpu-mpi") {  // its flushes follow no formula
    CHECK(formulas == nullptr);
    return;
  }
  REQUIRE(formulas != nullptr);
  TaskGraph const graph = application.graph(parameters, one_node(nt));
  CHECK(formulas->task_count() == graph.task_count());
  CHECK(formulas->line_count() == nt);
  Numbering const numbers = numbering(graph);
  for (auto const& [place, task] : numbers) {
    auto const& [tile, version] = place;
    FormulaTask const formula = formulas->task(tile, version);
    check_task(graph, formula, task);
    CHECK(formula.last == !numbers.contains({tile, version + 1}));
    auto const stored = graph.successors_of(task);
    CHECK(std::set<TaskId>(stored.begin(), stored.end()) ==
          successors(*formulas, numbers, tile, version, formula));
  }
  for (std::size_t h = 0; h < graph.handles.size(); ++h) {
    std::uint32_t const tasks = formulas->tasks_of(HandleId{h});
    CHECK((tasks == 0) == !numbers.contains({HandleId{h}, 0}));
    CHECK((tasks == 0 || numbers.contains({HandleId{h}, tasks - 1})));
    CHECK(!numbers.contains({HandleId{h}, tasks}));
  }
}

/// Priorities of readers are highest at the ends of the part of a run that any node may have.
void check_priorities(TaskFormulas const& formulas, HandleId tile) {
  TileReaders const readers = formulas.readers(tile, formulas.tasks_of(tile));
  for (TileRun const& run : readers.all()) {
    std::vector<std::int32_t> of_run;
    for (int i = run.first; i < run.end; ++i)
      of_run.push_back(
          formulas
              .task(run.in_row ? formulas.updated_tile(run.line, i) : formulas.updated_tile(i, run.line),
                    readers.version)
              .priority);
    for (std::size_t i = 0; i < of_run.size(); ++i)
      for (std::size_t j = i; j < of_run.size(); ++j)
        CHECK(*std::max_element(of_run.begin() + static_cast<std::ptrdiff_t>(i),
                                of_run.begin() + static_cast<std::ptrdiff_t>(j) + 1) ==
              std::max(of_run[i], of_run[j]));
  }
}

}  // namespace

TEST_SUITE_BEGIN("unit");

TEST_CASE("formulas give the tasks of the stored graph: accesses, order, priorities and successors") {
  int with_formulas = 0;
  for (Application const& application : applications()) {
    if (application.formulas == nullptr) continue;
    ++with_formulas;
    for (std::string const& variant : application.variants)
      for (int nt = 1; nt <= 9; ++nt) check_formulas(application, variant, nt);
  }
  CHECK(with_formulas >= 4);
}

TEST_CASE("formulas give the tasks of a range of iterations") {
  for (Application const& application : applications()) {
    if (application.formulas == nullptr) continue;
    REQUIRE(application.has_iterations);
    for (std::string const& variant : application.variants)
      for (int nt = 1; nt <= 6; ++nt)
        for (int first = 0; first < nt; ++first)
          for (int end = first + 1; end <= nt; ++end) check_formulas(application, variant, nt, {first, end});
  }
}

TEST_CASE("ranges of iterations have together the tasks of all") {
  for (Application const& application : applications()) {
    if (!application.has_iterations) continue;
    constexpr int nt = 7;
    ApplicationParameters parameters{.nt = nt, .nb = 10, .variant = application.variants.front()};
    std::uint64_t const all = application.graph(parameters, one_node(nt)).task_count();
    for (int middle = 0; middle <= nt; ++middle) {
      std::uint64_t sum = 0;
      for (IterationRange const range : {IterationRange{0, middle}, IterationRange{middle, nt}}) {
        parameters.iterations = range;
        sum += application.graph(parameters, one_node(nt)).task_count();
      }
      CHECK(sum == all);
    }
  }
}

TEST_CASE("the most urgent reader of a tile on any node is at an end of its run") {
  for (Application const& application : applications()) {
    if (application.formulas == nullptr) continue;
    for (std::string const& variant : application.variants) {
      ApplicationParameters parameters;
      parameters.nt = 7;
      parameters.nb = 10;
      parameters.variant = variant;
      auto const formulas = application.formulas(parameters);
      if (!formulas) continue;
      for (int m = 0; m < 7; ++m)
        for (int n = 0; n < 7; ++n)
          if (HandleId const tile = formulas->updated_tile(m, n); tile.valid())
            check_priorities(*formulas, tile);
    }
  }
}

TEST_CASE("positions of a thousand million tasks do not wrap") {
  for (Application const& application : applications()) {
    if (application.formulas == nullptr) continue;
    ApplicationParameters parameters;
    parameters.nt = application.lower_only ? 1816 : application.is_product ? 1000 : 1442;
    parameters.nb = 10;
    parameters.variant = application.variants.front();
    auto const formulas = application.formulas(parameters);
    CHECK(static_cast<double>(formulas->task_count()) == application.max_tasks(parameters));
    int const end = parameters.nt - 1;
    CHECK(formulas->task(formulas->updated_tile(end, end), static_cast<std::uint32_t>(end)).position ==
          formulas->task_count() - 1);
  }
}

TEST_SUITE_END();

}  // namespace factosim
