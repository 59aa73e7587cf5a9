#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace factosim {

/// Numbers for a page: little-endian, the first bytes of all elements before the second bytes of all (which
/// compresses better), deflated (RFC 1950), in base 64 (RFC 4648).
[[nodiscard]] std::string packed(std::span<std::uint8_t const> values);
[[nodiscard]] std::string packed(std::span<std::uint16_t const> values);
[[nodiscard]] std::string packed(std::span<std::uint32_t const> values);
[[nodiscard]] std::string packed(std::span<float const> values);
[[nodiscard]] std::string packed(std::span<double const> values);

/// The bytes that `packed` was given, element after element of `size` bytes. Throws ContractError for
/// anything else.
[[nodiscard]] std::string unpacked(std::string_view text, std::size_t size);

}  // namespace factosim
