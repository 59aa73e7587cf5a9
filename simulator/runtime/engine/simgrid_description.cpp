#include "simulator/runtime/engine/simgrid_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>

#include "simulator/base/core/exit_code.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/input_limits.hpp"

namespace factosim {

namespace {

constexpr std::array<std::string_view, 6> unwanted{"config", "include",       "model_prop",
                                                   "trace",  "trace_connect", "trace:connect"};

/// Returns how many hosts a list of numbers and ranges such as "0-3,7" stands for; what is no number counts as
/// one, since SimGrid refuses it.
std::uint64_t hosts_of_radical(std::string_view radical) {
  auto const number = [](std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  std::uint64_t const max_hosts = input_limit(InputLimit::simgrid_hosts);
  std::uint64_t hosts = 0;
  while (!radical.empty()) {
    std::string_view const range = radical.substr(0, radical.find(','));
    radical.remove_prefix(std::min(range.size() + 1, radical.size()));
    std::size_t const dash = range.find('-');
    std::uint64_t const first = number(range.substr(0, dash));
    std::uint64_t const last = dash == std::string_view::npos ? first : number(range.substr(dash + 1));
    hosts += last > first ? std::min(last - first, max_hosts) + 1 : 1;
  }
  return hosts;
}

/// Refuses what SimGrid would need much more memory and time for than the file has bytes: 3 kB a host.
struct Size {
  std::string const where;
  std::uint64_t hosts = 0;

  void enter(pugi::xml_node element, std::uint64_t depth) {
    check_input(InputLimit::nesting, depth, where);
    hosts += hosts_of_radical(element.attribute("radical").value());
    check_input(InputLimit::simgrid_hosts, hosts, where);
  }
};

/// Removes unwanted elements, and attributes with names of files (profiles).
void clean(pugi::xml_node element, std::set<std::string>& dropped, Size& size, std::uint64_t depth) {
  size.enter(element, depth);
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
      clean(child, dropped, size, depth + 1);
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
  check_xml(text, file.string() + "#");
  pugi::xml_parse_result const parsed = document.load_buffer(text.data(), text.size(), elements_only);
  if (!parsed)
    throw ChildFailure(
        {ExitCode::bad_input, fmt::format("{} at byte {}", parsed.description(), parsed.offset)});
  std::set<std::string> dropped;
  Size size{.where = file.string() + "#"};
  clean(document, dropped, size, 0);
  std::ostringstream xml;
  xml << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";
  document.save(xml, " ", pugi::format_default | pugi::format_no_declaration);
  return {std::move(xml).str(), {dropped.begin(), dropped.end()}};
}

}  // namespace factosim
