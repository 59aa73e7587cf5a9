#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "factosim/eviction.hpp"
#include "factosim/scheduler.hpp"

namespace factosim::testing {

/// A second implementation of darts with its default options, after the description in StarPU 1.5's `darts.c` and without
/// what makes the first one fast: lists are vectors, every number is counted anew, and the random numbers are the C
/// library's. Shares no code with simulator/runtime/policies.
class PlainDarts final : public Scheduler, private EvictionPolicy {
 public:
  PlainDarts(NodeView const& node, bool as_starpu) : node_(node), as_starpu_(as_starpu) {
    for (std::size_t m = 0; m < node.memory_node_count(); ++m) {
      Place place{.memory = LocalMemory{m}};
      for (std::size_t w = 0; w < node.workers().size(); ++w)
        if (node.workers()[w].memory == place.memory) place.workers.emplace_back(w);
      if (!place.workers.empty()) places_.push_back(place);
    }
    turn_ = places_.size() - 1;
  }

  void connect(Prefetcher& prefetcher) override { prefetcher_ = &prefetcher; }
  bool prefetches() const override { return true; }
  bool shares_tasks() const override { return true; }
  bool knows_priorities() const override { return true; }
  EvictionPolicy* eviction() override { return this; }

  Assignment push(TaskId task, LocalWorker) override {
    turn_ = (turn_ + 1) % places_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[(turn_ + i) % places_.size()];
      if (!is_free(task, place) || !runs(task, place)) continue;
      know_tiles(task, false);
      auto const misses = [&](TaskId t) { return missing(t, place, none) > 0; };
      place.planned.insert(std::ranges::find_if(place.planned, misses), task);
      count(place, task, 1);
      return to_idle_of_memories();
    }
    know_tiles(task, true);
    for (std::uint32_t const tile : tiles(task, true)) list_user(tile, task);
    ready_.push_back(task);
    return to_idle_of_memories();
  }

  TaskId pop(LocalWorker worker) override {
    Place& place = place_of(worker);
    TaskId const task = take(place);
    if (!task.valid() || place.workers.size() == 1) return task;
    if (TaskId const second = take(place); second.valid()) place.queue.insert(place.queue.begin(), second);
    return task;
  }

  void finished(LocalWorker worker, TaskId task) override { std::erase(place_of(worker).running, task); }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr double worst = std::numeric_limits<double>::max();
  static constexpr std::size_t capacity = 2;

  struct Place {
    LocalMemory memory;
    std::vector<LocalWorker> workers{};
    std::vector<TaskId> planned{}, queue{}, running{};
    TaskId refused{};
    std::vector<std::uint32_t> unused{};          // tiles
    std::map<std::uint32_t, int> planned_uses{};  // by tile
    bool began = false;
  };

  // ---- what tasks and places are ----

  Place& place_of(LocalWorker worker) {
    return *std::ranges::find_if(
        places_, [&](Place const& p) { return std::ranges::find(p.workers, worker) != p.workers.end(); });
  }
  /// The tiles of a task in the order of its operands.
  [[nodiscard]] std::vector<std::uint32_t> tiles(TaskId task, bool only_read) const {
    std::vector<std::uint32_t> out;
    auto const accesses = node_.graph().accesses_of(task);
    for (std::size_t i = 0; i < accesses.size(); ++i)
      if (!only_read || reads(accesses[i].mode())) out.push_back(node_.replica(task, i).value());
    return out;
  }
  [[nodiscard]] bool uses(TaskId task, std::uint32_t tile) const {
    auto const all = tiles(task, false);
    return std::ranges::find(all, tile) != all.end();
  }
  [[nodiscard]] bool here(std::uint32_t tile, Place const& place) const {
    return node_.present(LocalReplica{tile}, place.memory);
  }
  [[nodiscard]] bool runs(TaskId task, Place const& place) const {
    return std::isfinite(node_.durations(task)[place.workers.front().index()]);
  }
  [[nodiscard]] double length(TaskId task) const {
    double const seconds = node_.durations(task)[0];
    return std::isfinite(seconds) ? seconds : 0;
  }
  [[nodiscard]] int missing(TaskId task, Place const& place, std::uint32_t except) const {
    auto const all = tiles(task, false);
    return static_cast<int>(
        std::ranges::count_if(all, [&](std::uint32_t t) { return t != except && !here(t, place); }));
  }
  [[nodiscard]] bool is_free(TaskId task, Place const& place) const {
    for (std::uint32_t const tile : tiles(task, false)) {
      auto const planned = place.planned_uses.find(tile);
      bool const expected = planned != place.planned_uses.end() && planned->second > 0;
      if (!known_.contains(tile) || (!here(tile, place) && !expected)) return false;
    }
    return true;
  }
  static bool contains(std::vector<std::uint32_t> const& list, std::uint32_t tile) {
    return std::ranges::find(list, tile) != list.end();
  }

