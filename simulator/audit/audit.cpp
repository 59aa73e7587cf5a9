#include "simulator/audit/checks.hpp"

namespace factosim::audit {

AuditReport audit(AuditedRun const& run) {
  AuditReport report;
  RunView view(run);
  check_tasks(view, report);
  check_graph(view, report);
  check_map(view, report);
  DataFlow const flow = data_flow(run.graph, view.home);
  if (!view.aligned) {
    report.skip_trace_checks(run.trace == nullptr ? "the run kept no run.trace"
                                                  : "the trace is not of this scenario's tasks and machine");
  } else {
    check_columns(view, flow, report);
    check_executions(view, report);
    check_dependencies(view, flow, report);
    check_messages(view, flow, report);
    check_replicas(view, flow, report);
    check_links(view, report);
    check_fairness(view, report);
    check_overheads(view, flow, report);
    check_memory(view, report);
  }
  check_summary(view, flow, report);
  return report;
}

}  // namespace factosim::audit
