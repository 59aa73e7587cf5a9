#include "platforms/fabric_routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/base/core/split_mix.hpp"

namespace factosim {

namespace {

constexpr std::uint64_t random_candidates = 3;

std::uint64_t mixed(std::uint32_t from, std::uint32_t to, std::uint64_t seed) {
  return split_mix(split_mix(std::uint64_t{from} << 32 | to) ^ seed);
}

/// A path is the number that takes the place of the destination in D-mod-k routing.
class FatTreeRoutes final : public FabricRoutes {
 public:
  FatTreeRoutes(FatTree const& tree, std::size_t cards, AddLink const& add_link) {
    std::uint64_t leaves = 1, switches = 1;
    for (std::size_t l = 0; l < tree.levels.size(); ++l) {
      FatTreeLevel const& level = tree.levels[l];
      leaves *= level.down;
      std::uint32_t const ports = level.up * level.parallel;
      std::uint32_t first = UINT32_MAX;
      std::uint64_t const subtrees = (cards + leaves - 1) / leaves;
      for (std::uint64_t s = 0; s < subtrees * switches; ++s)
        for (std::uint32_t u = 0; u < ports; ++u) {
          std::string const name = l == 0 ? fmt::format("leaf{}", s) : fmt::format("level{}.{}", l + 1, s);
          first = std::min(first, add_link(fmt::format("{}:up{}", name, u), level.uplink));
          add_link(fmt::format("{}:down{}", name, u), level.uplink);
        }
      levels_.push_back({leaves, switches, ports, level.uplink.latency, first});
      switches *= level.up;
    }
  }

  [[nodiscard]] bool crosses_core(std::uint32_t from, std::uint32_t to) const override {
    return from / levels_.back().cards != to / levels_.back().cards;
  }
  [[nodiscard]] std::uint32_t static_path(std::uint32_t /*from*/, std::uint32_t to) const override {
    return to;
  }
  void candidates(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                  std::vector<std::uint32_t>& paths) const override {
    paths.assign(1, to);
    if (from / levels_.front().cards == to / levels_.front().cards) return;
    for (std::uint64_t i = 0; i < random_candidates; ++i)
      paths.push_back(static_cast<std::uint32_t>(mixed(from, to, seed + i) >> 40));
  }
  [[nodiscard]] double cost(std::uint32_t /*path*/) const override { return 1; }
  void up(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    for (std::size_t l = 0; l < turn(from, to); ++l) out.add(link(l, from, path));
  }
  void down(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    for (std::size_t l = turn(from, to); l-- > 0;) out.add(link(l, to, path) + 1);
  }
  [[nodiscard]] Seconds least_latency(std::uint32_t from, std::uint32_t to) const override {
    Seconds out{0};
    for (std::size_t l = 0; l < turn(from, to); ++l) out += 2 * levels_[l].latency;
    return out;
  }

 private:
  struct Level {
    std::uint64_t cards;     // in a subtree
    std::uint64_t switches;  // in a subtree
    std::uint32_t ports;     // upwards, of a switch
    Seconds latency;         // of a link
    std::uint32_t first;     // link up of the first port of the first switch; the links down follow each
  };

  /// Returns the number of levels up to which the two are in different subtrees.
  [[nodiscard]] std::size_t turn(std::uint32_t from, std::uint32_t to) const {
    std::size_t l = 0;
    while (l < levels_.size() && from / levels_[l].cards != to / levels_[l].cards) ++l;
    return l;
  }
  /// Returns the link up from the subtree of a card.
  [[nodiscard]] std::uint32_t link(std::size_t l, std::uint32_t card, std::uint32_t path) const {
    Level const& level = levels_[l];
    std::uint64_t const at = card / level.cards * level.switches + path % level.switches;
    return level.first +
           2 * static_cast<std::uint32_t>(at * level.ports + path / level.switches % level.ports);
  }

  std::vector<Level> levels_;
};

/// Groups of switches, of which all are joined in pairs. Between groups, paths 0 to `global_links` - 1 are the links between
/// the two. Path (v + 1) * `global_links` + l takes links l to group v and from it.
class JoinedGroups : public FabricRoutes {
 public:
  [[nodiscard]] bool crosses_core(std::uint32_t from, std::uint32_t to) const final {
    return group(from) != group(to);
  }
  [[nodiscard]] std::uint32_t static_path(std::uint32_t from, std::uint32_t to) const final {
    if (!crosses_core(from, to)) return to % paths_inside_;
    if (routing_ == Routing::valiant && groups_ > 2)
      return detour(from, to, 0, group(from), group(to), groups_);
    return to % global_links_;
  }

 protected:
  /// `ends`: those switches of a group at which links to other groups end. `paths_inside`: minimal paths within a group.
  template <class Shape>
  JoinedGroups(Shape const& shape, std::size_t places, std::uint32_t ends, std::uint32_t paths_inside)
      : groups_(groups_of(shape, places)),
        routing_(shape.routing),
        global_links_(shape.global_links),
        switches_(switches_of_group(shape)),
        cards_(cards_at_switch(shape)),
        ends_(ends),
        paths_inside_(paths_inside) {}

