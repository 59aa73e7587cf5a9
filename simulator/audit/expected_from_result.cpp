#include <fmt/format.h>

#include <cmath>

#include "simulator/audit/expected_result.hpp"

namespace factosim::audit {

namespace {

using Json = nlohmann::json;

double number(Json const& json, std::string const& pointer) {
  Json::json_pointer const at(pointer);
  return json.contains(at) && json.at(at).is_number() ? json.at(at).get<double>() : std::nan("");
}

/// Sum of one member over all nodes.
double sum_of_nodes(Json const& result, std::size_t nodes, char const* member) {
  double sum = 0;
  for (std::size_t n = 0; n < nodes; ++n) sum += number(result, fmt::format("/nodes/{}/{}", n, member));
  return sum;
}

void expect_spread(Json const& result, std::string const& at, ExpectedResult& out) {
  Json::json_pointer const pointer(at + "/values");
  if (!result.contains(pointer) || !result.at(pointer).is_array() || result.at(pointer).empty()) return;
  auto const values = result.at(pointer).get<std::vector<double>>();
  double sum = 0, squares = 0;
  for (double const v : values) sum += v;
  double const mean = sum / static_cast<double>(values.size());
  for (double const v : values) squares += (v - mean) * (v - mean);
  out[at + "/mean"].value = mean;
  if (values.size() > 1)
    out[at + "/deviation"].value = std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

void expect_from_result(RunView const& view, ExpectedResult& out) {
  Json const& result = view.run.result;
  std::size_t const nodes = view.run.platform.nodes.size();
  auto const expect = [&](std::string const& at, double value) {
    if (!out.contains(at) && !std::isnan(value)) out[at].value = value;
  };
  double const makespan = number(result, "/makespan_s");
  double workers = 0;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::string const at = fmt::format("/nodes/{}", n);
    workers += static_cast<double>(view.machine.workers(NodeId{n}).size());
    expect(at + "/activity_s", number(result, at + "/last_task_s") - number(result, at + "/first_task_s"));
  }
  if (view.run.total_flops) expect("/gflops", view.run.total_flops->value / makespan / 1e9);
  expect("/utilization", sum_of_nodes(result, nodes, "busy_s") / (workers * makespan));
  expect("/activity_s", sum_of_nodes(result, nodes, "activity_s"));
  for (char const* const spread : {"/replicas/makespan_s", "/replicas/gflops"})
    expect_spread(result, spread, out);
  if (result.contains(Json::json_pointer("/replicas/makespan_s/values/0"))) {
    expect("/replicas/makespan_s/values/0", makespan);
    expect("/replicas/gflops/values/0", number(result, "/gflops"));
    expect("/replicas/count", static_cast<double>(result["replicas"]["makespan_s"]["values"].size()));
  }
}

}  // namespace factosim::audit
