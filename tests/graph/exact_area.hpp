#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/area_bound.hpp"

namespace factosim::testing {

using Exact = boost::multiprecision::cpp_rational;

/// Maximises the objective subject to rows x <= limits, x >= 0, by Bland's rule in rational numbers.
inline Exact exact_maximum(std::vector<std::vector<Exact>> rows, std::vector<Exact> objective) {
  // Each row: coefficients, then its limit. The objective: coefficients, then minus its value.
  std::vector<std::size_t> row_name(rows.size()), column_name(objective.size() - 1);
  std::iota(column_name.begin(), column_name.end(), std::size_t{0});
  std::iota(row_name.begin(), row_name.end(), column_name.size());
  while (true) {
    std::size_t entering = column_name.size(), leaving = rows.size();
    for (std::size_t j = 0; j < column_name.size(); ++j)
      if (objective[j] > 0 && (entering == column_name.size() || column_name[j] < column_name[entering]))
        entering = j;
    if (entering == column_name.size()) return -objective.back();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][entering] <= 0) continue;
      if (leaving < rows.size()) {
        Exact const a = rows[i].back() * rows[leaving][entering],
                    b = rows[leaving].back() * rows[i][entering];
        if (a > b || (a == b && row_name[i] > row_name[leaving])) continue;
      }
      leaving = i;
    }
    FACTOSIM_ALWAYS(leaving < rows.size(), "a bounded program");
    auto& pivots = rows[leaving];
    Exact const pivot = pivots[entering];
    pivots[entering] = 1;
    for (Exact& a : pivots) a /= pivot;
    auto const eliminate = [&](std::vector<Exact>& row) {
      Exact const factor = row[entering];
      row[entering] = 0;
      if (factor != 0)
        for (std::size_t j = 0; j < row.size(); ++j) row[j] -= factor * pivots[j];
    };
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != leaving) eliminate(rows[i]);
    eliminate(objective);
    std::swap(row_name[leaving], column_name[entering]);
  }
}

/// The area bound, by its dual program: prices w of the classes' time, which sum to 1 over all workers, and values y <= d w of the tasks.
inline double exact_area_bound(std::vector<std::uint64_t> const& tasks,
                               std::vector<WorkerClass> const& classes) {
  std::size_t const kernels = tasks.size(), columns = kernels + classes.size();
  std::vector<std::vector<Exact>> rows;
  std::vector<Exact> objective(columns + 1, 0), price(columns + 1, 0);
  for (std::size_t k = 0; k < kernels; ++k) {
    objective[k] = tasks[k];
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (std::isinf(classes[i].durations[k])) continue;
      auto& row = rows.emplace_back(columns + 1, 0);
      row[k] = 1;
      row[kernels + i] = -Exact(classes[i].durations[k]);
    }
  }
  for (std::size_t i = 0; i < classes.size(); ++i) price[kernels + i] = classes[i].count;
  price[columns] = 1;
  rows.push_back(price);
  return exact_maximum(std::move(rows), std::move(objective)).convert_to<double>();
}

}  // namespace factosim::testing
