#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace factosim {

/// Returns the hash as 16 hexadecimal digits (XXH3, 64 bits).
[[nodiscard]] std::string content_hash(std::string_view bytes);

/// Returns the hash of the bytes of a file. Throws InputError if it cannot be read.
[[nodiscard]] std::string file_hash(std::filesystem::path const& file);

}  // namespace factosim
