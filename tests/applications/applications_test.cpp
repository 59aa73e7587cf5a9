#include <stdexcept>

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

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the registry lists the applications with their variants") {
    CHECK(application_names() ==
          std::vector<std::string>{"lu", "cholesky", "qr", "gemm", "syrk", "exageostat"});
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

  TEST_CASE("only the factorization of the diagonal tile holds the GPU driver") {
    for (std::string const& name : application_names())
      for (Kernel const& kernel : testing::graph_on_one_node(name, {.nt = 2, .nb = 10}).kernels) {
        CAPTURE(kernel.name);
        CHECK(kernel.asynchronous_on_gpu ==
              (kernel.name != "getrf" && kernel.name != "potrf" && kernel.name != "geqrt"));
      }
  }
}

TEST_SUITE("property") {
  TEST_CASE("the operations of the tasks add up to those of the factorization") {
    // The terms below n^3 of the kernels cancel: equal for every N. 1e-12: rounding of up to 338350
    // additions.
    for (std::string const name : {"lu", "cholesky"})
      for (int const size : sizes()) {
        CAPTURE_ALL(name, size);
        ApplicationParameters const parameters{.nt = size, .nb = 960};
        double sum = 0;
        for (auto const& graph = testing::graph_on_one_node(name, parameters);
             std::uint16_t const kernel : graph.kernel)
          sum += graph.kernels[kernel].flops.value;
        CHECK(sum == doctest::Approx(application(name).total_flops(parameters).value).epsilon(1e-12));
      }
  }
}
