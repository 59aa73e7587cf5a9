#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "factosim/kernel_model.hpp"
#include "factosim/platform.hpp"
#include "factosim/scheduler.hpp"
#include "simulator/base/core/finding.hpp"
#include "simulator/experiments/experiment.hpp"
#include "simulator/runtime/engine/network_factory.hpp"
#include "simulator/runtime/node/noise.hpp"
#include "simulator/scenario/keys/application_keys.hpp"
#include "simulator/scenario/keys/cluster_keys.hpp"
#include "simulator/scenario/keys/head_keys.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/tasks/plan/options.hpp"
#include "simulator/tasks/schedule/static_schedule.hpp"
#include "simulator/traces/programs/task_program.hpp"

namespace factosim {

/// The parts that scenarios of all kinds have.
struct ScenarioHead {
  std::string file;
  std::vector<std::string> settings;  // settings that override the scenario, as given
  std::string platform_file;          // that the name of a platform stands for; empty: it has a path, or none
  std::string name;
  std::uint64_t seed = 0;
  OutputOptions outputs;
  DetailOptions detail;
  std::vector<Finding> findings;  // about the data that the scenario names; part of every result
};

/// A cluster and the runtime system on it.
struct ClusterOptions {
  Platform platform;
  std::vector<KernelModel> models;  // [platform types]
  SchedulerOptions scheduler;
  std::shared_ptr<StaticSchedule const> schedule{};  // that all nodes follow; null: the policy decides
  RuntimeOptions runtime;
  NoiseOptions noise;
  NetworkOptions network;
};

/// An application with a task graph: a tiled one, the replay of a trace, or a program of tasks from a file.
using TaskApplication = std::variant<TiledApplication, TraceApplication, GraphApplication>;

/// A task graph on a cluster. On the own platform of a trace `cluster` has its nodes and workers only: its links follow from
/// the trace, and `overrides` apply to these.
struct TaskScenario {
  TaskApplication application;
  ClusterOptions cluster;
  NetworkOverrides overrides;
  std::optional<DistributionDescription> distribution;  // always of a tiled application
};

/// An application without a task graph.
struct ExperimentScenario {
  std::string type;
  Experiment experiment;
};

/// The description of one simulation as its file states it, checked as far as that needs no computation.
struct Scenario : ScenarioHead {
  std::variant<TaskScenario, ExperimentScenario> application;
};

/// The keys of a scenario.
[[nodiscard]] ObjectKeys const& scenario_table();

/// Returns the JSON pointers of all keys that the document of a scenario may have. Parts of a task graph's scenario that are
/// not there have defaults: their keys count.
[[nodiscard]] std::set<std::string> key_pointers(nlohmann::json const& document);

/// Applies settings (KEY=VALUE, see `apply_settings`) to the document of a scenario. A name that states what they change
/// has them added: "LU of 20 x 20 tiles, with nt=30". Returns them with whole pointers. Throws InputError.
std::vector<std::string> set_keys(nlohmann::json& document, std::vector<std::string> const& settings);

/// Reads a scenario, "-" for standard input; `settings` override its keys. Throws InputError.
[[nodiscard]] Scenario read_scenario(std::filesystem::path const& file,
                                     std::vector<std::string> const& settings);

/// Reads a scenario from a document; relative paths start from the folder of `file`, which messages name. `graph`: of an
/// application "graph", instead of its file.
[[nodiscard]] Scenario scenario_of(nlohmann::json const& document, std::string const& file,
                                   std::shared_ptr<TaskProgram const> const& graph = nullptr);

/// Applies the limit of RAM, and adds the disks of nodes that compute out of core.
void set_memories(Platform& platform, RuntimeOptions const& runtime);

/// Keys that scenarios on clusters have.
[[nodiscard]] Key platform_key();
[[nodiscard]] Key noise_key();
/// Adds to the rules of a key, an object, the names that may stand in its place: the values of its key `name`, but for those that
/// require other keys.
[[nodiscard]] Key or_name(Key key, std::string_view name = "type");
[[nodiscard]] Key network_key();

/// Returns whether an application's "type" is a task graph, and no experiment.
[[nodiscard]] bool has_task_graph(std::string_view application_type);

}  // namespace factosim
