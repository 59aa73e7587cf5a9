#include "simulator/tasks/plan/options.hpp"

#include <algorithm>

#include "factosim/error.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

std::vector<std::uint32_t> unrolled_tasks(TaskGraph const& graph, ExecutionPlan const& plan,
                                          Unrolling unrolling) {
  FACTOSIM_EXPECT(unrolling != Unrolling::whole, "every node unrolls all tasks: their numbers tell");
  std::vector<NodeId> owner = last_owners(graph, plan);
  for (std::uint32_t t = 0; t < graph.task_count();
       ++t)  // temporary data have left their owner's memory at the end
    for (DataAccess const access : graph.accesses_of(TaskId{t}))
      if (writes(access.mode()) && graph.handles[access.handle().index()].temporary)
        owner[access.handle().index()] = plan.node_of(TaskId{t});
  std::vector<std::uint32_t> out(graph.task_count());
  std::vector<std::uint32_t> unrolled(plan.first_task.size() - 1, 0);  // [nodes]
  std::vector<NodeId> concerned;                                       // by the current task
  auto barrier = graph.barriers.begin();
  for (TaskId const task : in_submission_order(graph)) {
    if (barrier != graph.barriers.end() && graph.submission_number(task) == *barrier) {
      std::fill(unrolled.begin(), unrolled.end(), 0);
      ++barrier;
    }
    NodeId const home = plan.node_of(task);
    concerned.assign(1, home);
    if (unrolling == Unrolling::pruned)
      for (DataAccess const access : graph.accesses_of(task)) {
        NodeId const node = owner[access.handle().index()];
        if (node.valid() && std::find(concerned.begin(), concerned.end(), node) == concerned.end())
          concerned.push_back(node);
      }
    for (NodeId const node : concerned) ++unrolled[node.index()];
    out[task.index()] = unrolled[home.index()];
  }
  return out;
}

}  // namespace factosim
