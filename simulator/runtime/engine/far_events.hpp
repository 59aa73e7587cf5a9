#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

}  // namespace factosim
