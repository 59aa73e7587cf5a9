#pragma once

#include <compare>
#include <cstdint>

namespace factosim {

/// A number with a unit: quantities of different units do not mix.
template <class Unit, class Rep>
struct Quantity {
  Rep value{};

  constexpr auto operator<=>(Quantity const&) const = default;
  // Faster than those made of <=>, which treats unordered values separately.
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value < b.value; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value > b.value; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value <= b.value; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value >= b.value; }
  constexpr Quantity& operator+=(Quantity other) { return value += other.value, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value -= other.value, *this; }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, Rep factor) { return {a.value * factor}; }
  friend constexpr Quantity operator*(Rep factor, Quantity a) { return {a.value * factor}; }
  friend constexpr Quantity operator/(Quantity a, Rep divisor) { return {a.value / divisor}; }
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value) / static_cast<double>(b.value);
  }
};

using Seconds = Quantity<struct SecondsUnit, double>;
using Bytes = Quantity<struct BytesUnit, std::int64_t>;
using Flops = Quantity<struct FlopsUnit, double>;
using Joules = Quantity<struct JoulesUnit, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit, double>;

constexpr Seconds operator/(Bytes size, BytesPerSecond bandwidth) {
  return {static_cast<double>(size.value) / bandwidth.value};
}

}  // namespace factosim
