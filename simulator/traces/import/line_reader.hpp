#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/core/input_limits.hpp"

namespace factosim {

/// Reads a text file, plain or gzipped, line by line, without a byte order mark; holds one line and a buffer.
/// Throws InputError `FILE#line N: ...` if the file cannot be read, its gzip stream is truncated or damaged, it is not UTF-8
/// text, or exceeds a limit of inputs (bytes, expansion, rows, bytes of a line).
class LineReader {
 public:
  explicit LineReader(std::filesystem::path const& file);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  /// Reads the next line, without its end; returns false after the last one. The view is valid until the next
  /// call.
  [[nodiscard]] bool next(std::string_view& line);
  /// Returns the line that `next` would read, unchecked, or as much of it as a line may have.
  [[nodiscard]] std::string_view peek();
  /// Number of the current line, from 1.
  [[nodiscard]] int line_number() const { return line_number_; }
  [[nodiscard]] std::string const& file() const { return file_; }
  /// Returns whether the last line had no line end: a sign of truncation if the writer ends all lines.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

  [[noreturn]] void fail(std::string_view problem_why_remedy) const;

 private:
  struct Close {
    void operator()(void* gz) const;
  };

  [[nodiscard]] bool fill();
  /// Fills the buffer with the next line. Returns its length; npos without a line end in what a line may have.
  [[nodiscard]] std::size_t load_line();
  void check_text(std::string_view line) const;

  std::string file_;
  std::unique_ptr<void, Close> gz_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of the buffer
  bool at_end_ = false;
  bool unfinished_ = false;
  int line_number_ = 0;
  std::size_t const max_per_line_ = input_limit(InputLimit::line);
  int const max_lines_ = static_cast<int>(input_limit(InputLimit::rows));
  std::uint64_t const max_bytes_ = input_limit(InputLimit::bytes);
  std::uint64_t max_expanded_ = UINT64_MAX;
  std::uint64_t bytes_ = 0;  // that were read, uncompressed
};

/// Throws InputError for a file, plain or gzipped, that begins as one of another kind than the expected one.
void refuse_foreign_file(std::filesystem::path const& file, std::string_view expected);

/// Returns the first line that is not empty, without blanks at its ends, or its beginning: a whole document may be one
/// line. Empty if there is none. Lines that begin with `comment` do not count.
[[nodiscard]] std::string first_line(std::filesystem::path const& file, char comment = '\0');

/// Returns `folder/name` or `folder/name.gz`, whichever exists; empty if neither does.
[[nodiscard]] std::filesystem::path plain_or_gzipped(std::filesystem::path const& folder,
                                                     std::string const& name);

}  // namespace factosim
