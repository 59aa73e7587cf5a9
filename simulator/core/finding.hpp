#pragma once

#include <string>

namespace factosim {

/// A remark about imported data that is valid but suspicious or was ignored. Reported, never fatal.
struct Finding {
  std::string file;
  int line = 0;  // from 1; 0: the whole file
  std::string message;

  [[nodiscard]] std::string text() const {
    return line > 0 ? file + "#line " + std::to_string(line) + ": " + message : file + ": " + message;
  }
};

}  // namespace factosim
