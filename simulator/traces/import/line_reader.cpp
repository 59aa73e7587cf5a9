#include "simulator/traces/import/line_reader.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "factosim/error.hpp"
#include "simulator/base/core/foreign_format.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/plain_names.hpp"

namespace factosim {

namespace {

constexpr std::size_t chunk = 1U << 18U;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // UTF-8

/// Offset of the first byte that is not UTF-8 text, or a control character other than tab; npos if there is none.
std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t i = 0, length = 0; i < text.size(); i += length) {
    length = is_control(text[i]) && text[i] != '\t' ? 0 : character_length(text, i);
    if (length == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

void LineReader::Close::operator()(void* gz) const { gzclose(static_cast<gzFile>(gz)); }

LineReader::LineReader(std::filesystem::path const& file) : file_(file.string()), buffer_(2 * chunk) {
  require_path(file_ + "#", file_);
  InputFiles::add(file);
  std::error_code error;
  bool const regular = std::filesystem::is_regular_file(file, error);
  if (regular) gz_.reset(gzopen(file_.c_str(), "rb"));
  if (!gz_) fail_to_read(file, regular ? errno : error ? error.value() : EISDIR, "Check the path");
  gzbuffer(static_cast<gzFile>(gz_.get()), chunk);
  std::uintmax_t const size = std::filesystem::file_size(file, error);
  constexpr std::uint64_t harmless = 16U << 20U;
  if (!error && size < max_bytes_ / input_limit(InputLimit::expansion))
    max_expanded_ = std::max(harmless, size * input_limit(InputLimit::expansion));
}

LineReader::~LineReader() = default;

void LineReader::fail(std::string_view message) const {
  throw InputError(fmt::format("{}#line {}", file_, line_number_), message);
}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ + chunk > buffer_.size()) buffer_.resize(end_ + chunk);
  auto* const gz = static_cast<gzFile>(gz_.get());
  int const got = gzread(gz, buffer_.data() + end_, chunk);
  int code = Z_OK;
  gzerror(gz, &code);
  if (got < 0 && code == Z_ERRNO)
    throw InputError(file_ + "#", fmt::format("cannot be read ({}). Check the file", std::strerror(errno)));
  if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    ++line_number_;
    fail(code == Z_BUF_ERROR
             ? "the gzip stream ends here (the file was cut). Copy it again or write the trace again"
             : "the gzip stream is damaged here (its contents do not unpack). Copy the file again");
  }
  end_ += static_cast<std::size_t>(got);
  bytes_ += static_cast<std::uint64_t>(got);
  if (bytes_ > max_expanded_) refuse_input(InputLimit::expansion, file_ + "#");
  if (bytes_ > max_bytes_) refuse_input(InputLimit::bytes, file_ + "#");
  if (got == 0) at_end_ = true;
  return got > 0;
}

std::size_t LineReader::load_line() {
  std::size_t searched = 0;
  for (;;) {
    char const* const first = buffer_.data() + begin_;
    std::size_t const held = end_ - begin_;
    auto const* const newline =
        static_cast<char const*>(std::memchr(first + searched, '\n', held - searched));
    if (newline != nullptr) return static_cast<std::size_t>(newline - first);
    searched = held;
    if (held > max_per_line_ || !fill()) return std::string_view::npos;
  }
}

std::string_view LineReader::peek() {
  std::size_t const newline = load_line();
  std::string_view line{buffer_.data() + begin_, std::min({newline, end_ - begin_, max_per_line_})};
  if (line_number_ == 0 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  return line;
}

bool LineReader::next(std::string_view& line) {
  std::size_t const newline = load_line();
  std::size_t const length = std::min(newline, end_ - begin_);
  if (length == 0 && newline == std::string_view::npos) return false;
  unfinished_ = newline == std::string_view::npos;
  ++line_number_;
  if (length > max_per_line_) refuse_input(InputLimit::line, fmt::format("{}#line {}", file_, line_number_));
  if (line_number_ > max_lines_) refuse_input(InputLimit::rows, file_ + "#");
  line = {buffer_.data() + begin_, length};
  begin_ += length + (unfinished_ ? 0 : 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line_number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  check_text(line);
  return true;
}

void LineReader::check_text(std::string_view line) const {
  std::size_t const bad = first_bad_byte(line);
  if (bad == std::string_view::npos) return;
  refuse_raw_trace(file_);
  bool const utf16 = line_number_ == 1 && (line.starts_with("\xff\xfe") || line.starts_with("\xfe\xff"));
  fail(fmt::format("byte {} is 0x{:02x} ({}). Give a text file in UTF-8, plain or gzipped", bad + 1,
                   static_cast<unsigned char>(line[bad]),
                   utf16 ? "the file is in UTF-16" : "no part of UTF-8 text"));
}

void refuse_foreign_file(std::filesystem::path const& file, std::string_view expected) {
  constexpr std::size_t most = 1 << 16;
  LineReader lines(file);
  std::string text;
  for (std::string_view line; text.size() < most && lines.next(line);) (text += line) += '\n';
  refuse_foreign(file, text, expected);
}

std::string first_line(std::filesystem::path const& file, char comment) {
  constexpr std::string_view blanks = " \t\r";
  LineReader lines(file);
  std::string_view line;
  do {
    std::string_view const text = lines.peek();
    std::size_t const begin = text.find_first_not_of(blanks);
    if (begin != std::string_view::npos && text[begin] != comment)
      return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
  } while (lines.next(line));
  return {};
}

std::filesystem::path plain_or_gzipped(std::filesystem::path const& folder, std::string const& name) {
  for (std::string const& candidate : {name, name + ".gz"})
    if (std::filesystem::is_regular_file(folder / candidate)) return folder / candidate;
  return {};
}

}  // namespace factosim
