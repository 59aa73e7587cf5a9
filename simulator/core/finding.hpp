#pragma once

#include <string>

namespace factosim {

/// Something in imported data that is legal but suspicious, or that was left out: reported, never fatal.
struct Finding {
  std::string file;
  int line = 0;  // from 1; 0: about the whole file
  std::string message;

  [[nodiscard]] std::string text() const {
    return line > 0 ? file + "#line " + std::to_string(line) + ": " + message : file + ": " + message;
  }
};

}  // namespace factosim
