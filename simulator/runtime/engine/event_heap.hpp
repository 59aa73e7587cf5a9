#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// Dated items whose turn does not come soon, so that it pays to sort them coarsely: in buckets of equal spans of time, and
/// one list of those beyond. When all buckets have been taken, most of that list is spread over new ones. O(1) per item
/// unless dates crowd. After Tang, Goh and Thng, "Ladder queue", ACM TOMACS 15, 2005, with one rung.
template <class Item>
class FarEvents {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Items up to that date are near from now on. There must be none here.
  void begin(Seconds date) {
    start_ = date.value;
    buckets_in_use_ = next_ = 0;
  }
  /// Returns whether an item of that date belongs here: it comes after all that have been taken.
  [[nodiscard]] bool takes(Seconds date) const {
    return buckets_in_use_ == 0 ? date.value > start_ : place(date) >= static_cast<double>(next_);
  }
  void push(Item const& item) {
    ++size_;
    double const at = place(item.date);
    auto& list = at < static_cast<double>(buckets_in_use_) ? buckets_[static_cast<std::size_t>(at)] : beyond_;
    list.push_back(item);
  }
  /// Moves the first items into `out`, which is empty, in no order. There must be some.
  void take_first(std::vector<Item>& out) {
    FACTOSIM_EXPECT(size_ > 0 && out.empty(), "far events become near ones when no near ones are left");
    while (next_ < buckets_in_use_ && buckets_[next_].empty()) ++next_;
    if (next_ == buckets_in_use_ && !spread()) {
      out.swap(beyond_);
    } else {
      out.swap(buckets_[next_++]);
    }
    size_ -= out.size();
  }

 private:
  static constexpr std::size_t per_bucket = 32;

  /// Returns the number of the bucket, which never falls with the date.
  [[nodiscard]] double place(Seconds date) const { return (date.value - start_) * buckets_per_second_; }
  /// Spreads the first three quarters of the list over buckets. Returns false if that does not pay: all are near then.
  bool spread() {
    std::size_t const spread = beyond_.size() / 4 * 3;
    auto const date = [](Item const& item) { return item.date; };
    auto const last = beyond_.begin() + static_cast<std::ptrdiff_t>(spread);
    if (spread > 2 * per_bucket) std::ranges::nth_element(beyond_, last, {}, date);
    double const first = std::ranges::min(beyond_, {}, date).date.value;
    double const span = spread > 2 * per_bucket ? last->date.value - first : 0;
    std::size_t const buckets = spread / per_bucket;
    double const per_second = static_cast<double>(buckets) / span;
    buckets_in_use_ = next_ = 0;
    if (!(per_second > 0 && std::isfinite(per_second))) {
      start_ = std::ranges::max(beyond_, {}, date).date.value;
      return false;
    }
    buckets_in_use_ = buckets;
    if (buckets_.size() < buckets_in_use_) buckets_.resize(buckets_in_use_);
    start_ = first;
    buckets_per_second_ = per_second;
    spread_.swap(beyond_);
    size_ -= spread_.size();
    for (Item const& item : spread_) push(item);
    spread_.clear();
    return true;
  }

  std::vector<std::vector<Item>> buckets_;
  std::size_t buckets_in_use_ = 0, next_ = 0;  // none in use: items come after `start_`
  double start_ = 0, buckets_per_second_ = 0;
  std::vector<Item> beyond_;
  std::vector<Item> spread_;  // scratch
  std::size_t size_ = 0;
};

/// A priority queue of dated payloads: the earliest date first; at equal dates the lowest rank (0 to 3), then
/// the first pushed.
///
/// Most events of a large cluster are the ends of kernels, far away, but most events that are pushed come soon. So there is
/// a small heap with the dates that are near, and the others wait in FarEvents, of which some move on when the heap is
/// empty. The heap has four children per place in one flat array: half the levels of a binary heap, and the children share
/// one or two cache lines. An event that is pushed before all others is kept apart: on few nodes, many are the next one and
/// never see the heap.
template <class Payload>
class EventHeap {
 public:
  [[nodiscard]] bool empty() const { return !has_first_ && near_.empty(); }
  [[nodiscard]] std::size_t size() const { return (has_first_ ? 1 : 0) + near_.size() + far_.size(); }
  [[nodiscard]] Seconds next_date() const {
    FACTOSIM_EXPECT(!empty(), "the date of the next of no events is asked for");
    return has_first_ ? first_.date : near_.front().date;
  }

  void push(Seconds date, Payload payload, std::uint32_t rank = 0) {
    FACTOSIM_EXPECT(rank < 4, "a rank has two bits");
    Item item{date, std::uint64_t{rank} << rank_shift | next_sequence_++, payload};
    if (has_first_) {
      if (item.before(first_)) std::swap(item, first_);
    } else if (near_.empty() || item.before(near_.front())) {
      first_ = item;
      has_first_ = true;
      return;
    }
    if (near_.empty()) far_.begin(item.date);
    if (far_.takes(item.date))
      far_.push(item);
    else
      push_near(item);
  }

  /// Removes and returns the next payload.
  Payload pop() {
    FACTOSIM_EXPECT(!empty(), "an event is taken from an empty heap");
    if (std::exchange(has_first_, false)) return first_.payload;
    Payload const payload = pop_near().payload;
    if (near_.empty() && far_.size() > 0) {
      far_.take_first(near_);
      std::sort(near_.begin(), near_.end(), [](Item const& a, Item const& b) { return a.before(b); });
    }
    return payload;
  }

 private:
  struct Item {
    Seconds date;
    std::uint64_t sequence;
    Payload payload;
    [[nodiscard]] bool before(Item const& other) const {
      return date < other.date || (date == other.date && sequence < other.sequence);
    }
  };
  static constexpr std::size_t children = 4;
  static constexpr int rank_shift = 62;

  void push_near(Item const& item) {
    near_.push_back(item);
    std::size_t place = near_.size() - 1;
    while (place > 0) {
      std::size_t const parent = (place - 1) / children;
      if (!item.before(near_[parent])) break;
      near_[place] = near_[parent];
      place = parent;
    }
    near_[place] = item;
  }

  Item pop_near() {
    Item const first = near_.front();
    Item const last = near_.back();
    near_.pop_back();
    if (!near_.empty()) sift_down(last);
    return first;
  }

  /// Moves `item` into the free place at the top and down to its place.
  void sift_down(Item const& item) {
    std::size_t place = 0;
    while (true) {
      std::size_t const first = place * children + 1;
      if (first >= near_.size()) break;
      std::size_t const end = std::min(first + children, near_.size());
      std::size_t minimum = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (near_[child].before(near_[minimum])) minimum = child;
      if (!near_[minimum].before(item)) break;
      near_[place] = near_[minimum];
      place = minimum;
    }
    near_[place] = item;
  }

  Item first_{};  // before all others, if there is one
  bool has_first_ = false;
  std::vector<Item> near_;  // a heap; empty only if there are no far ones
  FarEvents<Item> far_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace factosim
