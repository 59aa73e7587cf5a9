#include "simulator/base/core/input_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <istream>
#include <optional>

#include "factosim/error.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/parsed.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

constexpr char const* variable = "FACTOSIM_INPUT_LIMITS";

struct Limit {
  std::string_view name;
  std::uint64_t usual, maximum;
  std::string_view things;  // "lines"
};

constexpr std::uint64_t no_maximum = std::uint64_t{1} << 60U;

/// In the order of InputLimit. Memory for each of them: tests/robustness.md. JSON is printed by recursion, which limits
/// its nesting; lines are numbered in 31 bits.
constexpr std::array<Limit, 13> limits{{
    {"bytes", 16'000'000'000, no_maximum, "bytes"},
    {"expansion", 50, no_maximum, "times the bytes of the compressed file"},
    {"text", 1'000'000'000, no_maximum, "bytes"},
    {"line", 1U << 20U, 1U << 30U, "bytes in a line"},
    {"rows", 20'000'000, 2'000'000'000, "lines"},
    {"columns", 10'000, 1'000'000, "fields in a line"},
    {"cells", 20'000'000, no_maximum, "rows x columns"},
    {"values", 10'000'000, no_maximum, "values"},
    {"nesting", 100, 1000, "levels of values in values"},
    {"steps", 50'000'000, no_maximum, "dependencies through tasks without times"},
    {"simgrid_hosts", 200'000, 1'000'000'000, "hosts in its clusters"},
    {"simgrid_bytes", std::uint64_t{4} << 30U, no_maximum, "bytes of memory"},
    {"simgrid_seconds", 120, 1'000'000, "seconds of processor time"},
}};

using Limits = std::array<std::uint64_t, limits.size()>;

/// Parses "1e9", "64GB", "100".
std::optional<std::uint64_t> amount(std::string_view text) {
  double const value = parsed<double>(text).value_or(stated_quantity(text, "B").value);
  if (!(value >= 1)) return std::nullopt;
  return static_cast<std::uint64_t>(std::min(value, static_cast<double>(no_maximum)));
}

Limits read_limits() {
  Limits out{};
  std::ranges::transform(limits, out.begin(), &Limit::usual);
  char const* const given = std::getenv(variable);
  for (std::string_view rest = given == nullptr ? "" : given; !rest.empty();) {
    std::string_view const entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    auto const* const limit = std::ranges::find(limits, entry.substr(0, entry.find('=')), &Limit::name);
    if (limit == limits.end())
      throw InputError(variable, fmt::format("\"{}\" is no limit (NAME=NUMBER is expected). {}", entry,
                                             use_one_of(entry.substr(0, entry.find('=')), names_of(limits))));
    auto const value = amount(entry.substr(std::min(limit->name.size() + 1, entry.size())));
    if (!value || *value > limit->maximum)
      throw InputError(
          variable, fmt::format("\"{}\" has no number from 1 to {} (as 1000, 1e9 or 64GB). Correct it", entry,
                                limit->maximum));
    out[static_cast<std::size_t>(limit - limits.begin())] = *value;
  }
  return out;
}

/// Returns the end of a tag that begins at `at`: the place of its '>', which may not be in quotes. Counts attributes.
std::size_t end_of_tag(std::string_view text, std::size_t at, std::uint64_t& attributes) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    char const c = text[at];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '>')
      return at;
    else if (c == '"' || c == '\'')
      quote = c, ++attributes;
  }
  return text.size();
}

}  // namespace

std::uint64_t input_limit(InputLimit limit) {
  static Limits const in_force = read_limits();
  return in_force[static_cast<std::size_t>(limit)];
}

void refuse_input(InputLimit limit, std::string const& where) {
  Limit const& l = limits[static_cast<std::size_t>(limit)];
  std::uint64_t const now = input_limit(limit), more = std::min(now, l.maximum / 10) * 10;
  std::string const remedy =
      more > now ? fmt::format("Raise it with {}={}={} if the file is meant", variable, l.name, more)
                 : "Split the file";
  throw InputError(where, fmt::format("has more than {} {} (the limit \"{}\" of inputs). {}", now, l.things,
                                      l.name, remedy));
}

void check_input(InputLimit limit, std::uint64_t count, std::string const& where) {
  if (count > input_limit(limit)) refuse_input(limit, where);
}

bool read_line(std::istream& in, std::string& line, std::string const& where, InputLimit limit) {
  line.clear();
  std::uint64_t const maximum = input_limit(limit);
  std::streambuf& buffer = *in.rdbuf();
  for (;;) {
    auto const c = buffer.sbumpc();
    if (c == std::char_traits<char>::eof()) {
      in.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
      return !line.empty();
    }
    if (c == '\n') return true;
    if (line.size() >= maximum) refuse_input(limit, where);
    line.push_back(std::char_traits<char>::to_char_type(c));
  }
}

void check_json(std::string_view text, std::string const& where) {
  std::uint64_t values = 1, depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) switch (text[at]) {
      case '"':
        while (++at < text.size() && text[at] != '"')
          if (text[at] == '\\') ++at;
        break;
      case '[':
      case '{':
        check_input(InputLimit::nesting, ++depth, where);
        [[fallthrough]];
      case ',':
        check_input(InputLimit::values, ++values, where);
        break;
      case ']':
      case '}':
        depth -= depth > 0 ? 1 : 0;
        break;
      default:
        break;
    }
}

void check_xml(std::string_view text, std::string const& where) {
  std::uint64_t values = 0, depth = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    std::string_view const rest = text.substr(at);
    char const* const end_of_other = rest.starts_with("<!--")        ? "-->"
                                     : rest.starts_with("<![CDATA[") ? "]]>"
                                     : rest.starts_with("<?")        ? "?>"
                                                                     : nullptr;
    if (end_of_other != nullptr) {
      at = text.find(end_of_other, at);
      continue;
    }
    std::size_t const end = end_of_tag(text, at, ++values);
    if (rest.starts_with("</"))
      depth -= depth > 0 ? 1 : 0;
    else if (!rest.starts_with("<!") && text[end - 1] != '/')
      check_input(InputLimit::nesting, ++depth, where);
    check_input(InputLimit::values, values, where);
    at = end;
  }
}

}  // namespace factosim
