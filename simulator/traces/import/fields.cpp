#include "simulator/traces/import/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/input_limits.hpp"
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

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

CsvRows::CsvRows(std::filesystem::path const& file) : lines_(file) {
  std::string_view line;
  while (lines_.next(line))
    if (!trimmed(line).empty()) {
      separator_ = separator_of(line).value_or(separator_);
      split(line);
      check_input(InputLimit::columns, fields_.size(),
                  fmt::format("{}#line {}", lines_.file(), lines_.line_number()));
      header_.assign(fields_.begin(), fields_.end());
      return;
    }
  throw InputError(lines_.file() + "#",
                   "is empty (a line of column names should come first). Give a whole file");
}

std::optional<std::size_t> CsvRows::column(std::string_view name) const {
  for (std::size_t i = 0; i < header_.size(); ++i)
    if (same_name(header_[i], name)) return i;
  return std::nullopt;
}

std::optional<std::size_t> CsvRows::any_column(std::vector<std::string_view> const& names) const {
  for (std::string_view const name : names)
    if (auto const found = column(name)) return found;
  return std::nullopt;
}

std::size_t CsvRows::required(std::vector<std::string_view> const& names, std::string_view meaning) const {
  if (auto const found = any_column(names)) return *found;
  throw InputError(lines_.file() + "#line 1",
                   fmt::format("has no column {} ({}; the columns are {}). Add it", fmt::join(names, " or "),
                               meaning, fmt::join(header_, ", ")));
}

bool CsvRows::next() {
  std::string_view line;
  while (lines_.next(line)) {
    if (trimmed(line).empty()) continue;
    split(line);
    if (fields_.size() > header_.size()) fields_.resize(header_.size());
    return true;
  }
  return false;
}

std::string_view CsvRows::quoted(std::string_view line, std::size_t& at) {
  std::size_t const first = unquoted_.size();
  for (++at;; ++at) {
    if (at >= line.size()) lines_.fail("a quoted field does not end (no closing quote). Correct the line");
    if (line[at] == '"' && !(at + 1 < line.size() && line[at + 1] == '"')) break;
    if (line[at] == '"') ++at;
    unquoted_.push_back(line[at]);
  }
  return {unquoted_.data() + first, unquoted_.size() - first};
}

void CsvRows::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());  // prevents reallocation, which would move fields
  for (std::size_t at = 0;;) {
    while (at < line.size() && line[at] != separator_ && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at < line.size() && line[at] == '"') {
      fields_.push_back(quoted(line, at));
      at = std::min(line.find(separator_, at), line.size());
    } else {
      std::size_t const end = std::min(line.find(separator_, at), line.size());
      fields_.push_back(trimmed(line.substr(at, end - at)));
      at = end;
    }
    if (at >= line.size()) return;
    ++at;  // the separator
  }
}

std::vector<CsvDatum> data_of_row(CsvRows const& rows) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  LineReader const& at = rows.lines();
  std::vector<CsvDatum> out;
  for_each_word(rows.at(rows.column("handles")), [&](std::string_view name) { out.push_back({name}); });
  if (out.empty()) return out;
  std::vector<std::string_view> entries;
  auto const set_each = [&](char const* name, bool required, auto const& set) {
    auto const column = rows.column(name);
    if (!column && !required) return;
    split_words(rows.at(column), entries);
    if (entries.size() != out.size())
      at.fail(fmt::format(
          "the task has {} handles and {} {} (there is one of each for a handle, in the columns handles, "
          "modes, sizes, tiles and owners). Complete the row",
          out.size(), entries.size(), name));
    for (std::size_t i = 0; i < out.size(); ++i) set(out[i], entries[i]);
  };
  auto const small = [&](std::string_view text, std::string_view what, std::int64_t maximum) {
    return static_cast<std::int32_t>(integer(at, text, -1, maximum, what));
  };
  set_each("modes", true, [&](CsvDatum& d, std::string_view text) { d.mode = access_mode(at, text); });
  set_each("sizes", true, [&](CsvDatum& d, std::string_view text) {
    d.size = integer(at, text, -1, std::int64_t{1} << 50, "a size in bytes");
  });
  set_each("tiles", false, [&](CsvDatum& d, std::string_view tile) {
    std::size_t const bar = tile.find('/');
    if (bar == std::string_view::npos)
      at.fail(fmt::format("\"{}\" where a tile should stand (no row/column). Correct the line",
                          tile.substr(0, 60)));
    d.m = small(tile.substr(0, bar), "the row of a tile", most);
    d.n = small(tile.substr(bar + 1), "the column of a tile", most);
  });
  set_each("owners", false, [&](CsvDatum& d, std::string_view text) {
    d.owner = small(text, "the owner of a tile", max_nodes - 1);
  });
  return out;
}

bool has_columns(std::string_view line, std::initializer_list<std::string_view> columns) {
  auto const separator = separator_of(line);
  if (!separator) return false;
  std::string padded = fmt::format("{0}{1}{0}", *separator, line);
  std::erase_if(padded, [](char c) { return c == '"' || c == ' '; });
  return std::ranges::all_of(columns, [&](std::string_view column) {
    return padded.find(fmt::format("{0}{1}{0}", *separator, column)) != std::string::npos;
  });
}

}  // namespace factosim
