#pragma once

#include <span>
#include <string>
#include <string_view>

namespace factosim {

/// Returns the edit distance of two texts: insertions, deletions, substitutions, and exchanges of neighbours
/// (Damerau-Levenshtein, restricted: no part is edited twice). Letters of both cases are equal.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the known word that somebody who wrote `word` probably meant: the nearest one within one edit for each
/// three letters, at most three, that has not just other digits, or else the only one that begins with `word`. Empty if
/// there is none.
[[nodiscard]] std::string nearest_word(std::string_view word, std::span<std::string const> known);

/// Returns `Did you mean "WORD"? ` for a message, with a space at its end; empty if no known word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<std::string const> known);

/// Returns the same with `Use one of: A, B, C`.
[[nodiscard]] std::string use_one_of(std::string_view word, std::span<std::string const> known);

}  // namespace factosim
