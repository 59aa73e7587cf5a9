#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "simulator/base/os/text_file.hpp"

namespace factosim {

/// Returns the style sheet and the program of the page, built by `web/build.sh` from `web/source`.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_program();

/// Packs numbers for a page, given as elements of `size` bytes: little-endian, the first bytes of all
/// elements before all second bytes (which compresses better), deflated (RFC 1950), in base 64 (RFC 4648).
[[nodiscard]] std::string packed(std::string_view bytes, std::size_t size);
template <class Element>
[[nodiscard]] std::string packed(std::span<Element const> values) {
  return packed({reinterpret_cast<char const*>(values.data()), values.size_bytes()}, sizeof(Element));
}

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
