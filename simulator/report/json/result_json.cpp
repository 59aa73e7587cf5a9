#include "simulator/report/json/result_json.hpp"

#include <algorithm>

namespace factosim {

namespace {

nlohmann::ordered_json counts_json(std::vector<std::pair<std::string, std::uint64_t>> const& counts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (auto const& [name, count] : counts) out[name] = count;
  return out;
}

nlohmann::ordered_json energy_json(Result::Energy const& e) {
  nlohmann::ordered_json out = {{"total_J", e.total.value},
                                {"idle_J", e.idle.value},
                                {"busy_J", e.busy.value},
                                {"total_with_power_off_J", e.total_with_power_off.value},
                                {"powered_off_nodes", e.powered_off_nodes}};
  if (e.co2) out["co2_g"] = *e.co2;
  return out;
}

nlohmann::ordered_json node_json(Result::Node const& n) {
  nlohmann::ordered_json out = {{"id", n.id},
                                {"type", n.type},
                                {"workers", n.workers},
                                {"tasks", n.tasks},
                                {"tasks_by_worker", counts_json(n.tasks_by_worker)},
                                {"busy_s", n.busy.value},
                                {"first_task_s", n.first_task.value},
                                {"last_task_s", n.last_task.value},
                                {"activity_s", n.activity.value},
                                {"tiles_sent", n.tiles_sent},
                                {"tiles_received", n.tiles_received},
                                {"peak_memory_bytes", n.peak_memory_bytes},
                                {"over_memory_bytes", n.over_memory_bytes}};
  if (n.disk) {
    out["disk_read_bytes"] = n.disk->read.value;
    out["disk_written_bytes"] = n.disk->written.value;
  }
  if (n.energy) {
    out["energy_J"] = n.energy->total.value;
    out["energy_with_power_off_J"] = n.energy->total_with_power_off.value;
  }
  return out;
}

nlohmann::ordered_json spread_json(Spread const& s) {
  return {{"mean", s.mean},
          {"deviation", s.deviation},
          {"ci95_low", s.ci95_low},
          {"ci95_high", s.ci95_high},
          {"prediction_low", s.prediction_low},
          {"prediction_high", s.prediction_high},
          {"values", s.values}};
}

nlohmann::ordered_json replicas_json(Replicas const& r) {
  return {{"count", r.seeds.size()},
          {"seeds", r.seeds},
          {"interval", r.interval},
          {"makespan_s", spread_json(r.makespan_s)},
          {"gflops", spread_json(r.gflops)}};
}

nlohmann::ordered_json sensitivity_json(Sensitivity const& s) {
  return {{"count", s.makespan_s.values.size()},
          {"duration_precision", s.duration_precision},
          {"overhead_precision", s.overhead_precision},
          {"interval", s.interval},
          {"relative", s.relative},
          {"makespan_s", spread_json(s.makespan_s)}};
}

nlohmann::ordered_json detail_json(Result::Detail const& d) {
  nlohmann::ordered_json out = {{"type", d.type},
                                {"error_relative", d.error_relative},
                                {"error_text", d.error_text},
                                {"tasks_simulated", d.tasks_simulated}};
  if (d.windows.empty()) return out;
  nlohmann::ordered_json& windows = out["windows"] = nlohmann::ordered_json::array();
  for (Result::Detail::Window const& w : d.windows)
    windows.push_back({{"first", w.first},
                       {"end", w.end},
                       {"tasks", w.tasks},
                       {"makespan_s", w.makespan.value},
                       {"bound_s", w.bound.value}});
  return out;
}

/// Adds what only a simulation of all tasks can give.
void add_dates(nlohmann::ordered_json& out, Result const& r) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (Result::Node const& node : r.nodes) nodes.push_back(node_json(node));
  out["utilization"] = r.utilization;
  out["utilization_first_90"] = r.utilization_first_90;
  out["activity_s"] = r.activity.value;
  out["nodes"] = nodes;
  out["transfers"] = {{"h2d_bytes", r.host_to_device.value},
                      {"d2h_bytes", r.device_to_host.value},
                      {"d2d_bytes", r.device_to_device.value},
                      {"h2h_bytes", r.host_to_host.value}};
}

}  // namespace

nlohmann::ordered_json bounds_json(Bounds const& b) {
  nlohmann::ordered_json per_node = nlohmann::ordered_json::array();
  for (Seconds const s : b.abe_per_node) per_node.push_back(s.value);
  nlohmann::ordered_json out = {{"abe_s", b.abe.value},
                                {"abe_per_node_s", per_node},
                                {"critical_path_s", b.critical_path.value},
                                {"critical_path_with_comm_s", b.critical_path_with_comm.value},
                                {"problem_s", b.problem().value},
                                {"problem",
                                 {{"area_s", b.abe.value},
                                  {"path_s", b.problem_path.value},
                                  {"area_and_path_s", b.problem_area_and_path.value}}},
                                {"distribution_s", b.distribution().value},
                                {"distribution",
                                 {{"most_loaded_node_s", b.most_loaded_node().value},
                                  {"path_s", b.critical_path.value},
                                  {"path_with_messages_s", b.critical_path_with_comm.value},
                                  {"load_and_path_s", b.load_and_path.value}}}};
  if (!b.link_name.empty()) {
    out["distribution"]["link_s"] = b.link.value;
    out["distribution"]["link"] = b.link_name;
  }
  return out;
}

nlohmann::ordered_json result_head(std::string const& name, bool estimate, Seconds makespan) {
  return {{"format", "factosim-result"},
          {"version", 1},
          {"name", name},
          {"estimate", estimate},
          {"makespan_s", makespan.value}};
}

void add_findings(nlohmann::ordered_json& result, std::vector<std::string> const& findings) {
  if (!findings.empty()) result["findings"] = findings;
}

nlohmann::ordered_json cost_json(Result::Cost const& c) {
  return {{"cpu_s", c.cpu_s},
          {"wall_s", c.wall_s},
          {"tasks_per_s", c.tasks_per_s},
          {"peak_rss_bytes", c.peak_rss_bytes}};
}

nlohmann::ordered_json result_json(Result const& r) {
  nlohmann::ordered_json out = result_head(r.name, r.estimate, r.makespan);
  out["gflops"] = r.gflops;
  out["tasks"] = r.tasks;
  out["tasks_by_kernel"] = counts_json(r.tasks_by_kernel);
  out["tiles_sent"] = r.tiles_sent;
  out["bytes_sent"] = r.bytes_sent.value;
  out["bounds"] = bounds_json(r.bounds);
  if (r.bounds.distribution() > r.makespan) out["bounds"]["beaten"] = true;
  out["diagnosis"] = {{"limit", r.diagnosis.limit}, {"share", r.diagnosis.share}, {"text", r.diagnosis.text}};
  if (r.detail)
    out["detail"] = detail_json(*r.detail);
  else
    add_dates(out, r);
  for (Result::Messages const& m : r.messages)
    out["messages"].push_back(
        {{"from", m.from}, {"to", m.to}, {"data", m.data}, {"count", m.count}, {"bytes", m.bytes.value}});
  if (r.energy) out["energy"] = energy_json(*r.energy);
  if (r.replicas) out["replicas"] = replicas_json(*r.replicas);
  if (r.sensitivity) out["sensitivity"] = sensitivity_json(*r.sensitivity);
  add_findings(out, r.findings);
  out["simulation"] = cost_json(r.cost);
  out["provenance"] = r.provenance;
  return out;
}

}  // namespace factosim
