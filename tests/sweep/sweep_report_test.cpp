// Pages and figures of sweeps from the command line.

#include <cstring>
#include <pugixml.hpp>

#include "tests/report/unpacked.hpp"
#include "tests/sweep/sweep_study.hpp"

using namespace factosim;
using testing::quoted;
using testing::Study;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

/// Two node counts, of which only the larger admits a grid of 2 x 2 nodes, with three replicas each.
std::string const scaling = R"("name": "a & b", "replicas": 3, "points": {"product": [
    {"strong_scaling": {"nodes": [{"type": "chetemi", "count": [2, 4]}]}},
    {"/distribution": [{"type": "1d1d"}, {"label": "2 x 2", "value": {"type": "block-cyclic", "p": 2, "q": 2}}]}]},
    "comparisons": [{"of": "distribution", "baseline": "1d1d", "x": "nodes"}])";

/// Returns the data of a page.
Json sweep_of(std::string const& page) {
  std::string const before = "id=\"report\">";
  std::size_t const from = page.find(before) + before.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from)).at("sweep");
}

/// Unpacks an array of a page.
template <class Element>
std::vector<Element> array_of(std::string const& page, Json const& reference) {
  std::string const before = "id=\"array" + std::to_string(reference.at("array").get<int>()) + "\">";
  std::size_t const from = page.find(before) + before.size();
  std::string const bytes =
      testing::unpacked(page.substr(from, page.find("</script>", from) - from), sizeof(Element));
  std::vector<Element> out(bytes.size() / sizeof(Element));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Returns the content of a cell of the page; numbers that a double cannot represent are texts.
Json cell_of(Json const& column, std::size_t point) {
  if (column.contains("numbers")) return column["numbers"].at(point);
  auto const place = column["texts"]["of"].at(point).get<int>();
  return place < 0 ? Json() : column["texts"]["values"].at(static_cast<std::size_t>(place));
}

testing::ProgramRun report(fs::path const& sweep, std::string const& options) {
  return testing::run_factosim("report " + quoted(sweep) + " " + options);
}

/// Returns the text with another digit in the place of the first one behind `key`.
std::string with_other_digit(std::string text, std::string const& key) {
  std::size_t const at = text.find_first_of("0123456789", text.find(key));
  REQUIRE(at != std::string::npos);
  text[at] = text[at] == '7' ? '6' : '7';
  return text;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a sweep's page has every cell of sweep.jsonl and the failed points") {
    Study const study(scaling);
    CHECK(study.run("--set /scheduler/type=random --report").code == 2);  // points failed
    REQUIRE(report(study.folder / "out", "-o " + quoted(study.folder / "s.html")).code == 0);
    std::string const page = testing::text_of(study.folder / "s.html");
    bool const same = page == testing::text_of(study.folder / "out/report.html");
    CHECK(same);
    Json const sweep = sweep_of(page);
    auto const rows = study.rows();
    REQUIRE(rows.size() == 12);
    CHECK(sweep.at("name") == "a & b");
    CHECK(sweep.at("points") == rows.size());
    std::size_t cells = 0, failed = 0;
    for (Json const& column : sweep.at("columns"))
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Json const shown = cell_of(column, i);
        std::string const name = column.at("name");
        CAPTURE(name);
        if (!rows[i].contains(name)) {
          CHECK(shown.is_null());
          continue;
        }
        ++cells;
        CHECK(shown == (column.contains("numbers") || rows[i][name].is_string()
                            ? rows[i][name]
                            : Json(rows[i][name].dump())));
        failed += name == "status" && shown == "failed" ? 1 : 0;
      }
    std::size_t known = 0;
    for (Json const& row : rows) known += row.size();
    CHECK(cells == known);
    CHECK(failed == 3);
    CHECK(sweep.at("plots").at(0) ==
          Json({{"x", "nodes"}, {"y", "makespan_s"}, {"series", "distribution"}, {"heat_map", false}}));
    Json const& makespan = sweep.at("metrics").at(0);
    CHECK(makespan.at("name") == "makespan_s");
    auto const mean = array_of<double>(page, makespan.at("mean"));
    auto const spread = array_of<float>(page, makespan.at("spread"));
    Json const& groups = sweep.at("groups");
    REQUIRE(groups.size() == 3);
    REQUIRE(mean.size() == 3);
    for (std::size_t g = 0; g < groups.size();
         ++g) {  // 4.3026527: Student's quantile of two degrees of freedom
      std::vector<double> values;
      for (std::size_t const row : groups[g]) values.push_back(rows.at(row).at("makespan_s"));
      REQUIRE(values.size() == 3);
      std::ranges::sort(values);
      double const average = (values[0] + values[1] + values[2]) / 3;
      double squares = 0;
      for (double const v : values) squares += (v - average) * (v - average);
      double const half = 4.3026527 * std::sqrt(squares / 2 / 3);
      CHECK(mean[g] == doctest::Approx(average).epsilon(1e-12));
      CHECK(static_cast<double>(spread[7 * g + 1]) - mean[g] == doctest::Approx(half).epsilon(1e-4));
      CHECK(static_cast<double>(spread[7 * g + 2]) == doctest::Approx(values[0]).epsilon(1e-7));
      CHECK(static_cast<double>(spread[7 * g + 4]) == doctest::Approx(values[1]).epsilon(1e-7));
      CHECK(static_cast<double>(spread[7 * g + 6]) == doctest::Approx(values[2]).epsilon(1e-7));
    }
    CHECK(sweep.at("comparisons") == Json::parse(testing::text_of(study.folder / "out/comparisons.json")));
    CHECK(sweep.at("provenance").contains("options"));
  }

  TEST_CASE("a page links to the pages of its points and has the data for their commands") {
    Study const study(scaling);
    (void)study.run();
    fs::path const odd = study.folder / "a b#%<";
    fs::rename(study.folder / "out", odd);
    std::istringstream lines(testing::text_of(odd / "sweep.jsonl"));
    std::string line;
    std::getline(lines, line);
    Json const first = Json::parse(line);
    study.folder.write("a b#%</runs/" + first["id"].get<std::string>() + "/report.html", "");
    fs::create_directory(study.folder / "pages");
    REQUIRE(report(odd, "-o " + quoted(study.folder / "pages/s.html")).code == 0);
    Json const sweep = sweep_of(testing::text_of(study.folder / "pages/s.html"));
    CHECK(sweep.at("reports") ==
          Json{{first["id"].get<std::string>(),
                "./../a%20b%23%25%3C/runs/" + first["id"].get<std::string>() + "/report.html"}});
    CHECK(sweep.at("keys") == Json({"platform/nodes", "distribution"}));
    CHECK(sweep.at("values").at("distribution").at("2 x 2") ==
          Json({{"type", "block-cyclic"}, {"p", 2}, {"q", 2}}));
    CHECK(sweep.at("origin").at("settings") == Json({"/application/nt=12"}));
    // No setting can remove a key, so the page shows no command, which would simulate something else.
    Study const without(R"("points": {"/seed": [1, {"label": "none", "value": null}]})");
    REQUIRE(without.run("--report").code == 0);
    CHECK(!sweep_of(testing::text_of(without.folder / "out/report.html")).at("origin").contains("settings"));
  }

  TEST_CASE("a sweep without bounds has a page and plots of its columns") {
    testing::TemporaryFolder const folder;
    REQUIRE(testing::run_factosim("sweep " +
                                  quoted(testing::repository() / "scenarios/balance/balance.sweep.json") +
                                  R"( --filter '["==", "/application/balancer", "static"]' --report --out )" +
                                  quoted(folder / "out"))
                .code == 0);
    Json const sweep = sweep_of(testing::text_of(folder / "out/report.html"));
    REQUIRE(sweep.at("plots").size() == 2);
    CHECK(sweep.at("plots").at(0).at("y") == "makespan_s");
    CHECK(sweep.at("plots").at(1).at("y") == "speedup");
    CHECK(fs::exists(folder / "out/plots/makespan_s_nodes.svg"));
  }

  TEST_CASE("special characters in a sweep's names are text of its page and never markup") {
    std::string const name = "</script><script>alert(1)</script><!-- '&' \u6f22\u5b57";
    Study const study(R"("name": ")" + name + R"(", "points": {"list": [{"labels": {")" + name + R"(": ")" +
                      name + R"("}, "/application/nt": 6}]})");
    REQUIRE(study.run("--report").code == 0);
    std::string const page = testing::text_of(study.folder / "out/report.html");
    Json const sweep = sweep_of(page);
    CHECK(sweep.at("name") == name);
    CHECK(sweep.at("columns").at(3).at("name") == name);
    CHECK(cell_of(sweep.at("columns").at(3), 0) == name);
    CHECK(!testing::contains(page, "<script>alert"));
    CHECK(!testing::contains(page, "<!--"));
    CHECK(testing::contains(page, "default-src 'none'"));
  }

  TEST_CASE("figures of a sweep have a line for each value and its bound") {
    Study const study(scaling);
    (void)study.run("--set /scheduler/type=random");
    auto const drawn = [&](std::string const& options) {
      testing::ProgramRun const done =
          report(study.folder / "out", options + " --force -o " + quoted(study.folder / "f.svg"));
      CHECK_MESSAGE(done.code == 0, done.err);
      pugi::xml_document document;
      CHECK(document.load_string(testing::text_of(study.folder / "f.svg").c_str()));
      std::map<std::string, int> texts;
      for (auto const& text : document.select_nodes("//text")) ++texts[text.node().text().get()];
      return texts;
    };
    auto one = drawn("--figure makespan_s");
    for (char const* text : {"a & b", "Nodes", "Makespan (s)", "Distribution", "1d1d", "2 x 2", "bound"})
      CHECK(one[text] == 1);
    auto two = drawn("--figure gflops,speedup --x nodes_chetemi");
    for (char const* text : {"Performance (GFlop/s)", "Speed-up"}) CHECK(two[text] == 1);
    CHECK(two["Nodes of type chetemi"] == 2);
    CHECK(two["bound"] == 1);  // a speed-up has none
    auto apart = drawn("--figure tiles_sent --lines nodes --x replica");
    CHECK(apart["a & b: distribution 1d1d"] == 1);
    CHECK(apart["a & b: distribution 2 x 2"] == 1);
  }

  TEST_CASE("folders that are not a sweep or a damaged one are refused with a remedy") {
    Study const study(R"("points": {"/application/nt": [5, 6]})");
    REQUIRE(study.run().code == 0);
    fs::path const out = study.folder / "out", page = study.folder / "s.html";
    std::string const to = "-o " + quoted(page);
    auto const refused = [&](testing::ProgramRun const& done, std::string const& message) {
      CHECK(done.code == 2);
      CHECK_MESSAGE(testing::contains(done.err, message), done.err);
      CHECK(!fs::exists(page));
    };
    refused(report(out, quoted(out) + " " + to), "is a sweep (a page shows one sweep, or one to four runs)");
    refused(report(out, "--x speed " + to), "--x#: names the column \"speed\" (there is none of that name)");
    refused(report(out, "--lines speed " + to), "--lines#: names the column \"speed\"");
    std::string const figure = "-o " + quoted(study.folder / "f.svg") + " --figure ";
    refused(report(out, figure + "status"), "--figure#: names the column \"status\" (it holds text");
    refused(report(out, figure + "energy_J"),
            "--figure#: names the column \"energy_J\" (no point has a value");
    refused(report(out, figure + "speedup --x id"), "--x#: names the column \"id\" (it holds text");
    refused(report(out, figure + "makespan"), "names the column \"makespan\"");

    std::string const rows = testing::text_of(out / "sweep.jsonl"),
                      about = testing::text_of(out / "sweep.json");
    std::string const table = testing::text_of(out / "sweep.csv");
    auto const damaged = [&](std::string const& name, std::string const& text, std::string const& message) {
      study.folder.write("out/" + name, text);
      refused(report(out, to), message);
      study.folder.write("out/sweep.csv", table);
      study.folder.write("out/sweep.jsonl", rows);
      study.folder.write("out/sweep.json", about);
    };
    damaged("sweep.jsonl", rows.substr(0, rows.size() - 10), "sweep.jsonl:2: is no point of a sweep");
    std::string const deep(100'000, '[');
    damaged("sweep.jsonl", "{\"x\": " + deep + std::string(deep.size(), ']') + "}\n",
            "sweep.jsonl:1: has more than 100 levels");
    damaged("sweep.jsonl", "", "sweep.jsonl#: has 0 points (sweep.json beside it tells of 2)");
    damaged("sweep.jsonl", rows + "{\"odd\": 1}\n", "sweep.jsonl:3: has \"odd\"");
    damaged("sweep.json", about.substr(0, 200), "is not valid JSON");
    std::string const altered = "is damaged or altered (its checksum is not that of its content)";
    damaged("sweep.jsonl", with_other_digit(rows, "\"makespan_s\""), "sweep.jsonl#: " + altered);
    damaged("sweep.csv", with_other_digit(table, "\n"), "sweep.csv#: " + altered);
    damaged("sweep.json", with_other_digit(about, "\"provenance\""), "sweep.json#: " + altered);
    std::string other = about;
    damaged("sweep.json", other.replace(other.find("checksum"), 5, "Check"), "sweep.json#");
    damaged("sweep.json", R"({"format": "factosim-sweep-results", "version": 2})", "sweep.json#");
    fs::remove(out / "sweep.json");
    refused(report(out, to), "holds points of a sweep but no sweep.json");
    fs::create_directories(study.folder / "empty/points");
    refused(report(study.folder / "empty", to), "holds points of a sweep but no sweep.json");
    fs::create_directories(study.folder / "nothing");
    refused(report(study.folder / "nothing", to), "nothing");
    REQUIRE(study.run("--collect").code == 0);
    CHECK(report(out / "sweep.csv", to).code == 0);
  }
}
