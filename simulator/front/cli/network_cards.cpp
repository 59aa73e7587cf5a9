#include "simulator/front/cli/network_cards.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "factosim/error.hpp"
#include "platforms/platform_limits.hpp"
#include "platforms/presets.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/quantity_text.hpp"

namespace factosim {

GivenCards read_cards(std::string const& text) {
  auto const fail = [&] {
    throw InputError(
        "--nic#",
        fmt::format("\"{}\" is no network card (a bandwidth and a latency are expected, each with its unit). "
                    "Write 12.5GB/s,1us or 10Gb/s,20us, or the name of a network, such as ethernet-10g "
                    "(factosim list networks)",
                    text));
  };
  auto const comma = text.find(',');
  if (comma == std::string::npos) {
    if (std::isdigit(static_cast<unsigned char>(text.front())) != 0 && !std::filesystem::exists(text)) fail();
    nlohmann::json const name = text;
    NetworkPreset const network = read_network_preset(JsonReader(name, "--nic"));
    return {.nic = network.nic,
            .nics = network.nics,
            .network = network.spec,
            .text = fmt::format("Network card of {}.", network.name),
            .estimate = network.spec.estimate};
  }
  auto const positive = [&](std::string const& quantity, std::string_view unit) {
    double const value = parsed<double>(quantity).value_or(stated_quantity(quantity, unit).value);
    if (!(value > 0) || value > largest_quantity) fail();
    return value;
  };
  return {.nic = {BytesPerSecond{positive(text.substr(0, comma), "B/s")},
                  Seconds{positive(text.substr(comma + 1), "s")}},
          .network = {},
          .text = fmt::format("Network card {}: as given to the import.", text)};
}

}  // namespace factosim
