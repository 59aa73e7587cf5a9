#include "simulator/base/core/fields.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace planets {

enum class Kind { rock, gas };
constexpr NamedValues<Kind, 2> names_of(Kind /*any*/) {
  return {"kind of a planet", {{{Kind::rock, "rock"}, {Kind::gas, "gas"}}}};
}

struct Moon {
  std::string name;
  double radius = 1;
  bool operator==(Moon const&) const = default;
};

struct Orbit {
  double eccentricity = 0;
  Seconds period{1};
};

constexpr NamedValues<bool, 2> turning_names{"sense of rotation",
                                             {{{false, "prograde"}, {true, "retrograde"}}}};

struct Rings {
  int count = 1;
  double width = 3;
};

struct Planet {
  std::string name;
  Kind kind = Kind::rock;
  std::vector<Moon> moons;
  std::optional<Bytes> library;
  Orbit orbit;
  bool retrograde = false;
  int plates = 7;       // of rock
  double pressure = 1;  // of gas
  int visitors = 0;
  std::optional<Rings> rings;
};

Object<Moon> const& object_of(Moon const* /*any*/) {
  static Object<Moon> const object(
      "moon", "A moon.",
      {field<&Moon::name>({.name = "name", .meaning = "free text", .required = true}),
       field<&Moon::radius>("radius", {rule::positive("km")}, "mean radius")},
      {}, "name");
  return object;
}

Fields<Orbit> const& orbit_fields() {
  static Fields<Orbit> const fields{
      field<&Orbit::eccentricity>(
          {.name = "eccentricity", .value = {rule::number(0, 1)}, .meaning = "0: a circle"},
          {.check =
               [](JsonReader const& json, Orbit const& o) {
                 if (o.eccentricity == 1) json.fail("is 1 (it does not return). Give less");
               }}),
      field<&Orbit::period>("period_s", "one revolution", {.rank = 1})};
  return fields;
}

Fields<Rings> rings_fields() {
  return {field<&Rings::count>("rings", {rule::integer(1, 1000)}, "visible ones"),
          field<&Rings::width>(
              {.name = "ring_width", .value = {rule::positive("km")}, .meaning = "of all of them"})};
}

Object<Planet> const& object_of(Planet const* /*any*/) {
  static Object<Planet> const object(
      "planet", "A planet.",
      Fields<Planet>{
          field<&Planet::name>(
              {.name = "name", .meaning = "free text", .required = true, .missing = "what it is called"}),
          field<&Planet::kind>("kind", "what it is made of"),
          field<&Planet::moons>({.name = "moons", .meaning = "from the inside", .default_text = "none"})} +
          within<&Planet::orbit>(orbit_fields()) + within<&Planet::rings>(rings_fields()) +
          Fields<Planet>{
              field<&Planet::retrograde, turning_names>("turns", "seen from the north",
                                                        {.echo = Echo::if_changed}),
              field<&Planet::library>({.name = "library_bytes",
                                       .value = {rule::integer(1, 1000, "B")},
                                       .meaning = "what is known of it",
                                       .default_text = "unknown"},
                                      {.applies = [](Planet const& p) { return p.kind == Kind::rock; }}),
              field<Planet>(
                  {.name = "visits",
                   .value = {rule::array({rule::text()})},
                   .meaning = "who came",
                   .default_text = "none"},
                  {.read = [](JsonReader const& json,
                              Planet& p) { p.visitors = static_cast<int>(json.elements().size()); }})},
      {{"kind",
        "gas",
        "",
        {field<&Planet::pressure>(
            {.name = "pressure", .value = {rule::positive("bar")}, .meaning = "at the surface"})}},
       {"",
        "",
        "",
        {field<&Planet::plates>(
            {.name = "plates", .value = {rule::integer(0, 100)}, .meaning = "of its crust"})}}});
  return object;
}

Planet planet(nlohmann::json const& json) { return read_object<Planet>(JsonReader(json, "f.json")); }

}  // namespace planets

