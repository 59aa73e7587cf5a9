#include "simulator/base/core/plain_names.hpp"

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
  TEST_CASE("ordinary names and those of other programs stay as they are") {
    for (char const* name :
         {"", "gemm", "my \"odd\" kernel", "a,b", "50%", "%4", "%41", "%zz", "x=1", "na\xc3\xafve"}) {
      CHECK(name_in_line(name) == name);
      CHECK(name_of_line(name) == name);
    }
  }

  TEST_CASE("names of any characters are read back from a line") {
    CHECK(name_in_line("a\nb") == "a%0Ab");
    CHECK(name_in_line(" a b ", "\",") == "%20a b%20");
    CHECK(name_in_line("a\"b,c", "\",") == "a%22b%2Cc");
    CHECK(name_in_line("=1+1") == "%3D1+1");
    CHECK(name_in_line("%0A%41") == "%250A%41");
    std::mt19937 random(1);
    std::string const letters = std::string("%%%0A2255 =+-@\"\\',\n\r\t\x1b\x7f\xc3\xa9", 25) + '\0';
    for (int i = 0; i < 20'000; ++i) {
      std::string name(random() % 8, ' ');
      std::ranges::generate(name, [&] { return letters[random() % letters.size()]; });
      std::string const line = name_in_line(name, "\",");
      CAPTURE(line);
      REQUIRE(name_of_line(line) == name);
      REQUIRE(std::ranges::none_of(line, is_control));
      REQUIRE(line.find_first_of("\",") == std::string::npos);
      REQUIRE(!is_formula(line));
      REQUIRE((line.empty() || (line.front() != ' ' && line.back() != ' ')));
    }
  }

  TEST_CASE("control characters are visible in messages") {
    CHECK(on_one_line("a\nb\tc\r\x1b[31m\x7f\xc2\x9b") == "a\\nb\\tc\\x0d\\x1b[31m\\x7f\\x9b");
    std::string const cut =
        on_one_line("s.json#/" + fmt::format("{:\xc3\xa9<2500000}", "") + ": unknown key");
    CHECK((cut.size() < 3100 && cut.find('\\') == std::string::npos));
    CHECK(cut.ends_with("\xc3\xa9: unknown key"));
    CHECK(on_one_line("a\xe2\x80\xae\xe2\x80\xa8\xe2\x81\xa6z") == "a\\u202e\\u2028\\u2066z");
    CHECK(on_one_line("\xff\xfe{\xc3(\xe2\x80") == "\\xff\\xfe{\\xc3(\\xe2\\x80");
    CHECK(on_one_line("\xed\xa0\x80\xc0\xae\xe0\x80\xaf\xf4\x90\x80\x80") ==
          "\\xed\\xa0\\x80\\xc0\\xae\\xe0\\x80\\xaf\\xf4\\x90\\x80\\x80");
    CHECK(on_one_line("\xf0\x9f\x98\x80 \xe2\x82\xac") == "\xf0\x9f\x98\x80 \xe2\x82\xac");
    CHECK(on_one_line("na\xc3\xafve \\n") == "na\xc3\xafve \\n");
  }

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
    CHECK(nearest_word("2d4d", words).empty());  // another number
    CHECK(nearest_word("", words).empty());
    CHECK(nearest_word("precision", words).empty());
    CHECK(nearest_word(std::string(100'000, 'n'), words).empty());
    CHECK(did_you_mean("rnu", words) == "Did you mean \"run\"? ");
    CHECK(did_you_mean("completely", words).empty());
  }
}
