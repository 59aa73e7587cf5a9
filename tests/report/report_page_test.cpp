#include <cstring>
#include <pugixml.hpp>

#include "simulator/traces/import/read_trace.hpp"
#include "tests/cli/program.hpp"
#include "tests/report/unpacked.hpp"

using namespace factosim;
using testing::quoted;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

/// The page of one run.
class Page {
 public:
  explicit Page(fs::path const& file) : text_(testing::text_of(file)) {
    json_ = Json::parse(between("id=\"report\">", "</script>"));
  }

  [[nodiscard]] std::string const& text() const { return text_; }
  [[nodiscard]] Json const& run() const { return json_.at("runs").at(0); }

  template <class Element>
  [[nodiscard]] std::vector<Element> array(Json const& reference) const {
    std::string const id = "id=\"array" + std::to_string(reference.at("array").get<int>()) + "\">";
    std::string const bytes = testing::unpacked(between(id, "</script>"), sizeof(Element));
    std::vector<Element> out(bytes.size() / sizeof(Element));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    CHECK(out.size() == reference.at("length").get<std::size_t>());
    return out;
  }

 private:
  [[nodiscard]] std::string between(std::string const& before, std::string const& after) const {
    std::size_t const start = text_.find(before);
    REQUIRE(start != std::string::npos);
    std::size_t const from = start + before.size();
    return text_.substr(from, text_.find(after, from) - from);
  }

  std::string text_;
  Json json_;
};

