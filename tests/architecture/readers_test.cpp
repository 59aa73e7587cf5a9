// A reader or writer of a format is one file, named by one line of a table.

#include <regex>

#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "simulator/traces/programs/graph_readers.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// A table of formats: the header with its lines "ITEM(NAME)", and what defines NAME in a source of that folder.
struct FormatTable {
  std::string header, item, type, suffix;
};

std::vector<std::string> matches(std::string const& text, std::string const& pattern) {
  std::regex const expression(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
    out.push_back((*at)[1].str());
  return out;
}

void check_table(FormatTable const& table) {
  CAPTURE(table.header);
  fs::path const header = testing::repository() / table.header;
  std::vector<std::string> const listed =
      matches(testing::text_of(header), "\n  " + table.item + R"(\((\w+)\))");
  CHECK(listed.size() > 4);
  std::map<std::string, std::vector<std::string>> defined, mentioned;  // files by name
  for (auto const& entry : fs::recursive_directory_iterator(testing::repository() / "simulator")) {
    if (entry.path().extension() != ".cpp") continue;
    std::string const text = testing::text_of(entry.path()), file = entry.path().filename().string();
    for (std::string const& name : matches(text, table.type + R"( const (\w+)\{)"))
      defined[name].push_back(file);
    for (std::string const& name : listed)
      if (testing::contains(text, name + table.suffix)) mentioned[name + table.suffix].push_back(file);
  }
  CHECK(defined.size() == listed.size());
  for (std::string const& name : listed) {
    CAPTURE(name);
    CHECK(std::ranges::count(listed, name) == 1);
    CHECK(defined[name + table.suffix].size() == 1);
    CHECK(mentioned[name + table.suffix] == defined[name + table.suffix]);  // no other file knows it
  }
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a reader or writer is one file and one line of a table and nothing else names it") {
    check_table({"simulator/traces/import/read_trace.hpp", "reader", "TraceReader", "_reader"});
    check_table({"simulator/traces/programs/graph_readers.hpp", "reader", "GraphReader", "_program"});
    check_table({"simulator/traces/export/trace_formats.hpp", "writer", "TraceFormat", "_format"});
    CHECK(trace_readers().size() == 5);
    CHECK(graph_readers().size() == 9);
    CHECK(trace_formats().size() == 5);
  }
}
