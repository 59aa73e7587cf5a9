#include "simulator/studies/search/moved_scenario.hpp"

#include "platforms/shipped_files.hpp"

namespace factosim {

nlohmann::ordered_json moved_scenario(nlohmann::ordered_json out, std::filesystem::path const& from,
                                      std::filesystem::path const& to) {
  namespace fs = std::filesystem;
  auto const move = [&](auto& text) {
    fs::path const named = text.template get<std::string>();
    if (named.is_relative())
      text = (from / named).lexically_normal().lexically_proximate(to.lexically_normal()).string();
  };
  auto const move_unless_shipped = [&](auto& text, ShippedKind kind) {
    std::string const named = text.template get<std::string>();
    std::error_code ignored;
    if (fs::exists(from / named, ignored) || !file_named(kind, named, from)) move(text);
  };
  if (out.contains("platform")) {
    nlohmann::json platform = out["platform"];
    visit_file_names(platform, move_unless_shipped);
    out["platform"] = std::move(platform);
  }
  auto const value = [&](char const* pointer) -> nlohmann::ordered_json* {
    nlohmann::ordered_json::json_pointer const at(pointer);
    return out.contains(at) && out.at(at).is_string() ? &out.at(at) : nullptr;
  };
  if (auto* const preset = value("/network/preset")) move_unless_shipped(*preset, ShippedKind::network);
  if (auto* const disk = value("/runtime/disk")) move_unless_shipped(*disk, ShippedKind::disk);
  if (auto* const routes = value("/network/simgrid_xml/file"))
    move_unless_shipped(*routes, ShippedKind::network);
  for (char const* const pointer : {"/application/file", "/distribution/file", "/scheduler/file"})
    if (auto* const file = value(pointer)) move(*file);
  return out;
}

}  // namespace factosim
