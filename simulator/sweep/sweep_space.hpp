#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/core/json_reader.hpp"
#include "simulator/sweep/sweep_choice.hpp"

namespace factosim {

/// The points of a sweep before filters: choices, or several spaces combined. Points are numbered; none is
/// stored.
class SweepSpace {
 public:
  enum class Kind : std::uint8_t { choices, product, zip, chain };

  explicit SweepSpace(std::vector<SweepChoice> choices) : choices_(std::move(choices)) {}
  SweepSpace(Kind kind, std::vector<SweepSpace> parts) : kind_(kind), parts_(std::move(parts)) {}

  /// At most UINT64_MAX, which also stands for more.
  [[nodiscard]] std::uint64_t count() const;
  /// Point `index` < count(); the last part of a product varies fastest.
  [[nodiscard]] SweepChoice at(std::uint64_t index) const;

 private:
  Kind kind_ = Kind::choices;
  std::vector<SweepChoice> choices_;
  std::vector<SweepSpace> parts_;
};

/// Reads "points" of a sweep. Throws InputError where it is malformed or has no point.
[[nodiscard]] SweepSpace read_sweep_space(JsonReader const& json);

}  // namespace factosim
