#pragma once

#include "models/starpu_perfmodel.hpp"
#include "models/starpu_symbol.hpp"
#include "tests/prelude.hpp"

namespace factosim::testing {

/// An entry on square tiles whose sums agree with its mean and deviation.
inline std::string entry(int tiles, int nb, int element, double mean_us, long n = 100,
                         double deviation_us = 1) {
  double const sum = mean_us * static_cast<double>(n);
  return fmt::format("{:08x}\t{}\t{:e}\t{:.6e}\t{:.6e}\t{:.6e}\t{:.6e}\t{}\n", square_footprint(tiles, nb),
                     tiles * nb * nb * element, 0.0, mean_us, deviation_us, sum,
                     (mean_us * mean_us + deviation_us * deviation_us) * static_cast<double>(n), n);
}

inline constexpr std::string_view no_regression =
    "# sumlnx ...\n0 0 0 0 nan nan 0 0 0\n# a b c\nnan nan nan\n# not multiple-regression-base\n0\n";

inline std::string combination(int type, int id, std::vector<std::string> const& entries, int cores = 1) {
  std::string text = fmt::format("####\n# COMB_0\n1\n# DEV_0\n{}\n{}\n{}\n1\n# Model\n{}\n", type, id, cores,
                                 entries.size());
  text += no_regression;
  for (std::string const& e : entries) text += e;
  return text + "\n";
}

inline std::string model_file(std::vector<std::string> const& combinations) {
  std::string text = fmt::format("##################\n# Performance Model Version\n45\n\n# COMBs\n{}\n",
                                 combinations.size());
  for (std::string const& c : combinations) text += c;
  return text;
}

/// A folder of performance models.
struct ModelFolder {
  TemporaryFolder folder;

  StarpuImport read(StarpuImportOptions const& options = {}) const {
    return read_starpu_models({folder.path()}, options);
  }
  StarpuImport read_one(std::string const& symbol, std::string const& text,
                        DeviceModels const& devices = {}) const {
    folder.write(symbol + ".host", text);
    return read({.host = "", .machine = "", .provenance = "", .devices = devices});
  }
};

}  // namespace factosim::testing
