#include "simulator/base/core/value_rules.hpp"

#include "simulator/base/core/json_reader.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using factosim::testing::message_of;

namespace {

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
  TEST_CASE("a reader with a table takes kinds and limits of values from it") {
    nlohmann::json const disc = {{"type", "disc"}, {"radius", 6}},
                         box = {{"type", "box"}, {"sides", {1, 10}}};
    CHECK(message_of([&] { (void)shape(disc).at("radius").quantity(); }) ==
          "f.json#/radius: is 6 (it must be above 0 and at most 5). Give a value in that range");
    CHECK(message_of([&] { (void)shape(box).at("sides").elements()[1].integer(); }) ==
          "f.json#/sides/1: is 10 (it must lie between 1 and 9). Give a value in that range");
    nlohmann::json const ball = {{"type", "ball"}};
    CHECK(message_of([&] { (void)shape(ball).at("type").one_of(); }) ==
          "f.json#/type: \"ball\" is not known (one of a fixed set is expected). Use one of: disc, box");
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
