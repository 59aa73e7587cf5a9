#include "simulator/report/analysis/time_bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "factosim/error.hpp"

namespace factosim {

TimeBins::TimeBins(double end_s, std::size_t intervals)
    : end_(end_s),
      width_(end_s / static_cast<double>(intervals)),
      change_(intervals, 0),
      area_(intervals, 0) {
  FACTOSIM_EXPECT(end_s > 0 && intervals > 0, "there is time to cut");
}

void TimeBins::change(double date_s, double amount) {
  auto const i = std::min(change_.size() - 1, static_cast<std::size_t>(date_s / width_));
  change_[i] += amount;
  area_[i] += amount * (static_cast<double>(i + 1) * width_ - date_s);
}

void TimeBins::add(double from_s, double to_s, double amount) {
  double const from = std::clamp(from_s, 0.0, end_), to = std::clamp(to_s, 0.0, end_);
  if (!(to > from)) return;  // nothing of it, or an unknown date
  change(from, amount);
  change(to, -amount);
}

std::vector<float> TimeBins::averages() const {
  std::vector<float> out;
  out.reserve(area_.size());
  double before = 0, maximum = 0;
  for (std::size_t i = 0; i < area_.size(); ++i) {
    double const average = before + area_[i] / width_;
    before += change_[i];
    maximum = std::max(maximum, average);
    // A sum that should be 0 may differ by rounding.
    out.push_back(average > 1e-9 * maximum ? static_cast<float>(average) : 0.0F);
  }
  return out;
}

std::size_t columns_for(std::size_t rows) {
  constexpr std::size_t max_cells = std::size_t{1} << 20U;
  return std::clamp<std::size_t>(max_cells / std::max<std::size_t>(rows, 1), 64, 1024);
}

CellCounter::CellCounter(std::size_t rows, std::size_t columns, std::size_t colors, double end_s)
    : rows_(rows),
      columns_(columns),
      colors_(colors),
      width_(end_s / static_cast<double>(columns)),
      seconds_(rows * columns * colors, 0) {
  FACTOSIM_EXPECT(colors < CellRows::empty && end_s > 0 && columns > 0,
                  "colours have numbers, time a length");
}

void CellCounter::add(std::size_t row, std::size_t color, double from_s, double to_s) {
  double from = std::max(from_s, 0.0);
  double const end = width_ * static_cast<double>(columns_), to = std::min(to_s, end);
  if (!(to > from)) return;
  auto column = std::min(columns_ - 1, static_cast<std::size_t>(from / width_));
  for (; column < columns_ && from < to; ++column) {
    double const until = column + 1 == columns_ ? to : std::min(to, width_ * static_cast<double>(column + 1));
    seconds_[(row * columns_ + column) * colors_ + color] += static_cast<float>(std::max(0.0, until - from));
    from = std::max(from, until);
  }
}

double CellCounter::maximum() const {
  double maximum = 0;
  for (std::size_t cell = 0; cell < rows_ * columns_; ++cell) {
    double sum = 0;
    for (std::size_t c = 0; c < colors_; ++c) sum += static_cast<double>(seconds_[cell * colors_ + c]);
    maximum = std::max(maximum, sum / width_);
  }
  return maximum;
}

CellRows CellCounter::cells(double whole) const {
  CellRows out{.rows = rows_, .columns = columns_};
  out.color.reserve(rows_ * columns_);
  out.share.reserve(rows_ * columns_);
  for (std::size_t cell = 0; cell < rows_ * columns_; ++cell) {
    auto const first = seconds_.begin() + static_cast<std::ptrdiff_t>(cell * colors_);
    auto const last = first + static_cast<std::ptrdiff_t>(colors_);
    double sum = 0;
    for (auto s = first; s != last; ++s) sum += static_cast<double>(*s);
    bool const any = sum > 0;
    out.color.push_back(any ? static_cast<std::uint8_t>(std::max_element(first, last) - first)
                            : CellRows::empty);
    double const share = std::min(1.0, sum / (width_ * whole));
    out.share.push_back(any ? static_cast<std::uint8_t>(std::max(1L, std::lround(255 * share))) : 0);
  }
  return out;
}

CoarseSize coarse_size(CellRows const& cells, std::size_t max_rows, std::size_t max_columns) {
  if (cells.rows == 0) return {.rows = 0, .columns = cells.columns};
  CoarseSize out{.high = (cells.rows + max_rows - 1) / max_rows,
                 .wide = (cells.columns + max_columns - 1) / max_columns};
  out.rows = (cells.rows + out.high - 1) / out.high;
  out.columns = (cells.columns + out.wide - 1) / out.wide;
  return out;
}

CellRows coarser(CellRows const& cells, std::size_t max_rows, std::size_t max_columns) {
  if (cells.rows == 0) return cells;
  auto const [rows, columns, high, wide] = coarse_size(cells, max_rows, max_columns);
  CellRows out{.rows = rows, .columns = columns};
  std::array<std::uint32_t, 256> sums{};  // of the shares, by colour
  for (std::size_t row = 0; row < out.rows; ++row)
    for (std::size_t column = 0; column < out.columns; ++column) {
      sums.fill(0);
      std::uint32_t sum = 0, count = 0;
      for (std::size_t r = row * high; r < std::min(cells.rows, (row + 1) * high); ++r)
        for (std::size_t c = column * wide; c < std::min(cells.columns, (column + 1) * wide); ++c) {
          sums[cells.color[cells.at(r, c)]] += cells.share[cells.at(r, c)];
          sum += cells.share[cells.at(r, c)];
          ++count;
        }
      out.color.push_back(sum == 0
                              ? CellRows::empty
                              : static_cast<std::uint8_t>(std::ranges::max_element(sums) - sums.begin()));
      out.share.push_back(static_cast<std::uint8_t>(sum / count));
    }
  return out;
}

}  // namespace factosim
