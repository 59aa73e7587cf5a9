#pragma once

#include <string>
#include <vector>

namespace factosim {

/// A remark about imported data that is valid but suspicious, incomplete or was ignored. Reported, never
/// fatal.
struct Finding {
  std::string file;
  int line = 0;  // from 1; 0: the whole file
  std::string message;

  [[nodiscard]] std::string text() const {
    return line > 0 ? file + "#line " + std::to_string(line) + ": " + message : file + ": " + message;
  }
};

[[nodiscard]] inline std::vector<std::string> texts_of(std::vector<Finding> const& findings) {
  std::vector<std::string> out;
  for (Finding const& finding : findings) out.push_back(finding.text());
  return out;
}

}  // namespace factosim
