#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/traces/import/line_reader.hpp"

namespace factosim {

// Parsers of field values. Each throws InputError at the reader's line if the value is malformed; `what`
// describes the field.

/// A date or a duration in units of `unit_s`, in seconds; that of a run (`plausible_date`).
[[nodiscard]] double date_s(LineReader const& at, std::string_view field, double unit_s,
                            std::string_view what);
/// A finite number of milliseconds, as seconds; `unknown` for an empty field.
[[nodiscard]] double milliseconds(LineReader const& at, std::string_view field, std::string_view what);
/// A finite number.
[[nodiscard]] double number(LineReader const& at, std::string_view field, std::string_view what);
/// A whole number in [minimum, maximum].
[[nodiscard]] std::int64_t integer(LineReader const& at, std::string_view field, std::int64_t minimum,
                                   std::int64_t maximum, std::string_view what);
/// A 64-bit hexadecimal number.
[[nodiscard]] std::uint64_t hexadecimal(LineReader const& at, std::string_view field, std::string_view what);

/// Number of a task and the node that assigned it: "12" or "3_12".
struct TaskName {
  std::uint32_t node = 0;
  std::uint32_t number = 0;
  [[nodiscard]] constexpr std::uint64_t key() const { return std::uint64_t{node} << 32U | number; }
};
[[nodiscard]] TaskName task_name(LineReader const& at, std::string_view field,
                                 std::uint32_t node_without_prefix);

constexpr std::uint8_t reduces = 4, commutes = 8;  // beyond the bits of Access
/// StarPU's access modes: R, W, S(cratch), X (reduction), C(ommuting). Returns these bits; 0: scratch.
[[nodiscard]] std::uint8_t access_mode(LineReader const& at, std::string_view text);

/// Calls `use` for each of the words between the blanks of a field.
template <class Use>
void for_each_word(std::string_view field, Use use) {
  constexpr std::string_view blanks = " \t";
  for (std::size_t at = field.find_first_not_of(blanks); at != std::string_view::npos;) {
    std::size_t const end = std::min(field.find_first_of(blanks, at), field.size());
    use(field.substr(at, end - at));
    at = field.find_first_not_of(blanks, end);
  }
}
/// Splits a field at blanks.
void split_words(std::string_view field, std::vector<std::string_view>& words);
[[nodiscard]] std::string_view trimmed(std::string_view field);

/// Maximum number of nodes; bounds tables indexed by node.
constexpr std::uint32_t max_nodes = 100'000;

/// Rows of a CSV file with a header of column names in any order. Fields are separated by what separates those of the
/// header (a comma, semicolon or tab), may follow spaces, and may be quoted. Missing fields at the end of a row are
/// empty; fields beyond the header are ignored (pj_dump appends such fields).
class CsvRows {
 public:
  explicit CsvRows(std::filesystem::path const& file);

  /// Returns the index of the column, ignoring case, if it exists.
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
  /// Returns the index of the first of these columns that exists.
  [[nodiscard]] std::optional<std::size_t> any_column(std::vector<std::string_view> const& names) const;
  /// Throws InputError with the list of existing columns.
  [[nodiscard]] std::size_t required(std::vector<std::string_view> const& names,
                                     std::string_view meaning) const;

  [[nodiscard]] bool next();
  /// Field of the current row; empty if the row is short or the column does not exist.
  [[nodiscard]] std::string_view at(std::optional<std::size_t> column) const {
    return column && *column < fields_.size() ? fields_[*column] : std::string_view{};
  }
  [[nodiscard]] LineReader const& lines() const { return lines_; }
  [[nodiscard]] std::vector<std::string> const& header() const { return header_; }

 private:
  void split(std::string_view line);
  /// Returns the quoted field that begins at `at` and moves `at` behind it.
  std::string_view quoted(std::string_view line, std::size_t& at);

  LineReader lines_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // storage of the quoted fields of the row
  char separator_ = ',';
};

/// A datum that a task uses, of a table that `factosim.write_csv` writes.
struct CsvDatum {
  std::string_view name;
  std::uint8_t mode = 0;                    // bits of Access; 0: scratch
  std::int64_t size = -1;                   // negative: unknown
  std::int32_t m = -1, n = -1, owner = -1;  // negative: none
};
/// Returns the data of the row's task, by its lists `handles`, `modes`, `sizes`, `tiles` and `owners`; the last two columns
/// may be missing. Throws InputError if a list has not one entry for each handle.
[[nodiscard]] std::vector<CsvDatum> data_of_row(CsvRows const& rows);

/// Returns the separator of a line that may be the header of such a file: it has one, and no colon before.
[[nodiscard]] inline std::optional<char> separator_of(std::string_view line) {
  std::size_t const separator = line.find_first_of(",;\t");
  bool const found = separator != std::string_view::npos && separator < line.find(':');
  return found ? std::optional(line[separator]) : std::nullopt;
}
[[nodiscard]] inline bool is_table(std::string_view line) { return separator_of(line).has_value(); }

/// Returns whether a line is a header with these columns, written so, quoted or not.
[[nodiscard]] bool has_columns(std::string_view line, std::initializer_list<std::string_view> columns);

}  // namespace factosim
