#include "simulator/report/page/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "factosim/error.hpp"
#include "simulator/report/analysis/causes.hpp"
#include "simulator/report/analysis/run_panels.hpp"
#include "simulator/report/json/run_comparison_json.hpp"
#include "simulator/report/page/page_file.hpp"

namespace factosim {

namespace {

class ColumnBuilder {
 public:
  ColumnBuilder(Causes const& causes, RunView const& view)
      : causes_(causes),
        trace_(causes.trace()),
        view_(view),
        place_(trace_.task_count(), TaskColumns::none) {}

  TaskColumns columns() {
    double const maximum = 4.2e9;
    out_.tick_s = std::max(1e-9, view_.makespan_s() / maximum);
    for (std::uint32_t t = 0; t < trace_.task_count(); ++t)
      if (trace_.ran(TaskId{t})) place_[t] = static_cast<std::uint32_t>(tasks_.size()), tasks_.push_back(t);
    if (tasks_.size() != trace_.task_count()) out_.number = tasks_;
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
      add_execution(tasks_[i]);
      add_cause(i);
      add_predecessors(i);
    }
    for (TaskId const t : view_.run.chain.tasks) out_.chain.push_back(place_[t.index()]);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::uint32_t ticks(double seconds) const {
    return static_cast<std::uint32_t>(std::clamp(std::round(seconds / out_.tick_s), 0.0, 4294967295.0));
  }

  static std::uint16_t index(std::int32_t i) {
    return i < 0 || i >= 65535 ? std::uint16_t{65535} : static_cast<std::uint16_t>(i);
  }

  void add_execution(std::uint32_t t) {
    std::uint32_t const start = ticks(trace_.start_s[t] - view_.run.summary.origin_s);
    out_.kernel.push_back(view_.kernel_number[trace_.kernel[t]]);
    out_.worker.push_back(static_cast<std::uint16_t>(trace_.worker[t].value()));
    out_.start.push_back(start);
    out_.duration.push_back(ticks(trace_.end_s[t] - trace_.start_s[t]));
    if (trace_.indices.empty()) return;
    out_.k.push_back(index(trace_.indices[t].k));
    out_.m.push_back(index(trace_.indices[t].m));
    out_.n.push_back(index(trace_.indices[t].n));
  }

  void add_cause(std::uint32_t place) {
    std::uint32_t const t = tasks_[place];
    std::optional<Cause> const last = causes_.latest(TaskId{t});
    if (!last) {
      out_.waited_for.push_back(255);
      out_.waited_task.push_back(TaskColumns::none);
      out_.ready.push_back(0);
      return;
    }
    out_.waited_for.push_back(static_cast<std::uint8_t>(last->kind));
    out_.ready.push_back(ticks(trace_.start_s[t] - last->date));
    TaskId task;
    if (last->kind == Cause::Kind::predecessor || last->kind == Cause::Kind::worker)
      task = TaskId{last->index};
    if (last->kind == Cause::Kind::message) task = trace_.messages[last->index].producer;
    bool const known = task.valid() && place_[task.index()] != TaskColumns::none;
    out_.waited_task.push_back(known ? distance(place, place_[task.index()]) : TaskColumns::none);
  }
  /// Modulo 2^32: a task may have waited for a later one.
  static std::uint32_t distance(std::uint32_t place, std::uint32_t other) {
    return place - other + (1U << 31U);
  }

  void add_predecessors(std::uint32_t place) {
    if (trace_.predecessor_begin.empty()) return;
    std::uint32_t const t = tasks_[place];
    std::uint8_t count = 0;
    for (TaskId const predecessor : trace_.predecessors_of(TaskId{t})) {
      std::uint32_t const before = place_[predecessor.index()];
      if (before == TaskColumns::none || count == 255) continue;
      out_.predecessor.push_back(place - before);
      ++count;
    }
    out_.predecessors.push_back(count);
  }

