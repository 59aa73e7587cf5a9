// Precision and rank by tile: counts of conversions and bytes against closed forms, formats of a covariance against
// its dense matrix.

#include <Eigen/SVD>

#include "models/applications/application.hpp"
#include "models/applications/cholesky_formats.hpp"
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

}  // namespace

TEST_SUITE("unit") {
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
