#include "simulator/base/core/json_reader.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

JsonReader reader(nlohmann::json const& value) { return JsonReader(value, "f.json"); }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("values of the wrong kind are reported with file pointer reason and remedy") {
    nlohmann::json const j = {{"a", {{"b", "text"}}}, {"list", {1, -2}}, {"x/y", 1.5}};
    CHECK_THROWS_WITH_AS(
        (void)reader(j).at("a").at("b").number(),
        "f.json#/a/b: \"text\" is not a number (a quantity is expected here). Write a number", InputError);
    CHECK_THROWS_WITH_AS((void)reader(j).at("list").elements()[1].positive(),
                         "f.json#/list/1: is -2 (it must be above zero). Give a positive number", InputError);
    CHECK_THROWS_WITH_AS((void)reader(j).at("x/y").integer(0, 3),
                         "f.json#/x~1y: 1.5 is not an integer (a whole number is expected here). Write one",
                         InputError);
    CHECK_THROWS_WITH_AS((void)reader(j).at("c", "the third"),
                         "f.json#: the key \"c\" is missing (the third). Add it", InputError);
    CHECK_THROWS_WITH_AS(
        (void)reader(j).at("list").at("k"),
        "f.json#/list: [1,-2] is not an object (keys and values are expected here). Write {...}", InputError);
  }

  TEST_CASE("an integer in range is read also from a float without fraction") {
    CHECK(reader(3.0).integer(0, 5) == 3);
    CHECK(reader(0).integer(0, 5) == 0);
    CHECK(reader(5).integer(0, 5) == 5);
    CHECK_THROWS_AS((void)reader(6).integer(0, 5), InputError);
    CHECK_THROWS_AS((void)reader(18446744073709551615ULL).integer(0, INT64_MAX), InputError);
    CHECK_THROWS_AS((void)reader(1e300).integer(0, 5), InputError);
  }

  TEST_CASE("unknown keys are rejected by name") {
    nlohmann::json const j = {{"known", 1}, {"unknown", 2}};
    JsonReader const r = reader(j);
    CHECK(r.at("known").number() == 1);
    CHECK_FALSE(r.find("other").has_value());
    CHECK_THROWS_WITH_AS(r.finish(),
                         "f.json#/unknown: unknown key (nothing reads it, so it would be ignored). Did you "
                         "mean \"known\"? Remove "
                         "it or use one of: known, other",
                         InputError);
  }

  TEST_CASE("a file that is not JSON is reported with its place") {
    testing::TemporaryFolder const folder;
    auto const message = [&](std::string const& text) -> std::string {
      try {
        parse_json_file(folder.write("f.json", text));
      } catch (InputError const& error) {
        return error.what();
      }
      return "";
    };
    CHECK(testing::contains(message("{\"a\": }"), "line 1, column 7"));
    CHECK(testing::contains(message("{\"a\": 1, \"a\": 2}"), "the key \"a\" stands twice"));
    CHECK(testing::contains(message("{} {}"), "is not valid JSON"));
    CHECK(testing::contains(message("// no\n{}"), "is not valid JSON"));
    CHECK(testing::contains(message("{\"a\": 1e999}"), "is not valid JSON"));
    CHECK(testing::contains(message(""), "is not valid JSON"));
    CHECK_THROWS_AS(parse_json_file(folder / "none.json"), InputError);
  }
}
