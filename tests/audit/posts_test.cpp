// 200 random runs whose submission is slow, stops, or pins RAM, and whose tiles are flushed: no message starts before its
// reader is submitted on the receiver, its send on the sender, and before the tile is written.

#include <random>

#include "simulator/report/json/result_json.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/audit/recorded_runs.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

/// Draws one of the values for a key of the scenario.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  std::string operator()(std::string const& key, std::vector<std::string> const& values) {
    return "/" + key + "=" + values[random_() % values.size()];
  }

 private:
  std::mt19937 random_;
};

struct SlowRun {
  std::string scenario;
  std::vector<std::string> settings;
};

SlowRun random_slow_run(unsigned seed) {
  Draw draw(seed);
  std::vector<std::string> settings{
      draw("runtime/submission_cost_s", {"1e-6", "3e-4", "5e-3", "0.05"}),
      draw("runtime/max_submitted_tasks", {"0", "0", "4", "20", "60"}),
      draw("runtime/unrolling", {"\"whole\"", "\"pruned\"", "\"own\""}),
      draw("network/wire", {"\"shared\"", "\"fifo\"", "\"priority\""}),
      draw("network/broadcast", {"\"point-to-point\"", "\"binomial\"", "\"cooperative\"", "\"ring\""}),
      draw("network/max_sends_per_node", {"1", "3", "10"}),
      draw("scheduler/type", {"dmdas", "dmda", "lws", "eager"}),
      "/platform/nodes=[{\"type\":\"chifflet\",\"count\":" + std::to_string(1 + seed % 4) +
          "},{\"type\":\"chetemi\",\"count\":" + std::to_string(1 + seed % 3) + "}]",
      "/distribution={\"type\":\"block-cyclic\"}",
      "/application/nt=8"};
  auto const add = [&](std::string const& key, std::vector<std::string> const& values) {
    settings.push_back(draw(key, values));
  };
  if (seed % 2 == 0) {
    settings.emplace_back("/application/n=7680");
    add("application/asynchronous", {"none", "partial", "full"});
    add("application/solve", {"chameleon", "chameleon", "local"});
    add("application/memory_optimisations", {"true", "false"});
    add("application/iterations", {"1", "2"});
    add("runtime/host_alloc_cost_s_per_MiB", {"0", "650e-6", "0.01"});
    return {"exageostat_icpp21/fig06_all.json", settings};
  }
  settings.push_back(
      seed % 4 == 1 ? "/application={\"type\":\"lu\",\"nt\":8,\"nb\":960}"
                    : "/application={\"type\":\"cholesky\",\"nt\":8,\"nb\":960,\"variant\":\"starpu-mpi\"}");
  add("runtime/pinning_cost_s", {"0", "650e-6", "0.01"});
  add("runtime/late_receive_buffers", {"true", "false"});
  return {"exageostat_icpp21/fig06_all.json", settings};
}

RecordedRun run_of(SlowRun const& c) {
  TaskPlan plan = plan_tasks(place(read_scenario(repository() / "scenarios" / c.scenario, c.settings)));
  TraceRecords records;
  Result const result = simulate(plan, &records);
  Trace trace = run_trace(plan, records);
  return {std::move(plan.scenario), nlohmann::json::parse(result_json(result).dump()), std::move(trace)};
}

/// Returns how many messages had to wait for a submission: their tile was written before.
std::size_t check_messages(Trace const& trace) {
  std::size_t waited = 0;
  for (Trace::Message const& m : trace.messages) {
    double const written = trace.end_s[m.producer.index()], reader = trace.submit_s[m.consumer.index()];
    REQUIRE(m.start_s >= std::max({reader, trace.submit_s[m.producer.index()], written}) - 1e-9);
    waited += reader > written ? 1 : 0;
  }
  return waited;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("no message starts before it is posted on both ends in 200 random runs with slow submission") {
    std::size_t messages = 0, waited = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      SlowRun const c = random_slow_run(seed);
      CAPTURE(fmt::format("{} {}", c.scenario, fmt::join(c.settings, " ")));
      RecordedRun const run = run_of(c);
      messages += run.trace->messages.size();
      waited += check_messages(*run.trace);
      audit::AuditReport const report = audit_run(run);
      CAPTURE(findings(report));
      REQUIRE(report.broken() == 0);
      audit::Check const* const posts = find_check(report, "posts");
      REQUIRE(posts != nullptr);
      REQUIRE(posts->skipped.empty());
      REQUIRE(posts->cases >= run.trace->messages.size());
    }
    CHECK(waited > messages / 10);
    CHECK(waited < messages);
  }
}
