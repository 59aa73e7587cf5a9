#include "simulator/report/json/run_summary_json.hpp"

namespace factosim {

nlohmann::ordered_json summary_node_json(RunSummary::Node const& n) {
  return {{"name", n.name},
          {"type", n.type},
          {"workers", n.workers},
          {"tasks", n.tasks},
          {"busy_s", n.busy_s},
          {"idle_s", n.idle_s},
          {"first_task_s", n.first_task_s},
          {"last_task_s", n.last_task_s},
          {"abe_s", n.abe_s}};
}

}  // namespace factosim
