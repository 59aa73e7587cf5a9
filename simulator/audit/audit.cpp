#include "simulator/audit/audit.hpp"

#include "simulator/audit/data_flow.hpp"
#include "simulator/audit/flow_checks.hpp"
#include "simulator/audit/link_checks.hpp"
#include "simulator/audit/memory_checks.hpp"
#include "simulator/audit/summary_checks.hpp"
#include "simulator/audit/task_checks.hpp"

namespace factosim::audit {

namespace {

/// Names the checks that nothing can be said about.
void skip_trace_checks(AuditReport& report, std::string const& why) {
  for (auto const& [name, rule] :
       {std::pair{"owner", "each task runs on the node that owns what it writes"},
        std::pair{"worker", "each task runs on a worker that can run its kernel"},
        std::pair{"overlap", "no two tasks run on a worker at once"},
        std::pair{"submission", "no task starts before it was submitted"},
        std::pair{"barriers", "no task starts before all tasks before its barrier have ended"},
        std::pair{"durations", "kernels last what the timings say, as far as noise allows"},
        std::pair{"dependencies", "no task starts before those that it depends on have ended"},
        std::pair{"messages", "each version goes to each node that needs it, as often as it does"},
        std::pair{"inputs", "what a task reads is in its worker's memory while it runs"},
        std::pair{"sources", "what is copied or sent is where it leaves from"},
        std::pair{"bandwidth", "no transfer is faster than its route"},
        std::pair{"links", "no link carries more than its bandwidth in any span of time"},
        std::pair{"sends", "no node sends more messages at once than it may, nor do all together"},
        std::pair{"memory", "no memory holds more than tiles may use of it"},
        std::pair{"places", "what a task works on has a place in its worker's memory"}})
    report.check(name, rule).skip(why);
}

}  // namespace

AuditReport audit(AuditedRun const& run) {
  AuditReport report;
  RunView view(run);
  check_tasks(view, report);
  DataFlow const flow = data_flow(run.graph, view.home);
  if (!view.aligned) {
    skip_trace_checks(report, run.trace == nullptr ? "the run kept no run.trace"
                                                   : "the trace is not of this scenario's tasks and machine");
  } else {
    check_executions(view, report);
    check_dependencies(view, flow, report);
    check_messages(view, flow, report);
    check_replicas(view, flow, report);
    check_links(view, report);
    check_memory(view, report);
  }
  check_summary(view, flow, report);
  return report;
}

}  // namespace factosim::audit
