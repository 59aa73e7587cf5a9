#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/front/reference/file_kinds.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

/// Returns all tables, each once.
std::vector<KeysFunction> all_tables() {
  std::vector<KeysFunction> tables;
  for (FileKind const& kind : file_kinds()) tables.push_back(kind.keys);
  for (std::size_t i = 0; i < tables.size(); ++i)
    for (KeysFunction const inner : tables_within(tables[i]()))
      if (std::ranges::find(tables, inner) == tables.end()) tables.push_back(inner);
  return tables;
}

std::vector<Key> all_keys(ObjectKeys const& table) {
  std::vector<Key> keys = table.keys;
  for (ObjectKeys::Variant const& variant : table.variants) keys = joined(std::move(keys), variant.keys);
  return keys;
}

/// Reads a default as its reader does; throws InputError if the rules refuse it.
void read_default(Key const& key) {
  JsonReader const json(key.default_value, key.name, "", &key.value);
  for (ValueRule const& rule : key.value) {
    if (rule.kind == ValueRule::Kind::integer && json.is_number()) return (void)json.integer();
    if (rule.kind == ValueRule::Kind::number && json.is_number()) return (void)json.quantity();
    if (rule.kind == ValueRule::Kind::word && json.is_string()) return (void)json.one_of();
    if (rule.kind == ValueRule::Kind::boolean && json.value().is_boolean()) return;
    bool const text = rule.kind == ValueRule::Kind::text || rule.kind == ValueRule::Kind::path;
    if (text && json.is_string()) return;
    if (rule.kind == ValueRule::Kind::array && json.is_array()) {
      for (JsonReader const& element : json.elements()) (void)element.quantity();
      return;
    }
  }
  json.fail("is of another kind");
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the reference of keys is what the program prints") {
    std::filesystem::path const file = testing::repository() / "scenarios/reference.md";
    if (char const* const update = std::getenv("FACTOSIM_UPDATE_GOLDEN"); update != nullptr && *update == '1')
      std::ofstream(file) << reference_page();
    CHECK_MESSAGE(testing::text_of(file) == reference_page(), "factosim reference > scenarios/reference.md");
  }

  TEST_CASE("tables have different titles and say what every key means") {
    std::set<std::string> titles;
    for (KeysFunction const table : all_tables()) {
      CHECK_MESSAGE(titles.insert(slug(table())).second, table().title);
      CHECK_MESSAGE(!table().meaning.empty(), table().title);
      for (Key const& key : all_keys(table())) {
        CHECK_MESSAGE(!key.meaning.empty(), table().title << "/" << key.name);
        CHECK_MESSAGE(!key.value.empty(), table().title << "/" << key.name);
        CHECK_MESSAGE((key.meaning + key.default_text + key.source).find('|') == std::string::npos, key.name);
      }
    }
    CHECK(titles.size() >= 50);
  }

  TEST_CASE("the rules accept every default") {
    std::size_t defaults = 0;
    for (KeysFunction const table : all_tables())
      for (Key const& key : all_keys(table())) {
        if (key.default_value.is_null()) continue;
        ++defaults;
        CHECK_NOTHROW_MESSAGE(read_default(key), table().title << "/" << key.name);
      }
    CHECK(defaults >= 100);
  }

  TEST_CASE("a key is required or has a default") {
    // "type" beside "distribution", and what a file says of itself.
    std::set<std::string> const optional = {"type", "$schema"};
    for (KeysFunction const table : all_tables())
      for (Key const& key : all_keys(table())) {
        bool const has_default = !key.default_value.is_null() || !key.default_text.empty();
        CHECK_MESSAGE((key.required != has_default || optional.contains(key.name)),
                      table().title << "/" << key.name);
      }
  }

  TEST_CASE("the schema of each kind of file is installed") {
    std::string const lists = testing::text_of(testing::repository() / "simulator/front/cli/CMakeLists.txt");
    std::string installed = "foreach(kind IN ITEMS";
    for (FileKind const& kind : file_kinds()) installed += fmt::format(" {}", kind.name);
    CHECK(testing::contains(lists, installed + ")"));
  }

  TEST_CASE("kinds of files differ in their names") {
    std::set<std::string_view> names;  // from which their formats follow
    for (FileKind const& kind : file_kinds()) {
      CHECK(names.insert(kind.name).second);
      CHECK(kind.read.operator bool() == !kind.marks.empty());
    }
  }

  TEST_CASE("references of a schema lead to its definitions") {
    for (FileKind const& kind : file_kinds()) {
      nlohmann::ordered_json const schema = json_schema(kind);
      std::string const text = json_text(schema);
      constexpr std::string_view mark = "\"$ref\":\"#/$defs/";
      std::size_t found = 0;
      for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1), ++found) {
        std::size_t const begin = at + mark.size();
        CHECK(schema["$defs"].contains(text.substr(begin, text.find('"', begin) - begin)));
      }
      CHECK(found >= 2);  // its own table and one in it
    }
  }
}
