#include "simulator/report/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace factosim {

ProgressBar::ProgressBar(std::uint64_t total) : total_(total), visible_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

std::string ProgressBar::text(std::uint64_t done, std::uint64_t total, double seconds) {
  double const fraction =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  constexpr int width = 30;
  int const filled = static_cast<int>(fraction * width);
  double const rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  double const left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} k tasks/s  {:.0f} s left", "", filled, "",
                     width - filled, 100 * fraction, rate / 1e3, left);
}

void ProgressBar::update(std::uint64_t done) {
  using namespace std::chrono_literals;
  if (!visible_ || Clock::now() - last_ < 100ms) return;
  last_ = Clock::now();
  drawn_ = true;
  std::string const bar = text(done, total_, std::chrono::duration<double>(last_ - start_).count());
  std::fprintf(stderr, "\r\033[K%s", bar.c_str());
  std::fflush(stderr);
}

}  // namespace factosim
