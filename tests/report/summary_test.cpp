#include "simulator/report/text/summary.hpp"

#include "simulator/base/core/sample.hpp"
#include "simulator/report/text/progress_bar.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

Result sample() {
  Result r;
  r.name = "sample";
  r.makespan = Seconds{2};
  r.gflops = 1234.5;
  r.tasks = 1234567;
  r.tasks_by_kernel = {{"gemm", 1234567}};
  r.bounds.abe = Seconds{1};
  r.bounds.abe_per_node = {Seconds{1.5}, Seconds{0.5}};
  r.bounds.critical_path = Seconds{0.25};
  r.bounds.critical_path_with_comm = Seconds{0.5};
  r.diagnosis = {.limit = "network", .share = 0.5, .text = "Limited by"};
  for (int i = 0; i < 50; ++i) r.diagnosis.text += " the network";
  r.utilization = 0.5;
  r.tiles_sent = 42;
  r.bytes_sent = Bytes{42'000'000};
  for (std::uint32_t n = 0; n < 2; ++n)
    r.nodes.push_back({.id = n,
                       .type = "chetemi",
                       .workers = 4,
                       .busy = Seconds{4},
                       .last_task = Seconds{2},
                       .tasks = 5,
                       .tasks_by_worker = {{"cpu", 5}}});
  return r;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a summary has six lines: makespan, limit, bound, use, traffic, cost") {
    Result r = sample();
    r.diagnosis.text = "Limited by the network";
    CHECK(summary(r).starts_with(
        "scenario      sample\n"
        "makespan      2 s   1.234 TFlop/s\n"
        "limit         Limited by the network\n"
        "bound         at least 1 s (50.0 %) on these nodes, 1.5 s (75.0 %) with this distribution\n"
        "use           50.0 % of the workers' time, 0.0 % within the first 90 %\n"
        "traffic       42 tiles between nodes, 42 MB\n"
        "cost          "));
    r.host_to_device = Bytes{1000};
    r.nodes[0].gpu_busy = Seconds{2}, r.nodes[0].gpu_workers = 1;
    CHECK(testing::contains(summary(r), "workers' time (GPUs 100.0 %, cores 42.9 %), "));
    CHECK(testing::contains(summary(r), "42 MB; 1 kB into GPUs, 0 B back, 0 B among them\n"));
  }

  TEST_CASE("a whole summary prints bounds as shares of the makespan and marks estimates") {
    Result r = sample();
    CHECK(!testing::contains(summary(r), "ESTIMATE"));
    r.estimate = true;
    std::string const text = summary(r, SummaryLength::all);
    CHECK(testing::contains(text, "ESTIMATE"));
    CHECK(testing::contains(text, "50.0 % of the makespan   all workers busy all the time"));
    CHECK(testing::contains(text, "75.0 % of the makespan   the same on the most loaded node"));
    CHECK(testing::contains(text, "50.0 % of the makespan   of the problem on these nodes"));
    CHECK(testing::contains(text, "75.0 % of the makespan   of this distribution"));
    CHECK(testing::contains(text, "limit         Limited by the network"));
    CHECK(testing::contains(text, "1 234 567 gemm"));
    CHECK(testing::contains(text, "chetemi            2        8     50.0"));
  }

  TEST_CASE("no line of a summary is wider than 100 columns") {
    std::istringstream lines(summary(sample()) + summary(sample(), SummaryLength::all));
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 100, line);
  }

  TEST_CASE("the last lines summarize replicas") {
    Result r = sample();
    CHECK(!testing::contains(summary(r), "replicas"));
    r.replicas = {{0, 1}, spread_of({2, 2.5}), spread_of({1000, 1200})};
    std::string const text = summary(r);
    CHECK(testing::contains(
        text,
        "makespan of 2 replicas: mean 2.25 s, deviation 353.6 ms, 95 % confidence interval +- 3.177 s\n"
        "a single run: 95 % prediction interval 0 "));
    CHECK(text.ends_with(" to 7.752 s, +- 245 %\n"));  // 2.25 + 12.706 * 0.35355 * sqrt(1.5)
  }

  TEST_CASE("the progress bar shows share and rate and time left in one line") {
    std::string const bar = ProgressBar::text(500'000, 1'000'000, 2);
    CHECK(testing::contains(bar, " 50 %"));
    CHECK(testing::contains(bar, "250 k tasks/s"));
    CHECK(testing::contains(bar, "2 s left"));
    CHECK(bar.size() <= 78);
    CHECK(ProgressBar::text(0, 0, 0).size() <= 78);
  }
}
