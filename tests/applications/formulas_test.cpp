// Tasks from formulas against the stored graph.
#include "models/applications/application.hpp"
#include "models/applications/task_formulas.hpp"
#include "simulator/tasks/graph/graph_order.hpp"
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
