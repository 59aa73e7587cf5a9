#include "models/applications/task_counts.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace factosim {

namespace {

double lu(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * (n + 1) * (2 * n + 1) / 6;
}

double cholesky(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * (n + 1) * (n + 2) / 6;
}

double qr(ApplicationParameters const& p) {
  double const n = p.nt;
  return p.tree == "flat" ? lu(p) : n * (n + 1) * (4 * n - 1) / 6;
}

double gemm(ApplicationParameters const& p) {
  double const n = p.nt;
  return n * n * (n + 2);
}

double exageostat(ApplicationParameters const& p) {
  double const n = p.nt;
  double const generation = n * (n + 1) / 2,
               solve = n * (n - 1);  // as if each tile of a row had its own owner
  double const vectors = 3 * n;      // mdet, trsv, dot
  return p.exageostat.iterations * (generation + cholesky(p) + solve + vectors);
}

struct Entry {
  std::string_view application;
  double (*count)(ApplicationParameters const&);
};
constexpr std::array entries{Entry{"lu", lu}, Entry{"cholesky", cholesky}, Entry{"qr", qr},
                             Entry{"gemm", gemm}, Entry{"exageostat", exageostat}};

}  // namespace

double max_tasks(std::string_view application, ApplicationParameters const& parameters) {
  for (Entry const& entry : entries)
    if (entry.application == application) return entry.count(parameters);
  throw std::out_of_range("no count of the tasks of " + std::string(application));
}

}  // namespace factosim
