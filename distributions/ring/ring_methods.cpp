#include "distributions/ring/ring_methods.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "distributions/ring/ring.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

using Order = std::vector<std::uint32_t>;

constexpr std::size_t most_paths = 6;  // candidates between two processors
constexpr double min_gain = 1e-7;      // relative; smaller gains are within the tolerance of the sharing

/// Local search from a feasible ring. Moves: remove, insert, relocate or replace a processor, reverse a
/// segment of the ring, re-route a message; moves that reduce T_step are kept. Rings are evaluated with their
/// links shared by share_links_by_delay. Ends at a local optimum or after the given number of evaluations.
/// The result is no worse than `start` with its links shared by that function.
class Search {
 public:
  Search(RingProblem const& problem, Ring const& start, std::size_t evaluations)
      : problem_(problem),
        most_evaluations_(evaluations),
        widest_(problem.graph),
        all_(bandwidth_left(problem.graph, {})),
        processors_(processors(problem.graph)),
        best_(valued(start)) {
    for (RingPath const& path : start.paths) {
      auto& paths = paths_between(path.from, path.to);
      if (std::none_of(paths.begin(), paths.end(), [&](auto const& w) { return w.links == path.links; }))
        paths.push_back(path);
    }
  }

  Ring run() {
    while (evaluations_ < most_evaluations_) {
      // Improves the ring of this size first, then adds or removes a processor.
      if (!(reroute(best_) || turn() || relocate() || replace() || join() || leave())) break;
    }
    return best_;
  }

 private:
  /// Returns a few paths between two processors: the widest, then the widest without one of its links, and so
  /// on from these.
  std::vector<RingPath>& paths_between(std::uint32_t from, std::uint32_t to) {
    auto const [entry, is_new] = paths_.try_emplace({from, to});
    std::vector<RingPath>& paths = entry->second;
    if (!is_new) return paths;
    std::vector<std::vector<std::uint32_t>> without = {{}};  // sets of excluded links
    for (std::size_t i = 0; i < without.size() && paths.size() < most_paths; ++i) {
      std::vector<double> left = all_;
      for (std::uint32_t const l : without[i]) left[l] = 0;
      RingPath const path = widest_.widest(from, to, left);
      if (path.links.empty()) continue;
      if (std::none_of(paths.begin(), paths.end(), [&](auto const& w) { return w.links == path.links; }))
        paths.push_back(path);
      for (std::uint32_t const l : path.links) {
        if (without.size() >= 4 * most_paths) break;
        without.push_back(without[i]);
        without.back().push_back(l);
      }
    }
    return paths;
  }

  Ring valued(Ring ring) {
    ++evaluations_;
    constexpr int rounds = 16;
    return share_links_by_delay(problem_, std::move(ring), rounds);
  }

  bool accept(Ring ring) {
    if (ring.step_s >= best_.step_s * (1 - min_gain)) return false;
    best_ = std::move(ring);
    return true;
  }

  /// Pairs that are neighbours already keep their paths; a new pair takes the path whose links have the most
  /// bandwidth per path on them. Fails if some pair has no path.
  bool try_order(Order order) {
    if (evaluations_ >= most_evaluations_) return false;
    Ring ring{.order = std::move(order), .paths = {}, .alpha = {}, .step_s = 0};
    std::size_t const q = ring.size();
    std::vector<bool> kept(best_.paths.size(), false);
    std::vector<double> load(all_.size(), 0.0);
    std::vector<std::size_t> open;
    for (std::size_t p = 0; q > 1 && p < 2 * q; ++p) {
      std::uint32_t const from = ring.order[p / 2];
      std::uint32_t const to = ring.order[(p / 2 + (p % 2 == 0 ? 1 : q - 1)) % q];
      std::size_t old = 0;
      while (old < kept.size() && (kept[old] || best_.paths[old].from != from || best_.paths[old].to != to))
        ++old;
      if (old == kept.size()) {
        open.push_back(p);
        ring.paths.push_back({.from = from, .to = to, .links = {}, .bandwidth = 0});
      } else {
        kept[old] = true;
        ring.paths.push_back(best_.paths[old]);
        for (std::uint32_t const l : ring.paths.back().links) load[l] += 1;
      }
    }
    for (std::size_t const p : open) {
      RingPath const* const path = least_loaded(ring.paths[p].from, ring.paths[p].to, load);
      if (path == nullptr) return false;
      ring.paths[p] = *path;
      for (std::uint32_t const l : path->links) load[l] += 1;
    }
    ring = valued(std::move(ring));
    // Factor within which re-routing may still improve a ring.
    constexpr double promising = 1.25;
    if (ring.step_s < promising * best_.step_s) reroute(ring);
    return accept(std::move(ring));
  }

  RingPath const* least_loaded(std::uint32_t from, std::uint32_t to, std::vector<double> const& load) {
    RingPath const* best = nullptr;
    double maximum = 0;
    for (RingPath const& path : paths_between(from, to)) {
      double width = path.bandwidth;
      for (std::uint32_t const l : path.links)
        if (problem_.graph.links[l].shared) width = std::min(width, all_[l] / (load[l] + 1));
      if (width > maximum) {
        maximum = width;
        best = &path;
      }
    }
    return best;
  }

