#include "simulator/core/input_files.hpp"

#include <sys/stat.h>

#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace factosim {

namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identity_of(std::filesystem::path const& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

std::mutex access;
std::set<Identity> known;

}  // namespace

void InputFiles::add(std::filesystem::path const& file) {
  std::lock_guard const guard(access);
  if (auto const identity = identity_of(file)) known.insert(*identity);
}

bool InputFiles::contain(std::filesystem::path const& file) {
  std::lock_guard const guard(access);
  auto const identity = identity_of(file);
  return identity && known.contains(*identity);
}

}  // namespace factosim
