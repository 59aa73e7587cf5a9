// Reading of whole files, and checksums of texts.

#include "simulator/base/core/input_files.hpp"

#include "simulator/base/core/content_hash.hpp"
#include "simulator/base/core/json_reader.hpp"
#include "tests/prelude.hpp"

using namespace factosim;
using testing::message_of;

TEST_SUITE("unit") {
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
          }).starts_with("s.json#/file: is a path with a NUL character"));
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
}
