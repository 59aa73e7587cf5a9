#include "simulator/scenario/platform_key.hpp"

#include "platforms/platform_json.hpp"

namespace factosim {

Platform read_platform_key(JsonReader const& json) {
  if (json.is_string()) return read_platform(json.path());
  auto const file = json.at("file", "the platform's file").path();
  auto const nodes = json.find("nodes");
  json.finish();
  return nodes ? read_platform(file, *nodes) : read_platform(file);
}

nlohmann::ordered_json effective_platform(Platform const& platform) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (std::uint32_t const type : platform.nodes) {  // consecutive nodes of one type form one entry
    if (nodes.empty() || nodes.back()["type"] != platform.types[type].name)
      nodes.push_back({{"type", platform.types[type].name}, {"count", 0}});
    nodes.back()["count"] = nodes.back()["count"].get<int>() + 1;
  }
  return {{"nodes", nodes}};
}

}  // namespace factosim
