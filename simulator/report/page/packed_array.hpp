#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace factosim {

/// Packs numbers for a page: little-endian, the first bytes of all elements before all second bytes (which
/// compresses better), deflated (RFC 1950), in base 64 (RFC 4648).
[[nodiscard]] std::string packed(std::span<std::uint8_t const> values);
[[nodiscard]] std::string packed(std::span<std::uint16_t const> values);
[[nodiscard]] std::string packed(std::span<std::uint32_t const> values);
[[nodiscard]] std::string packed(std::span<float const> values);
[[nodiscard]] std::string packed(std::span<double const> values);

/// Returns the bytes of an array packed by `packed`, with elements of `size` bytes. Throws ContractError if
/// the text is invalid.
[[nodiscard]] std::string unpacked(std::string_view text, std::size_t size);

}  // namespace factosim
