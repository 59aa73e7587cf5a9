#include "simulator/report/analysis/run_view.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "simulator/base/core/json_reader.hpp"
#include "simulator/base/core/sample.hpp"

namespace factosim {

namespace {

/// Maximum number of intervals of levels and cells.
constexpr std::size_t report_intervals = 1000;

class ViewBuilder {
 public:
  ViewBuilder(Causes const& causes, ComparedRun run) : causes_(causes), trace_(causes.trace()) {
    out_.run = std::move(run);
    out_.name = out_.run.summary.source;
    origin_ = out_.run.summary.origin_s;
    end_ = out_.run.summary.makespan_s;
    out_.interval_s = end_ / static_cast<double>(report_intervals);
  }

  RunView panels() {
    machine();
    tasks();
    iterations();
    states();
    out_.levels = trace_levels(causes_, origin_, end_, report_intervals);
    for (LevelRows& memory : memory_levels(trace_, origin_, end_, report_intervals))
      out_.levels.push_back(std::move(memory));
    map();
    return std::move(out_);
  }

 private:
  void machine() {
    for (Trace::Worker const& w : trace_.workers)
      out_.workers.push_back({w.name, w.node.value(), w.device == Trace::Device::gpu, 0});
    out_.memories = trace_.memory_nodes;
  }

  /// Numbers the kernels by our names: several kernels of the trace may have one name.
  void kernels() {
    std::vector<std::string> names;
    for (Kernel const& kernel : trace_.kernels) {
      auto const known = std::ranges::find(names, timing_name(kernel));
      auto const number = std::min<std::ptrdiff_t>(known - names.begin(), max_kernels - 1);
      out_.kernel_number.push_back(static_cast<std::uint8_t>(number));
      if (known == names.end()) names.push_back(timing_name(kernel));
    }
    // Colours are numbers below 255: further kernels count as one.
    if (names.size() > max_kernels) {
      names.resize(max_kernels);
      names.back() = "others";
    }
    auto const colors = kernel_colors(names);
    for (std::size_t k = 0; k < names.size(); ++k) out_.kernels.push_back({names[k], colors[k]});
  }

  void tasks() {
    kernels();
    std::size_t const kinds = 2 * trace_.nodes.size();
    std::vector<std::size_t> workers(kinds, 0);
    for (auto const& w : out_.workers) ++workers[kind_of(w)];
    std::vector<std::vector<TimeBins>> busy(kinds);
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (workers[kind] > 0) busy[kind].assign(out_.kernels.size(), TimeBins(end_, report_intervals));
    CellCounter cells(out_.workers.size(), columns_for(out_.workers.size()), out_.kernels.size(), end_);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t) {
      if (!trace_.ran(TaskId{t})) continue;
      std::size_t const w = trace_.worker[t].index();
      double const from = trace_.start_s[t] - origin_, to = trace_.end_s[t] - origin_;
      out_.workers[w].busy_s += to - from;
      std::size_t const kind = kind_of(out_.workers[w]);
      busy[kind][kernel_of(t)].add(from, to, 1 / static_cast<double>(workers[kind]));
      cells.add(w, kernel_of(t), from, to);
    }
    out_.worker_cells = cells.cells();
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (workers[kind] == 0) continue;
      RunView::Occupation& row = out_.occupation.emplace_back();
      row.node = static_cast<std::uint32_t>(kind / 2);
      row.gpu = kind % 2 == 1;
      row.workers = workers[kind];
      for (TimeBins const& b : busy[kind]) {
        row.share.push_back(b.averages());
        for (float const share : row.share.back())
          row.busy_share += static_cast<double>(share) / static_cast<double>(report_intervals);
      }
    }
  }
  [[nodiscard]] static std::size_t kind_of(RunView::Worker const& w) {
    return 2 * w.node + (w.gpu ? 1U : 0U);
  }
  [[nodiscard]] std::size_t kernel_of(std::size_t t) const { return out_.kernel_number[trace_.kernel[t]]; }

  void iterations() {
    std::map<std::int32_t, std::size_t> row;  // by k
    for (RunSummary::Iteration const& i : out_.run.summary.iterations) row.try_emplace(i.k, row.size());
    if (row.empty()) return;
    CellCounter cells(row.size(), columns_for(row.size()), out_.kernels.size(), end_);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (trace_.ran(TaskId{t}) && trace_.indices[t].k >= 0)
        cells.add(row[trace_.indices[t].k], kernel_of(t), trace_.start_s[t] - origin_,
                  trace_.end_s[t] - origin_);
    out_.iteration_cells = cells.cells(std::max(cells.maximum(), 1e-300));
  }

  void states() {
    if (trace_.states.empty()) {
      out_.states = wait_colors();
      out_.idle = std::move(out_.run.idle);
    } else {
      states_of_trace();
    }
    CellCounter cells(out_.workers.size(), columns_for(out_.workers.size()), out_.states.size(), end_);
    for (auto const& i : out_.idle) cells.add(i.worker, i.state, i.from_s, i.to_s);
    out_.state_cells = cells.cells();
  }

