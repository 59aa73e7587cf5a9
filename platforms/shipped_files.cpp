#include "platforms/shipped_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

constexpr char const* file_ending = ".json";

/// What a kind of files is called, its folders below a data folder, and the keys of which a file has one.
struct KindOfFile {
  char const* word;
  std::vector<char const*> folders, keys;
};

KindOfFile const& facts_of(ShippedKind kind) {
  static std::map<ShippedKind, KindOfFile> const facts{
      {ShippedKind::platform,
       {"platform", {"platforms", "clusters", "platforms/clusters"}, {"node_types", "graph", "merge"}}},
      {ShippedKind::kernels, {"kernel model", {"kernels", "models/kernels"}, {"kernels"}}},
      {ShippedKind::network, {"network", {"networks", "platforms/networks"}, {"nic"}}},
      {ShippedKind::disk, {"disk", {"disks", "platforms/disks"}, {"read"}}},
      {ShippedKind::example, {"example", {"scenarios/examples"}, {"application", "points"}}}};
  return facts.at(kind);
}

/// The folders below a data folder that may hold files of the kind. FACTOSIM_PATH may name these directly.
std::vector<fs::path> places(fs::path const& folder, ShippedKind kind) {
  std::vector<fs::path> out{folder};
  for (char const* const inside : facts_of(kind).folders) out.push_back(folder / inside);
  return out;
}

bool is_file(fs::path const& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Returns true if the file has the keys of the kind. What cannot be read counts too, so that its reader says why: a
/// scenario may have the name of its platform, and a platform that of its kernels.
bool is_of_kind(fs::path const& file, ShippedKind kind) {
  if (!is_file(file)) return false;
  try {
    nlohmann::json const document =
        nlohmann::json::parse(read_input(file), nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) return true;
    return std::ranges::any_of(facts_of(kind).keys, [&](char const* key) { return document.contains(key); });
  } catch (InputError const&) {
    return true;
  }
}

/// Returns NAME of NAME.json and of NAME.sweep.json.
std::string name_of_file(fs::path const& file) {
  fs::path const stem = file.stem();
  return (stem.extension() == ".sweep" ? stem.stem() : stem).string();
}

/// Returns PLACE/NAME.json or PLACE/NAME, if there is such a file of the kind.
std::optional<fs::path> file_in(fs::path const& place, std::string const& name, ShippedKind kind) {
  for (fs::path const& file : {place / (name + file_ending), place / name})
    if (is_of_kind(file, kind)) return file.lexically_normal();
  return std::nullopt;
}

/// Returns the shared library that this function is part of; empty if it is part of a program.
fs::path this_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void const*>(&this_library), &info) == 0) return {};
  fs::path const file(info.dli_fname);
  return file.extension() == ".so" ? file : fs::path();
}

/// Returns the installed data below the nearest folder above the file that has some.
std::optional<fs::path> data_above(fs::path const& file) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(file, ignored).parent_path();
       !file.empty() && folder.has_relative_path(); folder = folder.parent_path())
    if (fs::path const data = folder / FACTOSIM_DATA_IN_PREFIX; fs::is_directory(data, ignored)) return data;
  return std::nullopt;
}

/// Returns the folders that exist, once each.
std::vector<fs::path> existing_folders(std::vector<fs::path> folders) {
  std::error_code ignored;
  std::vector<fs::path> out;
  for (fs::path& folder : folders) {
    folder = folder.lexically_normal();
    if (fs::is_directory(folder, ignored) && std::ranges::find(out, folder) == out.end())
      out.push_back(folder);
  }
  return out;
}

/// Returns true for text that can only be a path.
bool is_path(std::string_view text) {
  return text.empty() || text.find('/') != std::string_view::npos ||
         text.find('\0') != std::string_view::npos;
}

using Json = nlohmann::json;
using Visit = std::function<void(Json& text, ShippedKind kind)>;

/// Calls `visit` for the value of a key that may be a name.
void visit_key(Json& object, char const* key, ShippedKind kind, Visit const& visit) {
  if (!object.is_object()) return;
  auto const found = object.find(key);
  if (found != object.end() && found->is_string()) visit(*found, kind);
}

}  // namespace

std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (char const* const path = std::getenv("FACTOSIM_PATH")) {
    std::istringstream list(path);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  std::ranges::move(program_folders(), std::back_inserter(folders));
  return existing_folders(std::move(folders));
}

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  std::error_code ignored;
  if (auto const data = data_above(this_library())) folders.push_back(*data);
  if (fs::path const program = fs::read_symlink("/proc/self/exe", ignored); !program.empty())
    folders.push_back(program.parent_path() / FACTOSIM_DATA_FROM_PROGRAM);
  folders.emplace_back(FACTOSIM_INSTALLED_DATA);
  folders.emplace_back(FACTOSIM_SOURCE);
  return existing_folders(std::move(folders));
}

std::map<std::string, fs::path> shipped_files(ShippedKind kind) {
  std::map<std::string, fs::path> out;
  for (fs::path const& folder : data_folders())
    for (fs::path const& place : places(folder, kind)) {
      std::error_code error;
      for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == file_ending && is_of_kind(entry->path(), kind))
          out.try_emplace(name_of_file(entry->path()), entry->path());
    }
  return out;
}

std::optional<fs::path> file_named(ShippedKind kind, std::string_view name, fs::path const& folder) {
  if (is_path(name)) return std::nullopt;
  std::string const text(name);
  if (is_file(folder / text)) return (folder / text).lexically_normal();
  if (auto file = file_in(folder, text, kind)) return file;
  for (fs::path const& data : data_folders())
    for (fs::path const& place : places(data, kind))
      if (auto file = file_in(place, text, kind)) return file;
  return std::nullopt;
}

std::vector<std::string> shipped_names(ShippedKind kind) {
  std::vector<std::string> out;
  for (auto const& [name, file] : shipped_files(kind)) out.push_back(name);
  return out;
}

fs::path read_path_or_name(JsonReader const& json, ShippedKind kind) {
  fs::path path = json.path();
  std::string const text = json.string();
  if (is_path(text)) return path;
  fs::path const folder = fs::path(json.file()).parent_path();
  if (auto file = file_named(kind, text, folder)) return *file;
  if (text.ends_with(file_ending)) return path;
  std::vector<std::string> searched{folder.empty() ? "." : folder.string()};
  for (fs::path const& data : data_folders()) searched.push_back(data.string());
  json.fail(fmt::format("no {} is called \"{}\" (searched: {}). {}; or give the path of a file",
                        facts_of(kind).word, text, fmt::join(searched, ", "),
                        use_one_of(text, shipped_names(kind))));
}

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