/// A run of 22 nodes with its trace and its series.
fs::path small_run(testing::TemporaryFolder const& folder, std::string const& settings = "") {
  fs::path const out = folder / "run";
  REQUIRE(testing::run_factosim("run " + quoted(testing::lille_scenario()) +
                                " --set /application/nt=12 --set /outputs/series=true " + settings +
                                " --out " + quoted(out))
              .code == 0);
  return out;
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("the numbers of a report are those of result.json and of the series") {
    testing::TemporaryFolder const folder;
    fs::path const run = small_run(folder);
    REQUIRE(testing::run_factosim("report " + quoted(run) + " -o " + quoted(folder / "r.html")).code == 0);
    Page const page(folder / "r.html");
    Json const result = Json::parse(testing::text_of(run / "result.json"));
    Json const series = Json::parse(testing::text_of(run / "series.json"));
    CHECK(page.run().at("result") == result);
    CHECK(page.run().at("name") == result.at("name"));
    CHECK(page.run().at("tasks") == result.at("tasks"));
    CHECK(std::abs(page.run().at("makespan_s").get<double>() - result.at("makespan_s").get<double>()) <
          1e-12);

    // Averages times the time add up to what the result and the series have for each node.
    double const interval = page.run().at("interval_s"), series_interval = series.at("interval_s");
    auto const rows = result.at("nodes").size();
    auto const sums = [&](char const* level) {
      auto const values = page.array<float>(page.run().at("levels").at(level).at("values"));
      std::vector<double> out(rows, 0);
      for (std::size_t i = 0; i < values.size(); ++i)
        out[i / (values.size() / rows)] += static_cast<double>(values[i]) * interval;
      return out;
    };
    auto const running = sums("running_tasks"), ready = sums("ready_tasks"), sent = sums("nic_out_Bps");
    double ready_total = 0, ready_of_series = 0;
    for (std::size_t n = 0; n < rows; ++n) {
      CHECK(running[n] == doctest::Approx(result["nodes"][n]["busy_s"].get<double>()).epsilon(1e-5));
      double bytes = 0;
      for (auto const& b : series["nodes"][n]["nic_out_bytes"]) bytes += b.get<double>();
      CHECK(sent[n] == doctest::Approx(bytes).epsilon(1e-5));
      ready_total += ready[n];
      for (auto const& r : series["nodes"][n]["ready_tasks"])
        ready_of_series += r.get<double>() * series_interval;
    }
    // The runtime's own costs lie between a task's last predecessor and its queue.
    CHECK(ready_total == doctest::Approx(ready_of_series).epsilon(0.02));

    auto const& iterations = page.run().at("iterations");
    REQUIRE(iterations.size() == series.at("iterations").size());
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      Json const& of = series["iterations"][i];
      CHECK(iterations[i] ==
            Json::array({of["k"], of["tasks"], of["first_end_s"], of["median_end_s"], of["last_end_s"]}));
    }
  }

  TEST_CASE("every task of a report is that of the trace") {
    testing::TemporaryFolder const folder;
    fs::path const run = small_run(folder);
    REQUIRE(testing::run_factosim("report " + quoted(run) + " -o " + quoted(folder / "r.html")).code == 0);
    Page const page(folder / "r.html");
    Json const& detail = page.run().at("detail");
    double const tick = detail.at("tick_s");
    auto const start = page.array<std::uint32_t>(detail.at("start"));
    auto const duration = page.array<std::uint32_t>(detail.at("duration"));
    auto const kernel = page.array<std::uint8_t>(detail.at("kernel"));
    auto const predecessors = page.array<std::uint8_t>(detail.at("predecessors"));
    auto const predecessor = page.array<std::uint32_t>(detail.at("predecessor"));
    Trace const trace = read_trace(run);
    REQUIRE(trace.task_count() == start.size());
    std::size_t p = 0;
    for (std::size_t t = 0; t < start.size(); ++t) {
      CHECK(page.run().at("kernels").at(kernel[t]).at("name") == trace.kernels[trace.kernel[t]].name);
      CHECK(std::abs(start[t] * tick - trace.start_s[t]) <= 0.51 * tick);
      CHECK(std::abs((start[t] + duration[t]) * tick - trace.end_s[t]) <= 1.01 * tick);
      auto const before = trace.predecessors_of(TaskId{t});
      for (TaskId const id : before) CHECK(t - predecessor[p++] == id.index());
      CHECK(before.size() == predecessors[t]);
    }
    CHECK(p == predecessor.size());
  }

  TEST_CASE("a hostile name is text of a report and never markup") {
    testing::TemporaryFolder const folder;
    std::string const name = "</script><script>alert(1)</script><!-- \"quotes\" '&' \u6f22\u5b57";
    Json scenario = Json::parse(testing::text_of(testing::first_scenario()));
    scenario["name"] = name;
    scenario["application"]["nt"] = 4;
    scenario["platform"] = (testing::repository() / "platforms/mirage.json").string();
    fs::path const file = folder.write("s.json", scenario.dump());
    REQUIRE(testing::run_factosim("run " + quoted(file) + " --out " + quoted(folder / "run")).code == 0);
    REQUIRE(
        testing::run_factosim("report " + quoted(folder / "run") + " -o " + quoted(folder / "r.html")).code ==
        0);
    Page const page(folder / "r.html");
    CHECK(page.run().at("name") == name);
    CHECK(!testing::contains(page.text(), "<script>alert"));
    CHECK(!testing::contains(page.text(), "<!--"));
    // One of JSON, one of the program, one of each array.
    std::size_t const arrays = testing::occurrences(page.text(), "id=\"array");
    CHECK(testing::occurrences(page.text(), "</script>") == arrays + 2);
    CHECK(testing::contains(page.text(), "default-src 'none'"));
  }

  TEST_CASE("a report of a run without a trace shows its series and without series its result") {
    testing::TemporaryFolder const folder;
    fs::path const run = small_run(folder, "--set /outputs/trace=false");
    std::string const report = "report " + quoted(run) + " --force -o " + quoted(folder / "r.html");
    REQUIRE(testing::run_factosim(report).code == 0);
    Page const with(folder / "r.html");
    CHECK(with.run().at("levels").contains("ready_tasks"));
    CHECK(with.run().at("iterations").size() == 12);
    CHECK(!with.run().contains("detail"));
    fs::remove(run / "series.json");
    testing::ProgramRun const bare = testing::run_factosim(report);
    REQUIRE(bare.code == 0);
    CHECK(testing::contains(bare.err, "shows its result only"));
    CHECK(Page(folder / "r.html").run().at("levels").empty());
  }

  TEST_CASE("refused reports print a remedy and leave no file") {
    testing::TemporaryFolder const folder;
    fs::path const run = small_run(folder);
    auto const refused = [&](std::string const& arguments, std::string const& message) {
      testing::ProgramRun const done = testing::run_factosim("report " + arguments);
      CAPTURE(arguments);
      CHECK(done.code == 2);
      CHECK_MESSAGE(testing::contains(done.err, message), done.err);
    };
    std::string const out = " -o " + quoted(folder / "r.html");
    refused(quoted(folder / "nothing") + out, "nothing");
    refused(quoted(run) + " --figure workers" + out,
            "is not the name of a figure (SVG, PDF, PNG, CSV and JSON are written)");
    refused(quoted(run) + " --figure worker -o " + quoted(folder / "r.svg"), "worker");
    refused(quoted(run) + " --figure map,workers -o " + quoted(folder / "r.svg"),
            "have no time axis to share");
    for (char const* picture : {"r.svg", "r.png", "r.pdf", "r.csv"})
      refused(quoted(run) + " -o " + quoted(folder / picture), "is the name of a figure");
    CHECK(!fs::exists(folder / "r.html"));
    CHECK(!fs::exists(folder / "r.svg"));
    folder.write("r.html", "mine");
    refused(quoted(run) + out, "exists already");
    CHECK(testing::text_of(folder / "r.html") == "mine");
    fs::resize_file(run / "series.json", 100);
    fs::remove(run / "run.trace");
    refused(quoted(run) + " -o " + quoted(folder / "s.html"), "series.json");
    CHECK(!fs::exists(folder / "s.html"));
    CHECK(testing::contains(testing::run_factosim("report --help").out, "Example: factosim report"));
  }

  TEST_CASE("a figure has the part of the run and the numbers that are asked for") {
    testing::TemporaryFolder const folder;
    fs::path const run = small_run(folder);
    auto const drawn = [&](std::string const& options, std::string const& name) {
      testing::ProgramRun const done = testing::run_factosim(
          "report " + quoted(run) + " --figure " + options + " -o " + quoted(folder / name) + " --force");
      CHECK_MESSAGE(done.code == 0, done.err);
      return done.code == 0 ? testing::text_of(folder / name) : std::string();
    };
    auto const part = nlohmann::json::parse(drawn("iterations,workers --x-range 0.1:0.2", "part.json"));
    CHECK(part["options"]["x"]["range"] == nlohmann::json{0.1, 0.2});
    std::string const numbers = drawn("iterations,nodes,ready", "numbers.csv");
    CHECK(numbers.starts_with("run,panel,row,curve,from_s,to_s,value,unit\n"));
    for (std::string const text : {",iterations,k = 0,last end,", ",nodes,GPU ", ",ready,"})
      CHECK_MESSAGE(testing::contains(numbers, text), text);
    for (auto const& [options, pointer] :
         {std::pair("--size 5", "--size#"), std::pair("--x-range 4:1", "--x-range#"),
          std::pair("--log z", "--log#"), std::pair("--palette blue", "--palette#"),
          std::pair("--font-size 1", "--font-size#"), std::pair("--style nowhere", "--style#")}) {
      testing::ProgramRun const refused = testing::run_factosim(
          "report " + quoted(run) + " --figure workers " + options + " -o " + quoted(folder / "never.svg"));
      CHECK(refused.code == 2);
      CHECK_MESSAGE(testing::contains(refused.err, pointer), refused.err);
      CHECK_FALSE(fs::exists(folder / "never.svg"));
    }
  }
}
