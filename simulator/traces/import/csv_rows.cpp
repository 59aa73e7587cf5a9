#include "simulator/traces/import/csv_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

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
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at < line.size() && line[at] == '"') {
      fields_.push_back(quoted(line, at));
      at = std::min(line.find(',', at), line.size());
    } else {
      std::size_t const end = std::min(line.find(',', at), line.size());
      fields_.push_back(trimmed(line.substr(at, end - at)));
      at = end;
    }
    if (at >= line.size()) return;
    ++at;  // the comma
  }
}

bool has_columns(std::string_view line, std::initializer_list<std::string_view> columns) {
  std::string const padded = fmt::format(",{},", line);
  return is_table(line) && std::ranges::all_of(columns, [&](std::string_view column) {
           return padded.find(fmt::format(",{},", column)) != std::string::npos;
         });
}

}  // namespace factosim
