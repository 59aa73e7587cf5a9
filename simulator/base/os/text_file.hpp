#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "simulator/base/os/atomic_file.hpp"

namespace factosim {

/// Writes text to a file that appears complete or not at all, compressed if its name ends in `.gz`. Buffers about
/// 64 KiB. Throws InputError if the file cannot be written.
class TextFile {
 public:
  explicit TextFile(std::filesystem::path const& path);
  ~TextFile();

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    put_formatted(format, fmt::make_format_args(arguments...));
  }
  void put_text(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    if (buffer_.size() > flushed_from) flush();
  }
  /// Replaces an existing file.
  void commit();

 private:
  class Compressor;
  static constexpr std::size_t flushed_from = std::size_t{1} << 16U;

  void put_formatted(fmt::string_view format, fmt::format_args arguments);
  void flush();

  AtomicFile file_;
  std::unique_ptr<Compressor> compressor_;  // null: plain text
  fmt::memory_buffer buffer_;
};

}  // namespace factosim
