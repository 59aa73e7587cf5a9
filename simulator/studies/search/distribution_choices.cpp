#include "simulator/studies/search/distribution_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace factosim {

std::vector<nlohmann::json> distribution_choices(std::string const& name, int nodes) {
  std::vector<nlohmann::json> out;
  if (name == "layers") {
    for (int layers = 2; layers <= std::min(3, nodes); ++layers)
      out.push_back({{"type", name}, {"layers", layers}, {"layer", {{"type", "1d1d-c"}}}});
    return out;
  }
  if (name != "block-cyclic") return {{{"type", name}}};
  for (int p = 1; p * p <= nodes; ++p)
    if (nodes % p == 0) out.push_back({{"type", name}, {"p", p}, {"q", nodes / p}});
  return out;
}

std::string distribution_text(nlohmann::json const& choice) {
  if (choice.contains("layers"))
    return fmt::format("{} layers of {}", choice["layers"].get<int>(),
                       choice["layer"]["type"].get<std::string>());
  std::string out = choice["type"];
  if (choice.contains("p")) out += fmt::format(" {} x {}", choice["p"].get<int>(), choice["q"].get<int>());
  return out;
}

}  // namespace factosim
