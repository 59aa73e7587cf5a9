#include "simulator/tasks/bounds/windowed_loads.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/tasks/bounds/rounding.hpp"

namespace factosim {

WindowedLoads::WindowedLoads(double longest_head, double longest_tail)
    : longest_head_(longest_head),
      longest_tail_(longest_tail),
      shortest_tail_(tail_intervals, longest_tail),
      block_(head_intervals * blocks, 0),
      loads_(block_size, 0) {
  shortest_head_.fill(std::numeric_limits<double>::infinity());
  pending_.reserve(batch);
}

void WindowedLoads::count_pending() {
  for (WindowedWork const& w : pending_) {
    std::size_t const i = head_interval(w.head, longest_head_), j = tail_interval(w.tail, longest_tail_);
    shortest_head_[i] = std::min(shortest_head_[i], w.head);
    shortest_tail_[j] = std::min(shortest_tail_[j], w.tail);
    std::uint32_t& block = block_[i * blocks + j / block_size];
    if (block == 0) {
      block = static_cast<std::uint32_t>(loads_.size() / block_size);
      if (loads_.size() == loads_.capacity())
        loads_.reserve(loads_.size() + loads_.size() / 4 + 8 * block_size);
      loads_.resize(loads_.size() + block_size, 0);
    }
    loads_[block * block_size + j % block_size] += w.work;
  }
  count_ += pending_.size();
  pending_.clear();
}

double WindowedLoads::bound() {
  count_pending();
  std::array<double, tail_intervals> load{};
  double bound = 0;
  for (std::size_t i = head_intervals; i-- > 0;) {
    if (shortest_head_[i] == std::numeric_limits<double>::infinity()) continue;
    double sum = 0, tail = longest_tail_;
    for (std::size_t j = 0; j < tail_intervals; ++j) {
      load[j] += loads_[block_[i * blocks + j / block_size] * block_size + j % block_size];
      sum += load[j];
      tail = std::min(tail, shortest_tail_[j]);
      if (load[j] > 0)
        bound = std::max(bound, shortest_head_[i] + tail +
                                    without_rounding(sum, count_ + head_intervals + tail_intervals));
    }
  }
  return bound;
}

std::size_t WindowedLoads::head_interval(double head, double longest) {
  double const share = longest > 0 ? head / longest : 0;
  auto const number = [](double d) { return std::bit_cast<std::uint64_t>(d) >> 50; };  // 4 a power of two
  std::uint64_t const shortest = number(1.0 / 256);
  return share < 1.0 / 256 ? 0 : std::min<std::size_t>(number(share) - shortest + 1, head_intervals - 1);
}

std::size_t WindowedLoads::tail_interval(double tail, double longest) {
  double const share = longest > 0 ? 1 - tail / longest : 0;
  return static_cast<std::size_t>(std::clamp(share * tail_intervals, 0.0, tail_intervals - 1.0));
}

}  // namespace factosim
