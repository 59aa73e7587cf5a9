#include "simulator/base/core/suggestion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace factosim {

namespace {

constexpr std::size_t longest_word = 64;  // longer texts are no misspelt words

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(std::string_view word, std::string_view start) {
  return word.size() >= start.size() &&
         std::ranges::equal(word.substr(0, start.size()), start, {}, lower, lower);
}

/// Returns whether words differ in digits only: another number is no misspelling.
bool differ_in_number(std::string_view a, std::string_view b) {
  auto const digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::equal(a, b, [&](char x, char y) { return x == y || (digit(x) && digit(y)); });
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of distances between the first i letters of a and the first j of b.
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const substituted = last[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string nearest_word(std::string_view word, std::span<std::string const> known) {
  if (word.empty() || word.size() > longest_word) return {};
  std::string const* nearest = nullptr;
  std::size_t distance = 0;
  for (std::string const& candidate : known) {
    if (candidate.size() > longest_word || differ_in_number(word, candidate)) continue;
    std::size_t const longest = std::max(word.size(), candidate.size());
    std::size_t const limit = std::min(longest - 1, std::clamp<std::size_t>(longest / 3, 1, 3));
    std::size_t const d = edit_distance(word, candidate);
    if (d > limit || (nearest != nullptr && d >= distance)) continue;
    nearest = &candidate;
    distance = d;
  }
  if (nearest != nullptr) return *nearest;
  auto const begins = [&](std::string const& candidate) { return begins_with(candidate, word); };
  auto const first = std::ranges::find_if(known, begins);
  if (word.size() < 2 || first == known.end() || std::any_of(std::next(first), known.end(), begins))
    return {};
  return *first;
}

std::string did_you_mean(std::string_view word, std::span<std::string const> known) {
  std::string const nearest = nearest_word(word, known);
  return nearest.empty() ? "" : "Did you mean \"" + nearest + "\"? ";
}

std::string use_one_of(std::string_view word, std::span<std::string const> known) {
  return fmt::format("{}Use one of: {}", did_you_mean(word, known), fmt::join(known, ", "));
}

}  // namespace factosim
