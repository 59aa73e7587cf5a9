// Balancers on random machines: how far from the optimum they end.

#include "tests/loops/loop_setups.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

constexpr std::uint32_t setups = 100;

struct Ratios {
  double mean = 0, worst = 0;
  std::uint32_t worst_seed = 0;
};

Ratios ratios_of(std::string const& balancer) {
  Ratios out;
  for (std::uint32_t seed = 1; seed <= setups; ++seed) {
    testing::LoopSetup const setup = testing::random_setup(seed);
    double const ratio = setup.run(balancer).makespan / setup.optimum().makespan;
    out.mean += ratio / setups;
    if (ratio > out.worst) out.worst = ratio, out.worst_seed = seed;
  }
  return out;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE(
      "on 100 random sets of machines PLB-HAC stays within 1.3 times the optimum and beats the others") {
    Ratios const plb_hac = ratios_of("plb-hac");
    MESSAGE(fmt::format("PLB-HAC: mean {:.4f}, worst {:.4f} (seed {})", plb_hac.mean, plb_hac.worst,
                        plb_hac.worst_seed));
    CHECK(plb_hac.worst <= 1.3);
    CHECK(plb_hac.mean <= 1.1);
    for (std::string const other : {"hdss", "greedy", "guided"}) {
      Ratios const ratios = ratios_of(other);
      MESSAGE(fmt::format("{}: mean {:.4f}, worst {:.4f} (seed {})", other, ratios.mean, ratios.worst,
                          ratios.worst_seed));
      CHECK(plb_hac.mean < ratios.mean);
      CHECK(plb_hac.worst < ratios.worst);
    }
  }
}
