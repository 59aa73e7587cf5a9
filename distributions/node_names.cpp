#include "distributions/node_names.hpp"

namespace factosim {

namespace {

bool equal(NodeCosts const& a, NodeCosts const& b) {
  return a.area == b.area && a.alone == b.alone && a.message == b.message && a.bus == b.bus;
}

}  // namespace

NodeNames::NodeNames(FactorizationCosts const& costs, Factorization factorization)
    : lower_only_(factorization == Factorization::cholesky) {
  for (NodeCosts const& node : costs.nodes) {
    std::uint32_t kind = 0;
    while (!equal(costs.nodes[kind], node)) ++kind;
    kind_of_.push_back(kind);
  }
}

std::vector<NodeId> NodeNames::without_names(TileMap const& map) const {
  auto const nodes = static_cast<std::uint32_t>(kind_of_.size());
  std::vector<NodeId> name(nodes);
  std::vector<std::uint32_t> named(nodes, 0);  // [kinds]
  std::vector<NodeId> out;
  out.reserve(map.owner.size());
  for (int m = 0; m < map.mt; ++m)
    for (int n = 0; n < (lower_only_ ? m + 1 : map.nt); ++n) {
      std::size_t const node = map.at(m, n).index();
      std::uint32_t const kind = kind_of_[node];
      if (!name[node].valid()) name[node] = NodeId{kind * nodes + named[kind]++};
      out.push_back(name[node]);
    }
  return out;
}

}  // namespace factosim
