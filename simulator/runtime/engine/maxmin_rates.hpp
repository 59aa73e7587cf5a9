#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/quantity.hpp"
#include "simulator/runtime/engine/network.hpp"

namespace factosim {

/// Dates that change, numbered from 0, and the first of them. A heap with four children per place, whose keys are
/// lower bounds of the dates: a date that is put off costs nothing until it would be the first.
class EndDates {
 public:
  /// Sets a date, also of a number that has none yet.
  void set(std::uint32_t number, Seconds date) {
    if (number >= dates_.size()) {
      dates_.resize(number + 1, EventSource::never);
      place_.resize(number + 1, nowhere);
    }
    dates_[number] = date;
    if (place_[number] == nowhere) {
      heap_.push_back({date, number});
      sift_up(heap_.size() - 1, {date, number});
    } else if (date < heap_[place_[number]].date) {
      sift_up(place_[number], {date, number});
    }
  }

  /// Returns the first date, or `never`.
  [[nodiscard]] Seconds first() {
    while (!heap_.empty()) {
      Item const top = heap_.front();
      if (dates_[top.number] == top.date) return top.date;
      sift_down({dates_[top.number], top.number});
    }
    return EventSource::never;
  }

  /// Removes the first date, which there must be, and returns its number.
  std::uint32_t pop() {
    FACTOSIM_EXPECT(!heap_.empty(), "a date is taken where there is none");
    static_cast<void>(first());
    std::uint32_t const number = heap_.front().number;
    place_[number] = nowhere;
    Item const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
    return number;
  }

 private:
  struct Item {
    Seconds date;  // at most that of the number
    std::uint32_t number;
  };
  static constexpr std::size_t children = 4;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  void put(std::size_t place, Item const& item) {
    heap_[place] = item;
    place_[item.number] = static_cast<std::uint32_t>(place);
  }

  void sift_up(std::size_t place, Item const& item) {
    while (place > 0) {
      std::size_t const parent = (place - 1) / children;
      if (heap_[parent].date <= item.date) break;
      put(place, heap_[parent]);
      place = parent;
    }
    put(place, item);
  }

  /// Moves `item` into the place at the top and down to its place.
  void sift_down(Item const& item) {
    std::size_t place = 0;
    while (true) {
      std::size_t const begin = place * children + 1;
      if (begin >= heap_.size()) break;
      std::size_t const end = std::min(begin + children, heap_.size());
      std::size_t minimum = begin;
      for (std::size_t child = begin + 1; child < end; ++child)
        if (heap_[child].date < heap_[minimum].date) minimum = child;
      if (heap_[minimum].date >= item.date) break;
      put(place, heap_[minimum]);
      place = minimum;
    }
    put(place, item);
  }

  std::vector<Item> heap_;
  std::vector<Seconds> dates_;        // [numbers]
  std::vector<std::uint32_t> place_;  // [numbers] in the heap
};

/// Weighted max-min fair rates of flows over shared links: the rate of a flow can only increase if that of a flow
/// with a smaller level (rate / weight) decreases (Bertsekas and Gallager, Data Networks, 6.5.2).
///
/// Each link has a level l such that the sum over its flows of weight * share * min(l, limit) is its capacity, where the
/// limit of a flow is the smallest level of its other links; the level is unlimited if the capacity suffices for
/// all limits. The level of a flow is the smallest of its links' levels: levels that satisfy this for all links are
/// the max-min levels. After a change, the links of the changed flows are solved anew, and then each link that the
/// new level of another concerns, the lowest level first, until none is left: this converges from any levels, since
/// the lowest level depends on no other, the second only on the lowest, and so on. The cost is proportional to the
/// flows of the links whose levels change. Rates differ from the exact ones by rounding, relative 1e-12.
class MaxMinRates {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();  // rate or level

  /// `capacities` of the links in bytes per second; no flow crosses more than `longest_route` links.
  MaxMinRates(std::vector<double> const& capacities, std::size_t longest_route);

  /// A link on the way of a flow, and how much of the link the flow takes, as a multiple of the flow's rate.
  struct Crossed {
    std::uint32_t link;
    double share = 1;
  };
  /// Adds a flow over `links`, which may name a link twice (it then takes both shares), that is never faster than
  /// `bound`. Returns its number; those of removed flows are used again.
  std::uint32_t add(std::span<Crossed const> links, double weight, double bound);
  /// Removes a flow that was there at the last update.
  void remove(std::uint32_t flow);
  /// Computes the rates after additions and removals. Returns the flows whose rates changed, the new ones included.
  std::span<std::uint32_t const> update();
  /// In bytes per second, as of the last update.
  [[nodiscard]] double rate(std::uint32_t flow) const { return flows_[flow].rate; }

 private:
  struct Use {      // of a link by a flow
    double limit;   // smallest level of the flow's other links, and its bound
    double weight;  // of the flow, times its share of the link
    std::uint32_t flow;
    std::uint32_t part;  // place of the link in the flow's route
  };
  struct Link {
    double capacity = 0;
    double level = unlimited;
    double load = 0;             // of an unlimited link: at least the sum of weight * limit, up to rounding
    double waiting = unlimited;  // level above which it must be solved anew
    std::vector<Use> uses;
  };
  struct Crossing {  // of a flow over a link
    std::uint32_t link;
    std::uint32_t place;  // in the link's uses
  };
  struct Flow {
    double rate = 0;
    double weight = 1;
    double bound = unlimited;  // level
    std::uint32_t crossings = 0;
    bool changed = false;
  };
  struct Waiting {
    double level;
    std::uint32_t link;  // breaks ties
    friend auto operator<=>(Waiting const&, Waiting const&) = default;
  };

  [[nodiscard]] std::span<Crossing> route_of(std::uint32_t flow) {
    return {crossings_.data() + flow * longest_route_, flows_[flow].crossings};
  }
  /// Returns the smallest level of the flow's links other than `link`, and of its bound.
  [[nodiscard]] double limit_at(std::uint32_t flow, std::uint32_t link);
  void solve_later(std::uint32_t link, double above);
  /// Solves an unlimited link later if its flows may need more than its capacity.
  void check_load(std::uint32_t link, double above);
  [[nodiscard]] double solved(Link& link) const;
  void set_level(std::uint32_t link, double level);
  void mark_changed(std::uint32_t flow);

  std::size_t longest_route_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;          // pool
  std::vector<Crossing> crossings_;  // [flows][longest_route_]
  std::vector<std::uint32_t> free_flows_;
  std::vector<Waiting>
      waiting_;  // a heap, the lowest level first; entries that differ from their link are outdated
  std::vector<std::uint32_t> touched_;  // flows of which the level may have changed since the last update
  std::vector<std::uint32_t> changed_;
};

}  // namespace factosim
