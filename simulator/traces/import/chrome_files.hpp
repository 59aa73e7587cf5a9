#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace factosim {

/// What a file of Chrome trace events says about all of them.
struct ChromeFile {
  std::string path, rank, ranks;           // of a profile of PyTorch: its process, and how many there are
  std::int64_t base_ns = 0;                // since 1970, to be added to its dates in seconds
  double own_base_us = 0;                  // that was taken from its dates in microseconds
  bool is_dated = false;                   // that its clock is known
  double first_s = INFINITY, shift_s = 0;  // its first date; what is added to all
};

/// Returns the files of a folder that hold events, in order of their names.
[[nodiscard]] std::vector<std::filesystem::path> chrome_files(std::filesystem::path const& folder);

/// Returns what a file holds, plain or gzipped; an array may lack its end. Throws InputError.
[[nodiscard]] nlohmann::json chrome_document(std::filesystem::path const& file);

/// Sets the shift of each file: to the clock that all have in common, or so that all begin at 0. Returns findings. Throws
/// InputError for files that are not of one run: a rank twice, or some without.
[[nodiscard]] std::vector<std::string> join_chrome_files(std::vector<ChromeFile>& files);

}  // namespace factosim
