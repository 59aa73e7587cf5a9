#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "simulator/os/text_file.hpp"
#include "simulator/report/page/packed_array.hpp"

namespace factosim {

/// An array of a page.
struct PageArray {
  std::string text;   // result of `packed`
  bool late = false;  // not needed for the first drawing: placed after the program
};

/// Adds an array to a page and returns the JSON that refers to it: {"array": its number, "type", "length"}.
template <class Element>
nlohmann::ordered_json page_array(std::vector<PageArray>& arrays, std::vector<Element> const& values,
                                  bool late) {
  arrays.push_back({packed(std::span<Element const>(values)), late});
  char const* const kind = std::is_floating_point_v<Element> ? "f" : "u";
  return {{"array", arrays.size() - 1},
          {"type", kind + std::to_string(8 * sizeof(Element))},
          {"length", values.size()}};
}

/// Writes a self-contained page: all numbers, styles and programs are in it, and its security policy
/// forbids loading anything. `content` (`factosim-report`, version 1) and `arrays` are data, never markup.
void write_page_file(TextFile& out, std::string_view title, std::string_view generator,
                     nlohmann::ordered_json const& content, std::vector<PageArray> const& arrays = {});

}  // namespace factosim
