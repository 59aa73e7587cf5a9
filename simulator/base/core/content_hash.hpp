#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace factosim {

/// Returns the hash as 16 hexadecimal digits (XXH3, 64 bits).
[[nodiscard]] std::string content_hash(std::string_view bytes);

/// Returns the hash of the bytes of a file. Throws InputError if it cannot be read.
[[nodiscard]] std::string file_hash(std::filesystem::path const& file);

/// State of the checksum in a text.
enum class Seal {
  none,    // has no checksum
  intact,  // every byte is as it was written
  broken,
};

/// Returns a JSON text with a line `"checksum": "HASH",` behind the line whose end is `before`, at its first place.
/// HASH is the `content_hash` of all other lines. The next line is a member of the same object.
[[nodiscard]] std::string sealed(std::string text, std::string_view before);

/// Compares a text with its checksum.
[[nodiscard]] Seal seal_of(std::string_view text, std::string_view before);

}  // namespace factosim
