#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "models/applications/registry.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;
using testing::Counts;
using testing::find_task;
using testing::priority;
using testing::tasks_by_kernel;

namespace {

std::vector<int> sizes() {
  std::vector<int> all;
  for (int n = 1; n <= 40; ++n) all.push_back(n);
  all.push_back(100);
  return all;
}

/// Returns the number of tasks of each kernel with the write-back hint.
Counts hints_by_kernel(TaskGraph const& graph) {
  Counts counts;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    if (graph.writes_back[t]) ++counts[graph.kernel_of(TaskId{t}).name];
  return counts;
}

std::vector<std::string> names_in_order(TaskGraph const& graph) {
  std::vector<std::string> names;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t) names.push_back(graph.kernel_of(TaskId{t}).name);
  return names;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the registry lists the applications with their variants") {
    CHECK(application_names() == std::vector<std::string>{"lu", "cholesky", "qr", "gemm", "exageostat"});
    for (std::string const& name : application_names()) {
      CAPTURE(name);
      CHECK(application(name).name == name);
    }
    CHECK(application("lu").variants == std::vector<std::string>{"starpu", "chameleon"});
    CHECK(application("cholesky").variants == std::vector<std::string>{"starpu", "chameleon", "starpu-mpi"});
    CHECK_THROWS_WITH_AS(application("svd"), "unknown application svd", std::out_of_range);
  }

  TEST_CASE("a tile holds the square of its order in elements") {
    CHECK(tile_bytes({.nt = 1, .nb = 960, .precision = Precision::double_}) == Bytes{960 * 960 * 8});
    CHECK(tile_bytes({.nt = 1, .nb = 960, .precision = Precision::single_}) == Bytes{960 * 960 * 4});
    CHECK(tile_bytes({.nt = 1, .nb = 960, .precision = Precision::tf32}) == Bytes{960 * 960 * 4});
    CHECK(tile_bytes({.nt = 1, .nb = 960, .precision = Precision::half}) == Bytes{960 * 960 * 2});
    CHECK(tile_bytes({.nt = 1, .nb = 960, .precision = Precision::fp8}) == Bytes{960 * 960});
    CHECK(tile_bytes({.nt = 1, .nb = 30'000, .precision = Precision::double_}) == Bytes{7'200'000'000});
  }

  TEST_CASE("handles are the stored tiles in row order") {
    TaskGraph const lu = testing::graph_on_one_node("lu", {.nt = 3, .nb = 10});
    REQUIRE(lu.handles.size() == 9);
    CHECK(lu.handles[5].m == 1);
    CHECK(lu.handles[5].n == 2);
    CHECK(lu.handles[5].size == Bytes{800});
    TaskGraph const cholesky = testing::graph_on_one_node("cholesky", {.nt = 3, .nb = 10});
    REQUIRE(cholesky.handles.size() == 6);
    CHECK(cholesky.handles[4].m == 2);
    CHECK(cholesky.handles[4].n == 1);
  }

  TEST_CASE("tasks come in the order of the programs") {
    std::vector<std::string> const lu_starpu{"getrf",   "trsm_ll", "trsm_ru", "trsm_ll", "trsm_ru",
                                             "gemm",    "gemm",    "gemm",    "gemm",    "getrf",
                                             "trsm_ll", "trsm_ru", "gemm",    "getrf"};
    CHECK(names_in_order(testing::graph_on_one_node("lu", {.nt = 3, .nb = 10})) == lu_starpu);
    std::vector<std::string> const lu_chameleon{"getrf",   "trsm_ru", "trsm_ru", "trsm_ll", "gemm",
                                                "gemm",    "trsm_ll", "gemm",    "gemm",    "getrf",
                                                "trsm_ru", "trsm_ll", "gemm",    "getrf"};
    CHECK(names_in_order(testing::graph_on_one_node("lu", {.nt = 3, .nb = 10, .variant = "chameleon"})) ==
          lu_chameleon);
    std::vector<std::string> const cholesky{"potrf", "trsm",  "trsm", "syrk", "gemm",
                                            "syrk",  "potrf", "trsm", "syrk", "potrf"};
    for (std::string const variant : {"starpu", "chameleon"})
      CHECK(names_in_order(testing::graph_on_one_node("cholesky", {.nt = 3, .nb = 10, .variant = variant})) ==
            cholesky);
  }

  TEST_CASE("LU priorities follow StarPU's example") {
    TaskGraph const g = testing::graph_on_one_node("lu", {.nt = 10, .nb = 10});
    CHECK(priority(g, "getrf", 0, 0, 0) == 30);
    CHECK(priority(g, "getrf", 4, 4, 4) == 18);
    CHECK(priority(g, "trsm_ll", 2, 2, 7) == 19);
    CHECK(priority(g, "trsm_ru", 2, 7, 2) == 19);
    CHECK(priority(g, "gemm", 3, 5, 8) == 14);
    CHECK(priority(g, "gemm", 8, 9, 9) == 4);
  }

  TEST_CASE("LU priorities follow Chameleon") {
    TaskGraph const g = testing::graph_on_one_node("lu", {.nt = 10, .nb = 10, .variant = "chameleon"});
    CHECK(priority(g, "getrf", 0, 0, 0) == 20);
    CHECK(priority(g, "getrf", 4, 4, 4) == 12);
    CHECK(priority(g, "trsm_ll", 2, 2, 7) == 9);
    CHECK(priority(g, "trsm_ru", 2, 7, 2) == 9);
    CHECK(priority(g, "gemm", 3, 5, 8) == 1);
    CHECK(priority(g, "gemm", 8, 9, 9) == -14);
  }

  TEST_CASE("Cholesky priorities are the same in both variants") {
    for (std::string const variant : {"starpu", "chameleon"}) {
      CAPTURE(variant);
      TaskGraph const g = testing::graph_on_one_node("cholesky", {.nt = 10, .nb = 10, .variant = variant});
      CHECK(priority(g, "potrf", 0, 0, 0) == 20);
      CHECK(priority(g, "potrf", 9, 9, 9) == 2);
      CHECK(priority(g, "trsm", 2, 7, 2) == 9);
      CHECK(priority(g, "syrk", 2, 7, 7) == 9);
      CHECK(priority(g, "gemm", 3, 8, 5) == 1);
    }
  }

  TEST_CASE("only the factorization of the diagonal tile holds the GPU driver") {
    for (std::string const& name : application_names())
      for (Kernel const& kernel : testing::graph_on_one_node(name, {.nt = 2, .nb = 10}).kernels) {
        CAPTURE(kernel.name);
        CHECK(kernel.asynchronous_on_gpu ==
              (kernel.name != "getrf" && kernel.name != "potrf" && kernel.name != "geqrt"));
      }
  }

  TEST_CASE("both variants hint at the diagonal and the panels and never at an update") {
    for (std::string const variant : {"starpu", "chameleon"}) {
      CAPTURE(variant);
      CHECK(hints_by_kernel(testing::graph_on_one_node("lu", {.nt = 7, .nb = 10, .variant = variant})) ==
            Counts{{"getrf", 7}, {"trsm_ll", 21}, {"trsm_ru", 21}});
      CHECK(hints_by_kernel(testing::graph_on_one_node(
                "cholesky", {.nt = 7, .nb = 10, .variant = variant})) == Counts{{"potrf", 7}, {"trsm", 21}});
    }
  }
}

