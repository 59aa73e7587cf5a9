#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

AuditReport audit(AuditedRun const& run) {
  AuditReport report;
  RunView view(run);
  check_tasks(view, report);
  check_graph(view, report);
  check_map(view, report);
  DataFlow flow = data_flow(run.graph, view.home);
  for (auto const& [before, after] : run.explicit_edges)
    if (view.home[before.index()] == view.home[after.index()])  // others are data of 0 bytes
      flow.edges.push_back({before.value(), after.value(), false});
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
