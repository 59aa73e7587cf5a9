// Initial inputs of the fuzzer and its former findings: each is read or refused with a message.

#include "tests/cli/program.hpp"
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

/// SimGrid's files must be parsed before SimGrid is used in the process, which other tests have done.
constexpr std::string_view in_fresh_processes = "simgrid_xml";
constexpr int internal_error = 3;

/// Returns the exit code of a scenario whose network is in that file.
int read_by_program(testing::TemporaryFolder const& folder, std::string const& text) {
  std::string const scenario = (testing::repository() / "scenarios/first/lu_mirage.json").string();
  std::string const file = folder.write("net.xml", text).string();
  return testing::run_factosim("bounds '" + scenario + "' --set '/network={\"simgrid_xml\":{\"file\":\"" +
                               file + "\"}}'")
      .code;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("every reader accepts its fuzzing inputs or refuses them with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      testing::TemporaryFolder const folder;
      auto const inputs = inputs_of(target.name);
      CHECK(!inputs.empty());
      for (fs::path const& input : inputs) {
        CAPTURE(input.string());
        std::string const text = testing::text_of(input);
        if (target.name == in_fresh_processes)
          CHECK(read_by_program(folder, text) != internal_error);
        else
          CHECK_NOTHROW(try_input(target, folder.path(), text));
      }
    }
  }

  TEST_CASE("truncated inputs are read or refused with a message") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == in_fresh_processes) continue;
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

  TEST_CASE("every reader accepts some of its inputs") {
    for (testing::FuzzTarget const& target : testing::fuzz_targets()) {
      if (target.name == in_fresh_processes) continue;
      testing::TemporaryFolder const folder;
      std::vector<fs::path> const inputs = inputs_of(target.name);
      CAPTURE(target.name);
      CHECK(std::any_of(inputs.begin(), inputs.end(), [&](fs::path const& input) {
        return testing::message_of([&] { target.read(folder.path(), testing::text_of(input)); }).empty();
      }));
    }
  }
}
