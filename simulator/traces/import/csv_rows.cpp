#include "simulator/traces/import/csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "factosim/error.hpp"
#include "simulator/base/core/input_limits.hpp"
#include "simulator/traces/import/fields.hpp"

namespace factosim {

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
