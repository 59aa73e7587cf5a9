#include "simulator/traces/trace/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "factosim/error.hpp"
#include "simulator/base/core/json_text.hpp"
#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

constexpr std::array level_keys{
    std::pair{"submitted_tasks", Level::submitted}, std::pair{"ready_tasks", Level::ready},
    std::pair{"running_tasks", Level::running}, std::pair{"messages_sent", Level::messages_sent},
    std::pair{"messages_received", Level::messages_received}};
constexpr std::array nic_keys{std::pair{"nic_out_bytes", Carried::nic_out},
                              std::pair{"nic_in_bytes", Carried::nic_in}};
constexpr std::array bus_keys{std::pair{"h2d_bytes", Carried::h2d}, std::pair{"d2h_bytes", Carried::d2h},
                              std::pair{"d2d_bytes", Carried::d2d}, std::pair{"h2h_bytes", Carried::h2h}};

class SeriesText {
 public:
  explicit SeriesText(Series const& series) : series_(series) {}

  std::string text(std::vector<SeriesNode> const& nodes) {
    put("{{\n\"format\": \"factosim-series\",\n\"version\": 1,\n\"interval_s\": {},\n\"end_s\": {},\n",
        series_.interval().value, series_.end().value);
    put("\"nodes\": [\n");
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      node(NodeId{n}, nodes[n]);
      put("{}", n + 1 < nodes.size() ? ",\n" : "\n");
    }
    put("],\n\"iterations\": [");
    char const* separator = "\n";
    for (Series::Iteration const& i : series_.iterations()) {
      put("{}{{\"k\": {}, \"tasks\": {}, \"first_end_s\": {}, \"median_end_s\": {}, \"last_end_s\": {}}}",
          separator, i.k, i.tasks, i.first.value, i.median.value, i.last.value);
      separator = ",\n";
    }
    put("\n]\n}}\n");
    return std::move(out_);
  }

 private:
  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out_ += fmt::format(format, std::forward<Arguments>(arguments)...);
  }

  void node(NodeId id, SeriesNode const& about) {
    put("{{\"id\": {}, \"type\": {}", id.value(), json_text(about.type));
    // Adding 0 turns -0 into 0.
    for (auto const& [key, level] : level_keys)
      array(key, series_.averages(id, level), [](double a) { return std::round(a * 1e4) / 1e4 + 0.0; });
    array("ram_bytes", series_.averages(id, Level::ram), [](double a) { return std::llround(a); });
    auto const amount = [](Bytes b) { return b.value; };
    for (auto const& [key, over] : nic_keys) array(key, series_.bytes(id, over), amount);
    for (auto const& [key, over] : bus_keys)
      if (about.bus) array(key, series_.bytes(id, over), amount);
    put("}}");
  }

  template <class Value, class Shown>
  void array(std::string_view key, std::vector<Value> const& values, Shown const& shown) {
    put(",\n \"{}\": [", key);
    char const* separator = "";
    for (Value const& value : values) {
      put("{}{}", separator, shown(value));
      separator = ", ";
    }
    put("]");
  }

  Series const& series_;
  std::string out_;
};

/// End of a task that has not run.
constexpr Seconds never{-1};

}  // namespace

Series::Series(TaskGraph const& graph, std::size_t nodes, std::size_t points)
    : graph_(graph),
      nodes_(nodes),
      points_(points),
      data_(nodes * points),
      task_ends_(graph.task_count(), never) {
  FACTOSIM_EXPECT(points >= 2, "there are neighbours to merge");
}

// ---- recording ----

std::size_t Series::interval_of(Seconds date) {
  end_ = std::max(end_, date);
  while (date.value >= interval_.value * static_cast<double>(points_)) double_interval();
  return static_cast<std::size_t>(date.value / interval_.value);
}

void Series::double_interval() {
  for (std::size_t n = 0; n < nodes_; ++n) {
    std::span<Point> const row{data_.data() + n * points_, points_};
    for (std::size_t i = 0; i < points_; ++i) {
      Point const first = 2 * i < points_ ? row[2 * i] : Point{};
      Point const second = 2 * i + 1 < points_ ? row[2 * i + 1] : Point{};
      for (std::size_t l = 0; l < levels; ++l) {
        row[i].change[l] = first.change[l] + second.change[l];
        row[i].area[l] = first.area[l] + first.change[l] * interval_.value + second.area[l];
      }
      for (std::size_t c = 0; c < carriers; ++c) row[i].bytes[c] = first.bytes[c] + second.bytes[c];
    }
  }
  interval_ = interval_ * 2;
}

