// The importer on real files, and the constants of StarPU on which it depends.

#include "models/starpu_perfmodel.hpp"
#include "models/starpu_symbol.hpp"
#include "tests/prelude.hpp"

namespace factosim {

TEST_SUITE("published") {
  TEST_CASE("StarPU perfmodels: footprints of one and two and three square tiles") {
    CHECK(square_footprint(1, 960) == 0x617e5fe6);
    CHECK(square_footprint(2, 960) == 0xff82dda0);
    CHECK(square_footprint(3, 960) == 0x24c84a50);
    CHECK(square_footprint(1, 320) == 0xcea37d6d);
    CHECK(square_footprint(3, 640) == 0xf0ac7beb);
    CHECK(square_footprint(2, 1440) == 0x0e8bce2b);
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("edited values in StarPU's files of mirage are found") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("FACTOSIM_DATA is not set: skipped");
      return;
    }
    auto const import = read_starpu_models({*data / "perfmodels/starpu-master/mirage"}, {});
    int edited = 0;
    int other_shapes = 0;
    for (Finding const& finding : import.findings) {
      edited += testing::contains(finding.message, "do not follow from the sums") ? 1 : 0;
      other_shapes += finding.message.ends_with("left out") ? 1 : 0;
    }
    CHECK(edited == 4);         // the four kernels of Cholesky: tile 32, and all of syrk
    CHECK(other_shapes == 11);  // of the two gemm examples
    CHECK(import.findings.size() == 15);
  }

  TEST_CASE("an import agrees with an independent table of the same files") {
    auto const data = testing::real_data();
    if (!data) {
      MESSAGE("FACTOSIM_DATA is not set: skipped");
      return;
    }
    auto const import = read_starpu_models({*data / "perfmodels/starpu-master/attila"}, {});
    std::ifstream table(*data / "kernels_public.csv");
    int compared = 0;
    for (std::string line; std::getline(table, line);) {
      std::vector<std::string> cells;
      std::istringstream in(line);
      for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
      // source,machine,app,kernel,arch,impl,tile,mean_us,...
      if (cells.size() < 8 || cells[0] != "starpu-master" || cells[1] != "attila" || cells[6].empty())
        continue;
      bool const cholesky = cells[2] == "chol";
      if (!cholesky && cells[2] != "dlu" && cells[2] != "slu") continue;
      CAPTURE(line);
      auto const duration = import.model.duration(
          cells[3], cholesky ? "cholesky" : "lu", cells[2] == "dlu" ? Precision::double_ : Precision::single_,
          cells[4] == "cpu0" ? "cpu" : cells[4], std::stoi(cells[6]), {0});
      REQUIRE(duration.has_value());
      CHECK(duration->value == doctest::Approx(std::stod(cells[7]) * 1e-6).epsilon(1e-12));
      ++compared;
    }
    // 4 kernels of Cholesky and 2 x 4 of LU, 3 tiles, 4 workers.
    CHECK(compared == 12 * 3 * 4);
  }
}

}  // namespace factosim
