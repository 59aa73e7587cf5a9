#include "distributions/selected_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "distributions/block_cyclic.hpp"
#include "distributions/het_grid.hpp"
#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double tasks_simulated = 2.5e6;
constexpr int min_simulations = 24, max_simulations = 100;
constexpr int max_estimated_tiles = 300;  // in a row
constexpr int max_grid_nodes = 256;       // of heterogeneous grids: their arrangement takes a second
constexpr std::size_t node_counts = 16;
constexpr std::size_t refined = 20;  // members whose sections and shuffles are tried
constexpr int exploration_period = 4;
constexpr FamilyMember plain{.borders = 0, .rounds = 0};  // 1Dx1D

/// Returns `counts_of_fastest` and evenly spaced ones, ascending.
std::vector<int> counts_of_nodes(FactorizationCosts const& costs) {
  std::set<std::size_t> counts = counts_of_fastest(update_times(costs));
  for (std::size_t i = 1; i <= node_counts; ++i)
    counts.insert((costs.nodes.size() * i + node_counts - 1) / node_counts);
  return {counts.begin(), counts.end()};
}

double tasks_of(Factorization factorization, int nt) {
  return std::pow(nt, 3) / (factorization == Factorization::lu ? 3 : 6);
}

/// Numbers of tiles that nodes send and receive, of one panel.
class PanelMessages {
 public:
  PanelMessages(TileMap const& map, Factorization factorization, std::size_t nodes)
      : map_(map), lu_(factorization == Factorization::lu), first_(line_count() + 1, 0) {
    std::vector<int> seen_on(nodes, -1);  // the last line on which a node has a tile
    for (std::size_t line = 0; line < line_count(); ++line) {
      for (int i = map.nt - 1; i >= 0; --i) {
        NodeId const owner = map.owner[tile(line, i)];
        if (std::exchange(seen_on[owner.index()], static_cast<int>(line)) != static_cast<int>(line))
          owners_.push_back({owner.index(), i});
      }
      first_[line + 1] = owners_.size();
    }
  }

  /// Counts the messages of panel k: [nodes].
  void count(int k, std::vector<int>& sent, std::vector<int>& received) const {
    std::ranges::fill(sent, 0);
    std::ranges::fill(received, 0);
    for (std::size_t line = 0; line < line_count(); ++line) {
      int const number = static_cast<int>(line) % map_.nt;
      if (number <= k) continue;
      std::size_t const owner = map_.owner[tile(line, k)].index();
      for (std::size_t i = first_[line]; i < first_[line + 1] && owners_[i].last > k; ++i)
        if (owners_[i].node != owner) {
          ++sent[owner];
          ++received[owners_[i].node];
        }
    }
  }

 private:
  /// Lines along which tiles of panels are sent: rows and columns of LU, for Cholesky row i as far as the diagonal and
  /// column i below it.
  [[nodiscard]] std::size_t line_count() const {
    return static_cast<std::size_t>(lu_ ? 2 * map_.nt : map_.nt);
  }
  [[nodiscard]] std::size_t tile(std::size_t line, int i) const {
    auto const nt = static_cast<std::size_t>(map_.nt);
    auto const place = static_cast<std::size_t>(i);
    bool const by_row = line < nt && (lu_ || place <= line);
    return by_row ? line * nt + place : place * nt + line % nt;
  }

  struct LineOwner {
    std::size_t node;
    int last;  // its last place on the line
  };

  TileMap const& map_;
  bool lu_;
  std::vector<LineOwner> owners_;   // of line 0, of line 1, ...: the last place descends
  std::vector<std::size_t> first_;  // [lines + 1] into owners_
};

/// Dates of a factorization by sums over its iterations.
class ClosedForm {
 public:
  ClosedForm(TileMap const& map, Factorization factorization, FactorizationCosts const& costs)
      : map_(map), factorization_(factorization), costs_(costs) {}

  [[nodiscard]] double makespan() const {
    std::size_t const nodes = costs_.nodes.size();
    PanelMessages const messages(map_, factorization_, nodes);
    auto const loads = iteration_loads(map_, factorization_, costs_);
    std::vector<double> work(nodes, 0), sending(nodes, 0), receiving(nodes, 0);
    std::vector<int> sent(nodes), received(nodes);
    double chain = 0, longest = 0;  // longest: of the busiest node in iterations before, less their chain
    for (int k = 0; k < map_.nt; ++k) {
      messages.count(k, sent, received);
      chain += panel_time(k, sent, received);
      double busiest = 0;
      for (std::size_t node = 0; node < nodes; ++node) {
        double const message = costs_.nodes[node].message;
        work[node] += loads[node][static_cast<std::size_t>(k)];
        sending[node] += sent[node] * message;
        receiving[node] += received[node] * message;
        busiest = std::max({busiest, work[node], sending[node], receiving[node]});
      }
      longest = std::max(longest, busiest - chain);
    }
    return longest + chain;
  }

