#include "simulator/trace/export/starvz_entities.hpp"

#include <string>

namespace factosim {

namespace {

class EntitiesText {
 public:
  EntitiesText(TextFile& out, Trace const& trace, StarpuNames const& names)
      : out_(out), trace_(trace), names_(names) {}

  void write() {
    out_.put_text("Parent, Name, Type, Nature\n0, 0, 0, Container\n0, root, MPI Program, Container\n");
    kind("root", "MPI communication", "Link");
    for (std::uint32_t n = 0; n < trace_.nodes.size(); ++n) node(NodeId{n});
  }

 private:
  void container(std::string const& parent, std::string const& name, char const* type) {
    out_.put("{}, {}, {}, Container\n", parent, name, type);
  }
  void kind(std::string const& parent, char const* name, char const* nature) {
    out_.put("{0}, {1}, {1}, {2}\n", parent, name, nature);
  }

  void node(NodeId n) {
    std::string const program = names_.prefix(n) + "program";
    container("root", program, "Program");
    kind(program, "Intra-node data Fetch", "Link");
    if (trace_.nodes.size() > 1) {
      std::string const thread = names_.prefix(n) + "mpict";
      container(program, thread, "MPI Communication Thread");
      kind(thread, "Communication Thread State", "State");
    }
    std::string const scheduler = names_.prefix(n) + "scheduler";
    container(program, scheduler, "Scheduler State");
    kind(scheduler, "Number of Ready Tasks", "Variable");
    kind(scheduler, "Number of Submitted Uncompleted Tasks", "Variable");
    bool any = false;
    for (std::uint32_t m = 0; m < trace_.memory_nodes.size(); ++m)
      if (trace_.memory_nodes[m].node == n) any = true, memory(program, n, MemoryNodeId{m});
    if (!any) workers(program, n, MemoryNodeId{});
  }

  void memory(std::string const& program, NodeId n, MemoryNodeId m) {
    std::string const parent = fmt::format("{}MEMNODE{}", names_.prefix(n), names_.memory_number(m));
    container(program, parent, "Memory Node");
    std::string const manager = names_.memory_manager(m);
    container(parent, manager, "Memory Manager");
    kind(manager, "Memory Node State", "State");
    workers(parent, n, m);
  }

  void workers(std::string const& parent, NodeId n, MemoryNodeId m) {
    for (std::uint32_t w = 0; w < trace_.workers.size(); ++w) {
      if (trace_.workers[w].node != n || trace_.workers[w].memory != m) continue;
      std::string const thread = fmt::format("{}T{}", names_.prefix(n), names_.worker_number(WorkerId{w}));
      std::string const& worker = names_.worker(WorkerId{w});
      container(parent, thread, "Thread");
      container(thread, worker, "Worker");
      kind(worker, "Worker State", "State");
      kind(worker, "GFlops", "Variable");
    }
  }

  TextFile& out_;
  Trace const& trace_;
  StarpuNames const& names_;
};

}  // namespace

void write_starvz_entities(TextFile& out, Trace const& trace, StarpuNames const& names) {
  EntitiesText(out, trace, names).write();
}

}  // namespace factosim
