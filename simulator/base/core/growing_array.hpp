#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace factosim {

/// An array whose elements are all there from the start, with one value, and take memory up to the highest one that was
/// changed. O(1) amortised.
template <class Value>
class GrowingArray {
 public:
  explicit GrowingArray(Value initial = {}) : initial_(std::move(initial)) {}

  [[nodiscard]] Value operator[](std::size_t i) const { return i < values_.size() ? values_[i] : initial_; }
  /// Returns the element to be changed.
  Value& at(std::size_t i) {
    if (i >= values_.size()) values_.resize(std::max(i + 1, 2 * values_.size()), initial_);
    return values_[i];
  }

 private:
  Value initial_;
  std::vector<Value> values_;
};

}  // namespace factosim
