// What a new component of the runtime system costs: one source file and one line of a table. Shown by a policy that is
// defined here behind the same interface, and by what the rooms of components consist of.

#include <deque>
#include <regex>

#include "simulator/runtime/cluster/cluster.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/policies/policies.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "tests/cli/program.hpp"

using namespace factosim;

namespace {

namespace fs = std::filesystem;

/// One queue for all workers, last in, first out.
class LastInFirstOut final : public Scheduler {
 public:
  explicit LastInFirstOut(NodeView const& node) : node_(node) {}

  Assignment push(TaskId task, LocalWorker /*pusher*/) override {
    tasks_.push_front(task);
    return to_first_idle();
  }
  TaskId pop(LocalWorker worker) override {
    for (auto task = tasks_.begin(); task != tasks_.end(); ++task)
      if (!std::isinf(node_.durations(*task)[worker.index()])) {
        TaskId const found = *task;
        tasks_.erase(task);
        return found;
      }
    return {};
  }
  [[nodiscard]] bool prefetches() const override { return false; }
  [[nodiscard]] bool shares_tasks() const override { return true; }
  [[nodiscard]] bool knows_priorities() const override { return false; }

 private:
  NodeView const& node_;
  std::deque<TaskId> tasks_;
};

std::vector<PolicyKind> last_in_policies() {
  return {{"last-in", made_for_node<LastInFirstOut>, "one queue for all workers, last in, first out"}};
}

/// A room of components: each file that its table names is one.
struct Room {
  std::string folder, table, factory;  // factory: what follows the name of the file
};

Room const rooms[] = {{"simulator/runtime/policies", "policies.cpp", "_policies"},
                      {"simulator/runtime/eviction", "eviction_policies.cpp", "_eviction"}};

std::vector<std::string> files_of_table(Room const& room) {
  std::string const text = testing::text_of(testing::repository() / room.folder / room.table);
  static std::regex const line(R"(\n  FILE\((\w+)\))");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) out.push_back((*at)[1]);
  return out;
}

/// The texts of all sources and headers, by path from the root.
std::map<std::string, std::string> const& sources() {
  static std::map<std::string, std::string> const all = [] {
    std::map<std::string, std::string> out;
    for (char const* top : {"simulator", "platforms", "models", "distributions", "tests"})
      for (auto const& entry : fs::recursive_directory_iterator(testing::repository() / top))
        if (auto const extension = entry.path().extension(); extension == ".cpp" || extension == ".hpp")
          out[fs::relative(entry.path(), testing::repository()).string()] = testing::text_of(entry.path());
    return out;
  }();
  return all;
}

std::size_t files_that_include(std::string const& header) {
  std::size_t count = 0;
  for (auto const& [path, text] : sources())
    if (testing::contains(text, "#include \"" + header + "\"")) ++count;
  return count;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("a policy that is one class and one entry of a list runs a factorization") {
    PolicyKind const kind = last_in_policies().front();
    TaskPlan const plan = plan_tasks(place(read_scenario(testing::first_scenario(), {"/application/nt=6"})));
    SimulationInputs inputs{plan.stored().graph,    plan.stored().plan,    plan.machine,
                            plan.scenario.platform, plan.scenario.runtime, plan.scenario.scheduler};
    inputs.make_policy = kind.make;
    Engine engine(make_network({.model = NetworkModel::maxmin}, plan.topology), plan.grid);
    SimulationOutcome const outcome =
        ClusterRuntime(inputs, plan.topology, engine, nullptr, ProgressCallback{}).run();
    CHECK(outcome.nodes.front().tasks == plan.stored().graph.task_count());
    CHECK(outcome.makespan.value > 0);
  }

  TEST_CASE("each file of policies is named by one line of its table and by nothing else") {
    for (Room const& room : rooms) {
      std::vector<std::string> const files = files_of_table(room);
      CHECK(files.size() >= 3);
      CHECK(std::set<std::string>(files.begin(), files.end()).size() == files.size());
      for (std::string const& file : files) {
        CAPTURE(file);
        std::string const factory = file + room.factory + "()";
        for (auto const& [path, text] : sources())
          CHECK_MESSAGE((testing::contains(text, factory)) == (path == room.folder + "/" + file + ".cpp"),
                        path);
      }
    }
  }

  TEST_CASE("the header of a policy is included by others too, and other files of the room are shared") {
    for (Room const& room : rooms) {
      std::vector<std::string> const files = files_of_table(room);
      for (auto const& [path, text] : sources()) {
        if (!path.starts_with(room.folder + "/") || path == room.folder + "/" + room.table) continue;
        CAPTURE(path);
        std::string const name = fs::path(path).stem().string();
        bool const named = std::ranges::find(files, name) != files.end();
        if (path.ends_with(".hpp"))
          CHECK(files_that_include(path) >= 2);
        else  // what no table names implements a header that several share
          CHECK((named || text.starts_with("#include \"" + room.folder + "/")));
      }
    }
  }
}
