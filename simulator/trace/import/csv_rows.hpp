#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/trace/import/line_reader.hpp"

namespace factosim {

/// The rows of a CSV file with a line of column names, in any order: fields are separated by commas, with
/// blanks after them or not, and may be quoted. A row may be shorter than the header, its
/// last fields are empty then, or longer: what has no name is left out (pj_dump appends such fields).
class CsvRows {
 public:
  explicit CsvRows(std::filesystem::path const& file);

  /// Where the column is, whatever the case of its name; none where there is no such one.
  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
  /// The first of these that there is.
  [[nodiscard]] std::optional<std::size_t> any_column(std::vector<std::string_view> const& names) const;
  /// Throws InputError that lists the columns there are.
  [[nodiscard]] std::size_t required(std::vector<std::string_view> const& names,
                                     std::string_view meaning) const;

  [[nodiscard]] bool next();
  /// Of the row given last; empty where the row is short or there is no such column.
  [[nodiscard]] std::string_view at(std::optional<std::size_t> column) const {
    return column && *column < fields_.size() ? fields_[*column] : std::string_view{};
  }
  [[nodiscard]] LineReader const& lines() const { return lines_; }
  [[nodiscard]] std::vector<std::string> const& header() const { return header_; }

 private:
  void split(std::string_view line);
  /// The field that begins with the quote at `at`, which then is where the field ends.
  std::string_view quoted(std::string_view line, std::size_t& at);

  LineReader lines_;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // what quoted fields point into
};

}  // namespace factosim
