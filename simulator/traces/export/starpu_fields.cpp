#include "simulator/traces/export/starpu_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "simulator/base/core/plain_names.hpp"

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

/// Returns the address in the source; the number of the handle, from 1, if that has none.
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

template <class Values, class Write>
void put_list(TextFile& out, Values const& values, std::string_view before, std::string_view between,
              Write const& write) {
  out.put_text(before);
  bool first = true;
  for (auto const value : values) {
    if (!first) out.put_text(between);
    first = false;
    write(value);
  }
}

}  // namespace

char const* starpu_mode(Access mode) {
  constexpr char const* names[] = {"", "R", "W", "RW"};
  return names[static_cast<std::size_t>(mode)];
}

std::string starpu_name(std::string_view name) { return name_in_line(name, "\","); }

StarpuFields::StarpuFields(Trace const& trace, bool ranks)
    : trace_(trace),
      ranks_(ranks || trace.nodes.size() > 1),
      own_tags_(have_tags(trace)),
      own_addresses_(have_addresses(trace)) {
  struct Count {
    std::uint32_t workers = 0, memories = 0;
    std::size_t cpus = 0, gpus = 0;
  };
  for (Kernel const& k : trace.kernels) kernel_.push_back(starpu_name(k.name));
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

std::string StarpuFields::prefix(NodeId node) const {
  return ranks_ ? std::to_string(node.value()) + "_" : std::string{};
}

std::string StarpuFields::memory_manager(MemoryNodeId m) const {
  return fmt::format("{}MEMMANAGER{}", prefix(trace_.memory_nodes[m.index()].node), memory_number(m));
}

NodeId StarpuFields::node_of(TaskId t) const {
  WorkerId const w = trace_.worker[t.index()];
  return w.valid() ? trace_.workers[w.index()].node : NodeId{0};
}

std::string StarpuFields::job(TaskId t) const {
  std::uint32_t const own = value_of(trace_.job, t);
  return prefix(node_of(t)) + std::to_string(own > 0 ? own : t.value() + 1);
}

std::uint64_t StarpuFields::address(HandleId h) const {
  return own_addresses_ ? own_address(trace_, h.index()) : h.value() + std::uint64_t{1};
}

std::int64_t StarpuFields::mpi_tag(HandleId h) const {
  return own_tags_ ? trace_.handles[h.index()].tag : h.value();
}

std::int64_t bytes_of_task(Trace const& trace, TaskId task) {
  std::int64_t size = 0;
  for (DataAccess const& access : trace.accesses_of(task))
    size += std::max<std::int64_t>(trace.handles[access.handle().index()].size.value, 0);
  return size;
}

std::vector<std::vector<NodeId>> StarpuFields::nodes_of_handles() const {
  std::size_t const nodes = trace_.nodes.size();
  std::vector<bool> used(trace_.handles.size() * nodes, false);
  for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
    for (DataAccess const a : trace_.accesses_of(TaskId{t}))
      used[a.handle().index() * nodes + node_of(TaskId{t}).index()] = true;
  std::vector<std::vector<NodeId>> out(trace_.handles.size());
  for (std::size_t h = 0; h < out.size(); ++h) {
    NodeId const owner = trace_.handles[h].owner;
    if (owner.valid()) out[h].push_back(owner);
    for (std::uint32_t n = 0; n < nodes; ++n)
      if (used[h * nodes + n] && NodeId{n} != owner) out[h].emplace_back(n);
    if (out[h].empty()) out[h].emplace_back(0);
  }
  return out;
}

void StarpuFields::put_predecessors(TextFile& out, TaskId t, std::string_view before,
                                    std::string_view between) const {
  put_list(out, trace_.predecessors_of(t), before, between, [&](TaskId p) { out.put_text(job(p)); });
}

void StarpuFields::put_shapes(TextFile& out, TaskId t, std::string_view before,
                              std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between, [&](DataAccess a) {
    out.put_text(handle(a).shape.empty() ? "0" : name_in_line(handle(a).shape, " \","));
  });
}

void StarpuFields::put_handles(TextFile& out, TaskId t, std::string_view before,
                               std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between,
           [&](DataAccess a) { out.put("{:x}", address(a.handle())); });
}

void StarpuFields::put_modes(TextFile& out, TaskId t, std::string_view before,
                             std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between,
           [&](DataAccess a) { out.put_text(starpu_mode(a.mode())); });
}

void StarpuFields::put_sizes(TextFile& out, TaskId t, std::string_view before,
                             std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between,
           [&](DataAccess a) { out.put("{}", std::max<std::int64_t>(handle(a).size.value, 0)); });
}

}  // namespace factosim
