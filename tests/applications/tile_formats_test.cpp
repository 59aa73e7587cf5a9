// Precision and rank by tile: counts of conversions and bytes against closed forms, formats of a covariance against
// its dense matrix.

#include <Eigen/SVD>

#include "models/applications/cholesky_formats.hpp"
#include "models/applications/registry.hpp"
#include "simulator/tasks/plan/plan_execution.hpp"
#include "tests/applications/graph_tasks.hpp"

using namespace factosim;

namespace {

using enum Precision;

ApplicationParameters with_formats(int nt, int nb, TileFormats formats) {
  ApplicationParameters p{.nt = nt, .nb = nb};
  p.formats = std::make_shared<TileFormats const>(std::move(formats));
  return p;
}

ApplicationParameters with_bands(int nt, std::vector<FormatBand> const& bands,
                                 ConversionPlace place = ConversionPlace::sender) {
  return with_formats(nt, 100, {.formats = formats_by_bands(nt, bands), .conversion = place});
}

TileMap block_cyclic_map(int nt, int p, int q) {
  return tile_map(nt, nt, [&](int m, int n) { return static_cast<unsigned>(m % p * q + n % q); });
}

std::uint64_t conversions(TaskGraph const& graph) {
  std::uint64_t count = 0;
  for (std::uint32_t t = 0; t < graph.task_count(); ++t)
    count += graph.kernel_of(TaskId{t}).name.starts_with("convert_") ? 1 : 0;
  return count;
}

std::int64_t sent_bytes(ApplicationParameters const& p, TileMap const& map, std::size_t nodes) {
  TaskGraph graph = application("cholesky").graph(p, map);
  std::vector<NodeId> owners;
  for (HandleInfo const& h : graph.handles) owners.push_back(h.owner.valid() ? h.owner : map.at(h.m, h.n));
  ExecutionPlan const plan = plan_execution(graph, owners, nodes);
  std::int64_t bytes = 0;
  for_all_messages(graph, plan, [&](TaskId task, std::uint32_t first) {
    bytes += graph.handles[graph.given_to(task, graph.successors[first]).index()].size.value;
  });
  return bytes;
}

/// The largest number of 0 and n.
std::uint64_t at_least_0(int n) { return static_cast<std::uint64_t>(std::max(0, n)); }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a band of double tiles and single ones beyond make the conversions and bytes of closed forms") {
    for (int nt = 1; nt <= 14; ++nt)
      for (int band = 1; band <= nt + 1; ++band) {
        CAPTURE_ALL(nt, band);
        auto const p = with_bands(nt, {{band, {double_}}, {0, {single_}}});
        TaskGraph const graph = application("cholesky").graph(p, block_cyclic_map(nt, 1, 1));
        // Each single tile is read by syrk; a double one at distance d by a gemm that writes a single one if there is a row
        // at least `band` below.
        std::uint64_t const single = at_least_0(nt - band) * at_least_0(nt - band + 1) / 2;
        std::uint64_t expected = single;
        for (int d = 0; d < band; ++d) expected += at_least_0(nt - band - d);
        CHECK(conversions(graph) == expected);
        std::int64_t bytes = 0;
        for (HandleInfo const& h : graph.handles)
          if (!h.temporary) bytes += h.size.value;
        auto const tiles = static_cast<std::int64_t>(nt) * (nt + 1) / 2;
        CHECK(bytes == 100 * 100 * (8 * tiles - 4 * static_cast<std::int64_t>(single)));
        CHECK(static_cast<double>(graph.task_count()) <= application("cholesky").max_tasks(p));
      }
  }

  TEST_CASE("a receiver converts once for each precision that its tasks need") {
    int const nt = 11;
    TileMap const map = block_cyclic_map(nt, 2, 3);
    for (int band = 1; band <= 5; ++band) {
      std::vector<FormatBand> const bands{{band, {double_}}, {0, {single_}}};
      auto const p = with_bands(nt, bands, ConversionPlace::receiver);
      auto const format = [&](int m, int n) { return p.formats->of(m, n).precision; };
      std::set<std::tuple<int, int, Precision, std::uint32_t>> needed;
      for (int k = 0; k < nt; ++k)
        for (int m = k + 1; m < nt; ++m) {
          if (format(m, k) != format(k, k)) needed.emplace(k, k, format(m, k), map.at(m, k).value());
          for (int n = k + 1; n <= m; ++n)
            for (int row : {m, n})
              if (format(row, k) != format(m, n)) needed.emplace(row, k, format(m, n), map.at(m, n).value());
        }
      CHECK(conversions(application("cholesky").graph(p, map)) == needed.size());
    }
  }

  TEST_CASE("the fewest bytes are sent where each node gets copies or the tile") {
    TileMap const map = block_cyclic_map(12, 3, 2);
    for (int band = 1; band <= 6; ++band) {
      CAPTURE(band);
      std::vector<FormatBand> const bands{{band, {double_}}, {band + 2, {single_}}, {0, {half}}};
      auto const bytes = [&](ConversionPlace place) {
        return sent_bytes(with_bands(12, bands, place), map, 6);
      };
      CHECK(bytes(ConversionPlace::fewest_bytes) <= bytes(ConversionPlace::sender));
      CHECK(bytes(ConversionPlace::fewest_bytes) <= bytes(ConversionPlace::receiver));
    }
  }

  TEST_CASE("with all tiles in the precision of the application the graph is the plain one") {
    TileMap const map = block_cyclic_map(7, 2, 2);
    for (char const* const name : {"cholesky", "exageostat"}) {
      auto p = with_bands(7, {{0, {double_}}});
      p.variant = "chameleon";
      TaskGraph const same = application(name).graph(p, map);
      p.formats.reset();
      TaskGraph const plain = application(name).graph(p, map);
      CHECK(same.kernels.size() == plain.kernels.size());
      testing::check_same_tasks(same, plain);
    }
  }

  TEST_CASE("kernels on tiles of low rank have the operations of their sources") {
    double const nb = 100, k = 7;
    auto const p = with_bands(6, {{2, {double_}}, {0, {double_, 7}}});
    std::map<std::string, double> flops;
    for (Kernel const& kernel : application("cholesky").kernels(p)) flops[kernel.name] = kernel.flops.value;
    CHECK(flops.at("trsm_lr7") == nb * nb * k);
    CHECK(flops.at("syrk_lr7") == 2 * nb * nb * k + 4 * nb * k * k);
    CHECK(flops.at("gemm_dense_2lr7") == 2 * nb * nb * k + 4 * nb * k * k);
    CHECK(flops.at("gemm_lr7") == 36 * nb * k * k + 157 * k * k * k);
    CHECK(flops.at("gemm_dense_lr7") == 4 * nb * nb * k);
    CHECK(stored_bytes({single_, 7}, 100, 80) == Bytes{7 * 180 * 4});
  }
}

