#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/os/text_file.hpp"

namespace factosim {

/// An array of a page.
struct PageArray {
  std::string text;   // as `packed` gives it
  bool late = false;  // what the first drawing does not need: it stands behind the program
};

/// A page that needs nothing but a browser: all numbers, styles and programs are in it, and its policy
/// forbids it to load anything. `content` (`factosim-report`, version 1) and `arrays` are data of it, never
/// markup.
void write_page_file(TextFile& out, std::string_view title, std::string_view generator,
                     nlohmann::ordered_json const& content, std::vector<PageArray> const& arrays = {});

}  // namespace factosim
