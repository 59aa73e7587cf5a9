// Replays of traces that do not tell everything: sizes, tags, messages.

#include "simulator/traces/export/trace_formats.hpp"
#include "simulator/traces/import/read_trace.hpp"
#include "tests/cli/program.hpp"
#include "tests/trace/stripped_records.hpp"

using namespace factosim;
using nlohmann::json;
using testing::Strip;

namespace {

namespace fs = std::filesystem;

/// With modelled messages, whose sizes determine their times.
json const modelled = {{"messages", "means"}, {"pauses", "runtime"}};

testing::ProgramRun replayed(fs::path const& trace, json application, std::string const& options = "--json") {
  testing::TemporaryFolder const folder;
  application.update({{"type", "trace"}, {"file", fs::absolute(trace).string()}});
  json const scenario = {{"format", "factosim-scenario"}, {"version", 1}, {"application", application}};
  return testing::run_factosim("run '" + folder.write("scenario.json", scenario.dump()).string() + "' " +
                               options);
}

/// The result without what names files or differs from run to run.
json comparable(testing::ProgramRun const& run) {
  json result = testing::json_of(run);
  for (char const* key : {"simulation", "provenance", "findings"}) result.erase(key);
  return result;
}

bool has_finding(json const& result, std::string const& text) {
  if (!result.contains("findings")) return false;
  for (auto const& finding : result["findings"])
    if (testing::contains(finding.get<std::string>(), text)) return true;
  return false;
}

/// Writes the records of a run of LU on two nodes.
void write_run_on_two_nodes(testing::TemporaryFolder const& folder) {
  testing::ProgramRun const run = testing::run_factosim(
      "run " + testing::quoted(testing::lille_scenario()) +
      " --set /application/nt=8 --set /platform/nodes='[{\"type\": \"chetemi\", \"count\": 2}]' --set "
      "/distribution/p=1 --set /distribution/q=2 --out " +
      testing::quoted(folder / "run"));
  REQUIRE_MESSAGE(run.code == 0, run.err);
  fs::create_directory(folder / "full");
  starpu_format.write(folder / "full", read_trace(folder / "run"));
}

/// Byte totals and replays of records in `folder`/full do not depend on which file tells the sizes.
void check_stripped_replays(testing::TemporaryFolder const& folder) {
  json const full = comparable(replayed(folder / "full", modelled));
  CHECK(full["bytes_sent"] > 0);
  for (Strip const& strip : {Strip{.tags = true, .data_sizes = true},
                             Strip{.tags = true, .data_sizes = true, .message_names = true}}) {
    CAPTURE(strip.message_names);
    fs::path const bare = folder / (strip.message_names ? "nameless" : "bare");
    testing::strip_records(folder / "full", bare, strip);
    CHECK(comparable(replayed(bare, modelled)).dump() == full.dump());
  }
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a replay does not depend on which file of a trace tells the sizes of messages") {
    testing::TemporaryFolder const folder;
    write_run_on_two_nodes(folder);
    check_stripped_replays(folder);
  }

  TEST_CASE("messages without a size are an error where they are simulated and a finding where not") {
    testing::TemporaryFolder const folder;
    write_run_on_two_nodes(folder);
    testing::strip_records(folder / "full", folder / "unsized", {.data_sizes = true, .message_sizes = true});
    testing::ProgramRun const simulated = replayed(folder / "unsized", modelled);
    CHECK(simulated.code == 2);
    CHECK_MESSAGE(
        testing::contains(simulated.err, "#/application/messages: no file of the trace tells the size of"),
        simulated.err);
    json const recorded = testing::json_of(replayed(folder / "unsized", json::object()));
    CHECK(recorded["tiles_sent"] > 0);
    CHECK(recorded["bytes_sent"] == 0);
    CHECK(has_finding(recorded, "messages between nodes: they count as 0 bytes"));
  }

  TEST_CASE("findings about a trace stand in the result and in summaries") {
    testing::TemporaryFolder const folder;
    write_run_on_two_nodes(folder);
    testing::strip_records(folder / "full", folder / "alone", {.messages = true});
    std::string const finding = "has tasks on 2 nodes and no messages";
    std::string const out = "--out " + testing::quoted(folder / "replay");
    testing::ProgramRun const run = replayed(folder / "alone", json::object(), out);
    REQUIRE_MESSAGE(run.code == 0, run.err);
    CHECK(testing::contains(run.out, finding));
    CHECK(has_finding(json::parse(testing::text_of(folder / "replay/result.json")), finding));
    testing::ProgramRun const compare =
        testing::run_factosim("compare --no-simulation " + testing::quoted(folder / "run") + " " +
                              testing::quoted(folder / "replay"));
    CHECK(testing::contains(compare.out, "findings about B"));
    CHECK(!testing::contains(compare.out, "findings about A"));
    CHECK(testing::contains(compare.out, finding));
    CHECK(!testing::json_of("run " + testing::quoted(testing::first_scenario()) +
                            " --set /application/nt=4 --json")
               .contains("findings"));
  }
}

TEST_SUITE("published") {
  TEST_CASE("recorded runs on two nodes: the replay does not depend on which file tells the sizes") {
    auto const data = testing::real_data();
    for (char const* name : {"local_runs/mpi_lu_b320_nb10_lws_p2_r0", "traces/lu_trace_simgrid"}) {
      if (!data || !fs::exists(*data / name)) {
        MESSAGE("skipped: FACTOSIM_DATA names no folder with " << name);
        continue;
      }
      CAPTURE(name);
      testing::TemporaryFolder const folder;
      if (fs::exists(*data / name / "comms.rec.gz")) {
        testing::strip_records(*data / name, folder / "full", {});
      } else {
        fs::create_directory(folder / "full");
        starpu_format.write(folder / "full", read_trace(*data / name));
      }
      check_stripped_replays(folder);
    }
  }
}