  void add_global_links(LinkRate rate, AddLink const& add_link) {
    for (std::uint32_t a = 0; a < groups_; ++a)
      for (std::uint32_t b = 0; b < groups_; ++b)
        for (std::uint32_t l = 0; a != b && l < global_links_; ++l)
          first_global_ = std::min(first_global_, add_link(fmt::format("groups:{}-{}.{}", a, b, l), rate));
  }
  [[nodiscard]] std::uint32_t group(std::uint32_t card) const { return card / cards_ / switches_; }
  [[nodiscard]] std::uint32_t switch_of(std::uint32_t card) const { return card / cards_ % switches_; }
  /// Returns the switch of each other group at which link l to this group ends.
  [[nodiscard]] std::uint32_t gateway(std::uint32_t other, std::uint32_t l) const {
    return static_cast<std::uint32_t>((other + std::uint64_t{l} * groups_) % ends_);
  }
  [[nodiscard]] std::uint32_t global(std::uint32_t a, std::uint32_t b, std::uint32_t l) const {
    return first_global_ + (a * (groups_ - 1) + (b < a ? b : b - 1)) * global_links_ + l;
  }
  [[nodiscard]] bool detours(std::uint32_t path) const { return path >= global_links_; }
  /// Returns the third place of a path that makes a detour.
  [[nodiscard]] std::uint32_t via(std::uint32_t path) const { return path / global_links_ - 1; }
  /// Returns a path over a place of `all` other than a and b.
  [[nodiscard]] std::uint32_t detour(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                                     std::uint32_t a, std::uint32_t b, std::uint32_t all) const {
    std::uint64_t const drawn = mixed(from, to, seed);
    auto third = static_cast<std::uint32_t>((drawn >> 32) % (all - 2));
    if (third >= std::min(a, b)) ++third;
    if (third >= std::max(a, b)) ++third;
    return (third + 1) * global_links_ + static_cast<std::uint32_t>(drawn) % global_links_;
  }
  /// Begins the candidates with all `minimal` paths, that of the destination first, and adds those over other groups.
  void add_candidates(std::uint32_t from, std::uint32_t to, std::uint64_t seed, std::uint32_t minimal,
                      std::vector<std::uint32_t>& paths) const {
    for (std::uint32_t i = 0; i < minimal; ++i) paths.push_back((to + i) % minimal);
    if (!crosses_core(from, to) || groups_ < 3) return;
    for (std::uint64_t i = 0; i < random_candidates; ++i)
      paths.push_back(detour(from, to, seed + i, group(from), group(to), groups_));
  }

  std::uint32_t groups_;
  Routing routing_;
  std::uint32_t global_links_;
  std::uint32_t first_local_ = UINT32_MAX, first_global_ = UINT32_MAX;

 private:
  std::uint32_t switches_, cards_, ends_, paths_inside_;
};

/// Inside a group a path that makes a detour goes through a third switch.
class DragonflyRoutes final : public JoinedGroups {
 public:
  DragonflyRoutes(Dragonfly const& d, std::size_t cards, AddLink const& add_link)
      : JoinedGroups(d, cards, d.switches, d.global_links), d_(d) {
    for (std::uint32_t g = 0; g < groups_; ++g)
      for (std::uint32_t a = 0; a < d_.switches; ++a)
        for (std::uint32_t b = 0; b < d_.switches; ++b)
          if (a != b)
            first_local_ = std::min(first_local_, add_link(fmt::format("group{}:{}-{}", g, a, b), d_.local));
    add_global_links(d_.global, add_link);
  }

  void candidates(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                  std::vector<std::uint32_t>& paths) const override {
    paths.clear();
    if (crosses_core(from, to)) return add_candidates(from, to, seed, global_links_, paths);
    paths.push_back(to % global_links_);
    std::uint32_t const a = switch_of(from), b = switch_of(to);
    for (std::uint64_t i = 0; d_.switches > 2 && a != b && i < random_candidates; ++i)
      paths.push_back(detour(from, to, seed + i, a, b, d_.switches));
  }
  [[nodiscard]] double cost(std::uint32_t path) const override { return detours(path) ? 2 : 1; }
  void up(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    std::uint32_t const a = group(from), b = group(to), l = path % global_links_;
    if (a == b) {
      if (detours(path)) local(a, switch_of(from), via(path), out);
    } else if (!detours(path)) {
      hop(a, switch_of(from), b, l, out);
    } else {
      hop(a, switch_of(from), via(path), l, out);
      hop(via(path), gateway(a, l), b, l, out);
    }
  }
  void down(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    std::uint32_t const a = group(from), b = group(to);
    std::uint32_t at = switch_of(from);
    if (a != b)
      at = gateway(detours(path) ? via(path) : a, path % global_links_);
    else if (detours(path))
      at = via(path);
    local(b, at, switch_of(to), out);
  }
  [[nodiscard]] Seconds least_latency(std::uint32_t from, std::uint32_t to) const override {
    if (crosses_core(from, to)) return d_.global.latency;
    return switch_of(from) == switch_of(to) ? Seconds{0} : d_.local.latency;
  }

