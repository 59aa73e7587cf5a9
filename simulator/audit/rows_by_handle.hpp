#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "factosim/id.hpp"

namespace factosim::audit {

/// Indices of records, sorted by handle; stable.
class RowsByHandle {
 public:
  template <class Record>
  RowsByHandle(std::vector<Record> const& records, std::size_t handles) : begin_(handles + 1, 0) {
    for (Record const& r : records)
      if (r.handle.valid()) ++begin_[r.handle.index() + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    rows_.resize(begin_.back());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t i = 0; i < records.size(); ++i)
      if (records[i].handle.valid()) rows_[next[records[i].handle.index()]++] = i;
  }
  [[nodiscard]] std::span<std::uint32_t const> of(HandleId handle) const {
    return {rows_.data() + begin_[handle.index()], rows_.data() + begin_[handle.index() + 1]};
  }

 private:
  std::vector<std::uint32_t> begin_;  // [handles + 1] into rows_
  std::vector<std::uint32_t> rows_;
};

}  // namespace factosim::audit
