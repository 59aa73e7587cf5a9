#include "simulator/experiments/balance/balancers.hpp"

#include <array>
#include <stdexcept>

#include "simulator/base/core/named_values.hpp"

/// To add a balancer: write its file in this folder, which defines `BalancerEntry NAME_balancer()`, and add its line here.
#define FACTOSIM_BALANCERS(add) add(greedy) add(guided) add(hdss) add(plb_hac) add(static)

namespace factosim {

#define FACTOSIM_DECLARE(name) BalancerEntry name##_balancer();
FACTOSIM_BALANCERS(FACTOSIM_DECLARE)
#undef FACTOSIM_DECLARE

namespace {

auto const& entries() {
#define FACTOSIM_MAKE(name) name##_balancer(),
  static std::array const all{FACTOSIM_BALANCERS(FACTOSIM_MAKE)};
#undef FACTOSIM_MAKE
  return all;
}

}  // namespace

std::string_view name_of(BalancePhase phase) {
  constexpr std::array<std::string_view, balance_phase_count> names{"initial", "main", "gap", "final"};
  return names[static_cast<std::size_t>(phase)];
}

std::vector<std::string> balancer_names() { return names_of(entries()); }

std::unique_ptr<Balancer> make_balancer(BalancerOptions const& options, std::size_t workers,
                                        std::int64_t chunks, StaticOptimum const& optimum) {
  for (BalancerEntry const& entry : entries())
    if (options.type == entry.name) return entry.make({options, workers, chunks, optimum});
  throw std::out_of_range("unknown balancer " + options.type);
}

}  // namespace factosim
