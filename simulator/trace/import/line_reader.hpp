#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace factosim {

/// The lines of a text file, plain or gzipped, one after the other: what is held is one line and a buffer.
/// Throws InputError `FILE#line N: ...` where the file cannot be read, is cut or damaged within its gzip
/// stream, is no UTF-8 text, or has a line beyond a mebibyte.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path const& file);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  /// The next line without its end; false after the last one. Valid until the next call.
  [[nodiscard]] bool next(std::string_view& line);
  /// Of the line given last, from 1.
  [[nodiscard]] int line_number() const { return line_number_; }
  [[nodiscard]] std::string const& file() const { return file_; }
  /// Whether the last line given had no line end: where writers end all lines, the file was cut.
  [[nodiscard]] bool unfinished() const { return unfinished_; }

  [[noreturn]] void fail(std::string_view problem_why_remedy) const;

 private:
  struct Close {
    void operator()(void* gz) const;
  };

  [[nodiscard]] bool fill();
  void check_text(std::string_view line) const;

  std::string file_;
  std::unique_ptr<void, Close> gz_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer has not been given
  bool at_end_ = false;
  bool unfinished_ = false;
  int line_number_ = 0;
};

/// `folder/name`, or the same with .gz, whichever there is; empty where there is none.
[[nodiscard]] std::filesystem::path plain_or_gzipped(std::filesystem::path const& folder,
                                                     std::string const& name);

}  // namespace factosim
