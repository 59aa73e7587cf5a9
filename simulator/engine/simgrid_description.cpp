#include "simulator/engine/simgrid_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "simulator/core/exit_code.hpp"
#include "simulator/core/input_files.hpp"

namespace factosim {

namespace {

constexpr std::array<std::string_view, 6> unwanted{"config", "include",       "model_prop",
                                                   "trace",  "trace_connect", "trace:connect"};

/// Removes unwanted elements, and attributes with names of files (profiles).
void clean(pugi::xml_node element, std::set<std::string>& dropped) {
  for (pugi::xml_attribute attribute = element.first_attribute(); attribute;) {
    pugi::xml_attribute const next = attribute.next_attribute();
    std::string const name = attribute.name();
    if (name.ends_with("_file") || name == "file") {
      dropped.insert(name);
      element.remove_attribute(attribute);
    }
    attribute = next;
  }
  for (pugi::xml_node child = element.first_child(); child;) {
    pugi::xml_node const next = child.next_sibling();
    if (std::ranges::find(unwanted, std::string_view(child.name())) != unwanted.end()) {
      dropped.insert(child.name());
      element.remove_child(child);
    } else {
      clean(child, dropped);
    }
    child = next;
  }
}

}  // namespace

SimGridDescription read_simgrid_description(std::filesystem::path const& file) {
  // Elements and attributes only: no comments, text, processing instructions or document types.
  constexpr unsigned elements_only = pugi::parse_escapes | pugi::parse_eol | pugi::parse_wconv_attribute;
  pugi::xml_document document;
  std::string const text = read_input_text(file);
  pugi::xml_parse_result const parsed = document.load_buffer(text.data(), text.size(), elements_only);
  if (!parsed)
    throw ChildFailure(
        {ExitCode::bad_input, fmt::format("{} at byte {}", parsed.description(), parsed.offset)});
  std::set<std::string> dropped;
  clean(document, dropped);
  std::ostringstream xml;
  xml << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  document.save(xml, " ", pugi::format_default | pugi::format_no_declaration);
  return {std::move(xml).str(), {dropped.begin(), dropped.end()}};
}

}  // namespace factosim