 private:
  void local(std::uint32_t in, std::uint32_t a, std::uint32_t b, LinkList& out) const {
    if (a != b) out.add(first_local_ + (in * d_.switches + a) * (d_.switches - 1) + (b < a ? b : b - 1));
  }
  /// Appends the links from switch `at` of group `a` to group `b`.
  void hop(std::uint32_t a, std::uint32_t at, std::uint32_t b, std::uint32_t l, LinkList& out) const {
    local(a, at, gateway(b, l), out);
    out.add(global(a, b, l));
  }

  Dragonfly d_;
};

/// On a detour a message that has to change its spine in the third group crosses a leaf. Inside a group the path is the
/// number of the spine.
class DragonflyPlusRoutes final : public JoinedGroups {
 public:
  DragonflyPlusRoutes(DragonflyPlus const& d, std::size_t cards, AddLink const& add_link)
      : JoinedGroups(d, cards, d.spines, d.spines), d_(d) {
    for (std::uint32_t g = 0; g < groups_; ++g)
      for (std::uint32_t leaf = 0; leaf < d_.leaves; ++leaf)
        for (std::uint32_t s = 0; s < d_.spines; ++s) {
          first_local_ =
              std::min(first_local_, add_link(fmt::format("group{}:leaf{}:up{}", g, leaf, s), d_.local));
          add_link(fmt::format("group{}:leaf{}:down{}", g, leaf, s), d_.local);
        }
    add_global_links(d_.global, add_link);
  }

  void candidates(std::uint32_t from, std::uint32_t to, std::uint64_t seed,
                  std::vector<std::uint32_t>& paths) const override {
    paths.clear();
    if (crosses_core(from, to)) return add_candidates(from, to, seed, global_links_, paths);
    if (switch_of(from) == switch_of(to)) return paths.push_back(to % d_.spines);
    add_candidates(from, to, seed, d_.spines, paths);
  }
  [[nodiscard]] double cost(std::uint32_t path) const override {
    return path < std::max(global_links_, d_.spines) ? 1 : 2;
  }
  void up(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    std::uint32_t const a = group(from), b = group(to), l = path % global_links_;
    if (a == b) {
      if (switch_of(from) != switch_of(to)) out.add(local(a, switch_of(from), path % d_.spines));
      return;
    }
    std::uint32_t const first = detours(path) ? via(path) : b;
    out.add(local(a, switch_of(from), gateway(first, l)));
    out.add(global(a, first, l));
    if (first == b) return;
    if (gateway(a, l) != gateway(b, l)) {
      std::uint32_t const crossed = from % d_.leaves;
      out.add(local(first, crossed, gateway(a, l)) + 1);
      out.add(local(first, crossed, gateway(b, l)));
    }
    out.add(global(first, b, l));
  }
  void down(std::uint32_t from, std::uint32_t to, std::uint32_t path, LinkList& out) const override {
    std::uint32_t const a = group(from), b = group(to);
    if (a != b)
      out.add(local(b, switch_of(to), gateway(detours(path) ? via(path) : a, path % global_links_)) + 1);
    else if (switch_of(from) != switch_of(to))
      out.add(local(b, switch_of(to), path % d_.spines) + 1);
  }
  [[nodiscard]] Seconds least_latency(std::uint32_t from, std::uint32_t to) const override {
    if (crosses_core(from, to)) return 2 * d_.local.latency + d_.global.latency;
    return switch_of(from) == switch_of(to) ? Seconds{0} : 2 * d_.local.latency;
  }

 private:
  /// Returns the link from a leaf up to a spine; the one down follows it.
  [[nodiscard]] std::uint32_t local(std::uint32_t group, std::uint32_t leaf, std::uint32_t spine) const {
    return first_local_ + 2 * ((group * d_.leaves + leaf) * d_.spines + spine);
  }

  DragonflyPlus d_;
};

}  // namespace

std::unique_ptr<FabricRoutes> make_fabric_routes(Fabric const& fabric, std::size_t cards,
                                                 FabricRoutes::AddLink const& add_link) {
  if (auto const* const tree = std::get_if<FatTree>(&fabric))
    return std::make_unique<FatTreeRoutes>(*tree, cards, add_link);
  if (auto const* const dragonfly = std::get_if<Dragonfly>(&fabric))
    return std::make_unique<DragonflyRoutes>(*dragonfly, cards, add_link);
  if (auto const* const dragonfly = std::get_if<DragonflyPlus>(&fabric))
    return std::make_unique<DragonflyPlusRoutes>(*dragonfly, cards, add_link);
  return nullptr;
}

}  // namespace factosim
