#include "simulator/trace/export/starpu_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace factosim {

namespace {

/// Returns the worker's name without its kind ("cpu12" -> "12", "cuda0_1" -> "0_1"), or nothing.
std::string number_in(std::string const& name, std::string_view kind) {
  if (!name.starts_with(kind) || name.size() == kind.size()) return {};
  std::string rest = name.substr(kind.size());
  bool const plain =
      std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '_'; });
  return plain ? rest : std::string{};
}

/// `before`: number of workers of its kind that precede it on its node.
std::string starpu_worker(Trace::Worker const& worker, std::size_t before) {
  bool const gpu = worker.device == Trace::Device::gpu;
  std::string number = number_in(worker.name, gpu ? "cuda" : "cpu");
  if (number.empty()) number = std::to_string(before);
  if (!gpu) return "CPU" + number;
  return "CUDA" + number + (number.find('_') == std::string::npos ? "_0" : "");
}

/// Address of the source; the number of the handle, from 1, if that has none.
std::uint64_t own_address(Trace const& trace, std::size_t handle) {
  std::uint64_t const address = trace.handles[handle].address;
  return address > 0 ? address : handle + std::uint64_t{1};
}

/// Nodes that run the same program may give the same address to different handles.
bool have_addresses(Trace const& trace) {
  std::vector<std::uint64_t> addresses;
  for (std::size_t h = 0; h < trace.handles.size(); ++h) addresses.push_back(own_address(trace, h));
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) == addresses.end();
}

bool have_tags(Trace const& trace) {
  return trace.nodes.size() == 1 || std::all_of(trace.handles.begin(), trace.handles.end(),
                                                [](Trace::Handle const& h) { return h.tag >= 0; });
}

}  // namespace

StarpuNames::StarpuNames(Trace const& trace, bool ranks)
    : trace_(trace),
      ranks_(ranks || trace.nodes.size() > 1),
      own_tags_(have_tags(trace)),
      own_addresses_(have_addresses(trace)) {
  struct Count {
    std::uint32_t workers = 0, memories = 0;
    std::size_t cpus = 0, gpus = 0;
  };
  std::vector<Count> count(trace.nodes.size());
  for (Trace::MemoryNode const& m : trace.memory_nodes)
    memory_number_.push_back(count[m.node.index()].memories++);
  for (Trace::Worker const& w : trace.workers) {
    Count& c = count[w.node.index()];
    worker_number_.push_back(c.workers++);
    std::size_t const before = w.device == Trace::Device::gpu ? c.gpus++ : c.cpus++;
    worker_.push_back(prefix(w.node) + starpu_worker(w, before));
  }
}

std::string StarpuNames::prefix(NodeId node) const {
  return ranks_ ? std::to_string(node.value()) + "_" : std::string{};
}

std::string StarpuNames::memory_manager(MemoryNodeId m) const {
  return fmt::format("{}MEMMANAGER{}", prefix(trace_.memory_nodes[m.index()].node), memory_number(m));
}

NodeId StarpuNames::node_of(TaskId t) const {
  WorkerId const w = trace_.worker[t.index()];
  return w.valid() ? trace_.workers[w.index()].node : NodeId{0};
}

std::string StarpuNames::job(TaskId t) const {
  std::uint32_t const own = trace_.job.empty() ? 0 : trace_.job[t.index()];
  return job(node_of(t), own > 0 ? own : t.value() + 1);
}

std::uint64_t StarpuNames::address(HandleId h) const {
  return own_addresses_ ? own_address(trace_, h.index()) : h.value() + std::uint64_t{1};
}

std::int64_t StarpuNames::tag(HandleId h) const {
  return own_tags_ ? trace_.handles[h.index()].tag : h.value();
}

char const* starpu_mode(Access mode) {
  constexpr char const* names[] = {"", "R", "W", "RW"};
  return names[static_cast<std::size_t>(mode)];
}

}  // namespace factosim
