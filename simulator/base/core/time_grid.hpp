#pragma once

#include <cmath>

#include "factosim/quantity.hpp"

namespace factosim {

/// The dates of a simulation: whole numbers of ticks, so that sums of durations do not depend on their order and
/// simultaneous events have equal dates. A tick is 1 ps times a power of two that follows the scale of the run:
/// if all times of a scenario double, so does the tick, and the whole schedule with it. Decimal fractions that
/// are multiples of a tick (microseconds) stay exact relative to each other.
///
/// A date is represented by the double next to it, `ticks / ticks_per_second`. Sums of two dates below 2^50 ticks
/// have an error of less than half a tick, which rounding removes. Later dates are rounded up to 49 significant
/// bits: never earlier than the exact sum.
class TimeGrid {
 public:
  /// Ends of transfers within so many ticks are simultaneous: Network::run.
  static constexpr double tie_ticks = 10;

  /// Ticks of 1 ps.
  TimeGrid() = default;
  /// The grid of a run that is expected to last about `makespan`: 2^45 to 2^46 ticks. 1 ps if it is 0 or
  /// infinite.
  [[nodiscard]] static TimeGrid for_makespan(Seconds makespan);

  [[nodiscard]] Seconds tick() const { return {1 / ticks_per_second_}; }
  /// Returns the date `delay` after a date of the grid, rounded to the nearest tick.
  [[nodiscard]] Seconds after(Seconds date, Seconds delay) const {
    double const ticks = (date.value + delay.value) * ticks_per_second_;
    return ticks < max_exact ? Seconds{nearest(ticks) / ticks_per_second_} : late(date.value, delay.value);
  }
  [[nodiscard]] Seconds rounded(Seconds date) const { return after(date, Seconds{0}); }
  /// Returns a duration of at least one tick if it is above 0.
  [[nodiscard]] Seconds duration(Seconds given) const { return seconds(ticks(given)); }
  /// Returns `duration` as a number of ticks, for sums without rounding.
  [[nodiscard]] double ticks(Seconds given) const {
    double const exact = given.value * ticks_per_second_;
    if (!(exact < max_exact)) return std::ceil(exact);
    double const whole = nearest(exact);
    return whole < 1 && exact > 0 ? 1 : whole;
  }
  /// Returns a time of so many ticks. Monotonic: the order of sums in ticks is that of the seconds.
  [[nodiscard]] Seconds seconds(double ticks) const { return {ticks / ticks_per_second_}; }

 private:
  static constexpr double max_exact = 0x1p50;  // ticks

  /// Rounds to a whole number, for 0 <= ticks < 2^51: the sum with 1.5 * 2^52 has no bits for fractions.
  [[nodiscard]] static double nearest(double ticks) {
    constexpr double shifter = 6755399441055744.0;
    return (ticks + shifter) - shifter;
  }
  [[nodiscard]] static Seconds late(double date, double delay);

  double ticks_per_second_ = 1e12;
};

}  // namespace factosim