TEST_SUITE("property") {
  TEST_CASE("LU has the tasks and edges of its closed forms") {
    for (std::string const variant : {"starpu", "chameleon"})
      for (int const size : sizes()) {
        CAPTURE(variant);
        CAPTURE(size);
        TaskGraph const graph = testing::graph_on_one_node("lu", {.nt = size, .nb = 10, .variant = variant});
        auto const n = static_cast<std::uint64_t>(size);
        CHECK(tasks_by_kernel(graph) == Counts{{"getrf", n},
                                               {"trsm_ll", n * (n - 1) / 2},
                                               {"trsm_ru", n * (n - 1) / 2},
                                               {"gemm", (n - 1) * n * (2 * n - 1) / 6}});
        CHECK(graph.edge_count() == n * n * n - n * (n + 1) / 2);
      }
  }

  TEST_CASE("Cholesky has the tasks and edges of its closed forms") {
    for (std::string const variant : {"starpu", "chameleon"})
      for (int const size : sizes()) {
        CAPTURE(variant);
        CAPTURE(size);
        TaskGraph const graph =
            testing::graph_on_one_node("cholesky", {.nt = size, .nb = 10, .variant = variant});
        auto const n = static_cast<std::uint64_t>(size);
        std::uint64_t const gemms = n < 3 ? 0 : n * (n - 1) * (n - 2) / 6;
        CHECK(tasks_by_kernel(graph) ==
              Counts{{"potrf", n}, {"trsm", n * (n - 1) / 2}, {"syrk", n * (n - 1) / 2}, {"gemm", gemms}});
        CHECK(graph.edge_count() == n * (n * n - 1) / 2);
      }
  }

  TEST_CASE("the operations of the tasks add up to those of the factorization") {
    // The terms below n^3 of the kernels cancel: equal for every N. 1e-12: rounding of up to 338350
    // additions.
    for (std::string const name : {"lu", "cholesky"})
      for (int const size : sizes()) {
        CAPTURE(name);
        CAPTURE(size);
        ApplicationParameters const parameters{.nt = size, .nb = 960};
        double sum = 0;
        for (auto const& graph = testing::graph_on_one_node(name, parameters);
             std::uint16_t const kernel : graph.kernel)
          sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application(name).total_flops(parameters).value).epsilon(1e-12));
      }
  }

  TEST_CASE("both variants have the same tasks on the same tiles and the same edges between them") {
    using Name = std::tuple<int, int, int, int>;
    for (std::string const app : {"lu", "cholesky"})
      for (int const size : {1, 2, 5, 9}) {
        CAPTURE(app);
        CAPTURE(size);
        std::vector<std::vector<std::pair<Name, Name>>> edges;
        for (std::string const& variant : application(app).variants) {
          TaskGraph const graph = testing::graph_on_one_node(app, {.nt = size, .nb = 10, .variant = variant});
          auto const name = [&](TaskId t) {
            TaskIndices const& i = graph.indices[t.index()];
            return Name{graph.kernel[t.index()], i.k, i.m, i.n};
          };
          auto& mine = edges.emplace_back();
          for (std::uint32_t t = 0; t < graph.task_count(); ++t) {
            HandleInfo const& written = graph.handles[graph.written_by(TaskId{t}).index()];
            CHECK(written.m == graph.indices[t].m);
            CHECK(written.n == graph.indices[t].n);
            for (TaskId const s : graph.successors_of(TaskId{t})) mine.emplace_back(name(TaskId{t}), name(s));
          }
          std::sort(mine.begin(), mine.end());
        }
        CHECK(edges[0] == edges[1]);
      }
  }
}
