#include "simulator/studies/calibration/measured_links.hpp"

#include <algorithm>
#include <chrono>

#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

constexpr int warm_up_copies = 3;
constexpr Bytes one_byte{1}, large{std::int64_t{32} << 20};

SampleSummary time_copies(std::function<void(Bytes)> const& copy, Bytes size, int count) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < warm_up_copies; ++i) copy(size);
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    auto const start = Clock::now();
    copy(size);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return summarize(std::move(seconds));
}

}  // namespace

LinkFit measure_link(std::function<void(Bytes)> const& copy, double* spread) {
  constexpr int small_copies = 128, large_copies = 32;
  double const latency = time_copies(copy, one_byte, small_copies).median;
  SampleSummary const transfer = time_copies(copy, large, large_copies);
  if (spread != nullptr) *spread = (transfer.upper_quartile - transfer.lower_quartile) / transfer.median;
  double const moving = std::max(transfer.median - latency, 1e-9);
  return {.rate = {.bandwidth = BytesPerSecond{static_cast<double>(large.value) / moving},
                   .latency = Seconds{latency}},
          .transfers = small_copies + large_copies};
}

std::vector<MeasuredLink> measure_links(Gpus& gpus) {
  std::vector<MeasuredLink> out;
  std::size_t const memories = 1 + gpus.specs().size();
  for (std::size_t from = 0; from < memories; ++from)
    for (std::size_t to = 0; to < memories; ++to) {
      if (from == to) continue;
      MeasuredLink link{.from = from, .to = to, .fit = {}};
      link.fit = measure_link([&](Bytes size) { gpus.copy(from, to, size); }, &link.spread);
      out.push_back(link);
    }
  return out;
}

}  // namespace factosim
