#include "platforms/platform_paths.hpp"

namespace factosim {

namespace {

using Json = nlohmann::json;
using Visit = std::function<void(Json& text, ShippedKind kind)>;

/// Calls `visit` for the value of a key that may be a name.
void visit_key(Json& object, char const* key, ShippedKind kind, Visit const& visit) {
  if (!object.is_object()) return;
  auto const found = object.find(key);
  if (found != object.end() && found->is_string()) visit(*found, kind);
}

}  // namespace

void visit_file_names(Json& platform, Visit const& visit) {
  if (platform.is_string()) visit(platform, ShippedKind::platform);
  visit_key(platform, "file", ShippedKind::platform, visit);
  if (!platform.is_object()) return;
  if (auto const merge = platform.find("merge"); merge != platform.end() && merge->is_array())
    for (Json& entry : *merge) visit_file_names(entry, visit);
  if (auto const types = platform.find("node_types"); types != platform.end() && types->is_object())
    for (Json& type : *types) {
      visit_key(type, "kernels", ShippedKind::kernels, visit);
      visit_key(type, "nic", ShippedKind::network, visit);
      visit_key(type, "disk", ShippedKind::disk, visit);
    }
  if (auto const network = platform.find("network"); network != platform.end())
    visit_key(*network, "preset", ShippedKind::network, visit);
}

}  // namespace factosim
