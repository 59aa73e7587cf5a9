// The inputs that the fuzzer starts from, and those that once were findings, are read or refused with a
// message.

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/data/test_files.hpp"
#include "tests/fuzz/targets.hpp"

using namespace factosim;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> inputs_of(std::string_view target) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(testing::repository() / "tests/fuzz/corpus" / target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("every reader takes its fuzzing inputs or refuses them with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      testing::TemporaryFolder const folder;
      auto const inputs = inputs_of(target.name);
      CHECK(!inputs.empty());
      for (fs::path const& input : inputs) {
        CAPTURE(input.string());
        std::string const text = testing::text_of(input);
        CHECK_NOTHROW(try_input(target, folder.path(), text));
      }
    }
  }

  TEST_CASE("inputs cut anywhere are read or refused with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == "simgrid_xml") continue;  // a process each
      testing::TemporaryFolder const folder;
      fs::path const input = inputs_of(target.name).front();
      CAPTURE(input.string());
      std::string const text = testing::text_of(input);
      std::size_t const step = std::max<std::size_t>(1, text.size() / 40);
      for (std::size_t at = 0; at < text.size(); at += step) {
        CAPTURE(at);
        CHECK_NOTHROW(try_input(target, folder.path(), std::string_view(text).substr(0, at)));
      }
    }
  }

  TEST_CASE("every reader takes some of its inputs") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      testing::TemporaryFolder const folder;
      std::vector<fs::path> const inputs = inputs_of(target.name);
      CAPTURE(target.name);
      CHECK(std::any_of(inputs.begin(), inputs.end(), [&](fs::path const& input) {
        return testing::message_of([&] { target.read(folder.path(), testing::text_of(input)); }).empty();
      }));
    }
  }
}
