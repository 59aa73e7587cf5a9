#pragma once

#include <utility>
#include <vector>

namespace factosim {

/// Values that come and go, by id. The id of a removed value is given to a later one.
template <class Id, class T>
class IdPool {
 public:
  Id add(T value) {
    if (free_.empty()) {
      values_.push_back(std::move(value));
      return Id{values_.size() - 1};
    }
    Id const id = free_.back();
    free_.pop_back();
    values_[id.index()] = std::move(value);
    return id;
  }
  /// The value stays readable until its id is given to another one.
  void remove(Id id) { free_.push_back(id); }

  [[nodiscard]] T& operator[](Id id) { return values_[id.index()]; }
  [[nodiscard]] T const& operator[](Id id) const { return values_[id.index()]; }

 private:
  std::vector<T> values_;
  std::vector<Id> free_;
};

}  // namespace factosim
