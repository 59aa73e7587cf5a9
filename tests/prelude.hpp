#pragma once

// What nearly every test includes.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "factosim/error.hpp"
#include "tests/data/test_files.hpp"

namespace factosim::testing {

/// Returns whether a text is in another one.
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Returns values as a check that fails shows them, between commas.
template <class... Value>
doctest::String listed(Value const&... values) {
  doctest::String out;
  ((out += (out.size() == 0 ? "" : ", ") + doctest::toString(values)), ...);
  return out;
}

}  // namespace factosim::testing

/// CAPTURE for several variables.
#define CAPTURE_ALL(...) INFO(#__VA_ARGS__ " := ", ::factosim::testing::listed(__VA_ARGS__))