  bool leave() {
    for (std::size_t i = 0; best_.size() > 1 && i < best_.size(); ++i) {
      Order order = best_.order;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      if (try_order(std::move(order))) return true;
    }
    return false;
  }

  /// Returns the processors outside the ring.
  [[nodiscard]] Order others() const {
    Order out;
    for (std::uint32_t const v : processors_)
      if (std::find(best_.order.begin(), best_.order.end(), v) == best_.order.end()) out.push_back(v);
    return out;
  }

  bool join() {
    for (std::uint32_t const v : others())
      for (std::size_t i = 0; i < best_.size(); ++i) {
        Order order = best_.order;
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, v);
        if (try_order(std::move(order))) return true;
      }
    return false;
  }

  bool relocate() {
    for (std::size_t i = 0; best_.size() > 3 && i < best_.size(); ++i)
      for (std::size_t j = 0; j + 1 < best_.size(); ++j) {
        if (j == i) continue;
        Order order = best_.order;
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(j), best_.order[i]);
        if (try_order(std::move(order))) return true;
      }
    return false;
  }

  bool turn() {
    for (std::size_t i = 1; i < best_.size(); ++i)
      for (std::size_t j = i + 1; j < best_.size(); ++j) {
        Order order = best_.order;
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(i),
                     order.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        if (try_order(std::move(order))) return true;
      }
    return false;
  }

  bool replace() {
    for (std::uint32_t const v : others())
      for (std::size_t i = 0; i < best_.size(); ++i) {
        Order order = best_.order;
        order[i] = v;
        if (try_order(std::move(order))) return true;
      }
    return false;
  }

  /// Re-routes each message in turn over the best of its paths until no change helps.
  bool reroute(Ring& ring) {
    bool any = false;
    for (bool again = true; again;) {
      again = false;
      for (std::size_t p = 0; p < ring.paths.size(); ++p) {
        std::vector<RingPath> const& paths = paths_between(ring.paths[p].from, ring.paths[p].to);
        for (RingPath const& path : paths) {
          if (path.links == ring.paths[p].links || evaluations_ >= most_evaluations_) continue;
          Ring other = ring;
          other.paths[p] = path;
          other = valued(std::move(other));
          if (other.step_s >= ring.step_s * (1 - min_gain)) continue;
          ring = std::move(other);
          any = again = true;
        }
      }
    }
    return any;
  }

  RingProblem problem_;
  std::size_t most_evaluations_;  // of rings
  WidestPaths widest_;
  std::vector<double> all_;  // [links] bandwidth
  std::vector<std::uint32_t> processors_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<RingPath>> paths_;
  std::size_t evaluations_ = 0;
  Ring best_;
};

/// Starts from the rings of slice-ring and of the greedy heuristic of every size, with re-shared links: a
/// short search from each, a long one from the best.
Ring searched(RingProblem const& problem) {
  constexpr std::size_t short_search = 400, long_search = 3000, long_searches = 3;
  std::vector<Ring> starts = greedy_rings(problem);
  starts.push_back(slice_ring(problem));
  for (Ring& ring : starts)
    ring = Search(problem, share_links_by_delay(problem, std::move(ring)), short_search).run();
  std::stable_sort(starts.begin(), starts.end(),
                   [](Ring const& a, Ring const& b) { return a.step_s < b.step_s; });
  starts.resize(std::min(starts.size(), long_searches));
  for (Ring& ring : starts) ring = Search(problem, ring, long_search).run();
  return refine_ring(problem, best_ring(starts), RingRefinement::quadratic);
}

}  // namespace

Ring find_ring(RingProblem const& problem, RingMethod method) {
  switch (method) {
    case RingMethod::slice_ring:
      return slice_ring(problem);
    case RingMethod::shared_ring:
      return best_ring(greedy_rings(problem));
    case RingMethod::search:
      return searched(problem);
    case RingMethod::exact:
      return exact_ring(problem, searched(problem)).ring;
    case RingMethod::slice_or_shared:
    case RingMethod::given:
      break;
  }
  FACTOSIM_ALWAYS(false, "a method that finds a ring by itself");
}

Ring find_ring(RingProblem const& problem, RingMethod method, RingRefinement refinement) {
  if (method != RingMethod::slice_or_shared)
    return feasible_ring(problem, method, find_ring(problem, method), refinement);
  return best_ring({find_ring(problem, RingMethod::shared_ring, refinement),
                    find_ring(problem, RingMethod::slice_ring, refinement)});
}

Ring feasible_ring(RingProblem const& problem, RingMethod method, Ring found, RingRefinement refinement) {
  bool const without_bandwidths = method == RingMethod::slice_ring || method == RingMethod::given;
  if (without_bandwidths && refinement == RingRefinement::none) refinement = RingRefinement::max_min;
  return refine_ring(problem, std::move(found), refinement);
}

}  // namespace factosim
