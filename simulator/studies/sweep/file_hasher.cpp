#include "simulator/studies/sweep/file_hasher.hpp"

#include <fmt/format.h>

#include <system_error>

#include "platforms/shipped_files.hpp"
#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"

namespace factosim {

namespace fs = std::filesystem;

std::string const& FileHasher::of_file(fs::path const& file) {
  auto const [place, is_new] = known_.try_emplace(file);
  if (!is_new) return place->second;
  // What is too large for a JSON file has no names of files in it.
  if (fs::file_size(file) > input_limit(InputLimit::text)) return place->second = file_hash(file);
  std::string text = read_input(file);
  if (std::size_t const first = text.find_first_not_of(" \t\r\n");
      first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    check_json(text, file.string() + "#");
    nlohmann::json const document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_structured()) add_files(text, document, file.parent_path());
  }
  return place->second = content_hash(text);
}

void FileHasher::add_files(std::string& text, nlohmann::json const& value, fs::path const& folder,
                           std::string_view key) {
  if (value.is_object())
    for (auto const& [name, member] : value.items()) add_files(text, member, folder, name);
  if (value.is_array())
    for (nlohmann::json const& member : value) add_files(text, member, folder, key);
  if (!value.is_string() || value.get_ref<std::string const&>().empty()) return;
  auto const& name = value.get_ref<std::string const&>();
  auto const [place, is_new] = resolved_.try_emplace(fmt::format("{}\n{}\n{}", folder.string(), key, name));
  if (is_new) {
    std::error_code error;  // the string may be an invalid path
    fs::path const file = (folder / name).lexically_normal();
    bool const is_path = name.find('\0') == std::string::npos;
    if (is_path && fs::is_regular_file(file, error))
      place->second = file;
    else if (key == "kernels")
      place->second = file_named(ShippedKind::kernels, name, folder).value_or("");
    else if (key == "platform" || key == "file" || key == "merge")
      place->second = file_named(ShippedKind::platform, name, folder).value_or("");
    else if (key == "nic" || key == "preset")
      place->second = file_named(ShippedKind::network, name, folder).value_or("");
    else if (key == "disk")
      place->second = file_named(ShippedKind::disk, name, folder).value_or("");
  }
  if (!place->second.empty()) text += '\n' + of_file(place->second);
}

std::string FileHasher::of(nlohmann::json const& document, fs::path const& folder) {
  std::string text = json_text(document);
  add_files(text, document, folder);
  return content_hash(text);
}

}  // namespace factosim
