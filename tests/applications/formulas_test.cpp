// Tasks from formulas against the stored graph.
#include "models/applications/registry.hpp"
#include "models/applications/task_formulas.hpp"
#include "simulator/tasks/graph/transpose.hpp"
#include "tests/prelude.hpp"

namespace factosim {

namespace {

TileMap map_of(int nt, int nodes) {
  return tile_map(nt, nt, [&](int m, int n) { return NodeId{(3 * m + 5 * n + m * n) % nodes}; });
}

HandleId tile_of(TaskFormulas const& formulas, TileRun const& run, int i) {
  return run.kind == TileRun::Line::row ? formulas.updated_tile(run.line, i)
                                        : formulas.updated_tile(i, run.line);
}

/// Tasks by their tile and the version in which they find it.
using Numbering = std::map<std::pair<HandleId, std::uint32_t>, TaskId>;

/// Numbers the tasks of the graph.
Numbering numbering(TaskGraph const& graph, TaskFormulas const& formulas) {
  Numbering out;
  std::vector<std::uint32_t> version(graph.handles.size(), 0);
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
    HandleId const tile = graph.written_by(TaskId{t});
    out[{tile, version[tile.index()]++}] = TaskId{t};
  }
  for (std::size_t h = 0; h < version.size(); ++h) {
    CHECK(formulas.last_version(HandleId{h}) == version[h]);
    for (std::uint32_t v = 0; v < version[h]; ++v)
      CHECK(formulas.task(HandleId{h}, v).last == (v + 1 == version[h]));
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
  REQUIRE(accesses.size() == formula.input_count + 1U);
  for (std::size_t i = 0; i < formula.input_count; ++i) {
    CHECK(accesses[i].handle() == formula.inputs[i]);
    CHECK(accesses[i].mode() == Access::read);
  }
  CHECK(accesses.back().handle() == graph.written_by(task));
  CHECK(accesses.back().mode() == formula.access);
}

/// Returns the tasks that the formulas name as successors.
std::set<TaskId> successors(TaskFormulas const& formulas, Numbering const& numbers, HandleId tile,
                            std::uint32_t version) {
  if (!formulas.task(tile, version).last) return {numbers.at({tile, version + 1})};
  std::set<TaskId> out;
  TileReaders const readers = formulas.readers(tile);
  for (TileRun const& run : readers.all())
    for (int i = run.first; i < run.end; ++i)
      out.insert(numbers.at({tile_of(formulas, run, i), readers.version}));
  return out;
}

void check_formulas(Application const& application, ApplicationParameters const& parameters) {
  int const nt = parameters.nt;
  CAPTURE_ALL(application.name, parameters.variant, nt, parameters.iterations.first,
              parameters.iterations.end);
  TileMap const map = map_of(nt, 1);
  auto const formulas = application.formulas(parameters);
  if (parameters.variant == "starpu-mpi") {  // its flushes follow no formula
    CHECK(formulas == nullptr);
    return;
  }
  REQUIRE(formulas != nullptr);
  TaskGraph const graph = application.graph(parameters, map);
  CHECK(formulas->task_count() == graph.task_count());
  CHECK(formulas->line_count() == nt);
  Numbering const numbers = numbering(graph, *formulas);
  for (auto const& [place, task] : numbers) {
    auto const& [tile, version] = place;
    check_task(graph, formulas->task(tile, version), task);
    auto const stored = graph.successors_of(task);
    CHECK(std::set<TaskId>(stored.begin(), stored.end()) == successors(*formulas, numbers, tile, version));
  }
}

ApplicationParameters parameters_of(int nt, std::string const& variant, IterationRange iterations = {}) {
  return {.nt = nt, .nb = 10, .variant = variant, .iterations = iterations};
}

/// Priorities of readers are highest at the ends of the part of a run that any node may have.
void check_priorities(TaskFormulas const& formulas, HandleId tile) {
  TileReaders const readers = formulas.readers(tile);
  for (TileRun const& run : readers.all()) {
    std::vector<std::int32_t> of_run;
    for (int i = run.first; i < run.end; ++i)
      of_run.push_back(formulas.task(tile_of(formulas, run, i), readers.version).priority);
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
    if (!application.has_formulas) continue;
    ++with_formulas;
    for (std::string const& variant : application.variants)
      for (int nt = 1; nt <= 9; ++nt) check_formulas(application, parameters_of(nt, variant));
  }
  CHECK(with_formulas == 3);
}

TEST_CASE("formulas give the tasks of a range of iterations") {
  for (Application const& application : applications()) {
    if (!application.has_formulas || !application.has_iterations) continue;
    for (std::string const& variant : application.variants)
      for (int nt = 1; nt <= 6; ++nt)
        for (int first = 0; first < nt; ++first)
          for (int end = first + 1; end <= nt; ++end)
            check_formulas(application, parameters_of(nt, variant, {first, end}));
  }
}

TEST_CASE("ranges of iterations have together the tasks of all") {
  for (Application const& application : applications()) {
    if (!application.has_iterations) continue;
    constexpr int nt = 7;
    ApplicationParameters parameters{.nt = nt, .nb = 10, .variant = application.variants.front()};
    std::uint64_t const all = application.graph(parameters, map_of(nt, 1)).task_count();
    for (int middle = 0; middle <= nt; ++middle) {
      std::uint64_t sum = 0;
      for (IterationRange const range : {IterationRange{0, middle}, IterationRange{middle, nt}}) {
        parameters.iterations = range;
        sum += application.graph(parameters, map_of(nt, 1)).task_count();
      }
      CHECK(sum == all);
    }
  }
}

TEST_CASE("the most urgent reader of a tile on any node is at an end of its run") {
  for (Application const& application : applications()) {
    if (!application.has_formulas) continue;
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
    if (!application.has_formulas || !application.has_iterations) continue;
    ApplicationParameters parameters;
    parameters.nt = application.lower_only ? 1816 : application.is_product ? 1000 : 1442;
    parameters.nb = 10;
    parameters.variant = application.variants.front();
    auto const formulas = application.formulas(parameters);
    CHECK(static_cast<double>(formulas->task_count()) == application.max_tasks(parameters));
    HandleId const last = formulas->updated_tile(parameters.nt - 1, parameters.nt - 1);
    CHECK(formulas->task(last, formulas->last_version(last) - 1).position == formulas->task_count() - 1);
  }
}

TEST_SUITE_END();

}  // namespace factosim
