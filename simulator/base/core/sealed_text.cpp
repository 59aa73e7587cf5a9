#include "simulator/base/core/sealed_text.hpp"

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/content_hash.hpp"

namespace factosim {

namespace {

constexpr std::string_view checksum_key = "\"checksum\":";

std::string checksum_line(std::string_view hash) {
  return std::string(checksum_key) + " \"" + std::string(hash) + "\",\n";
}

}  // namespace

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
