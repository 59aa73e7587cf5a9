#include <cmath>
#include <map>
#include <tuple>

#include "simulator/base/core/sample.hpp"
#include "simulator/traces/export/starpu_fields.hpp"

namespace factosim {

namespace {

/// [workers] architecture: "cpu0" for all cores, "cuda1" for the second GPU of a node.
std::vector<std::string> architectures(Trace const& trace) {
  std::vector<std::string> out;
  std::map<std::pair<NodeId, MemoryNodeId>, std::size_t> gpus;  // workers that share a memory are one GPU
  std::map<NodeId, std::size_t> gpus_of_node;
  for (Trace::Worker const& w : trace.workers) {
    if (w.device == Trace::Device::cpu) {
      out.emplace_back("cpu0");
      continue;
    }
    auto const [place, is_new] = gpus.try_emplace({w.node, w.memory}, gpus_of_node[w.node]);
    if (is_new || !w.memory.valid()) place->second = gpus_of_node[w.node]++;
    out.push_back("cuda" + std::to_string(place->second));
  }
  return out;
}

void write_machine(TextFile& out, Trace const& trace, std::vector<std::string> const& architecture) {
  std::map<std::string, std::size_t> workers;
  std::map<MemoryNodeId, std::string> by_memory;
  std::size_t number = 0;
  for (std::size_t w = 0; w < trace.workers.size(); ++w) {
    if (trace.workers[w].node != NodeId{0}) continue;
    ++workers[architecture[w]];
    by_memory[trace.workers[w].memory] += " " + std::to_string(number++);
  }
  out.put_text("%rec: worker_count\n\n");
  for (auto const& [name, count] : workers) out.put("Architecture: {}\nNbWorkers: {}\n\n", name, count);
  out.put_text("%rec: memory_workers\n\n");
  number = 0;
  for (std::size_t m = 0; m < trace.memory_nodes.size(); ++m) {
    if (trace.memory_nodes[m].node != NodeId{0}) continue;
    out.put("MemoryNode: {}\nName: {}\nSize: 0\nWorkers:{}\n\n", number++,
            starpu_name(trace.memory_nodes[m].name), by_memory[MemoryNodeId{m}]);
  }
  out.put_text("%rec: memory_performance\n\n");
}

}  // namespace

void write_starpu_platform(TextFile& out, Trace const& trace) {
  std::vector<std::string> const architecture = architectures(trace);
  write_machine(out, trace, architecture);
  struct Timing {
    std::int64_t size = 0;
    double flops = 0;
    std::vector<double> microseconds;
  };
  std::map<std::tuple<std::uint16_t, std::string, std::uint32_t>, Timing> timings;
  for (std::size_t t = 0; t < trace.task_count(); ++t) {
    WorkerId const w = trace.worker[t];
    if (!w.valid() || std::isnan(trace.end_s[t] - trace.start_s[t])) continue;
    if (trace.nodes[trace.workers[w.index()].node.index()].type != trace.nodes.front().type) continue;
    std::uint32_t const footprint = trace.footprint.empty() ? 0 : trace.footprint[t];
    Timing& timing = timings[{trace.kernel[t], architecture[w.index()], footprint}];
    if (timing.microseconds.empty()) {
      timing.size = bytes_of_task(trace, TaskId{t});
      timing.flops = trace.flops.empty() ? 0 : trace.flops[t];
    }
    timing.microseconds.push_back((trace.end_s[t] - trace.start_s[t]) * 1e6);
  }
  out.put_text("%rec: timing\n\n");
  for (auto& [key, timing] : timings) {
    auto const& [kernel, where, footprint] = key;
    SampleSummary const s = summarize(std::move(timing.microseconds));
    out.put(
        "Model: {}\nArchitecture: {}\nFootprint: {:08x}\nSize: {}\nFlops: {:e}\nMean: {:e}\nStddev: {:e}\n"
        "Samples: {}\n\n",
        starpu_name(trace.kernels[kernel].name), where, footprint, timing.size, timing.flops, s.mean,
        s.deviation, s.count);
  }
}

}  // namespace factosim