  void states_of_trace() {
    out_.own_states = true;
    for (std::size_t s = 0; s < std::min<std::size_t>(trace_.state_names.size(), max_kernels); ++s)
      out_.states.push_back({trace_.state_names[s], state_color(trace_.state_names[s], s)});
    for (Trace::State const& s : trace_.states)
      if (s.end_s - s.start_s >= min_idle_share * end_ && s.name < out_.states.size())
        out_.idle.push_back({s.worker.value(), s.name, s.start_s - origin_, s.end_s - origin_});
    std::ranges::sort(out_.idle, {}, [](auto const& i) { return std::tuple(i.worker, i.from_s, i.state); });
  }

  /// Finds the owners of the tiles that tasks write, of the first matrix.
  void map() {
    std::vector<bool> written(trace_.handles.size(), false);
    for (DataAccess const a : trace_.accesses)
      if (writes(a.mode())) written[a.handle().index()] = true;
    TileMap& map = out_.map;
    constexpr int max_tiles_per_side = 4000;
    std::vector<Trace::Handle const*> tiles;
    for (std::size_t h = 0; h < trace_.handles.size(); ++h) {
      Trace::Handle const& handle = trace_.handles[h];
      if (!written[h] || !handle.owner.valid() || handle.m < 0 || handle.n < 0) continue;
      if (std::max(handle.m, handle.n) >= max_tiles_per_side) continue;
      tiles.push_back(&handle);
      map.mt = std::max(map.mt, handle.m + 1);
      map.nt = std::max(map.nt, handle.n + 1);
    }
    if (tiles.empty()) return;
    map.owner.resize(static_cast<std::size_t>(map.mt) * static_cast<std::size_t>(map.nt));
    out_.node_tiles.assign(trace_.nodes.size(), 0);
    for (Trace::Handle const* const tile : tiles) {
      NodeId& owner = map.owner[static_cast<std::size_t>(tile->m) * static_cast<std::size_t>(map.nt) +
                                static_cast<std::size_t>(tile->n)];
      if (owner.valid()) continue;
      owner = tile->owner;
      ++out_.node_tiles[owner.index()];
    }
    std::vector<std::string> types;
    for (Trace::Node const& n : trace_.nodes) types.push_back(n.type);
    out_.node_colors = node_colors(map, types);
  }

  static constexpr std::uint16_t max_kernels = 250;
  Causes const& causes_;
  Trace const& trace_;
  double origin_ = 0, end_ = 0;
  RunView out_;
};

}  // namespace

std::size_t RunView::intervals() const {
  if (!levels.empty() && !levels.front().rows.empty()) return levels.front().rows.front().size();
  return occupation.empty() ? 0 : occupation.front().share.front().size();
}

LevelRows const* RunView::find(std::string const& level) const {
  auto const found = std::ranges::find(levels, level, &LevelRows::id);
  return found == levels.end() ? nullptr : &*found;
}

RunView view_of_trace(Causes const& causes, ComparedRun run) {
  return ViewBuilder(causes, std::move(run)).panels();
}

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

LevelRows level_of_series(std::vector<JsonReader> const& nodes, SeriesKey const& key, double interval_s) {
  LevelRows out{.id = key.level};
  std::size_t intervals = 0;
  for (JsonReader const& node : nodes) {
    std::vector<float>& row = out.rows.emplace_back();
    auto const values = node.find(key.key);
    if (!values) continue;  // a node without a bus has no copies
    for (JsonReader const& value : values->elements())
      row.push_back(static_cast<float>(value.number() / (key.rate ? interval_s : 1)));
    intervals = std::max(intervals, row.size());
  }
  for (auto& row : out.rows) row.resize(intervals, 0);
  return out;
}

void add_series(RunView& out, JsonReader const& json) {
  json.check_format("factosim-series", 1);
  out.interval_s = json.at("interval_s").positive();
  std::vector<JsonReader> const nodes = json.at("nodes").elements();
  if (nodes.size() != out.run.summary.nodes.size())
    json.at("nodes").fail(
        "has another number of nodes than the result (it is of another run). Keep the files of a run "
        "together");
  for (SeriesKey const& key : series_keys)
    if (LevelRows level = level_of_series(nodes, key, out.interval_s);
        std::ranges::any_of(level.rows, [](auto const& row) { return !row.empty(); }))
      out.levels.push_back(std::move(level));
  for (std::uint32_t n = 0; n < nodes.size(); ++n) out.memories.push_back({"ram", NodeId{n}});
  for (JsonReader const& i : json.at("iterations").elements())
    out.run.summary.iterations.push_back(
        {.k = static_cast<std::int32_t>(i.at("k").integer(0, INT32_MAX)),
         .tasks = static_cast<std::size_t>(i.at("tasks").integer(0, INT64_MAX)),
         .first_start_s = unknown,
         .first_end_s = i.at("first_end_s").non_negative(),
         .median_end_s = i.at("median_end_s").non_negative(),
         .last_end_s = i.at("last_end_s").non_negative()});
}

}  // namespace

RunView view_of_result(ComparedRun run, std::filesystem::path const* series) {
  RunView out;
  out.name = run.summary.source;
  out.run = std::move(run);
  if (series != nullptr) {
    nlohmann::json const document = parse_json_file(*series);
    add_series(out, JsonReader(document, series->string()));
  }
  return out;
}

}  // namespace factosim
