#include <algorithm>
#include <array>

#include "factosim/error.hpp"
#include "simulator/audit/rules/checks.hpp"

namespace factosim::audit {

namespace {

struct Rule {
  std::string_view check;
  std::string_view description;
  bool by_trace;  // skipped without a trace
};

constexpr std::array rules{
    Rule{"machine", "the trace's nodes and workers are the platform's", false},
    Rule{"tasks", "every task of the application has run once", false},
    Rule{"graph", "the task graph is that of the application's paper", false},
    Rule{"map", "the map is that of its distribution, and data belong to the owners of their tiles", false},
    Rule{"owner", "each task runs on the node that owns what it writes", true},
    Rule{"worker", "each task runs on a worker that can run its kernel", true},
    Rule{"overlap", "no two tasks run on a worker at once", true},
    Rule{"submission", "tasks are submitted at their costs, and start afterwards", true},
    Rule{"barriers", "no task starts before all tasks before its barrier have ended", true},
    Rule{"durations", "kernels last what the timings say, as far as noise allows", true},
    Rule{"dependencies", "no task starts before those that it depends on have ended", true},
    Rule{"messages", "each version goes to each node that needs it, as often as it does, after it exists",
         true},
    Rule{"posts",
         "no message starts before both its nodes have submitted its first reader, or before the copy "
         "that it overwrites is used",
         true},
    Rule{"inputs", "what a task reads is in its worker's memory while it runs", true},
    Rule{"sources", "what is copied or sent is where it leaves from", true},
    Rule{"bandwidth", "no transfer is faster than its route", true},
    Rule{"links", "no link carries more than its bandwidth in any span of time", true},
    Rule{"fairness", "each transfer ends when fair shares of its links say", true},
    Rule{"overheads", "no task starts before the runtime system can have pushed and launched it", true},
    Rule{"sends", "no node sends more messages at once than it may, nor do all together", true},
    Rule{"wire", "messages of a pair of nodes follow each other",
         false},  // only where the wire is not shared
    Rule{"memory", "no memory holds more than data may use of it", true},
    Rule{"places", "what a task reads and writes has a place in its worker's memory while it runs", true},
    Rule{"summary", "the numbers of result.json are those of the run", false},
    Rule{"bounds", "the makespan is no less than any bound", false},
    Rule{"files", "the files are those that the run wrote, by their checksums", false},
    Rule{"repetition", "simulated again, the scenario gives the same files", false},
};

}  // namespace

Check& AuditReport::check(std::string_view name) {
  for (Check& c : checks_)
    if (c.name == name) return c;
  auto const rule = std::ranges::find(rules, name, &Rule::check);
  FACTOSIM_ALWAYS(rule != rules.end(), "a check without a rule");
  return checks_.emplace_back(
      Check{.name = std::string(name), .rule = std::string(rule->description), .skipped = {}});
}

void AuditReport::skip_trace_checks(std::string const& why) {
  for (Rule const& rule : rules)
    if (rule.by_trace) check(rule.check).skip(why);
}

AuditReport audit(AuditedRun const& run) {
  AuditReport report;
  RunView view(run);
  check_tasks(view, report);
  check_graph(view, report);
  check_map(view, report);
  DataFlow flow = data_flow(run.graph, view.home);
  for (auto const& [before, after] : run.explicit_edges)
    if (view.home[before.index()] == view.home[after.index()])  // others are data of 0 bytes
      flow.edges.push_back({before.value(), after.value()});
  if (run.stated != nullptr)  // a task that overwrites its node's copy follows those that read it
    for (DataFlow::Edge const& edge : data_flow(*run.stated, view.home).edges)
      if (view.home[edge.before] == view.home[edge.after]) flow.edges.push_back(edge);
  if (!view.aligned) {
    report.skip_trace_checks(run.trace == nullptr ? "the run kept no run.trace"
                                                  : "the trace is not of this scenario's tasks and machine");
  } else {
    check_executions(view, report);
    check_dependencies(view, flow, report);
    check_messages(view, flow, report);
    check_posts(view, flow, report);
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