 private:
  [[nodiscard]] double together(std::size_t node, int tasks, TaskKind kind) const {
    NodeCosts const& c = costs_.nodes[node];
    return tasks == 0 ? 0 : std::max(c.alone_of(kind), tasks * c.area_of(kind));
  }

  /// Counts the tiles of panel k that each node owns, its diagonal tile apart.
  [[nodiscard]] std::vector<int> panel_tiles(int k) const {
    std::vector<int> counts(costs_.nodes.size(), 0);
    for (int i = k + 1; i < map_.nt; ++i) {
      ++counts[map_.at(i, k).index()];
      if (factorization_ == Factorization::lu) ++counts[map_.at(k, i).index()];
    }
    return counts;
  }

  /// Returns the time from the diagonal task of panel k to that of the next: its message, the panel's tasks and their first
  /// messages, and the updates of the next panel.
  [[nodiscard]] double panel_time(int k, std::vector<int> const& sent,
                                  std::vector<int> const& received) const {
    std::size_t const owner = map_.at(k, k).index();
    double time = costs_.nodes[owner].alone_of(TaskKind::diagonal);
    if (k == map_.nt - 1) return time;
    std::vector<int> const panel = panel_tiles(k), next = panel_tiles(k + 1);
    double first = 0, tasks = 0, messages = 0, updates = 0;
    for (std::size_t node = 0; node < panel.size(); ++node) {
      NodeCosts const& c = costs_.nodes[node];
      if (panel[node] > 0) {
        if (node != owner) first += costs_.nodes[owner].message;
        tasks = std::max(tasks, together(node, panel[node], TaskKind::panel));
        messages = std::max(messages, std::min(sent[node], panel[node]) * c.message);
      }
      if (next[node] > 0) {
        messages = std::max(messages, std::min(received[node], 2 * next[node]) * c.message);
        updates = std::max(updates, together(node, next[node], TaskKind::update));
      }
    }
    return time + first + tasks + messages + updates;
  }

  TileMap const& map_;
  Factorization factorization_;
  FactorizationCosts const& costs_;
};

class Selection {
 public:
  Selection(int nt, Factorization factorization, FactorizationCosts const& costs, Judge const& judge,
            std::optional<int> simulations)
      : estimated_nt_(std::min(nt, max_estimated_tiles)),
        judged_nt_(std::min(nt, affordable_tiles(factorization))),
        factorization_(factorization),
        costs_(costs),
        judge_(judge),
        nodes_(static_cast<int>(costs.nodes.size())),
        simulations_(!judge ? 0 : simulations.value_or(affordable_simulations())) {}

  SelectedMap run(int nt) {
    std::vector<Ranked> const members = ranked_members();
    for (FamilyMember const& member : {FamilyMember{}, FamilyMember{.rounds = 0}, plain}) consider(member);
    std::vector<MapOf> const regular = regular_maps();
    for (MapOf const& map_of : regular) {
      double const before = best_.seconds;
      if (surely_less(judged(map_of), before)) best_.map_of = &map_of, best_.member.reset();
    }
    judge_members(members);
    improve();
    if (std::isinf(best_.seconds)) best_.member = members.front().member;
    return {.map = best_.member ? family_map(nt, factorization_, costs_, *best_.member) : (*best_.map_of)(nt),
            .member = best_.member,
            .simulations = judged_};
  }

 private:
  using MapOf = std::function<TileMap(int nt)>;
  struct Ranked {
    double estimate;
    FamilyMember member;
  };
  struct Best {
    double seconds = std::numeric_limits<double>::infinity();
    std::optional<FamilyMember> member{};
    MapOf const* map_of = nullptr;  // of a regular map
  };

  [[nodiscard]] static int affordable_tiles(Factorization factorization) {
    return static_cast<int>(std::cbrt(tasks_simulated / min_simulations / tasks_of(factorization, 1)));
  }
  [[nodiscard]] int affordable_simulations() const {
    return static_cast<int>(std::clamp<double>(tasks_simulated / tasks_of(factorization_, judged_nt_),
                                               min_simulations, max_simulations));
  }

  [[nodiscard]] TileMap map_of(FamilyMember const& member, int nt) const {
    return family_map(nt, factorization_, costs_, member);
  }
  [[nodiscard]] double estimate(TileMap const& map) const {
    return estimated_makespan(map, factorization_, costs_);
  }
  [[nodiscard]] Ranked ranked(FamilyMember const& member) const {
    return {estimate(map_of(member, estimated_nt_)), member};
  }

  [[nodiscard]] static bool by_estimate(Ranked const& a, Ranked const& b) {
    return surely_less(a.estimate, b.estimate);
  }

