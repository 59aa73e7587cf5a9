#include "simulator/report/analysis/run_view.hpp"

#include <algorithm>

#include "simulator/base/core/json_reader.hpp"

namespace factosim {

namespace {

/// A key of a node of the series and its level; `rate`: bytes per interval become bytes per second.
struct SeriesKey {
  char const* key;
  char const* level;
  bool rate = false;
};
constexpr SeriesKey series_keys[] = {
    {"submitted_tasks", "submitted_tasks"},
    {"ready_tasks", "ready_tasks"},
    {"running_tasks", "running_tasks"},
    {"messages_sent", "messages_sent"},
    {"messages_received", "messages_received"},
    {"ram_bytes", "memory_bytes"},
    {"nic_out_bytes", "nic_out_Bps", true},
    {"nic_in_bytes", "nic_in_Bps", true},
    {"h2d_bytes", "h2d_Bps", true},
    {"d2h_bytes", "d2h_Bps", true},
    {"d2d_bytes", "d2d_Bps", true},
    {"h2h_bytes", "h2h_Bps", true},
};

class SeriesPanels {
 public:
  SeriesPanels(JsonReader const& json, RunView& out) : out_(out) {
    json.check_format("factosim-series", 1);
    out.interval_s = json.at("interval_s").positive();
    nodes_ = json.at("nodes").elements();
    if (nodes_.size() != out.run.summary.nodes.size())
      json.at("nodes").fail(
          "has another number of nodes than the result (it is of another run). Keep the "
          "files of a run together");
    for (SeriesKey const& key : series_keys) level(key);
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) out.memories.push_back({"ram", NodeId{n}});
    for (JsonReader const& i : json.at("iterations").elements())
      out.iterations.push_back({.k = static_cast<std::int32_t>(i.at("k").integer(0, INT32_MAX)),
                                .tasks = static_cast<std::size_t>(i.at("tasks").integer(0, INT64_MAX)),
                                .first_end_s = i.at("first_end_s").non_negative(),
                                .median_end_s = i.at("median_end_s").non_negative(),
                                .last_end_s = i.at("last_end_s").non_negative()});
  }

 private:
  void level(SeriesKey const& key) {
    LevelRows rows{.id = key.level, .rows = {}};
    std::size_t intervals = 0;
    for (JsonReader const& node : nodes_) {
      rows.rows.emplace_back();
      auto const values = node.find(key.key);
      if (!values) continue;  // a node without a bus has no copies
      for (JsonReader const& value : values->elements())
        rows.rows.back().push_back(static_cast<float>(value.number() / (key.rate ? out_.interval_s : 1)));
      intervals = std::max(intervals, rows.rows.back().size());
    }
    for (auto& row : rows.rows) row.resize(intervals, 0);
    if (intervals > 0) out_.levels.push_back(std::move(rows));
  }

  RunView& out_;
  std::vector<JsonReader> nodes_;
};

}  // namespace

RunView view_of_result(ComparedRun run, std::filesystem::path const* series) {
  RunView out;
  out.name = run.summary.source;
  out.run = std::move(run);
  if (series != nullptr) {
    nlohmann::json const document = parse_json_file(*series);
    SeriesPanels(JsonReader(document, series->string()), out);
  }
  return out;
}

}  // namespace factosim
