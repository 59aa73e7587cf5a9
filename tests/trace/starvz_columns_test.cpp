// The files and columns that the first phase of StarVZ (R, version 0.8.4) reads by name.

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "simulator/traces/export/trace_formats.hpp"
#include "tests/data/test_files.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

std::string trimmed(std::string const& text) {
  std::size_t const first = text.find_first_not_of(" \r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \r") + 1 - first);
}

std::vector<std::string> cells_of(std::string const& line) {
  std::vector<std::string> out;
  std::istringstream cells(line);
  for (std::string cell; std::getline(cells, cell, ',');) out.push_back(trimmed(cell));
  if (line.ends_with(',')) out.emplace_back();
  return out;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE(
      "a StarVZ directory has every file and column that its first phase reads and rows of that length") {
    std::map<std::string, std::vector<std::string>> const asked{
        {"entities.csv", {"Parent", "Name", "Type", "Nature"}},
        {"paje.worker_state.csv.gz",
         {"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Depth", "Value", "Size", "Params",
          "Footprint", "Tag", "JobId", "GFlop", "SubmitOrder", "X", "Y", "Iteration", "Subiteration"}},
        {"paje.memory_state.csv.gz",
         {"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Depth", "Value"}},
        {"paje.comm_state.csv.gz",
         {"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Depth", "Value"}},
        {"paje.other_state.csv.gz",
         {"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Depth", "Value"}},
        {"paje.variable.csv.gz", {"Nature", "ResourceId", "Type", "Start", "End", "Duration", "Value"}},
        {"paje.link.csv.gz",
         {"Nature", "Container", "Type", "Start", "End", "Duration", "Size", "Origin", "Dest", "Key", "Tag"}},
        {"rec.tasks.csv.gz",
         {"Control",    "JobId",     "SubmitOrder", "SubmitTime", "Handles", "MPIRank",  "DependsOn",
          "Tag",        "Footprint", "Iteration",   "Name",       "Model",   "Priority", "WorkerId",
          "MemoryNode", "StartTime", "EndTime",     "Parameters", "Modes",   "Sizes"}},
        {"rec.data_handles.csv.gz", {"Handle", "MPIRank", "Size", "Coordinates", "MPIOwner"}},
        {"dag.csv.gz", {"Dependent", "JobId"}}};
    testing::TemporaryFolder const folder;
    write_starvz(folder.path(), testing::random_trace(3, 30));
    CHECK(std::filesystem::exists(folder / "platform_file.rec"));
    for (auto const& [file, columns] : asked) {
      CAPTURE(file);
      REQUIRE(std::filesystem::exists(folder / file));
      std::string const plain = (folder / "plain").string();
      REQUIRE(std::system(("gzip -dcf '" + (folder / file).string() + "' >'" + plain + "'").c_str()) == 0);
      std::istringstream lines(testing::text_of(plain));
      std::string line;
      REQUIRE(std::getline(lines, line));
      auto const header = cells_of(line);
      std::set<std::string> const present(header.begin(), header.end());
      CHECK(present.size() == header.size());
      for (std::string const& column : columns) CHECK_MESSAGE(present.contains(column), column);
      while (std::getline(lines, line)) CHECK_MESSAGE(cells_of(line).size() == header.size(), line);
    }
  }
}