TEST_SUITE("property") {
  TEST_CASE("formats by tolerance keep the error of the stored covariance below it") {
    int const nt = 6, nb = 36, n = nt * nb;
    for (double const smoothness : {0.5, 1.5})
      for (double const tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
        CAPTURE_ALL(smoothness, tolerance);
        ToleranceRule const rule{
            .tolerance = tolerance,
            .precisions = {double_, single_, half},
            .max_rank = 20,
            .covariance = {.range = 0.1, .smoothness = smoothness, .seed = 5, .samples = nb}};
        std::vector<TileFormat> const formats = formats_by_tolerance(nt, nb, rule);
        std::vector<Location> const at = make_locations(n, 5);
        Eigen::MatrixXd whole(n, n);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            whole(i, j) =
                covariance(rule.covariance, at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
        double error = 0;
        std::size_t tile = 0;
        for (int m = 0; m < nt; ++m)
          for (int k = 0; k <= m; ++k, ++tile) {
            auto const [precision, rank] = formats[tile];
            Eigen::MatrixXd const block = whole.block(m * nb, k * nb, nb, nb);
            Eigen::JacobiSVD<Eigen::MatrixXd> const svd(block);
            double const limit = tolerance * whole.norm() / nt;
            double rest = 0;  // what the rank leaves out
            if (rank > 0) {
              rest = svd.singularValues().tail(nb - rank).norm();
              CHECK(rest <= limit * (1 + 1e-9));
              if (rank > 1) CHECK(svd.singularValues().tail(nb - rank + 1).norm() > limit * (1 - 1e-9));
            }
            double const rounding = unit_roundoff(precision) * block.norm();
            CHECK((precision == double_ || rounding <= limit * (1 + 1e-9)));
            error += (m == k ? 1 : 2) * std::pow(rest + rounding, 2);
          }
        // Both parts of the error of a tile may reach the limit.
        CHECK(std::sqrt(error) <= 2 * tolerance * whole.norm());
      }
  }

  TEST_CASE("samples of a tile give its norm within a tenth") {
    int const nt = 8, nb = 128;
    CovarianceModel exact{.range = 0.1, .seed = 1, .samples = nb},
        sampled{.range = 0.1, .seed = 1, .samples = 32};
    auto const all = tile_spectra(exact, nt, nb, false), some = tile_spectra(sampled, nt, nb, false);
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK(some[i].norm == doctest::Approx(all[i].norm).epsilon(0.1));
  }
}
