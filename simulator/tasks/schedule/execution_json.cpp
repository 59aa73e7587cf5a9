#include "simulator/tasks/schedule/schedule_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

/// Checks the names that NNTile compares with its compiled operations before it takes a schedule.
void check_fingerprint(JsonReader const& json, std::vector<std::string> const& names) {
  auto const stated = json.at("schedule_fingerprint", "the operations that the schedule is for");
  JsonReader const count = stated.at("op_count");
  if (count.integer(0, INT32_MAX) != static_cast<std::int64_t>(names.size()))
    count.fail(
        fmt::format("is not the number of \"ops\", {} (the file is incomplete). Correct it", names.size()));
  JsonReader const list = stated.at("op_names");
  if (list.strings() != names)
    list.fail("are not those of \"ops\" by index (the file is inconsistent). Correct it");
}

}  // namespace

StaticSchedule read_execution_json(nlohmann::json const& document, std::string const& file) {
  JsonReader const json(document, file);
  StaticSchedule out{.file = file, .place_word = "/ops/", .strict = false, .one_node = true};
  JsonReader const hardware = json.at("hardware", "\"num_workers\" and \"worker_kind\"");
  auto const workers = hardware.at("num_workers").integer(1, INT32_MAX);
  bool const gpus = hardware.at("worker_kind").one_of({"cpu", "cuda"}) == "cuda";
  auto const ops = json.at("ops", "the operations with their workers").elements();
  std::vector<std::string> names(ops.size());
  for (JsonReader const& op : ops) {
    auto const index = op.at("index").integer(0, static_cast<std::int64_t>(ops.size()) - 1);
    ScheduledTask task{.task = static_cast<std::uint64_t>(index),
                       .kernel = op.at("op").string(),
                       .position = index,
                       .place = out.tasks.size()};
    task.worker = {.by = gpus ? WorkerReference::By::gpu : WorkerReference::By::core,
                   .number = static_cast<std::uint32_t>(op.at("worker").integer(0, workers - 1))};
    names[task.task] = task.kernel;
    out.tasks.push_back(std::move(task));
  }
  check_fingerprint(json, names);
  return out;
}

std::optional<std::string> execution_json(TaskSchedule const& s, ScheduledGraph const& of) {
  if (of.machine.node_count() > 1 || s.worker.empty()) return std::nullopt;
  Machine::Type const& type = of.machine.type(NodeId{0});
  auto const on_gpu = [&](std::uint32_t worker) { return worker < type.gpus; };
  bool const gpus = on_gpu(s.worker.front());
  if (!std::ranges::all_of(s.worker, [&](std::uint32_t w) { return on_gpu(w) == gpus; })) return std::nullopt;
  std::size_t const first = gpus ? 0 : type.gpus;
  nlohmann::ordered_json ops = nlohmann::ordered_json::array(), names = ops;
  for (TaskId const task : in_submission_order(of.graph)) {
    nlohmann::ordered_json reads_from = nlohmann::ordered_json::array(), writes_to = reads_from;
    for (DataAccess const access : of.graph.accesses_of(task)) {
      std::string name = fmt::format("d{}", access.handle().value());
      if (writes(access.mode()))
        writes_to.push_back(std::move(name));
      else
        reads_from.push_back(std::move(name));
    }
    std::string const& kernel = of.graph.kernel_of(task).name;
    names.push_back(kernel);
    ops.push_back({{"index", ops.size()},
                   {"op", kernel},
                   {"name", ""},
                   {"worker", s.worker[task.index()] - first},
                   {"writable_tiles", std::move(writes_to)},
                   {"read_tiles", std::move(reads_from)}});
  }
  std::size_t const workers = gpus ? type.gpus : type.workers.size() - type.gpus;
  nlohmann::ordered_json const out = {
      {"policy", "factosim schedule"},
      {"hardware", {{"num_workers", workers}, {"worker_kind", gpus ? "cuda" : "cpu"}}},
      {"schedule_fingerprint", {{"op_count", ops.size()}, {"op_names", std::move(names)}}},
      {"virtual_tile_workers", nlohmann::ordered_json::array()},
      {"ops", std::move(ops)}};
  return json_text(out, 1) + "\n";
}

}  // namespace factosim
