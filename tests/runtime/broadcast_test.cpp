#include "simulator/tasks/plan/broadcast.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

using ForwardingTree = std::vector<std::optional<std::size_t>>;
constexpr std::nullopt_t by_owner = std::nullopt;

/// Returns the number of rounds until the last receiver has the data, if a node sends one message per round.
std::uint32_t rounds(ForwardingTree const& parent) {
  std::vector<std::uint32_t> has_it_after(parent.size(), 0), sent(parent.size() + 1, 0);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    std::uint32_t& by_sender = sent[parent[i].value_or(parent.size())];
    std::uint32_t const start = (parent[i] ? has_it_after[*parent[i]] : 0) + by_sender++;
    has_it_after[i] = start + 1;
    last = std::max(last, has_it_after[i]);
  }
  return last;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the owner sends to all point to point and in a ring to the first only") {
    CHECK(forwarding_tree(Broadcast::point_to_point, 3) == ForwardingTree{by_owner, by_owner, by_owner});
    CHECK(forwarding_tree(Broadcast::ring, 3) == ForwardingTree{by_owner, 0, 1});
  }

  TEST_CASE("a binomial tree needs as many rounds as doubling does") {
    CHECK(forwarding_tree(Broadcast::binomial, 7) ==
          ForwardingTree{by_owner, by_owner, 0, by_owner, 0, 1, 2});
    for (std::uint32_t receivers = 1; receivers < 200; ++receivers) {
      std::uint32_t doublings = 0;
      while ((1U << doublings) < receivers + 1) ++doublings;
      CHECK(rounds(forwarding_tree(Broadcast::binomial, receivers)) == doublings);
    }
  }

  TEST_CASE("names of broadcasts are read back") {
    auto const names = names_of(Broadcast{});
    for (std::string const& name : names.names()) CHECK(name_of(names.named(name)) == name);
    CHECK_THROWS((void)names.named("multicast"));
  }
}
