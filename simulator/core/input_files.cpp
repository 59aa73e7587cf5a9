#include "simulator/core/input_files.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>

namespace factosim {

namespace {

std::mutex access;
std::set<std::filesystem::path> known;

}  // namespace

void InputFiles::add(std::filesystem::path const& file) {
  std::lock_guard const guard(access);
  known.insert(file);
}

bool InputFiles::contain(std::filesystem::path const& file) {
  std::lock_guard const guard(access);
  return std::ranges::any_of(known, [&](std::filesystem::path const& input) {
    std::error_code ignored;  // an input that is gone is no file that exists
    return std::filesystem::equivalent(input, file, ignored);
  });
}

}  // namespace factosim