  [[nodiscard]] std::vector<Ranked> ranked_members() const {
    std::vector<Ranked> out;
    std::set<std::vector<NodeId>> known;
    for (int const count : counts_of_nodes(costs_))
      for (int power = -8; power <= 8; ++power) {
        FamilyMember const member{
            .nodes = count == nodes_ ? 0 : count, .column_cost = std::exp2(power / 2.0), .rounds = 0};
        TileMap const map = map_of(member, estimated_nt_);
        if (known.insert(map.owner).second) out.push_back({estimate(map), member});
      }
    std::stable_sort(out.begin(), out.end(), by_estimate);
    for (std::size_t i = 0; i < std::min(refined, out.size()); ++i) choose_sections(out[i]);
    std::stable_sort(out.begin(), out.end(), by_estimate);
    return out;
  }

  /// Changes where sections start, and whether they are shuffled, if the estimate falls.
  void choose_sections(Ranked& best) const {
    for (double const borders : {0.0, 1.0 / 64, 1.0 / 8, 1.0, 2.0})
      for (int const rounds : {0, 1}) {
        if (borders == best.member.borders && rounds == best.member.rounds) continue;
        FamilyMember member = best.member;
        member.borders = borders;
        member.rounds = rounds;
        Ranked const changed = ranked(member);
        if (by_estimate(changed, best)) best = changed;
      }
  }

  [[nodiscard]] std::vector<MapOf> regular_maps() const {
    std::vector<MapOf> maps;
    if (nodes_ <= max_grid_nodes)
      maps.emplace_back(
          [grid = arrange_by_exchanges(update_times(costs_), most_square_grid(nodes_))](int nt) {
            return het_grid(nt, nt, grid,
                            grid_panel(grid, {.rows = nt, .columns = nt}, PanelOrder::one_dimensional));
          });
    maps.emplace_back([this](int nt) { return block_cyclic(nt, nt, most_square_grid(nodes_)); });
    maps.emplace_back([this](int nt) { return generalised_2dbc(nt, nt, nodes_); });
    if (factorization_ == Factorization::lu) return maps;
    for (SbcVariant const variant : {SbcVariant::extended, SbcVariant::basic})
      if (auto const r = sbc_size(nodes_, variant))
        maps.emplace_back([r = *r, variant](int nt) { return symmetric_block_cyclic(nt, r, variant); });
    return maps;
  }

  /// Simulates a map unless that was done before. Returns its makespan on all tiles, or infinity.
  double judged(MapOf const& map_of) {
    TileMap const map = map_of(judged_nt_);
    if (judged_ == simulations_ || !known_.insert(map.owner).second)
      return std::numeric_limits<double>::infinity();
    ++judged_;
    auto const makespan = judge_(map);
    if (!makespan) return std::numeric_limits<double>::infinity();
    double const factor = judged_nt_ == estimated_nt_ ? 1 : estimate(map_of(estimated_nt_)) / estimate(map);
    double const seconds = makespan->value * factor;
    best_.seconds = std::min(best_.seconds, seconds);
    return seconds;
  }

  void consider(FamilyMember const& member) {
    double const before = best_.seconds;
    double const seconds = judged([&](int nt) { return map_of(member, nt); });
    if (surely_less(seconds, member_seconds_)) member_ = member, member_seconds_ = seconds;
    if (surely_less(seconds, before)) best_.member = member;
  }

  /// Judges the members with the smallest estimates; every fourth is the first of a number of nodes of which none was.
  void judge_members(std::vector<Ranked> members) {
    std::set<int> counts;
    int const until = judged_ + (simulations_ - judged_) / 2;
    for (int turn = 1; judged_ < until && !members.empty(); ++turn) {
      auto next = members.begin();
      if (turn % exploration_period == 0)
        next =
            std::ranges::find_if(members, [&](Ranked const& m) { return !counts.contains(m.member.nodes); });
      if (next == members.end()) next = members.begin();
      counts.insert(next->member.nodes);
      consider(next->member);
      members.erase(next);
    }
  }

  void improve() {
    SearchRandom random(0);
    constexpr int turns_per_simulation = 10;  // maps that are known cost no simulation
    for (int turn = 0; judged_ < simulations_ && turn < turns_per_simulation * simulations_; ++turn)
      consider(random_neighbour(member_, nodes_, random));
  }

  int estimated_nt_, judged_nt_;  // tiles in a row, of the maps that are estimated and judged
  Factorization factorization_;
  FactorizationCosts const& costs_;
  Judge const& judge_;
  int nodes_;
  int simulations_;  // allowed
  int judged_ = 0;
  Best best_;
  FamilyMember member_;  // best member
  double member_seconds_ = std::numeric_limits<double>::infinity();
  std::set<std::vector<NodeId>> known_;  // judged maps
};

}  // namespace

double estimated_makespan(TileMap const& map, Factorization factorization, FactorizationCosts const& costs) {
  FACTOSIM_EXPECT(map.mt == map.nt && map.nt > 0, "a map that is not square");
  return ClosedForm(map, factorization, costs).makespan();
}

SelectedMap selected_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                         Judge const& judge, std::optional<int> simulations) {
  return Selection(nt, factorization, costs, judge, simulations).run(nt);
}

}  // namespace factosim
