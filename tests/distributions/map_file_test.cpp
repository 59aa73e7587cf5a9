#include "distributions/map_file.hpp"

#include "tests/graph/random_flow.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Checks that a file with this text is refused with exactly this message; `where` follows the file's name.
void check_refused(std::string const& text, std::string const& where, std::string const& problem) {
  CAPTURE(text);
  TemporaryFolder const folder;
  std::filesystem::path const file = folder.write("map.txt", text);
  std::string const expected = file.string() + "#" + where + ": " + problem;
  CHECK_THROWS_WITH_AS(read_map(file), expected.c_str(), InputError);
}

TileMap read_text(std::string const& text) {
  TemporaryFolder const folder;
  return read_map(folder.write("map.txt", text));
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a map file counts nodes from 1") {
    TileMap const map = read_text("2 3\n1 2 3\n4 10000000 1\n");
    CHECK(map.mt == 2);
    CHECK(map.nt == 3);
    CHECK(map.at(0, 0) == NodeId{0});
    CHECK(map.at(1, 0) == NodeId{3});
    CHECK(map.at(1, 1) == NodeId{9'999'999});
    CHECK(map_text(map) == "2 3\n1 2 3\n4 10000000 1\n");
  }

  TEST_CASE("blanks and tabs and carriage returns and a missing last line end are accepted") {
    TileMap const map = read_text("  2\t2 \r\n 1\t 2\r\n3  4  ");
    CHECK(map_text(map) == "2 2\n1 2\n3 4\n");
  }

  TEST_CASE("a missing file and a folder cannot be read") {
    TemporaryFolder const folder;
    std::filesystem::path const missing = folder.path() / "missing.txt";
    CHECK_THROWS_WITH_AS(read_map(missing),
                         (missing.string() + "#: cannot be read (no such file). Check the path").c_str(),
                         InputError);
    CHECK_THROWS_WITH_AS(
        read_map(folder.path()),
        (folder.path().string() + "#: cannot be read (it is a folder). Name a file in it").c_str(),
        InputError);
  }

  TEST_CASE("the first line has exactly two numbers") {
    std::string const problem =
        "is not a head line (rows and columns of the map are expected: M N). Write two numbers";
    check_refused("", "line 1 column 1", problem);
    check_refused("\n1 1\n", "line 1 column 1", problem);
    check_refused("2\n1 2\n", "line 1 column 2", problem);
    check_refused("2 2 4\n1 2\n3 4\n", "line 1 column 6", problem);
  }

  TEST_CASE("the sides of a map lie between 1 and 100000") {
    auto const problem = [](std::string const& word, int minimum) {
      return "\"" + word + "\" does not fit (a whole number from " + std::to_string(minimum) +
             " to 100000 is expected). Correct it";
    };
    check_refused("0 2\n", "line 1 column 1", problem("0", 1));
    check_refused("2 -1\n", "line 1 column 3", problem("-1", 1));
    check_refused("2 100001\n", "line 1 column 3", problem("100001", 1));
    check_refused("two 2\n", "line 1 column 1", problem("two", 1));
    check_refused("2 2 nodes\n", "line 1 column 5", problem("nodes", 0));
  }

  TEST_CASE("additional rows are refused and blank lines are not") {
    check_refused("1 2\n1 2\n\n2 1\n", "line 4",
                  "a row too many (the head line announces 1). Remove it or correct the head line");
    CHECK(map_text(read_text("1 2\n1 2\n \n\n")) == "1 2\n1 2\n");
  }

  TEST_CASE("an owner is a whole number from 1") {
    auto const problem = [](std::string const& word) {
      return "\"" + word + "\" does not fit (a whole number from 1 to 10000000 is expected). Correct it";
    };
    check_refused("1 2\n1 0\n", "line 2 column 3", problem("0"));
    check_refused("1 2\n1 -1\n", "line 2 column 3", problem("-1"));
    check_refused("1 3\n1 x 2\n", "line 2 column 3", problem("x"));
    check_refused("2 2\n1 1\n1 1.5\n", "line 3 column 3", problem("1.5"));
    check_refused("1 2\n1 10000001\n", "line 2 column 3", problem("10000001"));
    check_refused("1 1\n99999999999999999999999\n", "line 2 column 1",
                  problem("99999999999999999999"));  // the message shows 20 characters
  }

  TEST_CASE("a row has the number of tiles of the first line") {
    check_refused("2 3\n1 2 3\n1 2\n", "line 3 column 4",
                  "the row ends after 2 of 3 tiles (each needs an owner). Add the rest");
    check_refused("1 2\n\n", "line 2 column 1",
                  "the row ends after 0 of 2 tiles (each needs an owner). Add the rest");
    check_refused("1 2\n1 2 3\n", "line 2 column 6",
                  "the row has more than 2 tiles (the head line announces that many). Remove the rest");
  }

  TEST_CASE("a map has the number of rows of the first line") {
    check_refused("3 2\n1 2\n3 4\n", "",
                  "ends after 2 of 3 rows (the head line announces more). Add the rest");
    check_refused("1 1\n", "", "ends after 0 of 1 rows (the head line announces more). Add the rest");
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("a map with a tile without owner is not written") {
    CHECK_THROWS_AS(map_text({1, 1, {NodeId{}}}), ContractError);
  }
#endif
}

TEST_SUITE("property") {
  TEST_CASE("a map is read back as it was written") {
    TemporaryFolder const folder;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      TileMap map{random.between(1, 30), random.between(1, 30), {}};
      for (int i = 0; i < map.mt * map.nt; ++i) map.owner.emplace_back(random.between(0, 100));
      std::string const text = map_text(map);
      TileMap const read = read_map(folder.write("map.txt", text));
      CHECK(read.mt == map.mt);
      CHECK(read.nt == map.nt);
      CHECK(read.owner == map.owner);
      CHECK(map_text(read) == text);
    }
  }
}
