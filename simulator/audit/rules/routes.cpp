#include "simulator/audit/rules/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "simulator/base/core/split_mix.hpp"

namespace factosim::audit {

Routes::Routes(Platform const& platform) : platform_(platform) {
  add_network();
  first_memory_.push_back(0);
  for (std::size_t n = 0; n < platform.nodes.size(); ++n) {
    NodeType const& type = platform.types[platform.nodes[n]];
    first_memory_.push_back(first_memory_.back() + type.memory_node_count());
    first_bus_.push_back(static_cast<std::uint32_t>(links_.size()));
    for (LinkSpec const& link : type.bus.links)
      add_link(fmt::format("{} of node {}", link.name, n), link.rate);
  }
}

std::uint32_t Routes::add_link(std::string name, LinkRate rate, bool shared) {
  links_.push_back({std::move(name), rate.bandwidth.value, rate.latency.value, shared});
  return static_cast<std::uint32_t>(links_.size() - 1);
}

void Routes::add_network() {
  NetworkSpec const& network = platform_.network;
  if (network.routes) {  // the first links belong to the routing table
    for (RouteTable::Link const& link : network.routes->links)
      add_link(link.name, {link.bandwidth, {}}, link.shared);
    return;
  }
  for (std::size_t n = 0; n < platform_.nodes.size(); ++n) {
    LinkRate const& nic = platform_.types[platform_.nodes[n]].nic;
    std::uint32_t const cards = platform_.types[platform_.nodes[n]].nics;
    most_cards_ = std::max<std::size_t>(most_cards_, cards);
    first_card_.push_back(up_.size());
    for (std::uint32_t c = 0; c < cards; ++c) {
      up_.push_back(add_link(fmt::format("NIC {} of node {}, out", c, n), nic));
      down_.push_back(add_link(fmt::format("NIC {} of node {}, in", c, n), nic));
    }
  }
  for (Subnet const& s : network.subnets) {
    group_up_.push_back(add_link(fmt::format("uplink of {}, up", s.name), s.uplink));
    group_down_.push_back(add_link(fmt::format("uplink of {}, down", s.name), s.uplink));
  }
  if (auto const* const tree = std::get_if<FatTree>(&network.fabric)) add_tree(*tree);
  if (auto const* const d = std::get_if<Dragonfly>(&network.fabric)) {
    together_ = d->nodes_per_switch;
    add_groups(*d, d->switches, d->switches);
  }
  if (auto const* const d = std::get_if<DragonflyPlus>(&network.fabric)) {
    together_ = d->nodes_per_leaf;
    add_groups(*d, d->leaves, d->leaves + d->spines);
  }
  if (network.backbone.bandwidth.value > 0)
    backbone_ = add_link("backbone", {network.backbone.bandwidth, {}});
}

/// Places of cards: blocks of the nodes of one switch, in each block the first cards, then the second ones.
std::size_t Routes::place(NodeId node, std::size_t card) const {
  std::size_t const block = node.index() / together_, within = node.index() % together_;
  return (block * most_cards_ + card) * together_ + within;
}

std::size_t Routes::places() const {
  std::size_t const nodes = platform_.nodes.size();
  return most_cards_ == 1 ? nodes : (nodes + together_ - 1) / together_ * together_ * most_cards_;
}

void Routes::add_tree(FatTree const& tree) {
  together_ = tree.levels.front().down;
  uncertain_ = tree.routing == Routing::adaptive;
  std::size_t below = 1, copies = 1;
  for (FatTreeLevel const& level : tree.levels) {
    below *= level.down;
    std::size_t const subtrees = (places() + below - 1) / below;
    auto& links = tree_links_.emplace_back();
    for (std::size_t port = 0; port < subtrees * copies * level.up * level.parallel; ++port)
      links.push_back(
          {add_link(fmt::format("link up {} of level {}", port, tree_links_.size()), level.uplink),
           add_link(fmt::format("link down {} of level {}", port, tree_links_.size()), level.uplink)});
    copies *= level.up;
  }
}

/// Goes up switch by switch, as the levels' rule says, until the receiver is below, and notes the way down.
bool Routes::through_tree(FatTree const& tree, std::size_t a, std::size_t b,
                          std::vector<std::uint32_t>& links, double& least_s) const {
  std::vector<std::uint32_t> downwards;
  std::size_t copy = 0, copies = 1, quotient = b;
  for (std::size_t l = 0; l < tree.levels.size(); ++l) {
    FatTreeLevel const& level = tree.levels[l];
    a /= level.down;
    b /= level.down;
    if (a == b) break;
    std::size_t const ports = std::size_t{level.up} * level.parallel, port = quotient % ports;
    links.push_back(tree_links_[l][(a * copies + copy) * ports + port].first);
    downwards.push_back(tree_links_[l][(b * copies + copy) * ports + port].second);
    least_s += 2 * level.uplink.latency.value;
    copy += copies * (port % level.up);
    copies *= level.up;
    quotient /= level.up;
  }
  links.insert(links.end(), downwards.rbegin(), downwards.rend());
  return links.size() == 2 * tree.levels.size();
}

/// Each group has `leaves`, which have the nodes, and then, up to the number of its `switches`, spines, each with links to all
/// leaves; without spines the leaves have links to each other. The last kind has the links to other groups.
template <class Groups>
void Routes::add_groups(Groups const& d, std::size_t leaves, std::size_t switches) {
  uncertain_ = d.routing == Routing::adaptive;
  leaves_ = leaves;
  switches_ = switches;
  std::size_t const in_group = leaves * together_;
  groups_ = d.groups > 0 ? d.groups : (places() + in_group - 1) / in_group;
  auto const add = [&](std::size_t from, std::size_t to, std::size_t number, LinkRate rate) {
    switch_links_[{from, to, number}] =
        add_link(fmt::format("link {} from switch {} to switch {}", number, from, to), rate);
  };
  std::size_t const first_end = has_spines() ? leaves : 0, ends = switches - first_end;
  for (std::size_t i = 0; i < groups_; ++i) {
    for (std::size_t a = i * switches; a < (i + 1) * switches; ++a)
      for (std::size_t b = i * switches; b < (i + 1) * switches; ++b)
        if (has_spines() ? is_leaf(a) != is_leaf(b) : a != b) add(a, b, 0, d.local);
    for (std::size_t j = 0; j < groups_; ++j)
      for (std::size_t l = 0; i != j && l < d.global_links; ++l) {
        // Ends of link l: its number and the other group choose the switch.
        std::size_t const out = i * switches + first_end + (j + l * groups_) % ends;
        std::size_t const in = j * switches + first_end + (i + l * groups_) % ends;
        add(out, in, l + 1, d.global);
        global_ends_[{i, j, l}] = {out, in};
      }
  }
}

/// Returns the groups on the route from group a, and the number of the links between them.
template <class Groups>
std::pair<std::vector<std::size_t>, std::size_t> Routes::groups_between(Groups const& d, std::size_t from,
                                                                        std::size_t to, std::size_t a,
                                                                        std::size_t b) const {
  if (d.routing != Routing::valiant || groups_ < 3) return {{b}, to % d.global_links};
  std::uint64_t const drawn = split_mix(split_mix(std::uint64_t{from} << 32 | to));
  std::vector<std::size_t> others;
  for (std::size_t g = 0; g < groups_; ++g)
    if (g != a && g != b) others.push_back(g);
  return {{others[(drawn >> 32) % others.size()], b}, static_cast<std::uint32_t>(drawn) % d.global_links};
}

/// Two leaves are joined by the spine that the receiver's place chooses, two spines by the leaf that the sender's chooses.
template <class Groups>
bool Routes::through_groups(Groups const& d, std::size_t from, std::size_t to,
                            std::vector<std::uint32_t>& links, double& least_s) const {
  auto const switch_of = [&](std::size_t place) {
    std::size_t const leaf = place / together_;
    return leaf / leaves_ * switches_ + leaf % leaves_;
  };
  std::size_t at = switch_of(from);
  std::size_t const last = switch_of(to), a = at / switches_, b = last / switches_;
  if (a != b) least_s += d.global.latency.value;
  if (at != last && (has_spines() || a == b)) least_s += (has_spines() ? 2 : 1) * d.local.latency.value;
  auto const step = [&](std::size_t next, std::size_t number) {
    if (at != next) links.push_back(switch_links_.at({at, next, number}));
    at = next;
  };
  auto const go = [&](std::size_t next) {  // within the group
    if (std::size_t const first = at / switches_ * switches_;
        has_spines() && at != next && is_leaf(at) == is_leaf(next))
      step(is_leaf(at) ? first + leaves_ + to % (switches_ - leaves_) : first + from % leaves_, 0);
    step(next, 0);
  };
  if (a != b) {
    auto const [stops, l] = groups_between(d, from, to, a, b);
    for (std::size_t const next : stops) {
      auto const [out, in] = global_ends_.at({at / switches_, next, l});
      go(out);
      step(in, l + 1);
    }
  }
  go(last);
  return a != b;
}

std::vector<std::uint32_t> Routes::to_card(NodeType const& type, std::size_t memory, std::size_t card,
                                           bool leaves) {
  auto const& described = type.bus.card_routes;
  if (card < described.size() && memory < described[card].size()) {
    auto const& links = leaves ? described[card][memory].out : described[card][memory].in;
    if (!links.empty()) return links;
  }
  std::size_t const memories = type.memory_node_count();
  if (memory < type.ram_count() || type.is_disk(memory)) return {};
  std::vector<std::uint32_t> links = type.bus.routes[leaves ? memory * memories : memory];
  auto const beyond = to_card(type, 0, card, leaves);
  links.insert(leaves ? links.end() : links.begin(), beyond.begin(), beyond.end());
  return links;
}

std::size_t Routes::card(NodeId node, std::size_t memory, std::size_t number, bool leaves) const {
  NodeType const& type = platform_.type_of(node);
  std::map<std::size_t, std::vector<std::size_t>> by_length;
  for (std::size_t c = 0; c < type.nics; ++c) by_length[to_card(type, memory, c, leaves).size()].push_back(c);
  auto const& nearest = by_length.begin()->second;
  return nearest[number % nearest.size()];
}

double Routes::message_weight() const {
  bool shared = platform_.network.gpu_direct != GpuDirect::none;
  double latencies_s = 0, routes = 0;
  for (NodeType const& type : platform_.types) {
    for (std::size_t c = 0; c < type.nics; ++c) shared = shared || !to_card(type, 0, c, true).empty();
    std::size_t const memories = type.memory_node_count();
    for (std::size_t m = type.ram_count(); m < memories && !type.is_disk(m); ++m)
      for (auto const& route : {type.bus.routes[m], type.bus.routes[m * memories]}) {
        for (std::uint32_t const link : route) latencies_s += type.bus.links[link].rate.latency.value;
        ++routes;
      }
  }
  return shared && latencies_s > 0 ? routes / latencies_s : 1;
}

std::size_t Routes::arrival(NodeId from, NodeId to, std::size_t memory) const {
  if (platform_.network.gpu_direct != GpuDirect::both) return 0;
  NodeType const& type = platform_.type_of(to);
  std::size_t const in = card(from, memory, to.index(), true) % type.nics;
  std::map<std::size_t, std::vector<std::size_t>> gpus;  // by length
  for (std::size_t m = type.ram_count(); m < type.memory_node_count() && !type.is_disk(m); ++m)
    gpus[to_card(type, m, in, false).size()].push_back(m);
  if (gpus.empty() || gpus.begin()->first > to_card(type, 0, in, false).size()) return 0;
  return gpus.begin()->second[in % gpus.begin()->second.size()];
}

std::int64_t Routes::group(NodeId node) const {
  auto const& subnets = platform_.network.subnets;
  auto const found = std::ranges::find(subnets, platform_.type_of(node).subnet, &Subnet::name);
  return found == subnets.end() ? -1 : found - subnets.begin();
}

Routes::Route Routes::route_over(std::vector<std::uint32_t> links, double further_latency_s) const {
  Route out{std::move(links), further_latency_s, std::numeric_limits<double>::infinity()};
  for (std::uint32_t const link : out.links) {
    auto const crossings =
        links_[link].shared ? static_cast<double>(std::count(out.links.begin(), out.links.end(), link)) : 1.0;
    out.latency_s += links_[link].latency_s;
    out.bandwidth_Bps = std::min(out.bandwidth_Bps, links_[link].bandwidth_Bps / crossings);
  }
  return out;
}

Routes::Route Routes::inside(NodeId node, std::size_t from, std::size_t to) const {
  NodeType const& type = platform_.type_of(node);
  std::size_t const memories = type.memory_node_count();
  if (from == to || from >= memories || to >= memories || type.bus.routes.size() != memories * memories)
    return {};
  std::vector<std::uint32_t> links;
  for (std::uint32_t const link : type.bus.routes[from * memories + to])
    links.push_back(first_bus_[node.index()] + link);
  return route_over(std::move(links), 0);
}

Routes::Route Routes::between(NodeId from, NodeId to, std::size_t memory, std::size_t to_memory) const {
  NetworkSpec const& network = platform_.network;
  if (network.routes) {
    std::uint32_t const route = network.routes->route_between(from.index(), to.index());
    auto const links = network.routes->links_of(route);
    return route_over({links.begin(), links.end()}, network.routes->latency[route].value);
  }
  std::size_t const card_out = card(from, memory, to.index(), true);
  std::size_t const number = network.gpu_direct != GpuDirect::none ? card_out : from.index();
  std::size_t const card_in = card(to, to_memory, number, false);
  CardRoute outside = over_cards(from, card_out, to, card_in, uncertain_);
  Route route = route_over(outside.links, outside.further_s);
  double const latency_s = route.latency_s;  // links inside the nodes add none
  for (auto const& [node, memory_of, used, leaves] :
       {std::tuple(from, memory, card_out, true), std::tuple(to, to_memory, card_in, false)})
    for (std::uint32_t const link : to_card(platform_.type_of(node), memory_of, used, leaves))
      outside.links.push_back(first_bus_[node.index()] + link);
  if (outside.links.size() > route.links.size()) route = route_over(std::move(outside.links), 0);
  route.latency_s = latency_s;
  return route;
}

bool Routes::near_all_cards(NodeId node) const {
  NodeType const& type = platform_.type_of(node);
  for (std::size_t m = 0; m < type.memory_node_count(); ++m)
    for (std::size_t c = 0; c < type.nics; ++c)
      for (bool const leaves : {true, false})
        if ((m == 0 || m >= type.ram_count()) &&
            to_card(type, m, c, leaves).size() != to_card(type, m, 0, leaves).size())
          return false;
  return true;
}

double Routes::least_s(NodeId from, NodeId to, double bytes) const {
  if (platform_.network.gpu_direct == GpuDirect::none) {
    Route const route = between(from, to);
    return route.latency_s + bytes / route.bandwidth_Bps;
  }
  bool const known_out = near_all_cards(from), known_in = known_out && near_all_cards(to);
  NodeType const &a = platform_.type_of(from), &b = platform_.type_of(to);
  std::size_t const first_out = known_out ? to.index() % a.nics : 0,
                    first_in = known_in ? first_out % b.nics : 0;
  bool const has_fabric = !std::holds_alternative<std::monostate>(platform_.network.fabric);
  bool const any_path = has_fabric && (uncertain_ || !known_in);
  double least = std::numeric_limits<double>::infinity(), widest = 0;
  for (std::size_t out = first_out; out < (known_out ? first_out + 1 : a.nics); ++out)
    for (std::size_t in = first_in; in < (known_in ? first_in + 1 : b.nics); ++in) {
      CardRoute const outside = over_cards(from, out, to, in, any_path);
      Route const route = route_over(outside.links, outside.further_s);
      least = std::min(least, route.latency_s);
      widest = std::max(widest, route.bandwidth_Bps);
    }
  return least + bytes / widest;
}

Routes::CardRoute Routes::over_cards(NodeId from, std::size_t card_out, NodeId to, std::size_t card_in,
                                     bool any_path) const {
  NetworkSpec const& network = platform_.network;
  CardRoute out{.links = {up_[first_card_[from.index()] + card_out]}};
  auto& [links, further_s, over_core] = out;
  if (std::holds_alternative<std::monostate>(network.fabric)) {
    std::int64_t const a = group(from), b = group(to);
    over_core = a < 0 || b < 0 || a != b;
    if (over_core && a >= 0) links.push_back(group_up_[static_cast<std::size_t>(a)]);
    if (over_core && b >= 0) links.push_back(group_down_[static_cast<std::size_t>(b)]);
  } else {
    std::vector<std::uint32_t> between;
    std::size_t const sender = place(from, card_out), receiver = place(to, card_in);
    if (auto const* const tree = std::get_if<FatTree>(&network.fabric))
      over_core = through_tree(*tree, sender, receiver, between, further_s);
    else if (auto const* const d = std::get_if<Dragonfly>(&network.fabric))
      over_core = through_groups(*d, sender, receiver, between, further_s);
    else
      over_core =
          through_groups(std::get<DragonflyPlus>(network.fabric), sender, receiver, between, further_s);
    if (!any_path) {
      links.insert(links.end(), between.begin(), between.end());
      further_s = 0;
    }
  }
  if (over_core && backbone_ >= 0) links.push_back(static_cast<std::uint32_t>(backbone_));
  links.push_back(down_[first_card_[to.index()] + card_in]);
  if (over_core) further_s += network.backbone.latency.value;
  return out;
}

}  // namespace factosim::audit
