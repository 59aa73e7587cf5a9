#include "distributions/selected_member.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "distributions/block_cyclic.hpp"
#include "distributions/column_partition.hpp"
#include "distributions/estimate_errors.hpp"
#include "distributions/generalised_2dbc.hpp"
#include "distributions/het_grid.hpp"
#include "distributions/list_schedule.hpp"
#include "distributions/node_names.hpp"
#include "distributions/schedule_estimate.hpp"
#include "distributions/symmetric_block_cyclic.hpp"
#include "distributions/ties.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr double tasks_scheduled = 1.2e7, max_tasks_scheduled = 5e7;
constexpr int max_grid_nodes = 256;  // of heterogeneous grids: their arrangement takes a second
constexpr int min_schedules = 6, max_schedules = 300;
// The best of many schedules is partly luck: so much shorter it must be than those of the maps that are always scheduled.
constexpr double min_schedule_gain = 0.02;
constexpr std::size_t node_counts = 16;
constexpr int random_per_schedule = 10, max_random_members = 300;
constexpr int exploration_period = 8;
constexpr std::size_t refined = 20;  // members whose sections and shuffles are tried
constexpr int patience = 20;         // members without improvement before tiles are moved
constexpr FamilyMember plain{.borders = 0, .rounds = 0};  // 1Dx1D

/// Returns `counts_of_fastest` and evenly spaced ones, ascending.
std::vector<int> counts_of_nodes(FactorizationCosts const& costs) {
  std::set<std::size_t> counts = counts_of_fastest(update_times(costs));
  for (std::size_t i = 1; i <= node_counts; ++i)
    counts.insert((costs.nodes.size() * i + node_counts - 1) / node_counts);
  return {counts.begin(), counts.end()};
}

class Selection {
 public:
  Selection(int nt, Factorization factorization, FactorizationCosts const& costs,
            SelectionOptions const& options, std::size_t count, std::function<bool()> const& stop)
      : nt_(nt),
        factorization_(factorization),
        costs_(costs),
        options_(options),
        count_(count),
        stop_(stop),
        nodes_(static_cast<int>(costs.nodes.size())),
        names_(costs, factorization),
        schedules_(options.schedules.value_or(affordable_schedules())),
        errors_(nodes_) {}

  Shortlist run() {
    std::vector<Ranked> members = ranked_members();
    if (schedules_ == 0) {
      for (std::size_t i = 0; i < members.size() && best_.maps.size() < count_; ++i) {
        TileMap map = family_map(nt_, factorization_, costs_, members[i].member);
        if (known_.insert(names_.without_names(map)).second)
          best_.maps.push_back({std::move(map), members[i].estimate, members[i].member});
      }
      return std::move(best_);
    }
    for (FamilyMember const& member :
         {FamilyMember{}, FamilyMember{.rounds = 0}, plain, members.front().member})
      if (may_schedule()) schedule(ranked(member));
    if (options_.regular_maps)
      for (TileMap const& map : regular_maps())
        if (may_schedule()) consider(map, {});
    handicap_ = 1 / (1 - min_schedule_gain);
    int const of_members = options_.steps ? std::max(min_schedules, (schedules_ + 1) / 2) : schedules_;
    if (options_.steps) add_random_members(members);
    schedule_members(std::move(members), of_members);
    if (options_.steps) improve();
    return std::move(best_);
  }

 private:
  struct Ranked {
    double estimate;
    FamilyMember member;
    int nodes;  // that own tiles

    /// Returns the member as its estimate's error depends on it.
    [[nodiscard]] FamilyMember used() const {
      FamilyMember out = member;
      out.nodes = nodes;
      return out;
    }
  };

  [[nodiscard]] bool may_schedule() const { return best_.schedules < schedules_ && !(stop_ && stop_()); }

  [[nodiscard]] int affordable_schedules() const {
    double const tasks = std::pow(nt_, 3) / (factorization_ == Factorization::lu ? 3 : 6);
    if (tasks > max_tasks_scheduled) return 0;
    return static_cast<int>(std::clamp<double>(tasks_scheduled / tasks, min_schedules, max_schedules));
  }