  Causes const& causes_;
  Trace const& trace_;
  RunView const& view_;
  std::vector<std::uint32_t> place_;  // [tasks of the trace] in the columns; none: it did not run
  std::vector<std::uint32_t> tasks_;  // [tasks] of the trace
  TaskColumns out_;
};

}  // namespace

TaskColumns task_columns(Causes const& causes, RunView const& view) {
  return ColumnBuilder(causes, view).columns();
}

FACTOSIM_JSON_MEMBERS(NamedColor, name, color)
FACTOSIM_JSON_MEMBERS(RunView::Worker, name, node, gpu, busy_s)
FACTOSIM_JSON_MEMBERS(RunBound, name, meaning, seconds)
FACTOSIM_JSON_MEMBERS(RunTotal, name, unit, value)

namespace {

using Json = nlohmann::ordered_json;

Json panels_json() {
  return json_list(level_panels(), [](LevelPanel const& p) -> Json {
    return {{"id", p.id},
            {"title", p.title},
            {"unit", p.unit},
            {"scale", p.scale},
            {"curves", p.curves.size()},
            {"memory_nodes", p.memory_nodes},
            {"against_workers", p.against_workers}};
  });
}

class RunJson {
 public:
  RunJson(RunView const& view, std::vector<PageArray>& arrays) : view_(view), arrays_(arrays) {}

  Json json() {
    RunSummary const& s = view_.run.summary;
    Json out = {
        {"name", view_.name},         {"source", s.source},     {"format", s.format},
        {"makespan_s", s.makespan_s}, {"tasks", s.tasks},       {"workers_total", s.workers},
        {"abe_s", s.abe_s},           {"result", view_.result}, {"scenario_text", view_.scenario_text},
        {"kernels", view_.kernels},   {"states", view_.states}, {"own_states", view_.own_states}};
    machine(out);
    tables(out);
    over_time(out);
    if (view_.map.mt > 0) out["map"] = map();
    if (view_.tasks) out["detail"] = detail(*view_.tasks);
    return out;
  }

 private:
  template <class Element>
  Json array(std::vector<Element> const& values) {
    return page_array(arrays_, values, late_);
  }

  void machine(Json& out) {
    out["nodes"] = json_list(view_.run.summary.nodes, [](RunSummary::Node const& n) {
      Json node = n;
      node["label"] = n.label();
      return node;
    });
    out["workers"] = view_.workers;
  }

  [[nodiscard]] Json breakdown_json(std::string const& title, TimeBreakdown const& of) const {
    Json parts = json_list(time_parts(view_, of), [](TimePart const& p) -> Json {
      return {{"name", p.what.name}, {"color", p.what.color}, {"seconds", p.seconds}, {"wait", p.is_wait}};
    });
    return {{"title", title}, {"parts", std::move(parts)}};
  }

  void tables(Json& out) {
    out["kernel_times"] = json_list(view_.run.summary.kernels, [](auto const& entry) -> Json {
      auto const& [on, seconds] = entry;
      return {{"kernel", on.kernel},
              {"resource", on.resource},
              {"tasks", seconds.count},
              {"mean_s", seconds.mean},
              {"deviation_s", seconds.deviation}};
    });
    out["bounds"] = run_bounds(view_);
    out["totals"] = run_totals(view_);
    if (view_.result.contains("diagnosis")) out["diagnosis"] = view_.result["diagnosis"];
    out["breakdowns"] = Json::array();
    if (!view_.run.traced) return;
    CriticalChain const& chain = view_.run.chain;
    out["breakdowns"] = {
        breakdown_json(fmt::format("Critical chain ({} tasks)", chain.tasks.size()), chain.breakdown),
        breakdown_json("What a worker did on average", view_.run.workers)};
  }

  /// Curves of the panels of levels: sums with their values, rows as references into the levels.
  Json level_curves() {
    Json out = Json::object();
    for (LevelPanel const& panel : level_panels()) {
      auto const sum = [&](LevelCurve const& c) -> Json {
        return {{"curve", c.curve}, {"color", c.color}, {"zero", c.is_zero()}, {"values", array(c.values)}};
      };
      auto const row = [&](LevelCurve const& c) -> Json {
        return {{"curve", c.curve},
                {"color", c.color},
                {"row", panel.memory_nodes ? c.row : view_.run.summary.nodes[c.node].label()},
                {"node", c.node},
                {"level", c.level},
                {"index", c.index}};
      };
      out[panel.id] = {{"sums", json_list(summed_curves(view_, panel), sum)},
                       {"rows", json_list(row_curves(view_, panel), row)},
                       {"by_row", shows_rows(view_, panel)}};
    }
    return out;
  }

