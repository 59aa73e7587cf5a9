#include "simulator/os/atomic_file.hpp"

#include <doctest/doctest.h>

#include "factosim/error.hpp"
#include "tests/data/test_files.hpp"

using namespace factosim;

TEST_SUITE("unit") {
  TEST_CASE("a file appears when committed and not before") {
    testing::TemporaryFolder const folder;
    {
      AtomicFile file(folder / "a");
      file.write("half");
      CHECK_FALSE(std::filesystem::exists(folder / "a"));
    }
    CHECK(std::filesystem::is_empty(folder / ""));
    write_file_atomically(folder / "a", "whole");
    CHECK(testing::text_of(folder / "a") == "whole");
    CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) == 1);
  }

  TEST_CASE("a folder that is not there is an input error") {
    testing::TemporaryFolder const folder;
    CHECK_THROWS_AS(write_file_atomically(folder / "none" / "a", "x"), InputError);
  }
}
