// Damaged and altered points of sweeps are named and simulated again.

#include "simulator/studies/sweep/point_store.hpp"
#include "tests/sweep/sweep_study.hpp"

using namespace factosim;
using testing::Study;

namespace {

namespace fs = std::filesystem;

std::string const two_points = R"("points": {"/application/nt": [4, 5]})";

std::string replaced(std::string text, std::string const& old, std::string const& by) {
  std::size_t const at = text.find(old);
  REQUIRE_MESSAGE(at != std::string::npos, old);
  return text.replace(at, old.size(), by);
}

/// Returns the text of a point without its checksum, as version 1 wrote it.
std::string of_version_1(std::string const& text) {
  std::size_t const line = text.find('\n') + 1;
  return replaced(text.substr(0, line - 1) + text.substr(text.find('\n', line) + 1), "\"version\":2",
                  "\"version\":1");
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("no damage of a point is accepted") {
    Study const study(two_points);
    REQUIRE(study.run().code == 0);
    PointStore const store(study.folder / "out");
    std::string const id = fs::path(study.written().begin()->first).stem(),
                      other = fs::path(study.written().rbegin()->first).stem();
    std::string const text = testing::text_of(store.file_of(id));
    REQUIRE(store.find(id).record.has_value());
    REQUIRE(store.find(id).has_checksum);
    auto const refused = [&](std::string const& damaged) {
      study.folder.write("out/points/" + id + ".json", damaged);
      StoredPoint const found = store.find(id);
      return !found.record && found.damage.starts_with(store.file_of(id).string() + "#");
    };
    std::mt19937 random(1);
    std::size_t tried = 0;
    auto const any = [&](std::size_t n) {
      return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    for (int i = 0; i < 200; ++i, tried += 4) {
      std::string flipped = text, repeated = text, zeros = text;
      char& byte = flipped[any(text.size())];
      byte = static_cast<char>(byte ^ static_cast<char>(1U << any(8)));
      std::size_t const at = any(text.size() - 10);
      CAPTURE(at);
      CHECK(refused(flipped));
      CHECK(refused(text.substr(0, any(text.size()))));
      CHECK(refused(repeated.insert(at, text.substr(at, 10))));
      CHECK(refused(zeros.replace(at, 10, 10, '\0')));
    }
    for (std::string const& damaged :
         {testing::text_of(store.file_of(other)), text + " ", text + std::string(1, '\0'),
          "\xef\xbb\xbf" + text + "x", std::string("[]"), std::string("null"), std::string("{}")}) {
      CHECK(refused(damaged));
      ++tried;
    }
    MESSAGE(tried, " damaged points refused");
  }

  TEST_CASE("a point of version 1 is read if its keys have the right kinds") {
    Study const study(two_points);
    REQUIRE(study.run().code == 0);
    std::string const id = fs::path(study.written().begin()->first).stem();
    std::string const file = "out/points/" + id + ".json", csv = study.csv();
    std::string const text = of_version_1(testing::text_of(study.folder / file));
    study.folder.write(file, text);
    auto const kept = study.run("--collect");
    CHECK(kept.code == 0);
    CHECK(testing::contains(kept.err, "1 points have no checksum"));
    CHECK(study.csv() == csv);
    PointStore const store(study.folder / "out");
    for (auto const& [old, by] : std::vector<std::pair<std::string, std::string>>{
             {"\"code\":0", "\"code\":\"zero\""},
             {"\"code\":0", "\"code\":99"},
             {"\"code\":0", "\"code\":-1"},
             {"\"factosim-point\"", "1"},
             {"\"version\":1", "\"version\":2"},
             {"\"result\":", "\"other\":"},
             {"\"result\":", "\"result\":[],\"other\":"},
             {"\"makespan_s\":", "\"makespan_s\":\"text\",\"other\":"},
             {"\"makespan_s\":", "\"makespan_s\":null,\"other\":"},
             {"\"estimate\":", "\"estimate\":0,\"other\":"},
             {"\"tasks\":", "\"tasks\":{},\"other\":"},
             {"\"bounds\":{", "\"bounds\":{\"abe_s\":[],\"other\":0},\"others\":{"},
             {"\"abe_s\":", "\"abe_s\":[],\"other\":"},
             {"\"bounds\":{", "\"bounds\":7,\"others\":{"},
             {"\"problem_s\":", "\"problem_s\":\"x\",\"other\":"},
             {"\"distribution_s\":", "\"distribution_s\":[1],\"other\":"},
             {"\"abe_per_node_s\":[", "\"abe_per_node_s\":[\"x\","},
             {"\"nodes\":[{\"id\"", "\"nodes\":[1,{\"id\""},
             {"\"peak_memory_bytes\":", "\"peak_memory_bytes\":\"much\",\"other\":"},
             {"\"simulation\":{", "\"simulation\":{\"cpu_s\":\"long\"},\"others\":{"},
             {"\"cpu_s\":", "\"cpu\":"},
             {"\"provenance\":{", "\"provenance\":{\"git\":7},\"others\":{"},
             {"\"provenance\":", "\"others\":"},
             {"\"scenario\":", "\"others\":"}}) {
      CAPTURE(by);
      // The scenario comes before the result and has keys of the same names.
      std::size_t const from = !testing::contains(old, "code") && !testing::contains(old, "factosim-p") &&
                                       !testing::contains(old, "version") &&
                                       !testing::contains(old, "scenario")
                                   ? text.find("\"result\":")
                                   : 0;
      study.folder.write(file, text.substr(0, from) + replaced(text.substr(from), old, by));
      StoredPoint const found = store.find(id);
      CHECK(!found.record.has_value());
      CHECK(found.damage.starts_with(store.file_of(id).string() + "#"));
    }
  }

  TEST_CASE("resume names altered points and simulates them again") {
    Study const study(two_points);
    REQUIRE(study.run().code == 0);
    std::string const csv = study.csv();
    auto const before = study.written();
    std::string const file = before.begin()->first, path = "out/points/" + file;
    study.folder.write(
        path, replaced(testing::text_of(study.folder / path), "\"makespan_s\":", "\"makespan_s\":1"));
    auto const collected = study.run("--collect");
    CHECK(collected.code == 2);
    CHECK(testing::contains(collected.err, "damaged: "));
    CHECK(testing::contains(collected.err, file + "#: is damaged or altered (its checksum"));
    CHECK(testing::contains(collected.err, "lacks 1 of 2 points"));
    auto const resumed = study.run("--resume");
    CHECK(resumed.code == 0);
    CHECK(testing::contains(resumed.err, "simulated again: "));
    CHECK(testing::contains(resumed.err, file + "#: is damaged or altered"));
    CHECK(testing::contains(resumed.out, "1 simulated"));
    CHECK(study.csv() == csv);
    CHECK(study.run("--resume").err.empty());
  }

  TEST_CASE("folders and links in the place of points are named and kept") {
    Study const study(two_points);
    REQUIRE(study.run().code == 0);
    fs::path const file = study.folder / ("out/points/" + study.written().begin()->first);
    for (char const* make : {"mkdir", "mkfifo", "ln -s nothing", "ln -s /dev/zero"}) {
      CAPTURE(make);
      fs::remove_all(file);
      REQUIRE(std::system(fmt::format("{} '{}'", make, file.string()).c_str()) == 0);
      for (char const* option : {"--collect", "--resume"}) {
        auto const run = study.run(option);
        CHECK(run.code == 2);
        CHECK(testing::contains(run.err, file.string() + "#: is "));
      }
      CHECK(!fs::is_regular_file(fs::symlink_status(file)));
    }
  }
}