  // ---- lists ----

  void count(Place& place, TaskId task, int by) {
    for (std::uint32_t const tile : tiles(task, false)) place.planned_uses[tile] += by;
  }
  void list_user(std::uint32_t tile, TaskId task) {
    auto& users = users_[tile];
    if (std::ranges::find(users, task) == users.end()) users.insert(users.begin(), task);
  }
  void know_tiles(TaskId task, bool waits) {
    auto const read = tiles(task, true);
    for (std::uint32_t const tile : tiles(task, false)) {
      bool const is_read = contains(read, tile);
      known_.insert(tile);
      if (waits || as_starpu_) lengths_[tile] += length(task);
      for (Place& place : places_) {
        if (!is_read) std::erase(place.unused, tile);
        if (is_read && waits && !contains(place.unused, tile) && !here(tile, place))
          place.unused.push_back(tile);
      }
    }
  }
  void take_ready(TaskId task, Place& place) {
    for (std::uint32_t const tile : tiles(task, false)) std::erase(users_[tile], task);
    for (std::uint32_t const tile : tiles(task, true)) lengths_[tile] -= length(task);
    std::erase(ready_, task);
    place.planned.push_back(task);
    count(place, task, 1);
  }
  void drop_first_unused(TaskId task, Place& place) {
    for (std::uint32_t const tile : tiles(task, false))
      if (contains(place.unused, tile)) {
        std::erase(place.unused, tile);
        return;
      }
  }

  // ---- planning ----

  struct Weight {
    std::uint32_t tile = none;
    double ratio = worst;
    int free = 0, priority = std::numeric_limits<int>::min(), almost = 0;
    double length = 0;
    TaskId best_almost{};
    [[nodiscard]] auto rank() const { return std::tuple(-ratio, free, priority, almost, length); }
  };

  [[nodiscard]] Weight weigh(std::uint32_t tile, Place const& place) {
    Weight out{.tile = tile, .length = lengths_[tile]};
    double unlocked = 0;
    for (TaskId const task : users_[tile]) {
      if (!runs(task, place)) continue;
      int const others = missing(task, place, tile), priority = node_.priority(task);
      if (others == 0) {
        out.priority = out.free == 0 ? priority : std::max(out.priority, priority);
        ++out.free;
        unlocked += length(task);
      } else if (others == 1) {
        ++out.almost;
        if (priority <= out.priority) continue;
        out.priority = priority;
        out.best_almost = task;
      }
    }
    if (out.free == 0 || unlocked <= 0) return out;
    // StarPU asks for the memory node with the number of the place.
    auto const index = static_cast<std::size_t>(&place - places_.data());
    LocalMemory const memory = as_starpu_ ? LocalMemory{index} : place.memory;
    out.ratio = node_.transfer_time(LocalReplica{tile}, memory).value / unlocked;
    return out;
  }

  void plan(Place& place) {
    bool const first = !std::exchange(place.began, true);
    Weight best;
    if (!first)
      for (std::uint32_t const tile : place.unused) {
        if (users_[tile].empty()) continue;
        Weight const weight = weigh(tile, place);
        if (weight.rank() > best.rank()) best = weight;
      }
    if (best.free > 0) {
      std::erase(place.unused, best.tile);
      std::vector<TaskId> unlocked;
      for (TaskId const task : users_[best.tile])
        if (runs(task, place) && missing(task, place, best.tile) == 0) unlocked.push_back(task);
      for (TaskId const task : unlocked) take_ready(task, place);
      return;
    }
    TaskId chosen = best.best_almost;
    if (!chosen.valid()) {
      for (TaskId const task : ready_)
        if (!chosen.valid() || node_.priority(task) > node_.priority(chosen)) chosen = task;
      if (!chosen.valid() || !runs(chosen, place)) return;
    }
    drop_first_unused(chosen, place);
    take_ready(chosen, place);
  }

  TaskId next(Place& place) {
    if (place.planned.empty() && !ready_.empty()) plan(place);
    if (place.planned.empty()) return {};
    TaskId const task = place.planned.front();
    place.planned.erase(place.planned.begin());
    count(place, task, -1);
    if (!runs(task, place)) {
      ready_.insert(ready_.begin(), task);
      return {};
    }
    place.running.push_back(task);
    return task;
  }

