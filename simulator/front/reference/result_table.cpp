#include "simulator/front/reference/result_table.hpp"

#include <string>
#include <utility>

namespace factosim {

namespace {

Key written(std::string name, ValueRule value, std::string meaning) {
  return {
      .name = std::move(name), .value = {std::move(value)}, .meaning = std::move(meaning), .required = true};
}

/// Returns the key of a value that only some results have.
Key sometimes(std::string name, ValueRule value, std::string meaning, std::string otherwise = "absent") {
  return {.name = std::move(name),
          .value = {std::move(value)},
          .meaning = std::move(meaning),
          .default_text = std::move(otherwise)};
}

Key seconds(std::string name, std::string meaning) {
  return written(std::move(name), rule::non_negative("s"), std::move(meaning));
}

Key count(std::string name, std::string unit, std::string meaning) {
  return written(std::move(name), rule::integer(0, INT64_MAX, std::move(unit)), std::move(meaning));
}

Key text(std::string name, std::string meaning) {
  return written(std::move(name), rule::text(), std::move(meaning));
}

ObjectKeys const& problem_bounds_table() {
  static ObjectKeys const table{
      .title = "bounds of the problem",
      .meaning = "They hold for any distribution and policy on these nodes.",
      .keys = {
          seconds("area_s", "all tasks divided over all workers, by a linear program"),
          seconds("path_s", "longest chain of tasks, each on the fastest worker of all nodes, messages free"),
          seconds("area_and_path_s",
                  "chain and area bound of the tasks that follow it, the largest of all chains")}};
  return table;
}

ObjectKeys const& distribution_bounds_table() {
  static ObjectKeys const table{
      .title = "bounds of the distribution",
      .meaning = "They hold for any policy with these owners.",
      .keys = {seconds("most_loaded_node_s", "area bound of the tasks of the most loaded node"),
               seconds("path_s", "longest chain, each task on the fastest worker of its owner"),
               seconds("path_with_messages_s", "the same, with messages between nodes"),
               seconds("load_and_path_s", "as `area_and_path_s`, for the tasks of one node"),
               sometimes("link_s", rule::non_negative("s"), "all messages over the fullest link"),
               sometimes("link", rule::text(), "name of the fullest link")}};
  return table;
}

ObjectKeys const& bounds_table() {
  static ObjectKeys const table{
      .title = "bounds",
      .meaning = "Lower bounds of the makespan, by the mean durations.",
      .keys = {seconds("abe_s", "area bound of all workers"),
               written("abe_per_node_s", rule::array({rule::non_negative("s")}),
                       "area bound of each node's tasks"),
               seconds("critical_path_s", "longest chain of tasks on their owners"),
               seconds("critical_path_with_comm_s", "the same with messages"),
               seconds("problem_s", "tightest bound for any distribution and policy, at most the makespan"),
               written("problem", rule::object(problem_bounds_table), "its parts"),
               seconds("distribution_s", "tightest bound for this distribution, at most the makespan"),
               written("distribution", rule::object(distribution_bounds_table), "its parts")}};
  return table;
}

ObjectKeys const& diagnosis_table() {
  static ObjectKeys const table{
      .title = "diagnosis",
      .meaning = "What limits the run.",
      .keys = {text("limit",
                    "constraint whose removal would shorten the run most, or `none`; `unknown` where "
                    "formulas gave the tasks"),
               written("share", rule::number(0, 1),
                       "share of the makespan that its removal would save, estimated"),
               text("text", "explanation")}};
  return table;
}

ObjectKeys const& result_node_table() {
  static ObjectKeys const table{
      .title = "node of a result",
      .meaning = "What a node did.",
      .keys = {
          count("id", "", "number of the node"), text("type", "its node type"),
          count("workers", "workers", "workers that ran tasks or could"),
          count("tasks", "tasks", "tasks that ran"),
          written("tasks_by_worker", rule::map({rule::integer(0, INT64_MAX, "tasks")}),
                  "tasks of each GPU and of all cores (`cpu`)"),
          seconds("busy_s", "sum of the durations of kernels"),
          seconds("first_task_s", "start of the first kernel"),
          seconds("last_task_s", "end of the last kernel"), seconds("activity_s", "time between them"),
          count("tiles_sent", "tiles", "tiles sent to other nodes"),
          count("tiles_received", "tiles", "tiles received from other nodes"),
          count("peak_memory_bytes", "B", "maximum size of the tiles in RAM"),
          count("over_memory_bytes", "B", "excess of the maximum over `ram_bytes`"),
          sometimes("energy_J", rule::non_negative("J"), "energy, where powers are known"),
          sometimes("energy_with_power_off_J", rule::non_negative("J"), "the same with nodes that power off"),
          sometimes("disk_read_bytes", rule::integer(0, INT64_MAX, "B"),
                    "copies from the disk of a node out of core"),
          sometimes("disk_written_bytes", rule::integer(0, INT64_MAX, "B"), "copies to it")}};
  return table;
}

ObjectKeys const& transfers_table() {
  static ObjectKeys const table{
      .title = "transfers",
      .meaning = "Copies inside nodes.",
      .keys = {count("h2d_bytes", "B", "RAM to GPU"), count("d2h_bytes", "B", "GPU to RAM"),
               count("d2d_bytes", "B", "GPU to GPU"), count("h2h_bytes", "B", "between NUMA nodes")}};
  return table;
}

ObjectKeys const& messages_table() {
  static ObjectKeys const table{
      .title = "messages",
      .meaning = "Messages between nodes of one kind.",
      .keys = {text("from", "phase that wrote the data"), text("to", "first phase that reads them"),
               text("data", "`tile`, `vector`, `accumulator` or `scalar`"),
               count("count", "messages", "number of messages"), count("bytes", "B", "their sizes")}};
  return table;
}

ObjectKeys const& energy_table() {
  auto const joules = [](char const* name, char const* meaning) {
    return written(name, rule::non_negative("J"), meaning);
  };
  static ObjectKeys const table{
      .title = "energy",
      .meaning = "Energy of all nodes.",
      .keys = {
          joules("total_J", "sum of the next two"), joules("idle_J", "every node on until the makespan"),
          joules("busy_J", "kernels, above idle"),
          joules("total_with_power_off_J", "nodes are powered off after their last task and message"),
          written("powered_off_nodes", rule::boolean(), "some node is off before the makespan"),
          sometimes("co2_g", rule::non_negative("g"), "CO2 of the total, where `co2_g_per_kWh` is given")}};
  return table;
}

ObjectKeys const& spread_table() {
  static ObjectKeys const table{
      .title = "spread",
      .meaning = "Mean and intervals of repeated simulations.",
      .keys = {written("mean", rule::non_negative(), "mean"),
               written("deviation", rule::non_negative(), "standard deviation"),
               written("ci95_low", rule::any_number(), "begin of the 95 % confidence interval of the mean"),
               written("ci95_high", rule::any_number(), "its end"),
               written("prediction_low", rule::any_number(), "begin of the prediction interval of one run"),
               written("prediction_high", rule::any_number(), "its end"),
               written("values", rule::array({rule::non_negative()}), "value of each run")}};
  return table;
}

ObjectKeys const& replicas_table() {
  static ObjectKeys const table{
      .title = "replicas",
      .meaning = "Repetitions with further seeds (`--replicas`).",
      .keys = {count("count", "runs", "number of runs"),
               written("seeds", rule::array({rule::integer(0, INT64_MAX)}), "their seeds"),
               written("interval", rule::number(0, 1), "probability of the prediction interval"),
               written("makespan_s", rule::object(spread_table), "makespans"),
               written("gflops", rule::object(spread_table), "rates")}};
  return table;
}

ObjectKeys const& sensitivity_table() {
  static ObjectKeys const table{
      .title = "sensitivity",
      .meaning = "Repetitions within the precision of the inputs (`--sensitivity`).",
      .keys = {count("count", "runs", "perturbed runs"),
               written("duration_precision", rule::number(0, 0.5), "relative precision of durations"),
               written("overhead_precision", rule::number(0, 1), "relative precision of costs"),
               written("interval", rule::number(0, 1), "probability of the prediction interval"),
               written("relative", rule::non_negative(), "half of the prediction interval over the makespan"),
               written("makespan_s", rule::object(spread_table), "makespans")}};
  return table;
}

ObjectKeys const& sampled_window_table() {
  static ObjectKeys const table{
      .title = "window of an estimate",
      .meaning = "Iterations that were simulated alone.",
      .keys = {count("first", "", "first iteration"), count("end", "", "one past the last iteration"),
               count("tasks", "tasks", "their tasks"), seconds("makespan_s", "their makespan"),
               seconds("bound_s", "its tightest bound for the distribution")}};
  return table;
}

ObjectKeys const& result_detail_table() {
  static ObjectKeys const table{
      .title = "estimate",
      .meaning =
          "How the makespan was estimated, where not every task was simulated (`detail` of the scenario).",
      .keys = {text("type", "as in the scenario"),
               written("error_relative", rule::non_negative(),
                       "expected relative error of the makespan; 0: all tasks were simulated"),
               text("error_text", "where the error comes from"),
               count("tasks_simulated", "tasks", "tasks in all windows"),
               sometimes("windows", rule::array({rule::object(sampled_window_table)}),
                         "what was simulated, in this order")}};
  return table;
}

std::vector<Key> task_graph_keys() {
  return {written("gflops", rule::non_negative("Gflop/s"), "operations over the makespan"),
          written("tasks_by_kernel", rule::map({rule::integer(0, INT64_MAX, "tasks")}), "tasks by kernel"),
          count("tiles_sent", "tiles", "tiles between nodes: one per version and destination"),
          count("bytes_sent", "B", "their sizes"),
          written("bounds", rule::object(bounds_table), "lower bounds of the makespan"),
          written("diagnosis", rule::object(diagnosis_table), "what limits the run")};
}

ObjectKeys const& simulation_table() {
  static ObjectKeys const table{
      .title = "simulation",
      .meaning = "Cost of the simulation itself, and checksums.",
      .keys = {seconds("cpu_s", "processor time"), seconds("wall_s", "elapsed time"),
               written("tasks_per_s", rule::non_negative("1/s"), "tasks per second of processor time"),
               count("peak_rss_bytes", "B", "maximum memory"),
               sometimes("checksum", rule::text(), "XXH3 (64 bits) of all other lines of the file"),
               sometimes("files", rule::map({rule::text()}), "the same of each file written beside it")}};
  return table;
}

ObjectKeys const& provenance_table() {
  static ObjectKeys const table{
      .title = "provenance",
      .meaning = "Where a result comes from.",
      .keys = {
          text("factosim", "version of the program"), text("git", "its revision"),
          text("simgrid", "version of SimGrid"), text("scenario", "path of the scenario"),
          written("settings", rule::array({rule::text()}), "what `--set` replaced"),
          count("seed", "", "seed of everything that was drawn"),
          written("options", rule::map({rule::any()}), "effective options: every key with its value"),
          sometimes("network_settings", rule::map({rule::text()}), "settings of the network's library"),
          written("timings", rule::array({rule::any()}), "sources of the durations, one for each machine"),
          sometimes("network", rule::map({rule::any()}), "source of a network that is not the machines' own"),
          sometimes("platform", rule::text(), "files of platforms that are given by name")}};
  return table;
}

}  // namespace

ObjectKeys const& result_table() {
  static ObjectKeys const table{
      .title = "result",
      .meaning = "What a run writes, `result.json`. `factosim-result`, version 1.",
      .keys = {written("format", rule::word({"factosim-result"}), "kind of the file"),
               written("version", rule::integer(1, 1), "version of the format"),
               text("name", "name of the scenario"),
               written(
                   "estimate", rule::boolean(),
                   "a timing or a machine in use is assumed, not measured, or the makespan is an estimate"),
               seconds("makespan_s", "from the first submission to the end of the last kernel"),
               count("tasks", "tasks", "tasks that ran; slices of a ring, blocks of a loop"),
               sometimes("findings", rule::array({rule::text()}, 1),
                         "oddities and omissions of the data in use"),
               written("simulation", rule::object(simulation_table), "cost of the simulation"),
               written("provenance", rule::object(provenance_table), "versions, options and sources")},
      .variants = {
          {.selector = "detail",
           .word = "",
           .keys =
               joined(task_graph_keys(),
                      {written("detail", rule::object(result_detail_table), "how the makespan was estimated"),
                       sometimes("messages", rule::array({rule::object(messages_table)}),
                                 "messages by phases, where the application has several")}),
           .meaning = "Of a task graph, estimated: what only the dates of all tasks tell is left out."},
          {.selector = "gflops",
           .word = "",
           .keys = joined(
               task_graph_keys(),
               {written("utilization", rule::non_negative(), "busy time over workers × time"),
                written("utilization_first_90", rule::non_negative(),
                        "the same of the first 90 % of the makespan"),
                seconds("activity_s", "time from the first to the last task, summed over nodes"),
                written("nodes", rule::array({rule::object(result_node_table)}), "what each node did"),
                written("transfers", rule::object(transfers_table), "copies inside nodes"),
                sometimes("messages", rule::array({rule::object(messages_table)}),
                          "messages by phases, where the application has several"),
                sometimes("energy", rule::object(energy_table), "energy, where every node has a `power`"),
                sometimes("replicas", rule::object(replicas_table), "with `--replicas`"),
                sometimes("sensitivity", rule::object(sensitivity_table), "with `--sensitivity`")}),
           .meaning = "Of a task graph."},
          {.selector = "metrics",
           .word = "",
           .keys = {written("metrics", rule::map({rule::any_number()}), "numbers by name, columns of sweeps"),
                    written("nodes", rule::array({rule::any()}), "what each processor or worker did")},
           .meaning =
               "Of a ring or a data-parallel loop; further sections are described with these applications.",
           .other_names = "^[a-z_]+$",
           .others = {rule::any()}}}};
  return table;
}

}  // namespace factosim
