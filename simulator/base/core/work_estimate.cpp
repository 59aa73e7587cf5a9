#include "simulator/base/core/work_estimate.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace factosim {

namespace {

/// Formats the value in the first unit that it reaches, or returns `otherwise`.
std::string in_largest_unit(double value, std::initializer_list<std::pair<double, char const*>> units,
                            std::string const& otherwise) {
  for (auto const& [unit, name] : units)
    if (value >= unit) {
      std::string const number = fmt::format("{:.3g}", value / unit);
      std::string_view const one = name;
      return fmt::format("{} {}", number,
                         number == "1" && one.ends_with('s') ? one.substr(0, one.size() - 1) : one);
    }
  return otherwise;
}

}  // namespace

std::string about_bytes(double bytes) {
  return in_largest_unit(bytes, {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}},
                         fmt::format("{:.0f} bytes", bytes));
}

std::string about_count(double count) {
  return in_largest_unit(count, {{1e9, "thousand million"}, {1e6, "million"}}, fmt::format("{:.0f}", count));
}

std::string about_seconds(double seconds) {
  return in_largest_unit(seconds, {{86400, "days"}, {3600, "hours"}, {60, "minutes"}},
                         fmt::format("{:.3g} s", seconds));
}

std::string WorkEstimate::description() const {
  std::string const sharing = long_sharing() ? fmt::format(
                                                   ", and up to {} for SimGrid if the network limits "
                                                   "(network/model maxmin computes the same in much less)",
                                                   about_seconds(sharing_s))
                                             : "";
  return fmt::format("about {} {}, {}{}{}", about_count(count), things,
                     memory_bytes > 0 ? about_bytes(memory_bytes) + " of memory and " : "",
                     about_seconds(cpu_s), sharing);
}

}  // namespace factosim
