#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace factosim
