#pragma once

#include "tests/cli/program.hpp"

namespace factosim::testing {

/// A run of StarPU over SimGrid: its values by the names of the columns.
class PeerRow {
 public:
  explicit PeerRow(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  [[nodiscard]] std::string text(std::string const& column, std::string const& otherwise = "") const {
    auto const value = values_.find(column);
    return value == values_.end() ? otherwise : value->second;
  }
  /// Returns 0 if there is no such column.
  [[nodiscard]] double number(std::string const& column) const { return std::stod(text(column, "0")); }
  [[nodiscard]] std::string name() const {
    std::string out;
    for (auto const& [column, value] : values_) out += column + " " + value + ", ";
    return out;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// Reads a table of tests/fidelity, whose first line that is no comment has the names of the columns.
inline std::vector<PeerRow> peer_rows(std::string const& name) {
  std::vector<PeerRow> rows;
  std::vector<std::string> columns;
  std::ifstream file(repository() / "tests/fidelity" / name);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::vector<std::string> values;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) values.push_back(field);
    if (columns.empty()) {
      columns = values;
      continue;
    }
    REQUIRE(values.size() == columns.size());
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < values.size(); ++i) row[columns[i]] = values[i];
    rows.emplace_back(std::move(row));
  }
  return rows;
}

/// Returns the only node type of a shipped machine.
inline nlohmann::json machine_of(PeerRow const& row) {
  std::string const machine = row.text("machine");
  auto const file = repository() / ("platforms/" + machine + ".json");
  return nlohmann::json::parse(text_of(file))["node_types"][machine];
}

/// Simulates the run of a row, by default on one node with dmdas of StarPU 1.4; `more`: further options.
inline nlohmann::json simulated(PeerRow const& row, std::string const& more = "") {
  auto const scenario = repository() / ("scenarios/peer/" + row.text("app") + "_mirage.json");
  std::string command = fmt::format(
      "run {} --json --set '/platform={{\"file\":\"../../platforms/{}.json\",\"nodes\":[{{\"type\":\"{}\","
      "\"count\":{}}}]}}' --set /application/nt={} --set /application/nb={} --set /scheduler/type={} "
      "--set '/runtime/version=\"{}\"' {}",
      quoted(scenario), row.text("machine"), row.text("machine"), row.text("nodes", "1"), row.text("n"),
      row.text("tile"), row.text("policy", "dmdas"), row.text("version", "1.4"), more);
  if (double const limit_MiB = row.number("gpu_limit_MiB"); limit_MiB > 0)
    command +=
        fmt::format(" --set /runtime/gpu_memory_fraction={:.15g}",
                    (limit_MiB * (1 << 20) + 0.5) / machine_of(row)["gpus"][0]["memory_bytes"].get<double>());
  return json_of(command);
}

/// Relative error of a simulated makespan.
inline double error_of(PeerRow const& row, nlohmann::json const& result) {
  return 1e3 * result["makespan_s"].get<double>() / row.number("makespan_ms") - 1;
}

/// Relative errors of several runs.
struct PeerErrors {
  double sum = 0, squares = 0;
  int count = 0;

  void add(double error) {
    sum += error;
    squares += error * error;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double rms() const { return std::sqrt(squares / count); }
};

/// Checks the errors of each group of runs: their mean and their root mean square.
inline void check_errors(std::map<std::string, PeerErrors> const& groups, double mean, double rms) {
  for (auto const& [name, errors] : groups) {
    MESSAGE(fmt::format("{}: {} rows, mean {:+.2f} %, rms {:.2f} %", name, errors.count, 100 * errors.mean(),
                        100 * errors.rms()));
    CHECK_MESSAGE(std::abs(errors.mean()) <= mean, name);
    CHECK_MESSAGE(errors.rms() <= rms, name);
  }
}

}  // namespace factosim::testing
