#include "simulator/base/core/json_reader.hpp"

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/input_files.hpp"
#include "simulator/base/core/value_rules.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using factosim::testing::message_of;
using testing::message_of;

namespace {

JsonReader reader(nlohmann::json const& value) { return JsonReader(value, "f.json"); }

ObjectKeys const& shape_table() {
  static ObjectKeys const table{
      .title = "shape",
      .meaning = "",
      .keys = {{.name = "type", .value = {rule::word({"disc", "box"})}, .meaning = "kind", .required = true}},
      .variants = {
          {.selector = "type",
           .word = "disc",
           .keys = {{.name = "radius", .value = {rule::positive("m", 5)}, .meaning = "half its width"}}},
          {.selector = "type",
           .word = "box",
           .keys = {
               {.name = "sides", .value = {rule::array({rule::integer(1, 9)})}, .meaning = "lengths"}}}}};
  return table;
}

ValueRules shape_rules() { return {rule::object(shape_table)}; }

JsonReader shape(nlohmann::json const& value) { return JsonReader(value, "f.json").by(shape_rules); }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("values of the wrong kind are reported with file pointer reason and remedy") {
    nlohmann::json const j = {{"a", {{"b", "text"}}}, {"list", {1, -2}}, {"x/y", 1.5}};
    CHECK_THROWS_WITH_AS(
        (void)reader(j).at("a").at("b").number(),
        "f.json#/a/b: \"text\" is not a number (a quantity is expected here). Write a number", InputError);
    CHECK_THROWS_WITH_AS((void)reader(j).at("list").elements()[1].positive(),
                         "f.json#/list/1: is -2 (it must be above zero). Give a positive number", InputError);
    CHECK_THROWS_WITH_AS(
        (void)reader(j).at("x/y").integer(0, 3),
        "f.json#/x~1y: 1.5 is not an integer (a whole number is expected here). Write one, without quotes",
        InputError);
    CHECK_THROWS_WITH_AS((void)reader(j).at("c", "the third"),
                         "f.json#: the key \"c\" is missing (the third). Add it", InputError);
    CHECK_THROWS_WITH_AS(
        (void)reader(j).at("list").at("k"),
        "f.json#/list: [1,-2] is not an object (keys and values are expected here). Write {...}", InputError);
  }

