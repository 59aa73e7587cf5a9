#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace factosim {

/// A remark about imported data that is valid but suspicious, incomplete or was ignored. Reported, never
/// fatal.
struct Finding {
  /// A lasting finding concerns every result that uses the data: the imported file keeps it.
  enum class Kind { remark, lasting };

  std::string file;
  int line = 0;  // from 1; 0: the whole file
  std::string message;
  Kind kind = Kind::remark;
  std::string subject{};  // the data it concerns; empty: the whole file

  [[nodiscard]] std::string text() const {
    return line > 0 ? file + "#line " + std::to_string(line) + ": " + message : file + ": " + message;
  }
};

/// Returns the text of a finding that a file keeps: without the folder of the file it is about.
inline std::string lasting_text(Finding finding) {
  finding.file = std::filesystem::path(finding.file).filename().string();
  return finding.text();
}

/// Returns the texts of all findings.
[[nodiscard]] inline std::vector<std::string> texts_of(std::vector<Finding> const& findings) {
  std::vector<std::string> out;
  out.reserve(findings.size());
  for (Finding const& finding : findings) out.push_back(finding.text());
  return out;
}

}  // namespace factosim
