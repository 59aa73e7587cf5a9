#include "simulator/base/core/content_hash.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <new>

#include "factosim/error.hpp"
#include "simulator/base/core/input_files.hpp"

namespace factosim {

namespace {

std::string hash_text(XXH64_hash_t hash) { return fmt::format("{:016x}", hash); }

constexpr std::string_view checksum_key = "\"checksum\":";

std::string checksum_line(std::string_view hash) {
  return std::string(checksum_key) + " \"" + std::string(hash) + "\",\n";
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  return hash_text(XXH3_64bits(bytes.data(), bytes.size()));
}

std::string file_hash(std::filesystem::path const& file) {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> const state(XXH3_createState(), XXH3_freeState);
  if (!state || XXH3_64bits_reset(state.get()) != XXH_OK) throw std::bad_alloc();
  read_pieces(file, "Check the path",
              [&](std::string_view piece) { XXH3_64bits_update(state.get(), piece.data(), piece.size()); });
  return hash_text(XXH3_64bits_digest(state.get()));
}

std::string sealed(std::string text, std::string_view before) {
  std::size_t const found = text.find(before);
  FACTOSIM_ALWAYS(found != std::string::npos && before.ends_with('\n'),
                  "a text without a place for a checksum");
  std::string const line = checksum_line(content_hash(text));
  return text.insert(found + before.size(), line);
}

Seal seal_of(std::string_view text, std::string_view before) {
  std::size_t const found = text.find(before);
  if (found == std::string_view::npos)
    return text.find(checksum_key) == std::string_view::npos ? Seal::none : Seal::broken;
  std::size_t const begin = found + before.size();
  std::size_t const end = std::min(text.find('\n', begin), text.size() - 1) + 1;
  std::string_view const line = text.substr(begin, end - begin);
  if (!line.starts_with(checksum_key)) return Seal::none;
  std::string rest(text.substr(0, begin));
  rest += text.substr(end);
  return line == checksum_line(content_hash(rest)) ? Seal::intact : Seal::broken;
}

}  // namespace factosim
