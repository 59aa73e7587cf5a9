// Makespans estimated from windows of iterations.

#include "simulator/scenario/simulation/place.hpp"

#include "simulator/scenario/simulation/makespan_fit.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;
using testing::run_factosim;
using testing::TemporaryFolder;

namespace {

PlacedScenario window(std::string const& application, std::string const& form, IterationRange iterations) {
  PlacedScenario s = place(
      read_scenario(testing::lille_scenario(),
                    {"/application/type=" + application, "/application/nt=16", "/network/model=maxmin",
                     "/application/task_graph=" + form, R"(/platform/nodes=[{"type":"chetemi","count":6}])",
                     R"(/distribution={"type":"block-cyclic","p":2,"q":3})"}));
  std::get<TiledApplication>(s.application).parameters.iterations = iterations;
  return s;
}

Result simulated(std::string const& application, std::string const& form, IterationRange iterations) {
  Result r = simulate(plan_tasks(window(application, form, iterations), TaskStorage::where_needed));
  r.cost = {};
  return r;
}

/// A command that runs LU or Cholesky on some nodes without GPUs.
std::string command(std::string const& more) {
  return "run " + testing::quoted(testing::lille_scenario()) +
         " --set /network/model=maxmin --set '/platform/nodes=[{\"type\":\"chetemi\",\"count\":6}]'"
         " --set '/distribution={\"type\":\"block-cyclic\",\"p\":2,\"q\":3}' " +
         more;
}

nlohmann::json without_timing(nlohmann::json result) {
  result.erase("simulation");
  return result;
}

/// The last r of 100 iterations of a factorization: loads grow with r^3, paths with r.
IterationSample tail(MakespanModel const& truth, double r) {
  IterationSample out{.makespan = 0, .load = r * r * r / 1e4, .path = r / 10};
  out.makespan = truth.makespan(out.load, out.path);
  return out;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("windows of iterations of formulas and of stored graphs take equally long") {
    for (std::string const application : {"lu", "cholesky", "gemm"})
      for (IterationRange const range : {IterationRange{0, 16}, {0, 3}, {5, 9}, {11, 16}, {15, 16}}) {
        CAPTURE_ALL(application, range.first);
        Result const stored = simulated(application, "stored", range),
                     formulas = simulated(application, "formulas", range);
        CHECK(stored.makespan == formulas.makespan);
        CHECK(stored.tasks == formulas.tasks);
        CHECK(stored.tiles_sent == formulas.tiles_sent);
        CHECK(stored.bounds.distribution() == formulas.bounds.distribution());
        REQUIRE(stored.nodes.size() == formulas.nodes.size());
        for (std::size_t n = 0; n < stored.nodes.size(); ++n) {
          CHECK(stored.nodes[n].busy == formulas.nodes[n].busy);
          CHECK(stored.nodes[n].last_task == formulas.nodes[n].last_task);
          // The stored graph keeps tiles that no task of the window uses.
          if (range.first == 0 && (application != "gemm" || range.end == 16))
            CHECK(stored.nodes[n].peak_memory_bytes == formulas.nodes[n].peak_memory_bytes);
        }
      }
  }

  TEST_CASE("estimates from sampled iterations are within their stated error and repeatable") {
    for (std::string const application : {"lu", "cholesky", "gemm"}) {
      CAPTURE(application);
      std::string const size = "--set /application/type=" + application +
                               " --set /application/nt=" + (application == "cholesky" ? "100" : "70") +
                               " --json";
      nlohmann::json const exact = testing::json_of(command(size));
      nlohmann::json const sampled = testing::json_of(command(size + " --detail sampled"));
      double const makespan = exact["makespan_s"];
      CHECK(std::abs(sampled["makespan_s"].get<double>() / makespan - 1) <=
            sampled["detail"]["error_relative"].get<double>());
      CHECK(sampled["detail"]["tasks_simulated"].get<double>() < 0.6 * exact["tasks"].get<double>());
      CHECK(sampled["estimate"] == true);
      for (char const* const key : {"tasks", "tasks_by_kernel", "tiles_sent", "bytes_sent", "bounds"}) {
        CAPTURE(key);
        CHECK(sampled[key] == exact[key]);
      }
      for (char const* const key : {"nodes", "utilization", "transfers", "energy"})
        CHECK(!sampled.contains(key));
      CHECK(without_timing(testing::json_of(command(size + " --detail sampled"))) == without_timing(sampled));
    }
  }
}

TEST_SUITE("unit") {
  TEST_CASE("an estimate of few tasks simulates all of them") {
    nlohmann::json const exact = testing::json_of(command("--set /application/nt=20 --json"));
    nlohmann::json const sampled =
        testing::json_of(command("--set /application/nt=20 --json --detail sampled"));
    CHECK(sampled["makespan_s"] == exact["makespan_s"]);
    CHECK(sampled["detail"]["error_relative"] == 0);
    CHECK(sampled["detail"]["tasks_simulated"] == exact["tasks"]);
  }

  TEST_CASE("what needs every task refuses an estimate") {
    auto const refused = [](std::string const& more, std::string const& text) {
      CAPTURE(more);
      testing::ProgramRun const run = run_factosim(command("--detail sampled " + more));
      CHECK(run.code == 2);
      CHECK(testing::says(run, text));
    };
    refused("--set /outputs/paje=true", "#/outputs: asks for a trace");
    refused("--set /outputs/trace=true", "#/outputs: asks for a trace");
    refused("--set /outputs/series=true", "#/outputs/series: is asked for");
    refused("--replicas 3", "#/detail/type: is \"sampled\"");
    refused("--sensitivity 3", "#/detail/type: is \"sampled\"");
    refused("--set /application/type=exageostat", "#/detail/type: is \"sampled\"");
    refused("--set /detail/tolerance=0", "#/detail/tolerance");
    for (std::string const other : {"bounds ", "schedule ", "advise "}) {
      testing::ProgramRun const run =
          run_factosim(other + testing::quoted(testing::lille_scenario()) + " --set /detail/type=sampled");
      CHECK(run.code == 2);
      CHECK(testing::says(run, "#/detail/type"));
    }
  }

  TEST_CASE("a summary says that it is an estimate and a report refuses it") {
    TemporaryFolder const folder;
    std::string const out = testing::quoted(folder.path() / "run");
    testing::ProgramRun const run =
        run_factosim(command("--set /application/nt=70 --detail sampled --out " + out));
    REQUIRE(run.code == 0);
    CHECK(testing::contains(run.out, "ESTIMATE: not every task was simulated"));
    CHECK(testing::contains(run.out, "tasks simulated"));
    CHECK(!testing::contains(run.out, "utilization"));
    CHECK(std::filesystem::exists(folder.path() / "run/result.json"));
    CHECK(!std::filesystem::exists(folder.path() / "run/run.trace"));
    testing::ProgramRun const compared =
        run_factosim("compare " + testing::quoted(folder.path() / "run/result.json") + ' ' +
                     testing::quoted(folder.path() / "run/result.json"));
    CHECK(compared.code == 2);
    CHECK(testing::says(compared, "#/detail: shows an estimate"));
  }

  TEST_CASE("the modelled makespan lies between the longer part and the sum of both") {
    for (double const sharpness : {1.2, 2., 8.})
      for (double const load : {0., 1., 5., 100.})
        for (double const path : {0.5, 5., 40.}) {
          double const makespan = MakespanModel{1.1, 1.3, sharpness}.makespan(load, path);
          CHECK(makespan >= std::max(1.1 * load, 1.3 * path) * (1 - 1e-12));
          CHECK(makespan <= (1.1 * load + 1.3 * path) * (1 + 1e-12));
        }
    CHECK(MakespanModel{}.makespan(0, 0) == 0);
  }

  TEST_CASE("a fit to makespans of the model gives their extrapolation") {
    for (MakespanModel const truth : {MakespanModel{1, 1.4, 2.3}, {1.36, 1.05, 3}, {1.1, 2.5, 1.6}}) {
      std::vector<IterationSample> tails;
      std::vector<double> weights;
      for (double const r : {20., 26., 34., 44.})
        tails.push_back(tail(truth, r)), weights.push_back(r * r / 1e4);
      IterationSample shorter{.makespan = 0, .load = 5, .path = 0.4},
          longer{.makespan = 0, .load = 10, .path = 0.8};
      shorter.makespan = truth.makespan(shorter.load, shorter.path) + 0.7;  // start-up and drain
      longer.makespan = truth.makespan(longer.load, longer.path) + 0.7;
      MakespanModel const fitted =
          fit_makespan(tails, weights, {.shorter = shorter, .longer = longer, .weight = 1});
      IterationSample const all = tail(truth, 100);
      CHECK(fitted.makespan(all.load, all.path) == doctest::Approx(all.makespan).epsilon(0.005));
    }
  }
}
