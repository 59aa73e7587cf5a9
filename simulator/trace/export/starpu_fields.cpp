#include "simulator/trace/export/starpu_fields.hpp"

#include <algorithm>

namespace factosim {

namespace {

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
      used[a.handle().index() * nodes + names_.node_of(TaskId{t}).index()] = true;
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
  put_list(out, trace_.predecessors_of(t), before, between, [&](TaskId p) { out.put_text(names_.job(p)); });
}

void StarpuFields::put_shapes(TextFile& out, TaskId t, std::string_view before,
                              std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between, [&](DataAccess a) {
    out.put_text(handle(a).shape.empty() ? std::string_view("0") : std::string_view(handle(a).shape));
  });
}

void StarpuFields::put_handles(TextFile& out, TaskId t, std::string_view before,
                               std::string_view between) const {
  put_list(out, trace_.accesses_of(t), before, between,
           [&](DataAccess a) { out.put("{:x}", names_.address(a.handle())); });
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
