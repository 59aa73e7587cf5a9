// Sweeps on a real Slurm: two nodes on this machine, one of which dies.

#include <chrono>
#include <future>
#include <thread>

#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// A Slurm of two nodes that ends with this object.
class Cluster {
 public:
  Cluster() {
    int const status = script("start", "");
    started_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!started_)
      MESSAGE("skipped, no Slurm here: ", testing::text_of(folder_ / "said"));
    else
      ::setenv("SLURM_CONF", (folder_ / "cluster/slurm.conf").c_str(), 1);
  }
  ~Cluster() {
    if (started_) (void)script("stop", "");
    ::unsetenv("SLURM_CONF");
  }
  Cluster(Cluster const&) = delete;
  Cluster& operator=(Cluster const&) = delete;
  [[nodiscard]] bool started() const { return started_; }
  void kill_node(int number) const { (void)script("kill", std::to_string(number)); }
  [[nodiscard]] fs::path operator/(std::string const& name) const { return folder_ / name; }
  [[nodiscard]] fs::path write(std::string const& name, std::string const& text) const {
    return folder_.write(name, text);
  }

 private:
  [[nodiscard]] int script(std::string const& command, std::string const& argument) const {
    return std::system(fmt::format("'{}' {} '{}' {} >'{}' 2>&1 </dev/null",
                                   (testing::repository() / "tests/slurm/cluster.sh").string(), command,
                                   (folder_ / "cluster").string(), argument, (folder_ / "said").string())
                           .c_str());
  }
  testing::TemporaryFolder folder_;
  bool started_ = false;
};

std::string sweep_of_sizes(int from, int to) {
  return fmt::format(
      R"({{"format": "factosim-sweep", "version": 1, "scenario": "{}", "points": {{"product": [
         {{"/distribution/type": ["block-cyclic", "1d1d"]}}, {{"/application/nt": {{"from": {}, "to": {}}}}}]}}}})",
      (testing::repository() / "scenarios/lu_icpads20/fig13_growing_matrix.json").string(), from, to);
}

std::size_t points_in(fs::path const& out) {
  if (!fs::exists(out / "points")) return 0;
  return static_cast<std::size_t>(
      std::count_if(fs::directory_iterator(out / "points"), fs::directory_iterator(),
                    [](auto const& entry) { return entry.path().extension() == ".json"; }));
}

}  // namespace

TEST_SUITE("scenario") {
  TEST_CASE("a job array simulates a sweep and a node that dies in the middle loses nothing") {
    Cluster const cluster;
    if (!cluster.started()) return;
    fs::path const file = cluster.write("study.json", sweep_of_sizes(36, 55));
    auto const sweep = [&](std::string const& out, std::string const& options) {
      return testing::run_factosim(
          fmt::format("sweep '{}' --out '{}' {}", file.string(), (cluster / out).string(), options));
    };
    REQUIRE(sweep("local", "").code == 0);
    std::string const csv = testing::text_of(cluster / "local/sweep.csv");

    auto run = std::async(std::launch::async, sweep, "array", "--engine slurm --chunk 8");
    // The first jobs, one on each node, have most of their eight points before them.
    for (int i = 0; i < 3000 && points_in(cluster / "array") < 1; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::size_t const before = points_in(cluster / "array");
    cluster.kill_node(2);
    testing::ProgramRun const ended = run.get();
    CAPTURE(ended.err);
    CHECK(before < 40);  // it died in the middle
    std::string const log = testing::text_of(cluster / "cluster/slurmctld.log");
    CHECK_MESSAGE(testing::contains(log, "due to failure of node n2"), log);
    CHECK(ended.code == 0);
    CHECK(testing::text_of(cluster / "array/sweep.csv") == csv);

    testing::ProgramRun const submitted =
        sweep("later", "--engine slurm --chunk 20 --no-wait --sbatch=--nodelist=n1");
    CHECK(submitted.code == 0);
    CHECK(testing::contains(submitted.out, "submitted as job"));
    for (int i = 0; i < 600 && points_in(cluster / "later") < 40; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(sweep("later", "--collect").code == 0);
    CHECK(testing::text_of(cluster / "later/sweep.csv") == csv);

    testing::ProgramRun const refused = sweep("refused", "--engine slurm --sbatch=--partition=none");
    CHECK(refused.code == 2);
    CHECK_MESSAGE(testing::contains(refused.err, "sbatch submitted nothing"), refused.err);
  }
}
