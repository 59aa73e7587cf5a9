#include "simulator/traces/import/fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "simulator/base/core/parsed.hpp"
#include "simulator/traces/trace/trace.hpp"

namespace factosim {

namespace {

[[noreturn]] void fail(LineReader const& at, std::string_view field, std::string_view what,
                       std::string_view why) {
  at.fail(fmt::format("\"{}\" where {} should stand ({}). Correct the line, or write the trace again",
                      field.substr(0, 60), what, why));
}

}  // namespace

std::string_view trimmed(std::string_view field) {
  constexpr std::string_view blanks = " \t";
  auto const first = field.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

double number(LineReader const& at, std::string_view field, std::string_view what) {
  field = trimmed(field);
  auto const value = parsed<double>(field);
  if (!value || !std::isfinite(*value)) fail(at, field, what, "not a finite number");
  return *value;
}

double date_s(LineReader const& at, std::string_view field, double unit_s, std::string_view what) {
  double const date = unit_s * number(at, field, what);
  if (!plausible_date(date))
    fail(at, field, what,
         fmt::format("{:.3g} s is no date of a run: they lie within {:.0e} s", date, max_date_s));
  return date;
}

double milliseconds(LineReader const& at, std::string_view field, std::string_view what) {
  return trimmed(field).empty() ? unknown : date_s(at, field, 1e-3, what);
}

std::int64_t integer(LineReader const& at, std::string_view field, std::int64_t minimum, std::int64_t maximum,
                     std::string_view what) {
  field = trimmed(field);
  auto const value = parsed<std::int64_t>(field);
  if (!value || *value < minimum || *value > maximum)
    fail(at, field, what, fmt::format("not a whole number from {} to {}", minimum, maximum));
  return *value;
}

std::uint64_t hexadecimal(LineReader const& at, std::string_view field, std::string_view what) {
  field = trimmed(field);
  auto const value = parsed<std::uint64_t>(field, 16);
  if (!value) fail(at, field, what, "not a number in base 16");
  return *value;
}

TaskName task_name(LineReader const& at, std::string_view field, std::uint32_t node_without_prefix) {
  field = trimmed(field);
  std::size_t const bar = field.find('_');
  TaskName name{.node = node_without_prefix, .number = 0};
  if (bar != std::string_view::npos)
    name.node =
        static_cast<std::uint32_t>(integer(at, field.substr(0, bar), 0, max_nodes - 1, "the node of a job"));
  name.number = static_cast<std::uint32_t>(
      integer(at, bar == std::string_view::npos ? field : field.substr(bar + 1), 0,
              std::numeric_limits<std::uint32_t>::max() - 1, "the number of a job"));
  return name;
}

std::uint8_t access_mode(LineReader const& at, std::string_view text) {
  int bits = 0;
  for (char const c : text) {
    if (std::string_view("RWXSC-mpi").find(c) == std::string_view::npos)
      at.fail(fmt::format(
          "\"{}\" where the mode of an access should stand (R, W, RW, S, X or C). Correct the line",
          text.substr(0, 40)));
    if (c == 'R' || c == 'X') bits |= 1;
    if (c == 'W' || c == 'X') bits |= 2;
    if (c == 'X') bits |= reduces;
    if (c == 'C') bits |= commutes;
  }
  return text.find('S') != std::string_view::npos ? std::uint8_t{0} : static_cast<std::uint8_t>(bits);
}

void split_words(std::string_view field, std::vector<std::string_view>& words) {
  words.clear();
  for_each_word(field, [&](std::string_view word) { words.push_back(word); });
}

}  // namespace factosim