  // ---- the queue of a memory node ----

  void fill(Place& place) {
    while (true) {
      TaskId const task = place.refused.valid() ? std::exchange(place.refused, TaskId{}) : next(place);
      if (!task.valid()) return;
      if (place.queue.size() >= capacity) {
        place.refused = task;
        return;
      }
      place.queue.push_back(task);
      if (prefetcher_ != nullptr) prefetcher_->prefetch(task, place.memory);
    }
  }
  TaskId take(Place& place) {
    if (place.queue.empty()) fill(place);
    if (place.queue.empty()) return {};
    std::size_t best = 0;
    Readiness least{};
    for (std::size_t i = 0; i < place.queue.size(); ++i) {
      Readiness const r = node_.readiness(place.queue[i], place.memory);
      auto const rank = [&](Readiness const& x, TaskId task) {
        return std::tuple(x.missing, x.not_loading, x.not_allocated, -node_.priority(task));
      };
      if (i > 0 && rank(r, place.queue[i]) >= rank(least, place.queue[best])) continue;
      bool const fewer = i == 0 || r.missing < least.missing;
      best = i;
      least = r;
      if (fewer && r.missing == 0 && r.not_allocated == 0) break;
    }
    TaskId const task = place.queue[best];
    place.queue.erase(place.queue.begin() + static_cast<std::ptrdiff_t>(best));
    fill(place);
    return task;
  }

  // ---- eviction ----

  [[nodiscard]] LocalReplica least_used(EvictionRequest const& request, Place& place) const {
    std::vector<LocalReplica> copies;
    for (auto r = request.copies.first(); r.valid(); r = request.copies.next(r))
      if (request.copies.evictable(r)) copies.push_back(r);
    LocalReplica best;
    int fewest = std::numeric_limits<int>::max();
    for (LocalReplica const r : copies) {
      if (std::ranges::any_of(place.running, [&](TaskId t) { return uses(t, r.value()); })) continue;
      int const planned = place.planned_uses[r.value()];
      if (planned < fewest) best = r, fewest = planned;
      if (planned == 0) break;
    }
    if (best.valid() || !request.urgent) return best;
    std::size_t latest = 0;
    for (LocalReplica const r : copies) {
      std::vector<std::uint32_t> order;
      for (TaskId const t : place.running)
        for (std::uint32_t const tile : tiles(t, false)) order.push_back(tile);
      auto const at = static_cast<std::size_t>(std::ranges::find(order, r.value()) - order.begin());
      if (at < order.size() && at > latest) best = r, latest = at;
    }
    return best;
  }

  Victim victim(EvictionRequest const& request) override {
    auto const at = std::ranges::find(places_, request.memory, &Place::memory);
    LocalReplica const chosen = least_used(request, *at);
    if (!chosen.valid()) return EvictionPolicy::none();
    std::uint32_t const tile = chosen.value();
    for (TaskId const task : std::vector<TaskId>(at->planned)) {
      if (!uses(task, tile)) continue;
      std::erase(at->planned, task);
      if (!as_starpu_) count(*at, task, -1);
      for (std::uint32_t const t : tiles(task, !as_starpu_)) {
        list_user(t, task);
        lengths_[t] += length(task);
      }
      ready_.push_back(task);
      if (as_starpu_) break;  // StarPU goes on with another list
    }
    if (users_[tile].empty()) return copy(chosen);
    relist(tile, *at);
    for (Place& place : places_)
      if (&place != &*at && !here(tile, place)) relist(tile, place);
    return copy(chosen);
  }

  void relist(std::uint32_t tile, Place& place) {
    if (contains(place.unused, tile)) return;
    if (place.unused.empty()) return place.unused.push_back(tile);
    auto const position = nrand48(random_) % static_cast<long>(place.unused.size());
    place.unused.insert(place.unused.begin() + position, tile);
  }

  NodeView const& node_;
  bool as_starpu_;
  std::vector<Place> places_;
  std::size_t turn_;
  std::vector<TaskId> ready_;
  std::map<std::uint32_t, std::vector<TaskId>> users_;  // by tile: the newest first
  std::map<std::uint32_t, double> lengths_;             // by tile
  std::set<std::uint32_t> known_;
  Prefetcher* prefetcher_ = nullptr;
  unsigned short random_[3] = {0x330E, 0, 0};  // as after srand48(0)
};

}  // namespace factosim::testing
