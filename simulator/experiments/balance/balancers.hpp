#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulator/experiments/balance/balancer.hpp"
#include "simulator/experiments/balance/static_optimum.hpp"

namespace factosim {

/// The type of a balancer and its options. Options that the type does not have are ignored.
struct BalancerOptions {
  std::string type = "plb-hac";
  double first_block = 0.0005;  // hdss, plb-hac: of all chunks, for each worker
  double fixed_block = 0.001;   // greedy: of all chunks
  std::int64_t min_block = 1;   // guided, hdss: chunks
  int steps = 20;               // plb-hac: of its main phase
};

/// What a balancer is made for.
struct BalancerRequest {
  BalancerOptions const& options;
  std::size_t workers;
  std::int64_t chunks;
  StaticOptimum const& optimum;  // the plan that "static" follows

  /// Returns that part of all chunks, at least one.
  [[nodiscard]] std::int64_t part(double fraction) const {
    return std::max<std::int64_t>(1, std::llround(fraction * static_cast<double>(chunks)));
  }
};

/// A balancer as its file states it; balancers.cpp lists all of them.
struct BalancerEntry {
  char const* name;
  std::unique_ptr<Balancer> (*make)(BalancerRequest const&);
};

/// `BalancerEntry::make` of a class.
template <class Class>
std::unique_ptr<Balancer> made_balancer(BalancerRequest const& request) {
  return std::make_unique<Class>(request);
}

/// "greedy", "guided", "hdss", "plb-hac", "static".
[[nodiscard]] std::vector<std::string> balancer_names();

/// Throws std::out_of_range for a type that is not listed.
[[nodiscard]] std::unique_ptr<Balancer> make_balancer(BalancerOptions const& options, std::size_t workers,
                                                      std::int64_t chunks, StaticOptimum const& optimum);

}  // namespace factosim