  void over_time(Json& out) {
    out["interval_s"] = view_.interval_s;
    out["intervals"] = view_.intervals();
    Json levels = Json::object();
    for (LevelRows const& l : view_.levels) {
      std::vector<float> all;
      for (auto const& row : l.rows) all.insert(all.end(), row.begin(), row.end());
      levels[l.id] = {{"rows", l.rows.size()}, {"values", array(all)}};
    }
    out["levels"] = std::move(levels);
    out["level_curves"] = level_curves();
    out["iterations"] = json_list(view_.run.summary.iterations, [](RunSummary::Iteration const& i) -> Json {
      return {i.k, i.tasks, i.first_end_s, i.median_end_s, i.last_end_s};
    });
    Json occupation = Json::array();
    std::vector<std::uint8_t> shares;  // of 255
    for (RunView::Occupation const& o : view_.occupation) {
      occupation.push_back(
          {{"node", o.node}, {"gpu", o.gpu}, {"workers", o.workers}, {"busy", o.busy_share}});
      for (auto const& kernel : o.share)
        for (float const share : kernel)
          shares.push_back(static_cast<std::uint8_t>(std::lround(255 * std::min(1.0F, share))));
    }
    out["occupation"] = std::move(occupation);
    out["occupation_shares"] = array(shares);
    out["worker_cells"] = cells(view_.worker_cells);
    out["iteration_cells"] = cells(view_.iteration_cells);
    out["state_cells"] = cells(view_.state_cells);
    idle(out);
  }

  Json cells(CellRows const& c) {
    return {{"rows", c.rows}, {"columns", c.columns}, {"color", array(c.color)}, {"share", array(c.share)}};
  }

  void idle(Json& out) {
    std::vector<std::uint16_t> worker;
    std::vector<std::uint8_t> state;
    std::vector<float> from, length;
    if (view_.idle.size() <= max_detailed_tasks)
      for (IdleTime const& i : view_.idle) {
        worker.push_back(static_cast<std::uint16_t>(i.worker));
        state.push_back(static_cast<std::uint8_t>(i.state));
        from.push_back(static_cast<float>(i.from_s));
        length.push_back(static_cast<float>(i.to_s - i.from_s));
      }
    out["idle"] = {
        {"worker", array(worker)}, {"state", array(state)}, {"from", array(from)}, {"length", array(length)}};
  }

  Json map() {
    std::vector<std::uint16_t> owner;
    for (NodeId const id : view_.map.owner)
      owner.push_back(id.valid() ? static_cast<std::uint16_t>(id.value()) : std::uint16_t{65535});
    return {{"mt", view_.map.mt},
            {"nt", view_.map.nt},
            {"owner", array(owner)},
            {"node_tiles", view_.node_tiles},
            {"colors", view_.node_colors.color}};
  }

  Json detail(TaskColumns const& t) {
    late_ = true;
    return {{"tick_s", t.tick_s},
            {"number", array(t.number)},
            {"kernel", array(t.kernel)},
            {"worker", array(t.worker)},
            {"start", array(t.start)},
            {"duration", array(t.duration)},
            {"k", array(t.k)},
            {"m", array(t.m)},
            {"n", array(t.n)},
            {"waited_for", array(t.waited_for)},
            {"waited_task", array(t.waited_task)},
            {"ready", array(t.ready)},
            {"predecessors", array(t.predecessors)},
            {"predecessor", array(t.predecessor)},
            {"chain", array(t.chain)}};
  }

  RunView const& view_;
  std::vector<PageArray>& arrays_;
  bool late_ = false;
};

}  // namespace

void write_run_page(TextFile& out, std::vector<RunView> const& runs, RunComparison const* comparison,
                    std::string_view generator) {
  std::vector<PageArray> arrays;
  Json list = Json::array();
  for (RunView const& run : runs) list.push_back(RunJson(run, arrays).json());
  Json content = {{"format", "factosim-report"},
                  {"version", 1},
                  {"panels", panels_json()},
                  {"colors", curve_colors()},
                  {"max_level_curves", max_level_curves},
                  {"runs", std::move(list)}};
  if (comparison != nullptr) content["comparison"] = difference_json(*comparison);
  auto const names = runs | std::views::transform(&RunView::name);
  write_page_file(out, fmt::format("{}", fmt::join(names, " | ")), generator, content, arrays);
}

}  // namespace factosim
