#include "simulator/traces/import/assembly.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

namespace factosim {

namespace {

/// Returns the first number in a name; -1 if there is none.
long number_in(std::string const& name) {
  auto const digit = name.find_first_of("0123456789");
  return digit == std::string::npos ? -1 : std::strtol(name.c_str() + digit, nullptr, 10);
}

/// A worker of a node as the source tells it.
struct Known {
  std::string name;
  Trace::Device device = Trace::Device::cpu;
  std::int32_t id = -1;      // number in the source
  std::int32_t memory = -1;  // number in the source
};
using OfNode = std::vector<Known>;

/// Returns the workers of each node.
std::map<std::uint32_t, OfNode> known_workers(StarpuRun const& run) {
  std::map<std::uint32_t, OfNode> known;
  // memory of each worker that executed a task
  std::map<std::pair<std::uint32_t, std::int32_t>, std::int32_t> memory;
  for (StarpuTask const& task : run.tasks)
    if (task.timed() && task.worker >= 0) memory.try_emplace({task.name.node, task.worker}, task.memory);
  std::set<std::uint32_t> used;  // resources
  for (auto const& [place, at] : memory) {
    auto const [node, id] = place;
    Known worker{.name = {}, .id = id, .memory = at};
    auto const resource =
        run.resource_of_worker.find(std::uint64_t{node} << 32U | static_cast<std::uint32_t>(id));
    if (resource != run.resource_of_worker.end()) {
      ResourceName const& name = run.resource_names[resource->second];
      worker.name = name.worker.empty() ? run.resources[resource->second] : name.worker;
      worker.device = name.device;
      used.insert(resource->second);
    }
    known[node].push_back(std::move(worker));
  }
  for (std::uint32_t r = 0; r < run.resources.size(); ++r) {  // workers that executed nothing
    ResourceName const& name = run.resource_names[r];
    if (name.worker.empty() || used.contains(r)) continue;
    known[name.node].push_back({.name = name.worker, .device = name.device});
  }
  return known;
}

/// Names the workers without a name; returns whether their devices were guessed.
bool name_remaining(OfNode& of_node) {
  std::int32_t first_at_ram = INT32_MAX;
  for (Known const& w : of_node)
    if (w.id >= 0 && w.memory <= 0) first_at_ram = std::min(first_at_ram, w.id);
  bool guessed = false;
  int cores = 0, gpus = 0;
  for (Known& w : of_node) {
    if (!w.name.empty()) continue;
    bool const gpu = w.memory > 0 && w.id < first_at_ram;
    w.device = gpu ? Trace::Device::gpu : Trace::Device::cpu;
    w.name = gpu ? "cuda" + std::to_string(gpus++) : "cpu" + std::to_string(cores++);
    guessed = guessed || w.memory > 0;
  }
  return guessed;
}

/// Returns the name of a worker's GPU: several workers of one are "cuda0", "cuda0_1", ...
std::string gpu_of(Known const& worker) { return worker.name.substr(0, worker.name.find('_')); }

/// Returns the number of the worker's memory. StarPU numbers those of GPUs after the RAM.
std::int32_t memory_of(Known const& worker, OfNode const& of_node) {
  if (worker.memory >= 0) return worker.memory;
  if (worker.device == Trace::Device::cpu) return 0;
  std::set<std::string> before;
  for (Known const& w : of_node) {
    if (&w == &worker) break;
    if (w.device == Trace::Device::gpu && gpu_of(w) != gpu_of(worker)) before.insert(gpu_of(w));
  }
  return 1 + static_cast<std::int32_t>(before.size());
}

/// Sorts GPUs first, each with its memory; returns the names of these memories.
std::map<std::int32_t, std::string> order(OfNode& of_node) {
  std::stable_sort(of_node.begin(), of_node.end(), [](Known const& a, Known const& b) {
    return std::tuple(a.device == Trace::Device::cpu, number_in(a.name), a.name) <
           std::tuple(b.device == Trace::Device::cpu, number_in(b.name), b.name);
  });
  for (Known& w : of_node) w.memory = memory_of(w, of_node);
  std::map<std::int32_t, std::string> memories;
  for (Known const& w : of_node) {
    bool const gpu = w.device == Trace::Device::gpu;
    std::string const name = gpu ? gpu_of(w) : "ram" + std::to_string(w.memory);
    memories.try_emplace(w.memory, w.memory == 0 ? "ram" : name);
  }
  return memories;
}

}  // namespace

WorkerNames::WorkerNames(StarpuRun& run) : worker_of_resource_(run.resources.size()) {
  std::map<std::uint32_t, OfNode> known = known_workers(run);
  bool guessed = false;
  for (auto& [node, of_node] : known)
    if (name_remaining(of_node)) guessed = true;
  if (guessed)
    run.find(
        "names no workers: which of them are GPUs was told by their memory nodes. Add paje.trace, or "
        "paje.worker_state.csv, to be sure");
  std::uint32_t node_count = 0;
  for (StarpuTask const& task : run.tasks) node_count = std::max(node_count, task.name.node + 1);
  for (auto const& [node, of_node] : known) node_count = std::max(node_count, node + 1);
  for (StarpuRun::Message const& m : run.messages) node_count = std::max({node_count, m.from + 1, m.to + 1});
  for (StarpuRun::Handle const& h : run.handles) node_count = std::max(node_count, h.node + 1);
  std::map<std::uint32_t, std::map<std::int32_t, std::string>> memories;
  for (auto& [node, of_node] : known) memories[node] = order(of_node);
  for (StarpuRun::Copy const& c : run.copies)
    for (std::int32_t const memory : {c.from, c.to})
      memories[c.node].try_emplace(memory, "memory" + std::to_string(memory));
  for (std::uint32_t node = 0; node < node_count; ++node) {
    memories[node].try_emplace(0, "ram");
    auto const name = run.node_names.find(node);
    nodes.push_back({name == run.node_names.end() ? std::to_string(node) : name->second, {}});
    for (auto const& [memory, name_of_memory] : memories[node]) {
      memory_by_id_.emplace(std::pair(node, memory), MemoryNodeId{memory_nodes.size()});
      memory_nodes.push_back({name_of_memory, NodeId{node}});
    }
    for (Known const& w : known[node]) {
      if (w.id >= 0) by_id_.emplace(std::pair(node, w.id), WorkerId{workers.size()});
      workers.push_back({w.name, NodeId{node}, memory_by_id_.at({node, w.memory}), w.device});
    }
  }
  std::map<std::pair<NodeId, std::string>, WorkerId> by_name;  // first worker of each name
  for (std::size_t w = 0; w < workers.size(); ++w)
    by_name.emplace(std::pair(workers[w].node, workers[w].name), WorkerId{w});
  for (std::uint32_t r = 0; r < run.resources.size(); ++r) {
    auto const& name = run.resource_names[r];
    if (name.worker.empty()) continue;
    if (auto const found = by_name.find({NodeId{name.node}, name.worker}); found != by_name.end())
      worker_of_resource_[r] = found->second;
  }
}

WorkerId WorkerNames::of(std::uint32_t node, std::int32_t worker) const {
  auto const found = by_id_.find({node, worker});
  return found == by_id_.end() ? WorkerId{} : found->second;
}

MemoryNodeId WorkerNames::memory(std::uint32_t node, std::int32_t memory) const {
  auto const found = memory_by_id_.find({node, memory});
  return found == memory_by_id_.end() ? MemoryNodeId{} : found->second;
}

}  // namespace factosim
