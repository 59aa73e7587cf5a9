#include "simulator/base/core/content_hash.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <new>

#include "simulator/base/core/input_files.hpp"

namespace factosim {

namespace {

std::string hash_text(XXH64_hash_t hash) { return fmt::format("{:016x}", hash); }

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

}  // namespace factosim
