#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

using Key = std::tuple<HandleId, std::uint32_t, NodeId>;  // handle, version, receiver

std::string name_of_message(RunView const& view, Trace::Message const& m) {
  return fmt::format("message with {} from node {} to node {}", view.name_of_handle(m.handle), m.from.value(),
                     m.to.value());
}

bool writes_handle(TaskGraph const& graph, TaskId task, HandleId handle) {
  return std::ranges::any_of(graph.accesses_of(task),
                             [&](DataAccess a) { return a.handle() == handle && writes(a.mode()); });
}

/// Which memories GpuDirect lets a message leave and reach. Without barriers an output leaves as soon as it is written.
void check_memories(RunView const& view, Trace::Message const& m, Check& check) {
  MemoryNodeId const from = view.memory_of(m.from_memory, m.from), to = view.memory_of(m.to_memory, m.to);
  GpuDirect const direct = view.run.platform.network.gpu_direct;
  auto const add = [&](std::string what, std::string expected) {
    check.add({std::move(what), name_of_message(view, m), std::move(expected), m.consumer, m.start_s});
  };
  if (view.memory_owner(from) != m.from || view.memory_owner(to) != m.to)
    return add("leaves or reaches a memory of another node", "memories of its nodes");
  bool const on_gpu = direct != GpuDirect::none && view.ran(m.producer.index()) &&
                      view.worker(m.producer.index()).device == Trace::Device::gpu &&
                      view.is_gpu_memory(view.worker(m.producer.index()).memory);
  MemoryNodeId const written = on_gpu ? view.worker(m.producer.index()).memory : view.ram_of(m.from);
  if (from != written && (view.run.graph.barriers.empty() || from != view.ram_of(m.from)))
    add(fmt::format("leaves {}", view.name_of_memory(from)), view.name_of_memory(written));
  MemoryNodeId const nearest{view.ram_of(m.to).value() + static_cast<std::uint32_t>(view.routes.arrival(
                                                             m.from, m.to, view.local_memory(from)))};
  if (to != view.ram_of(m.to) && to != nearest)
    add(fmt::format("reaches {}", view.name_of_memory(to)), view.name_of_memory(nearest));
}

void check_content(RunView const& view, Trace::Message const& m, Check& check) {
  TaskGraph const& graph = view.run.graph;
  auto const add = [&](std::string what, std::string expected) {
    check.add({std::move(what), name_of_message(view, m), std::move(expected), m.consumer, m.start_s});
  };
  Bytes const size = graph.handles[m.handle.index()].size;
  if (m.size != size) add(fmt::format("has {} bytes", m.size.value), fmt::format("{} bytes", size.value));
  check_memories(view, m, check);
  if (m.end_s < m.start_s) add("arrives before it leaves", "an arrival after the departure");
  if (!m.producer.valid() || !writes_handle(graph, m.producer, m.handle))
    return add("says that another task wrote it", "a task that writes it");
  if (!m.consumer.valid() || !graph.reads_handle(m.consumer, m.handle))
    add("is for a task that does not read it", "a reader");
  else if (view.home[m.consumer.index()] != m.to)
    add("is for a task of another node", fmt::format("a reader on node {}", m.to.value()));
  if (view.ran(m.producer.index()) && m.start_s < view.end_s(m.producer.index()) - view.tie_s)
    add("leaves before its data exist",
        fmt::format("not before {:.9g} s, the end of {}", view.end_s(m.producer.index()),
                    view.name_of_task(m.producer.index())));
}

}  // namespace

void check_dependencies(RunView const& view, DataFlow const& flow, AuditReport& report) {
  Check& check = report.check("dependencies");
  for (DataFlow::Edge const& e : flow.edges) {
    if (!view.ran(e.before) || !view.ran(e.after)) continue;
    ++check.cases;
    if (view.start_s(e.after) < view.end_s(e.before) - view.tie_s)
      check.add({fmt::format("starts before {} has ended", view.name_of_task(e.before)),
                 view.name_of_task(e.after), fmt::format("not before {:.9g} s", view.end_s(e.before)),
                 TaskId{e.after}, view.start_s(e.after)});
  }
}

void check_messages(RunView const& view, DataFlow const& flow, AuditReport& report) {
  Check& check = report.check("messages");
  std::map<Key, std::int64_t> left;  // needed - sent
  std::map<Key, std::uint32_t> consumer;
  for (DataFlow::Message const& m : flow.messages) {
    ++left[{m.handle, m.version, m.to}];
    consumer.try_emplace({m.handle, m.version, m.to}, m.consumer);
  }
  for (Trace::Message const& m : view.run.trace->messages) {
    ++check.cases;
    if (!m.handle.valid()) {
      check.add({"carries nothing that is known", "a message", "a handle", m.consumer, m.start_s});
      continue;
    }
    check_content(view, m, check);
    if (--left[{m.handle, m.producer.value(), m.to}] < 0)
      check.add({"goes to a node that does not need it, or goes once too often", name_of_message(view, m),
                 "one for each version and node", m.consumer, m.start_s});
  }
  for (auto const& [key, count] : left)
    if (count > 0) {
      std::uint32_t const reader = consumer.at(key);
      check.add({fmt::format("lacks {} message(s) with {}", count, view.name_of_handle(std::get<0>(key))),
                 view.name_of_task(reader),
                 fmt::format("one from the node of {}", view.name_of_task(std::get<1>(key))),
                 TaskId{reader}});
    }
}

}  // namespace factosim::audit