  TEST_CASE("text with a unit is the number in the unit of its rule") {
    auto const read = [](std::string const& text, std::string const& unit) {
      ValueRules const number{rule::non_negative(unit)}, integer{rule::integer(1, INT64_MAX, unit)};
      nlohmann::json const value = text;
      JsonReader const json(value, "f.json", "/x", unit == "B" ? &integer : &number);
      return unit == "B" ? static_cast<double>(json.integer()) : json.quantity();
    };
    for (auto const& [text, unit, value] :
         std::vector<std::tuple<std::string, std::string, double>>{{"20 us", "s", 20e-6},
                                                                   {"1.5ms", "s", 1.5e-3},
                                                                   {"0.3 ns", "s", 0.3e-9},
                                                                   {"2 µs", "s", 2e-6},
                                                                   {"2 min", "s", 120},
                                                                   {"1e-3 us", "s", 1e-9},
                                                                   {"0e9999999999 h", "s", 0},
                                                                   {"10 GB/s", "B/s", 1e10},
                                                                   {"10Gb/s", "B/s", 1.25e9},
                                                                   {"100 Gbit/s", "B/s", 12.5e9},
                                                                   {"4.1 GB/s", "B/s", 4.1e9},
                                                                   {"1 KiB/s", "B/s", 1024},
                                                                   {"64 GB", "B", 64e9},
                                                                   {"64 GiB", "B", 0x1p36},
                                                                   {"1.5 kB", "B", 1500},
                                                                   {" 0.7  B ", "B", 1},
                                                                   {"0.25 kW", "W", 250}})
      CHECK_MESSAGE(read(text, unit) == value, text);
    for (auto const& [text, unit, problem] : std::vector<std::array<std::string, 3>>{
             {"10 GB/s", "s",
              R"(is a rate of data (here a time is needed). Write "20 us", or the number in s)"},
             {"20 us", "B/s",
              R"(is a time (here a rate of data is needed). Write "10 GB/s" or "80 Gb/s", or)"},
             {"10 gb/s", "B/s",
              R"(has the unknown unit "gb/s" (here a rate of data is needed). Did you mean)"},
             {"64", "B", R"(has no unit (here a size of data is needed). Write "64 GB" or "64 GiB", or)"},
             {"large", "W", R"(is not a number (here a power is needed). Write "250 W", or the number in W)"},
             {"1 um", "m", "is not a number (a quantity is expected here). Write a number"}})
      CHECK(message_of([&, &text = text, &unit = unit] {
              (void)read(text, unit);
            }).starts_with(fmt::format("f.json#/x: \"{}\" {}", text, problem)));
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
    std::string const is = "is not valid JSON (";
    for (auto const& [text, place, mistake] : std::vector<std::array<std::string, 3>>{
             {"{\"a\": }", "1:7: ", is + "a value is missing before this })"},
             {"{\"a\": 1,\n \"a\": 2}", "2:2: ", "the key \"a\" stands twice"},
             {"{\"a\": 1,\n}", "1:8: ", is + "a comma stands before }). Remove the comma"},
             {"[1, 2,]", "1:6: ", is + "a comma stands before ])"},
             {"// no\n{}", "1:1: ", is + "JSON has no comments)"},
             {"{\"a\": 1 # no\n}", "1:9: ", is + "JSON has no comments)"},
             {"{'a': 1}", "1:2: ", is + "text stands in \" and not in ')"},
             {"{\n  a: 1}", "2:3: ", is + "the key a has no quotes). Write \"a\""},
             {"{\"a\": lu}", "1:7: ", is + "the text lu has no quotes). Write \"lu\""},
             {"{\"a\": NaN}", "1:7: ", is + "NaN is not a JSON number)"},
             {"{\"a\": True}", "1:7: ", is + "JSON writes True as true)"},
             {"{\"a\": None}", "1:7: ", is + "JSON writes None as null)"},
             {"{\"a\": 1 \"b\": 2}", "1:8: ", is + "a comma is missing after the value)"},
             {"{\"a\": \"lu}", "1:7: ", is + "the text that begins here has no closing quote)"},
             {"{\"a\": 10GB}", "1:7: ", is + "10GB is not a number). Write the number alone"},
             {"{\"a\": 0,5}", "1:9: ", is + "a number stands where a key is expected)"},
             {"{\"a\": [1, 2}", "1:12: ", is + "this } cannot close the [ of line 1)"},
             {"{\"a\": {\"b\": 1}", "1:1: ", is + "this { is never closed)"},
             {"{\"a\" 1}", "1:2: ", is + "no colon and value follow the key \"a\")"},
             {"{} {}", "1:4: ", is + "text stands after the end)"},
             {"{\"a\": 1e999}", "1:7: ", is + "1e999 is too large a number)"},
             {"", "1:1: ", is + "it is empty). Write {...}"}}) {
      CAPTURE(text);
      CHECK_MESSAGE(testing::contains(message(text), "f.json:" + place + mistake), message(text));
    }
    CHECK_THROWS_AS(parse_json_file(folder / "none.json"), InputError);
  }

  TEST_CASE("every error of reading names the file and the reason") {
    testing::TemporaryFolder const folder;
    auto const problem = [](std::filesystem::path const& file) {
      CHECK_THROWS_AS((void)parse_json_file(file), InputError);
      return message_of([&] { (void)parse_json_file(file); });
    };
    CHECK(
        problem("/proc/self/mem").starts_with("/proc/self/mem#: cannot be read (Input/output error). Check"));
    CHECK(problem(folder.path()).starts_with(folder.path().string() + "#: cannot be read (it is a folder)"));
    CHECK(testing::contains(problem(folder / "none"), "cannot be read (no such file)"));
    nlohmann::json const name = (folder / "gone").string();
    CHECK(problem(JsonReader(name, "s.json", "/platform").path())
              .starts_with(name.get<std::string>() +
                           "#: cannot be read (no such file; named by s.json#/platform). Check the path"));
    CHECK(testing::contains(problem(folder / std::string(300, 'x')), "cannot be read (File name too long)"));
    CHECK(testing::contains(problem(std::string("a\0b", 3)), "is a path with a NUL character"));
  }

  TEST_CASE("text has no NUL and is UTF-8 with or without a byte order mark and with any line ends") {
    testing::TemporaryFolder const folder;
    auto const problem = [&](std::string_view text) {
      return message_of([&] { (void)parse_json_file(folder.write("file.json", text)); });
    };
    CHECK(testing::contains(problem(std::string_view("{}\n\0", 4)), "#: has a NUL character in line 2"));
    CHECK(testing::contains(problem(std::string_view("\xff\xfe{\0}\0", 6)), "#: is text in UTF-16"));
    CHECK(testing::contains(problem("{} x"), "is not valid JSON"));
    CHECK(problem("\xef\xbb\xbf{\r\n\"a\": 1}\r\n").empty());
  }

