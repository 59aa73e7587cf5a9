#include "simulator/report/text/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace factosim {

namespace {

std::string bar_of(double fraction) {
  constexpr int width = 30;
  int const filled = static_cast<int>(fraction * width);
  return fmt::format("[{:#<{}}{:.<{}}] {:3.0f} %", "", filled, "", width - filled, 100 * fraction);
}

bool hidden = false;

bool is_shown() { return !hidden && ::isatty(STDERR_FILENO) != 0; }

}  // namespace

void hide_progress() { hidden = true; }

void show_status(std::string const& line) {
  if (!is_shown()) return;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

ProgressBar::ProgressBar(std::uint64_t total, std::string items)
    : total_(total), items_(std::move(items)), visible_(is_shown()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) show_status("");
}

std::string ProgressBar::text(std::uint64_t done, std::uint64_t total, double seconds) {
  double const fraction =
      total == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  double const rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  double const left = rate > 0 ? static_cast<double>(total - done) / rate : 0;
  return fmt::format("{}  {:.0f} k tasks/s  {:.0f} s left", bar_of(fraction), rate / 1e3, left);
}

std::string ProgressBar::text(Items const& items, double seconds) {
  double const share = std::clamp(items.share, 0.0, 1.0);
  double const rate = seconds > 0 ? static_cast<double>(items.done) / seconds : 0;
  double const left = share > 0 ? seconds * (1 - share) / share : 0;
  std::string text = fmt::format("{}  {}/{} {}  {:.3g}/s  {:.0f} s left", bar_of(share), items.done,
                                 items.total, items.name, rate, left);
  if (items.failed > 0) text += fmt::format("  {} failed", items.failed);
  return text;
}

bool ProgressBar::is_due() {
  using namespace std::chrono_literals;
  if (!visible_ || Clock::now() - last_ < 100ms) return false;
  last_ = Clock::now();
  return true;
}

void ProgressBar::draw(std::string const& bar) {
  drawn_ = true;
  show_status(bar);
}

void ProgressBar::update(std::uint64_t done) {
  if (is_due()) draw(text(done, total_, std::chrono::duration<double>(last_ - start_).count()));
}

void ProgressBar::update(std::uint64_t done, double share, std::uint64_t failed) {
  if (is_due())
    draw(text({items_, done, total_, failed, share}, std::chrono::duration<double>(last_ - start_).count()));
}

}  // namespace factosim
