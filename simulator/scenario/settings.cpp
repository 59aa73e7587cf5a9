#include "simulator/scenario/settings.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/core/input_limits.hpp"
#include "simulator/core/json_reader.hpp"

namespace factosim {

namespace {

bool is_number(std::string const& token) {
  return !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
}

/// Checks the pointer's way through arrays and through values that do not exist yet. A number makes an array
/// there.
void check_indices(nlohmann::json const& document, nlohmann::json::json_pointer place) {
  std::uint64_t depth = 0;
  for (; !place.empty(); place = place.parent_pointer()) {
    if (++depth > input_limit(InputLimit::nesting))
      throw std::runtime_error(fmt::format("more than {} deep", input_limit(InputLimit::nesting)));
    std::string const& token = place.back();
    if (!is_number(token)) continue;
    auto const parent = place.parent_pointer();
    bool const exists = document.contains(parent);
    if (exists && document[parent].is_object()) continue;
    std::size_t const size = exists && document[parent].is_array() ? document[parent].size() : 0;
    if (token.size() > 9 || std::stoul(token) > size)
      throw std::runtime_error(fmt::format("there is no element {}, the array has {}", token, size));
  }
}

}  // namespace

void set_at(nlohmann::json& document, std::string const& pointer, nlohmann::json value) {
  nlohmann::json::json_pointer const place(pointer);
  check_indices(document, place);
  if (too_deep(value))
    throw std::runtime_error(fmt::format("the value is more than {} deep", input_limit(InputLimit::nesting)));
  document[place] = std::move(value);
}

void apply_settings(nlohmann::json& document, std::vector<std::string> const& settings) {
  for (std::string const& setting : settings) {
    auto const equal = setting.find('=');
    if (equal == std::string::npos || setting.empty() || setting.front() != '/')
      throw InputError("--set",
                       fmt::format("\"{}\" is not a setting (a JSON pointer and a value are expected). Write "
                                   "--set /application/nt=50",
                                   setting));
    std::string const text = setting.substr(equal + 1);
    nlohmann::json value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) value = text;
    try {
      set_at(document, setting.substr(0, equal), std::move(value));
    } catch (std::exception const& error) {
      throw InputError(
          "--set", fmt::format("\"{}\" cannot be set ({}). Check the pointer against the scenario", setting,
                               error.what()));
    }
  }
}

}  // namespace factosim
