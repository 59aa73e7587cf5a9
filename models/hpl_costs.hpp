#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "factosim/platform.hpp"

namespace factosim {

/// What one process of HPL takes on a kind of node, all in seconds unless a name says otherwise.
struct HplMachineCosts {
  /// dgemm of m x k by k x n: call + mnk m n k + mn m n + mk m k + nk n k.
  /// Source: the polynomial model of Cornebize and Legrand, JPDC 2022 (arXiv 2102.07674), section on kernels.
  struct Gemm {
    double call = 0, mnk = 0, mn = 0, mk = 0, nk = 0;
  };
  /// dtrsm of a triangle of order m on n columns: call + mmn m m n.
  struct Trsm {
    double call = 0, mmn = 0;
  };
  /// Factorization of a panel: (m NB^2 - NB^3 / 3) / flops_per_s, and `column` for each of its columns.
  struct Panel {
    double flops_per_s = 0, column = 0;
  };

  Gemm gemm;
  Trsm trsm;
  Panel panel;
  BytesPerSecond memory{};  // of copies: bytes read plus bytes written
  LinkRate local{};         // messages between processes of a node; bandwidth 0: there are none
  std::vector<double>
      factors{};         // of all durations, spread evenly over the processes of these nodes; empty: 1
  double deviation = 0;  // relative, of one update
};

/// A `factosim-hpl-costs` file.
struct HplCosts {
  std::string file;
  bool estimate = false;
  std::string provenance;
  std::map<std::string, HplMachineCosts> machines;  // by node type
};

/// Reads such a file strictly. Throws InputError.
[[nodiscard]] HplCosts read_hpl_costs(std::filesystem::path const& file);

}  // namespace factosim