  /// Returns the member without the parameters that the options exclude.
  [[nodiscard]] FamilyMember allowed(FamilyMember member) const {
    FamilyMember const defaults;
    if (!options_.fewer_nodes) member.nodes = defaults.nodes;
    if (!options_.columns) member.column_cost = defaults.column_cost;
    if (!options_.sections) {
      member.borders = defaults.borders;
      member.rounds = defaults.rounds;
    }
    return member;
  }

  [[nodiscard]] Ranked ranked(FamilyMember const& member) const {
    return ranked(member, family_map(nt_, factorization_, costs_, member));
  }
  [[nodiscard]] Ranked ranked(FamilyMember const& member, TileMap const& map) const {
    std::vector<bool> used(costs_.nodes.size(), false);
    for (NodeId const owner : map.owner) used[owner.index()] = true;
    return {schedule_estimate(map, factorization_, costs_), member,
            static_cast<int>(std::ranges::count(used, true))};
  }

  [[nodiscard]] static bool by_estimate(Ranked const& a, Ranked const& b) {
    return surely_less(a.estimate, b.estimate);
  }

  [[nodiscard]] std::vector<Ranked> ranked_members() const {
    std::vector<Ranked> out;
    std::set<std::vector<NodeId>> known;
    for (int const count : options_.fewer_nodes ? counts_of_nodes(costs_) : std::vector{nodes_}) {
      for (int power = -8; power <= 8; ++power) {
        FamilyMember const member = allowed(
            {.nodes = count == nodes_ ? 0 : count, .column_cost = std::exp2(power / 2.0), .rounds = 0});
        TileMap const map = family_map(nt_, factorization_, costs_, member);
        if (known.insert(names_.without_names(map)).second) out.push_back(ranked(member, map));
      }
    }
    std::stable_sort(out.begin(), out.end(), by_estimate);
    out.insert(out.begin(), ranked(FamilyMember{}));  // 1Dx1D-C+S itself
    std::size_t const first = options_.sections ? std::min(refined, out.size()) : 0;
    for (std::size_t i = 0; i < first; ++i) choose_sections(out[i]);
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

  /// Adds members that differ from the ranked ones in several parameters at random.
  void add_random_members(std::vector<Ranked>& ranked_members) const {
    SearchRandom random(1);
    std::size_t const first = std::min(ranked_members.size(), refined);
    int const count = std::min(max_random_members, random_per_schedule * schedules_);
    for (int i = 0; i < count; ++i) {
      FamilyMember member =
          ranked_members[static_cast<std::size_t>(random.below(static_cast<int>(first)))].member;
      for (int changes = 1 + random.below(3); changes > 0; --changes)
        member = random_neighbour(member, nodes_, random);
      ranked_members.push_back(ranked(allowed(member)));
    }
  }

  /// Schedules the most promising members, by their estimates and what the schedules of similar members were over
  /// theirs; every eighth time one of those with a number of nodes of which the fewest were scheduled.
  void schedule_members(std::vector<Ranked> members, int until) {
    std::map<int, int> scheduled;  // by class of number of nodes
    for (int turn = 1; best_.schedules < until && may_schedule() && !members.empty(); ++turn) {
      bool const explores = turn % exploration_period == 0;
      std::vector<std::pair<int, double>> order;  // each computed once, in O(members scheduled)
      for (Ranked const& member : members) {
        auto const [error, deviation] = errors_.expected(member.used());
        order.emplace_back(explores ? scheduled[errors_.nodes_class(member.used())] : 0,
                           std::log(member.estimate) + error - deviation);
      }
      auto const next = members.begin() + (std::ranges::min_element(order) - order.begin());
      ++scheduled[errors_.nodes_class(next->used())];
      schedule(*next);
      members.erase(next);
    }
  }

  void schedule(Ranked const& member) {
    double const makespan = consider(member.member);
    if (!std::isinf(makespan)) errors_.add(member.used(), std::log(makespan / member.estimate));
  }

  [[nodiscard]] TileMap heterogeneous_grid() const {
    ArrangedGrid const grid = arrange_by_exchanges(update_times(costs_), most_square_grid(nodes_));
    return het_grid(nt_, nt_, grid,
                    grid_panel(grid, {.rows = nt_, .columns = nt_}, PanelOrder::one_dimensional));
  }

  [[nodiscard]] std::vector<TileMap> regular_maps() const {
    std::vector<TileMap> maps;
    if (nodes_ <= max_grid_nodes) maps.push_back(heterogeneous_grid());
    maps.push_back(block_cyclic(nt_, nt_, most_square_grid(nodes_)));
    maps.push_back(generalised_2dbc(nt_, nt_, nodes_));
    if (factorization_ == Factorization::lu) return maps;
    for (SbcVariant const variant : {SbcVariant::extended, SbcVariant::basic})
      if (auto const r = sbc_size(nodes_, variant)) maps.push_back(symmetric_block_cyclic(nt_, *r, variant));
    return maps;
  }

  /// Schedules a map unless that was done before, and keeps it if it is among the best. Returns its makespan, or
  /// infinity.
  double consider(TileMap const& map, std::optional<FamilyMember> const& member) {
    if (!known_.insert(names_.without_names(map)).second) return std::numeric_limits<double>::infinity();
    double const makespan =
        list_schedule(map, factorization_, costs_, options_.workers.value_or(WorkerChoice::earliest_end));
    ++best_.schedules;
    double const rank = makespan * handicap_;
    auto const place = std::ranges::find_if(ranks_, [&](double known) { return surely_less(rank, known); });
    auto const index = place - ranks_.begin();
    if (static_cast<std::size_t>(index) == count_) return makespan;
    ranks_.insert(place, rank);
    best_.maps.insert(best_.maps.begin() + index, {map, makespan, member});
    if (best_.maps.size() > count_) {
      ranks_.pop_back();
      best_.maps.pop_back();
    }
    return makespan;
  }

  double consider(FamilyMember const& member) {
    double const makespan = consider(family_map(nt_, factorization_, costs_, member), member);
    if (!surely_less(makespan, member_makespan_)) return makespan;
    member_ = member;
    member_makespan_ = makespan;
    return makespan;
  }

  void improve() {
    SearchRandom random(0);
    int worse = 0;
    constexpr int turns_per_schedule = 10;  // maps that are known cost no schedule
    for (int turn = 0; may_schedule() && turn < turns_per_schedule * schedules_; ++turn) {
      if (options_.tile_moves && worse >= patience && turn % 2 == 1) {
        TileMap map = best_.maps.front().map;
        move_randomly(map, nodes_, random);
        consider(map, {});
        continue;
      }
      double const before = member_makespan_;
      consider(allowed(random_neighbour(member_, nodes_, random)));
      worse = surely_less(member_makespan_, before) ? 0 : worse + 1;
    }
  }

  int nt_;
  Factorization factorization_;
  FactorizationCosts const& costs_;
  SelectionOptions const& options_;
  std::size_t count_;  // of the shortlist
  std::function<bool()> const& stop_;
  int nodes_;
  NodeNames names_;
  int schedules_;  // allowed
  EstimateErrors errors_;
  Shortlist best_;
  std::vector<double> ranks_;  // of the best maps, ascending: their makespans times their handicaps
  double handicap_ = 1;        // of the next map

  FamilyMember member_;  // best member
  double member_makespan_ = std::numeric_limits<double>::infinity();
  std::set<std::vector<NodeId>> known_;  // of the scheduled maps, without names
};

}  // namespace

Shortlist shortlist(int nt, Factorization factorization, FactorizationCosts const& costs,
                    SelectionOptions const& options, std::size_t count, std::function<bool()> const& stop) {
  FACTOSIM_EXPECT(count > 0, "a shortlist of at least one map");
  return Selection(nt, factorization, costs, options, count, stop).run();
}

ScheduledMap selected_map(int nt, Factorization factorization, FactorizationCosts const& costs,
                          SelectionOptions const& options) {
  return std::move(shortlist(nt, factorization, costs, options, 1).maps.front());
}

}  // namespace factosim
