#pragma once

#include <vector>

namespace factosim {

/// Lists of some of many things, by place. A list that is given back is empty and keeps its memory for another one.
template <class Place, class List>
class ListPool {
 public:
  /// Returns the list of a place, which is set if it is none.
  List& of(Place& place) {
    if (!place.valid()) {
      if (free_.empty()) {
        free_.emplace_back(lists_.size());
        lists_.emplace_back();
      }
      place = free_.back();
      free_.pop_back();
    }
    return lists_[place.index()];
  }
  [[nodiscard]] List const& operator[](Place place) const { return lists_[place.index()]; }
  [[nodiscard]] List& operator[](Place place) { return lists_[place.index()]; }
  /// Gives the list back, if there is one, and makes the place none.
  void give_back(Place& place) {
    if (!place.valid()) return;
    lists_[place.index()].clear();
    free_.push_back(place);
    place = {};
  }

 private:
  std::vector<List> lists_;
  std::vector<Place> free_;  // of empty lists
};

}  // namespace factosim
