#include "simulator/base/core/suggestion.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// The definition of the restricted Damerau-Levenshtein distance, by recursion.
std::size_t distance_by_definition(std::string const& a, std::string const& b, std::size_t i, std::size_t j) {
  if (i == 0 || j == 0) return i + j;
  std::size_t best =
      std::min({distance_by_definition(a, b, i - 1, j) + 1, distance_by_definition(a, b, i, j - 1) + 1,
                distance_by_definition(a, b, i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1)});
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
    best = std::min(best, distance_by_definition(a, b, i - 2, j - 2) + 1);
  return best;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the edit distance of short words is that of its definition") {
    std::mt19937 random(26);
    for (int i = 0; i < 300; ++i) {
      auto const word = [&] {
        std::string out(random() % 6, 'a');
        for (char& c : out) c = static_cast<char>('a' + random() % 3);
        return out;
      };
      std::string const a = word(), b = word();
      CAPTURE_ALL(a, b);
      CHECK(edit_distance(a, b) == distance_by_definition(a, b, a.size(), b.size()));
    }
  }

  TEST_CASE("a misspelt word has a suggestion and another word has none") {
    std::vector<std::string> const words{"nt",           "nb",   "dmdas",  "dmdar",
                                         "block-cyclic", "1d1d", "1d1d-c", "run"};
    CHECK(nearest_word("dmdsa", words) == "dmdas");  // exchanged letters are one edit
    CHECK(nearest_word("1D1D", words) == "1d1d");    // letters of another case are none
    CHECK(nearest_word("nT", words) == "nt");
    CHECK(nearest_word("blokc-ciclic", words) == "block-cyclic");
    CHECK(nearest_word("block", words) == "block-cyclic");  // the begin of one word
    CHECK(nearest_word("dm", words).empty());               // the begin of two
    CHECK(nearest_word("x", words).empty());
    CHECK(nearest_word("", words).empty());
    CHECK(nearest_word("precision", words).empty());
    CHECK(nearest_word(std::string(100'000, 'n'), words).empty());
    CHECK(did_you_mean("rnu", words) == "Did you mean \"run\"? ");
    CHECK(did_you_mean("completely", words).empty());
  }
}
