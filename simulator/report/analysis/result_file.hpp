#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factosim {

/// Returns the text of a `result.json` with its checksum. `files`: names of the other files that the run has written
/// to `folder`, whose hashes the result records.
[[nodiscard]] std::string result_text(nlohmann::ordered_json result, std::filesystem::path const& folder,
                                      std::vector<std::string> const& files);

/// Comparison of the files of a run with the checksums in its result.
struct FileComparison {
  std::uint64_t compared = 0;
  std::vector<std::string> altered;  // "result.json is not as ...": altered, damaged, or of another run
  std::vector<std::string> unknown;  // what cannot be compared, and why
};

/// `document`: the content of the result. Throws InputError if a file cannot be read.
[[nodiscard]] FileComparison compare_files(std::filesystem::path const& result,
                                           nlohmann::json const& document);

/// Returns the findings that a result has, and the files beside it that are altered.
[[nodiscard]] std::vector<std::string> findings_of_result(std::filesystem::path const& result,
                                                          nlohmann::json const& document);

}  // namespace factosim
