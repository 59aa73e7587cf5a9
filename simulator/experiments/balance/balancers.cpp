#include "simulator/experiments/balance/balancers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "simulator/base/core/named_values.hpp"
#include "simulator/experiments/balance/greedy.hpp"
#include "simulator/experiments/balance/guided.hpp"

namespace factosim {

namespace {

using Make = std::unique_ptr<Balancer> (*)(BalancerOptions const&, std::size_t, std::int64_t,
                                           StaticOptimum const&);

struct Entry {
  char const* name;
  Make make;
};

constexpr std::array entries{
    Entry{"greedy",
          [](BalancerOptions const& o, std::size_t, std::int64_t chunks,
             StaticOptimum const&) -> std::unique_ptr<Balancer> {
            return std::make_unique<Greedy>(
                std::max<std::int64_t>(1, std::llround(o.fixed_block * static_cast<double>(chunks))));
          }},
    Entry{"guided",
          [](BalancerOptions const& o, std::size_t, std::int64_t, StaticOptimum const&)
              -> std::unique_ptr<Balancer> { return std::make_unique<Guided>(o.min_block); }},
    Entry{"hdss",
          [](BalancerOptions const& o, std::size_t workers, std::int64_t chunks,
             StaticOptimum const&) -> std::unique_ptr<Balancer> {
            return std::make_unique<Hdss>(HdssOptions{.first_block = o.first_block, .min_block = o.min_block},
                                          workers, chunks);
          }},
    Entry{"plb-hac",
          [](BalancerOptions const& o, std::size_t workers, std::int64_t chunks,
             StaticOptimum const&) -> std::unique_ptr<Balancer> {
            return std::make_unique<PlbHac>(PlbHacOptions{.first_block = o.first_block, .steps = o.steps},
                                            workers, chunks);
          }},
    Entry{"static",
          [](BalancerOptions const&, std::size_t, std::int64_t, StaticOptimum const& optimum)
              -> std::unique_ptr<Balancer> { return std::make_unique<StaticBalancer>(optimum.blocks); }},
};

}  // namespace

std::string_view name_of(BalancePhase phase) {
  constexpr std::array<std::string_view, balance_phase_count> names{"initial", "main", "gap", "final"};
  return names[static_cast<std::size_t>(phase)];
}

std::vector<std::string> balancer_names() { return names_of(entries); }

std::unique_ptr<Balancer> make_balancer(BalancerOptions const& options, std::size_t workers,
                                        std::int64_t chunks, StaticOptimum const& optimum) {
  for (Entry const& entry : entries)
    if (options.type == entry.name) return entry.make(options, workers, chunks, optimum);
  throw std::out_of_range("unknown balancer " + options.type);
}

}  // namespace factosim
