#include "simulator/app/settings.hpp"

#include <fmt/format.h>

#include "simulator/core/error.hpp"

namespace factosim {

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
      document[nlohmann::json::json_pointer(setting.substr(0, equal))] = std::move(value);
    } catch (nlohmann::json::exception const& error) {
      throw InputError(
          "--set", fmt::format("\"{}\" cannot be set ({}). Check the pointer against the scenario", setting,
                               error.what()));
    }
  }
}

}  // namespace factosim