TEST_SUITE("unit") {
  using namespace planets;

  TEST_CASE("an object is read by its fields and what is left out keeps its default") {
    Planet const p = planet({{"name", "Neptune"},
                             {"kind", "gas"},
                             {"moons", {{{"name", "Triton"}, {"radius", 1353.5}}, {{"name", "Nereid"}}}},
                             {"period_s", 5.2e9},
                             {"turns", "retrograde"},
                             {"library_bytes", 12},
                             {"visits", {"Voyager 2"}},
                             {"pressure", 2}});
    CHECK(p.name == "Neptune");
    CHECK(p.kind == Kind::gas);
    CHECK(p.moons == std::vector<Moon>{{"Triton", 1353.5}, {"Nereid", 1}});
    CHECK(p.orbit.eccentricity == 0);
    CHECK(p.orbit.period == Seconds{5.2e9});
    CHECK(p.retrograde);
    CHECK(p.library == Bytes{12});
    CHECK(p.visitors == 1);
    CHECK(p.pressure == 2);
    CHECK(p.plates == 7);
  }

  TEST_CASE("effective options have every key that applies in the order of ranks") {
    CHECK(written(planet({{"name", "Mars"}})).dump() ==
          R"({"name":"Mars","kind":"rock","moons":[],"eccentricity":0.0,"period_s":1.0,"plates":7})");
    CHECK(
        written(
            planet(
                {{"name", "X"}, {"turns", "retrograde"}, {"library_bytes", 5}, {"moons", {{{"name", "Y"}}}}}))
            .dump() == R"({"name":"X","kind":"rock","moons":[{"name":"Y","radius":1.0}],"eccentricity":0.0,)"
                       R"("turns":"retrograde","library_bytes":5,"period_s":1.0,"plates":7})");
    CHECK(written(planet({{"name", "Z"}, {"kind", "gas"}, {"library_bytes", 5}})).dump() ==
          R"({"name":"Z","kind":"gas","moons":[],"eccentricity":0.0,"period_s":1.0,"pressure":1.0})");
  }

  TEST_CASE("the table of keys has the rules and defaults of the members") {
    ObjectKeys const& table = table_of<Planet>();
    nlohmann::json const none;
    CHECK(table.find("kind", none)->value.front().words == std::vector<std::string>{"rock", "gas"});
    CHECK(table.find("kind", none)->default_value == "rock");
    CHECK(table.find("period_s", none)->value.front().unit == "s");
    CHECK((table.find("moons", none)->value.front().items.back().keys == table_of<Moon>));
    CHECK(table.find("moons", none)->default_value.is_null());
    CHECK(table.find("turns", none)->value.front().words ==
          std::vector<std::string>{"prograde", "retrograde"});
    CHECK(table.find("turns", none)->default_value == "prograde");
    CHECK(table.find("name", none)->default_value.is_null());
    REQUIRE(table.variants.size() == 2);
    CHECK(table.variants.front().keys.front().default_value == 1);
  }

  TEST_CASE("a text stands for an object whose other keys have their defaults") {
    CHECK(planet({{"name", "Mars"}, {"moons", {"Phobos", {{"name", "Deimos"}, {"radius", 6}}}}}).moons ==
          std::vector<Moon>{{"Phobos", 1}, {"Deimos", 6}});
    CHECK(rules_of<Moon>().front().kind == ValueRule::Kind::text);
  }

  TEST_CASE("an optional member is there once one of its fields is") {
    CHECK_FALSE(planet({{"name", "Mars"}}).rings);
    auto const saturn = planet({{"name", "Saturn"}, {"ring_width", 280}});
    REQUIRE(saturn.rings);
    CHECK(saturn.rings->count == 1);
    CHECK(written(saturn).at("ring_width") == 280);
    CHECK_FALSE(written(planet({{"name", "Mars"}})).contains("rings"));
  }

  TEST_CASE("mistakes in fields are refused in their places") {
    CHECK_THROWS_WITH_AS((void)planet({{"kind", "gas"}}),
                         "f.json#: the key \"name\" is missing (what it is called). Add it", InputError);
    CHECK_THROWS_WITH_AS((void)planet({{"name", "X"}, {"eccentricity", 1}}),
                         "f.json#/eccentricity: is 1 (it does not return). Give less", InputError);
    CHECK_THROWS_WITH_AS((void)planet({{"name", "X"}, {"moons", {{{"name", "Y"}, {"radius", 0}}}}}),
                         "f.json#/moons/0/radius: is 0 (it must be above zero). Give a positive number",
                         InputError);
    CHECK_THROWS_WITH_AS((void)planet({{"name", "X"}, {"pressure", 1}}),
                         doctest::Contains("f.json#/pressure: unknown key"), InputError);
  }
}
