#include "simulator/studies/sweep/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "factosim/error.hpp"
#include "simulator/base/core/suggestion.hpp"

namespace factosim {

namespace {

using Cell = Table::Cell;

/// Columns that are copied from the result.
struct Metric {
  char const* column;
  char const* pointer;
};
constexpr std::array metrics{
    Metric{"makespan_s", "/makespan_s"},
    Metric{"gflops", "/gflops"},
    Metric{"abe_s", "/bounds/abe_s"},
    Metric{"critical_path_s", "/bounds/critical_path_s"},
    Metric{"critical_path_with_comm_s", "/bounds/critical_path_with_comm_s"},
    Metric{"problem_s", "/bounds/problem_s"},
    Metric{"distribution_s", "/bounds/distribution_s"},
    Metric{"tasks", "/tasks"},
    Metric{"tiles_sent", "/tiles_sent"},
    Metric{"bytes_sent", "/bytes_sent"},
    Metric{"utilization", "/utilization"},
    Metric{"utilization_first_90", "/utilization_first_90"},
    Metric{"activity_s", "/activity_s"},
    Metric{"h2d_bytes", "/transfers/h2d_bytes"},
    Metric{"d2h_bytes", "/transfers/d2h_bytes"},
    Metric{"d2d_bytes", "/transfers/d2d_bytes"},
    Metric{"energy_J", "/energy/total_J"},
    Metric{"energy_with_power_off_J", "/energy/total_with_power_off_J"},
    Metric{"co2_g", "/energy/co2_g"},
};

/// Adds derived columns of runs of task graphs.
template <class Add>
void add_derived(Cell const& result, Add add) {
  double const abe = result["bounds"]["abe_s"], makespan = result["makespan_s"];
  auto const loads = result["bounds"]["abe_per_node_s"].get<std::vector<double>>();
  add("abe_of_most_loaded_s", loads.empty() ? abe : *std::max_element(loads.begin(), loads.end()));
  if (result["bounds"].contains("problem_s")) {  // not in points of older versions
    double const bound = result["bounds"]["problem_s"];
    add("bound_s", bound);
    add("efficiency", bound / makespan);
  }
  add("node_hours", makespan * static_cast<double>(loads.size()) / 3600);
  if (result.contains("detail")) return;  // an estimate, without nodes
  double peak = 0;
  for (Cell const& node : result["nodes"]) peak = std::max(peak, node["peak_memory_bytes"].get<double>());
  add("peak_memory_bytes", static_cast<std::int64_t>(peak));
}

/// Builds a table. Columns are added when they are first set; cells that were never set are empty.
class Rows {
 public:
  void next() { table_.rows.emplace_back(); }
  void set(std::string const& column, Cell value) {
    auto const found = table_.find(column);
    std::size_t const place = found ? *found : table_.columns.size();
    if (!found) table_.columns.push_back(column);
    auto& row = table_.rows.back();
    if (row.size() <= place) row.resize(place + 1);
    row[place] = std::move(value);
  }
  Table finish(std::vector<std::string> parameters) {
    for (auto& row : table_.rows) row.resize(table_.columns.size());
    table_.parameters = std::move(parameters);
    return std::move(table_);
  }

