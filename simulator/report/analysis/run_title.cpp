#include "simulator/report/analysis/run_title.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the text or number at a pointer; "" if there is none.
std::string text_at(Json const& json, char const* pointer) {
  Json::json_pointer const place(pointer);
  if (!json.contains(place)) return {};
  Json const& value = json.at(place);
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

/// "16 chifflet + 30 chetemi"
std::string nodes_text(Json const& options) {
  Json::json_pointer const place("/platform/nodes");
  std::string out;
  if (!options.contains(place) || !options.at(place).is_array()) return out;
  for (Json const& nodes : options.at(place)) {
    std::string const count = text_at(nodes, "/count"), type = text_at(nodes, "/type");
    if (!count.empty() && !type.empty()) out += fmt::format("{}{} {}", out.empty() ? "" : " + ", count, type);
  }
  return out;
}

}  // namespace

std::string title_of_result(Json const& result) {
  Json::json_pointer const place("/provenance/options");
  if (!result.contains(place)) return {};
  Json const& options = result.at(place);
  std::string const nt = text_at(options, "/application/nt"), nb = text_at(options, "/application/nb");
  std::string size = nt.empty() ? "" : fmt::format("{0} x {0} tiles", nt);
  if (!size.empty() && !nb.empty()) size += " of " + nb;
  std::string out;
  for (std::string const& part :
       {text_at(options, "/application/type"), size, text_at(options, "/distribution"), nodes_text(options)})
    if (!part.empty()) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string title_of_path(std::string_view path) {
  std::filesystem::path const whole = std::filesystem::path(path).lexically_normal();
  std::vector<std::filesystem::path> names;
  for (auto const& name : whole)
    if (!name.empty() && name.has_filename() && name != whole.root_path()) names.push_back(name);
  if (names.empty()) return std::string(path);
  if (names.size() == 1) return names.back().string();
  return (names[names.size() - 2] / names.back()).string();
}

}  // namespace factosim
