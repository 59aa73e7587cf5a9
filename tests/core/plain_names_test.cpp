#include "simulator/base/core/plain_names.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

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
    CHECK(on_one_line("a\xe2\x80\xae\xe2\x80\xa8\xe2\x81\xa6z") == "a\\u202e\\u2028\\u2066z");
    CHECK(on_one_line("\xff\xfe{\xc3(\xe2\x80") == "\\xff\\xfe{\\xc3(\\xe2\\x80");
    CHECK(on_one_line("\xed\xa0\x80\xc0\xae\xe0\x80\xaf\xf4\x90\x80\x80") ==
          "\\xed\\xa0\\x80\\xc0\\xae\\xe0\\x80\\xaf\\xf4\\x90\\x80\\x80");
    CHECK(on_one_line("\xf0\x9f\x98\x80 \xe2\x82\xac") == "\xf0\x9f\x98\x80 \xe2\x82\xac");
    CHECK(on_one_line("na\xc3\xafve \\n") == "na\xc3\xafve \\n");
  }
}