 private:
  Table table_;
};

std::string column_of(SweepSetting const& setting) { return setting.pointer.substr(1); }

/// Returns all parameter columns, in the order of their first points.
std::vector<std::string> parameters_of(Sweep const& sweep) {
  std::vector<std::string> out;
  auto const add = [&](std::string const& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (SweepPoint const& point : sweep.points) {
    for (SweepSetting const& s : point.settings) add(column_of(s));
    for (auto const& [name, value] : point.labels) add(name);
  }
  return out;
}

void set_parameters(Rows& rows, SweepPoint const& point, std::set<std::string> const& types) {
  for (SweepSetting const& s : point.settings) rows.set(column_of(s), s.shown);
  for (auto const& [name, value] : point.labels) rows.set(name, value);
  std::int64_t nodes = 0;
  for (auto const& [type, count] : point.nodes) nodes += count;
  rows.set("nodes", nodes);
  for (std::string const& type : types) {
    auto const count = point.nodes.find(type);
    rows.set("nodes_" + type, count == point.nodes.end() ? 0 : count->second);
  }
}

void set_metrics(Rows& rows, Cell const& result) {
  for (Metric const& metric : metrics) {
    Cell::json_pointer const at(metric.pointer);
    rows.set(metric.column, result.contains(at) ? result[at] : Cell());
  }
  if (result.contains("bounds"))
    add_derived(result, [&](char const* column, auto value) { rows.set(column, value); });
  if (result.contains("metrics"))  // of a study
    for (auto const& [column, value] : result["metrics"].items()) rows.set(column, value);
  rows.set("estimate", result["estimate"]);
  if (result.contains("detail")) rows.set("error_relative", result["detail"]["error_relative"]);
}

std::vector<std::string> values_of(Table const& table, std::string const& column) {
  std::vector<std::string> out;
  std::size_t const c = *table.find(column);
  for (auto const& row : table.rows)
    if (std::string const text = cell_text(row[c]); std::find(out.begin(), out.end(), text) == out.end())
      out.push_back(text);
  return out;
}

void check(Sweep const& sweep, std::size_t index, SweepComparison const& asked, Table const& table) {
  std::string const where = fmt::format("{}#/comparisons/{}", sweep.file.string(), index);
  for (std::string const& column : {asked.of, asked.x, asked.metric}) require_column(table, where, column);
  auto const values = values_of(table, asked.of);
  if (std::find(values.begin(), values.end(), asked.baseline) == values.end())
    throw InputError(where, fmt::format("has the baseline \"{}\" (the column {} has no such value). {}",
                                        asked.baseline, asked.of, use_one_of(asked.baseline, values)));
}

}  // namespace

void require_column(Table const& table, std::string const& where, std::string const& column,
                    std::string_view also) {
  if (table.find(column)) return;
  throw InputError(where, fmt::format("names the column \"{}\" (there is none of that name). {}{}", column,
                                      use_one_of(column, table.columns), also));
}

SweepResults collect(Sweep const& sweep, PointStore const& store) {
  Cell::json_pointer const version_at("/provenance/factosim"), revision_at("/provenance/git");
  SweepResults out;
  Rows rows;
  std::set<std::string> types;
  for (SweepPoint const& point : sweep.points)
    for (auto const& [type, count] : point.nodes) types.insert(type);
  auto parameters = parameters_of(sweep);
  rows.next();  // columns in a fixed order, whatever failed: a row that is dropped again
  rows.set("point", 0);
  rows.set("id", "");
  for (std::string const& name : parameters) rows.set(name, {});
  for (SweepPoint const& point : sweep.points) {
    rows.next();
    rows.set("point", point.index);
    rows.set("id", point.id);
    set_parameters(rows, point, types);
    rows.set("replica", point.replica);
    rows.set("seed", point.seed);
    StoredPoint const stored = store.find(point.id);
    auto const& record = stored.record;
    rows.set("status", !record ? "missing" : record->done() ? "done" : "failed");
    rows.set("code", record ? Cell(static_cast<int>(record->code)) : Cell());
    rows.set("message", record && !record->message.empty() ? Cell(record->message) : Cell());
    if (record && !stored.has_checksum) ++out.unchecked;
    if (!record) {
      ++out.missing;
      if (!stored.damage.empty()) out.damaged.push_back(stored.damage);
    } else if (record->done()) {
      set_metrics(rows, record->result);
      out.simulation_cpu_s += record->result["simulation"]["cpu_s"].get<double>();
      ++out.programs[fmt::format("{} ({})", record->result.value(version_at, "?"),
                                 record->result.value(revision_at, "?"))];
    } else {
      out.failed.push_back({point.index, record->code, point.description(), record->message});
    }
  }
  out.table = rows.finish(std::move(parameters));
  out.table.rows.erase(out.table.rows.begin());
  return out;
}

std::vector<ComparedChart> compare_results(Sweep const& sweep, Table const& table) {
  std::vector<ComparedChart> out;
  for (std::size_t i = 0; i < sweep.comparisons.size(); ++i) {
    SweepComparison const& asked = sweep.comparisons[i];
    check(sweep, i, asked, table);
    for (CurveChart const& chart : charts_of(table, {asked.x, asked.metric, asked.of}))
      out.push_back({asked, chart.where, compare_curves(chart, asked.baseline, asked.metric)});
  }
  return out;
}

nlohmann::ordered_json comparisons_json(std::vector<ComparedChart> const& charts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (ComparedChart const& chart : charts)
    for (CurveComparison const& c : chart.curves) {
      out.push_back({{"of", chart.asked.of},
                     {"value", c.name},
                     {"baseline", c.baseline},
                     {"metric", chart.asked.metric},
                     {"x", chart.asked.x},
                     {"where", chart.where},
                     {"words", c.description(chart.asked.x)},
                     {"sure", c.sure},
                     {"better", c.better},
                     {"ratios", c.ratios}});
      for (IndistinctPoint const& p : c.indistinct)
        out.back()["indistinct"].push_back({{"x", p.x}, {"difference", p.difference}, {"within", p.within}});
    }
  return out;
}

}  // namespace factosim
