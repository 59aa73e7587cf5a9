#include "simulator/front/cli/starpu_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "factosim/error.hpp"

namespace factosim {

namespace {

namespace fs = std::filesystem;

bool has_measurements(fs::path const& folder) {
  return std::ranges::any_of(std::array{"bus", "codelets", "sampling"},
                             [&](char const* part) { return fs::is_directory(folder / part); });
}

/// Whether folders of that name are parts of StarPU's folder: bus, codelets, sampling, or a version.
bool is_part(std::string_view name) {
  constexpr std::array<std::string_view, 7> parts{"bus", "codelets", "sampling", "42", "43", "44", "45"};
  return std::ranges::find(parts, name) != parts.end();
}

/// Folders with measurements below a folder without, relative to it, at most two levels down; sorted.
std::vector<std::string> folders_below(fs::path const& top) {
  std::vector<std::string> out;
  fs::recursive_directory_iterator at(top, fs::directory_options::skip_permission_denied);
  for (; at != fs::recursive_directory_iterator(); ++at) {
    if (!at->is_directory()) continue;
    bool const found = has_measurements(at->path());
    if (found) out.push_back(at->path().lexically_relative(top).string());
    if (found || at.depth() > 0) at.disable_recursion_pending();
  }
  std::ranges::sort(out);
  return out;
}

fs::path folder_above(fs::path const& path) {
  fs::path const above = path.parent_path();
  return above.empty() ? "." : above;
}

}  // namespace

fs::path starpu_folder(fs::path const& path) {
  fs::path folder = fs::is_regular_file(path) ? folder_above(path) : path.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // it ended with a slash
  for (fs::path whole = folder; is_part(whole.filename().string());)
    if (whole = folder_above(whole); has_measurements(whole)) folder = whole;
  if (!fs::is_directory(folder) || has_measurements(folder)) return folder;
  if (has_measurements(folder / ".starpu")) return folder / ".starpu";  // a home folder
  std::vector<std::string> const below = folders_below(folder);
  if (below.size() == 1) return folder / below.front();
  if (below.empty()) return folder;
  throw InputError(
      folder.string() + "#",
      fmt::format("holds no measurements itself, but several folders below do ({}). Give one of them",
                  fmt::join(below, ", ")));
}

}  // namespace factosim