  TEST_CASE("paths in JSON have no NUL") {
    nlohmann::json const path = std::string("a\0b", 3);
    CHECK(message_of([&] {
            (void)JsonReader(path, "s.json", "/file").path();
          }).starts_with("s.json#/file: has a NUL character"));
  }

  TEST_CASE("the hash of a file is that of its bytes") {
    testing::TemporaryFolder const folder;
    CHECK(content_hash("") == "2d06800538d394c2");  // of XXH3 with 64 bits and seed 0, by its specification
    std::string const text(1'000'000, 'x');
    CHECK(file_hash(folder.write("text", text)) == content_hash(text));
  }

  TEST_CASE("a checksum finds every changed byte") {
    std::string const text = "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", before = "\n  \"a\": {\n";
    std::string const with = sealed(text, before);
    CHECK(seal_of(text, before) == Seal::none);
    CHECK(seal_of(with, before) == Seal::intact);
    CHECK(testing::contains(with, "  \"a\": {\n\"checksum\": \"" + content_hash(text) + "\",\n    \"b\""));
    for (std::size_t i = 0; i < with.size(); ++i)
      for (char const flipped : {'\x01', '\x80'}) {
        CAPTURE(i);
        std::string changed = with;
        changed[i] = static_cast<char>(changed[i] ^ flipped);
        bool const key = i >= with.find("\"checksum\":") && i < with.find("\"checksum\":") + 11;
        CHECK(seal_of(changed, before) == (key ? Seal::none : Seal::broken));
      }
  }

  TEST_CASE("a reader with a table takes kinds and limits of values from it") {
    nlohmann::json const disc = {{"type", "disc"}, {"radius", 6}},
                         box = {{"type", "box"}, {"sides", {1, 10}}};
    CHECK(message_of([&] { (void)shape(disc).at("radius").quantity(); }) ==
          "f.json#/radius: is 6 (it must be above 0 and at most 5). Give a value in that range");
    CHECK(message_of([&] { (void)shape(box).at("sides").elements()[1].integer(); }) ==
          "f.json#/sides/1: is 10 (it must lie between 1 and 9). Give a value in that range");
    nlohmann::json const ball = {{"type", "ball"}};
    CHECK(message_of([&] { (void)shape(ball).at("type").one_of(); }) ==
          "f.json#/type: \"ball\" is not known. Use one of: disc, box");
  }

  TEST_CASE("the keys of an object depend on its variant") {
    nlohmann::json const disc = {{"type", "disc"}, {"radius", 1}, {"sides", {1}}};
    JsonReader const reader = shape(disc);
    (void)reader.at("type");
    (void)reader.at("radius");
    CHECK(message_of([&] { reader.finish(); }).starts_with("f.json#/sides: unknown key"));
    CHECK(shape_table().variant_of(disc)->word == "disc");
    CHECK(shape_table().variant_of({{"type", "ball"}}) == nullptr);
  }

  TEST_CASE("a remark may stand in every object") {
    nlohmann::json const disc = {{"type", "disc"}, {"radius", 1}, {"$comment", "a remark"}};
    JsonReader const reader = shape(disc);
    (void)reader.at("type");
    (void)reader.at("radius");
    reader.finish();
    CHECK(reader.members().size() == 2);
  }

#if FACTOSIM_CONTRACTS
  TEST_CASE("readers and tables cannot differ in their keys") {
    nlohmann::json const disc = {{"type", "disc"}, {"radius", 1}};
    CHECK_THROWS_AS((void)shape(disc).find("colour"), ContractError);
    JsonReader const reader = shape(disc);
    (void)reader.at("type");
    CHECK_THROWS_AS(reader.finish(), ContractError);  // has not asked for "radius"
    CHECK_THROWS_AS((void)reader.at("radius").integer(), ContractError);
  }
#endif

  TEST_CASE("the kind of a file may be left out and must not be another") {
    nlohmann::json const none = nlohmann::json::object(), other = {{"format", "x"}}, later = {{"version", 2}};
    JsonReader(none, "f.json").check_own_format("y", 1);
    CHECK(message_of([&] {
            JsonReader(none, "f.json").check_format("y", 1);
          }).starts_with("f.json#: the key \"format\""));
    CHECK(message_of([&] {
            JsonReader(other, "f.json").check_own_format("y", 1);
          }).starts_with("f.json#/format: is \"x\""));
    CHECK(message_of([&] {
            JsonReader(later, "f.json").check_own_format("y", 1);
          }).starts_with("f.json#/version: is 2"));
  }
}