void Series::change(NodeId node, Level level, Seconds date, double by) {
  std::size_t const i = interval_of(date);
  Point& p = data_[node.index() * points_ + i];
  double const interval_end = static_cast<double>(i + 1) * interval_.value;
  p.change[static_cast<std::size_t>(level)] += by;
  p.area[static_cast<std::size_t>(level)] += by * (interval_end - date.value);
}

void Series::carry(NodeId node, Carried over, Seconds date, Bytes size) {
  std::size_t const i = interval_of(date);
  data_[node.index() * points_ + i].bytes[static_cast<std::size_t>(over)] += size.value;
}

void Series::task_ran(TaskId task, NodeId node, Seconds start, Seconds end) {
  change(node, Level::ready, start, -1);
  change(node, Level::running, start, 1);
  change(node, Level::running, end, -1);
  change(node, Level::submitted, end, -1);
  task_ends_[task.index()] = end;
}

void Series::message_carried(NodeId from, NodeId to, Seconds start, Seconds end, Bytes size) {
  change(from, Level::messages_sent, start, 1);
  change(from, Level::messages_sent, end, -1);
  change(to, Level::messages_received, start, 1);
  change(to, Level::messages_received, end, -1);
  carry(from, Carried::nic_out, end, size);
  carry(to, Carried::nic_in, end, size);
}

void Series::copy_carried(NodeId node, bool from_ram, bool to_ram, Seconds date, Bytes size) {
  if (from_ram)
    carry(node, to_ram ? Carried::h2h : Carried::h2d, date, size);
  else
    carry(node, to_ram ? Carried::d2h : Carried::d2d, date, size);
}

// ---- results ----

std::size_t Series::interval_count() const {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(end_.value / interval_.value)));
}

std::vector<double> Series::averages(NodeId node, Level level) const {
  auto const l = static_cast<std::size_t>(level);
  std::vector<double> out(interval_count());
  double before = 0;  // the level at the start of the interval
  for (std::size_t i = 0; i < out.size(); ++i) {
    Point const& p = points_of(node)[i];
    double const start = interval_.value * static_cast<double>(i);
    double const length = std::min(interval_.value, end_.value - start);
    double const after_end = (before + p.change[l]) * (interval_.value - length);
    out[i] = length > 0 ? (before * interval_.value + p.area[l] - after_end) / length : before + p.change[l];
    before += p.change[l];
  }
  return out;
}

std::vector<Bytes> Series::bytes(NodeId node, Carried over) const {
  std::vector<Bytes> out(interval_count());
  auto const points = points_of(node);
  // Transfers that ended exactly at the end are in the interval after the last one.
  for (std::size_t i = 0; i < points.size(); ++i)
    out[std::min(i, out.size() - 1)] += Bytes{points[i].bytes[static_cast<std::size_t>(over)]};
  return out;
}

std::vector<Series::Iteration> Series::iterations() const {
  std::int32_t last = -1;
  for (TaskIndices const& i : graph_.indices) last = std::max(last, i.k);
  std::vector<std::vector<double>> ends(static_cast<std::size_t>(last + 1));  // [k]
  for (std::size_t t = 0; t < task_ends_.size(); ++t)
    if (task_ends_[t] != never)
      ends[static_cast<std::size_t>(graph_.indices[t].k)].push_back(task_ends_[t].value);
  std::vector<Iteration> out;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    std::vector<double>& of = ends[k];
    if (of.empty()) continue;
    std::sort(of.begin(), of.end());
    out.push_back({static_cast<std::int32_t>(k), of.size(), {of.front()}, {median(of)}, {of.back()}});
  }
  return out;
}

std::string series_json(Series const& series, std::vector<SeriesNode> const& nodes) {
  FACTOSIM_EXPECT(nodes.size() == series.node_count(), "one entry per node");
  return SeriesText(series).text(nodes);
}

}  // namespace factosim
