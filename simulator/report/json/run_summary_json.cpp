#include "simulator/report/json/run_summary_json.hpp"

#include <cmath>

namespace factosim {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json summary_node_json(RunSummary::Node const& n) {
  return {{"name", n.name},
          {"type", n.type},
          {"workers", n.workers},
          {"tasks", n.tasks},
          {"busy_s", n.busy_s},
          {"idle_s", n.idle_s},
          {"first_task_s", number_or_null(n.first_task_s)},
          {"last_task_s", number_or_null(n.last_task_s)},
          {"abe_s", number_or_null(n.abe_s)}};
}

Json breakdown_kernels_json(TimeBreakdown const& breakdown) {
  Json kernels = Json::array();
  for (auto const& [key, kernel] : breakdown.kernels)
    kernels.push_back({{"kernel", key.first},
                       {"resource", key.second},
                       {"tasks", kernel.tasks},
                       {"seconds", kernel.seconds}});
  return kernels;
}

}  // namespace factosim
