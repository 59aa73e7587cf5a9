#include "simulator/experiments/balance/balancers.hpp"

#include <array>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

// Numbers of blocks into which a worker's share may be divided.
constexpr std::array<std::int64_t, 12> cuts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/// Returns the time of the chunks in that number of blocks whose sizes differ by at most one.
double time_in(TrueBlockTime const& worker, std::int64_t chunks, std::int64_t blocks) {
  std::int64_t const size = chunks / blocks, larger = chunks % blocks;
  double seconds = larger > 0 ? static_cast<double>(larger) * worker(size + 1) : 0.0;
  if (size > 0) seconds += static_cast<double>(blocks - larger) * worker(size);
  return seconds;
}

struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  std::int64_t blocks = 1;
};

Best best_time(TrueBlockTime const& worker, std::int64_t chunks) {
  Best best;
  for (std::int64_t const blocks : cuts) {
    if (blocks > chunks) break;
    double const seconds = time_in(worker, chunks, blocks);
    if (seconds < best.seconds) best = {seconds, blocks};
  }
  return best;
}

/// Returns the maximum number of chunks, up to `maximum`, that a worker does in that time.
std::int64_t chunks_within(TrueBlockTime const& worker, double seconds, std::int64_t maximum) {
  std::int64_t low = 0, high = maximum + 1;  // low can be done; high cannot, or is beyond the maximum
  while (high - low > 1) {
    std::int64_t const middle = low + (high - low) / 2;
    (best_time(worker, middle).seconds <= seconds ? low : high) = middle;
  }
  return low;
}

/// Returns the seconds in which all workers together can do the chunks.
double enough_seconds(std::span<TrueBlockTime const> workers, std::int64_t chunks) {
  auto const enough = [&](double seconds) {
    std::int64_t sum = 0;
    for (TrueBlockTime const& worker : workers)
      if ((sum += chunks_within(worker, seconds, chunks)) >= chunks) return true;
    return false;
  };
  double low = 0, high = std::numeric_limits<double>::infinity();
  for (TrueBlockTime const& worker : workers) high = std::min(high, best_time(worker, chunks).seconds);
  for (int i = 0; i < 50; ++i) {
    double const middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

/// Returns the chunks of each worker in that time. The worker with the longest time returns surplus chunks.
std::vector<std::int64_t> shares_within(std::span<TrueBlockTime const> workers, double seconds,
                                        std::int64_t chunks) {
  std::vector<std::int64_t> share;
  std::int64_t sum = 0;
  for (TrueBlockTime const& worker : workers)
    sum += share.emplace_back(chunks_within(worker, seconds, chunks));
  for (; sum > chunks; --sum) {
    std::size_t latest = 0;
    double maximum = -1;
    for (std::size_t w = 0; w < workers.size(); ++w) {
      double const own = share[w] > 0 ? best_time(workers[w], share[w]).seconds : -1;
      if (own > maximum) maximum = own, latest = w;
    }
    --share[latest];
  }
  return share;
}

}  // namespace

StaticOptimum static_optimum(std::span<TrueBlockTime const> workers, std::int64_t chunks) {
  FACTOSIM_EXPECT(!workers.empty() && chunks > 0, "there is work and somebody to do it");
  auto const share = shares_within(workers, enough_seconds(workers, chunks), chunks);
  StaticOptimum out{{0}, {}};
  for (std::size_t w = 0; w < workers.size(); ++w) {
    auto& blocks = out.blocks.emplace_back();
    if (share[w] == 0) continue;
    Best const best = best_time(workers[w], share[w]);
    out.makespan = std::max(out.makespan, Seconds{best.seconds});
    for (std::int64_t b = 0; b < best.blocks; ++b)
      if (std::int64_t const size = share[w] / best.blocks + (b < share[w] % best.blocks ? 1 : 0); size > 0)
        blocks.push_back(size);
  }
  return out;
}

}  // namespace factosim
