#include "simulator/report/page/run_page.hpp"

#include <fmt/format.h>

#include "simulator/analysis/level_curves.hpp"
#include "simulator/analysis/run_bounds.hpp"
#include "simulator/report/json/run_summary_json.hpp"
#include "simulator/report/page/page_file.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

Json colors_json(std::vector<NamedColor> const& colors) {
  Json out = Json::array();
  for (NamedColor const& c : colors) out.push_back({{"name", c.name}, {"color", hex_of(c.color)}});
  return out;
}

Json panels_json() {
  Json panels = Json::array();
  for (LevelPanel const& p : level_panels())
    panels.push_back({{"id", p.id},
                      {"title", p.title},
                      {"unit", p.unit},
                      {"scale", p.scale},
                      {"memory_nodes", p.memory_nodes},
                      {"against_workers", p.against_workers}});
  return panels;
}

Json palette_json() {
  Json out = Json::array();
  for (Color const c : curve_colors()) out.push_back(hex_of(c));
  return out;
}

class RunJson {
 public:
  RunJson(ReportedRun const& run, std::vector<PageArray>& arrays)
      : run_(run), view_(run.view), arrays_(arrays) {}

  Json json() {
    RunSummary const& s = view_.run.summary;
    Json out = {{"name", view_.name},
                {"source", s.source},
                {"format", s.format},
                {"makespan_s", s.makespan_s},
                {"tasks", s.tasks},
                {"workers_total", s.workers},
                {"abe_s", number_or_null(s.abe_s)},
                {"result", view_.result},
                {"scenario_text", view_.scenario_text},
                {"kernels", colors_json(view_.kernels)},
                {"states", colors_json(view_.states)},
                {"own_states", view_.own_states}};
    machine(out);
    tables(out);
    over_time(out);
    if (view_.map.mt > 0) out["map"] = map();
    if (run_.tasks) out["detail"] = detail(*run_.tasks);
    return out;
  }

 private:
  template <class Element>
  Json array(std::vector<Element> const& values) {
    return page_array(arrays_, values, late_);
  }

  void machine(Json& out) {
    Json nodes = Json::array();
    for (RunSummary::Node const& n : view_.run.summary.nodes) {
      nodes.push_back(summary_node_json(n));
      nodes.back()["label"] = n.label();
    }
    out["nodes"] = std::move(nodes);
    Json workers = Json::array();
    for (RunView::Worker const& w : view_.workers)
      workers.push_back({{"name", w.name}, {"node", w.node}, {"gpu", w.gpu}, {"busy_s", w.busy_s}});
    out["workers"] = std::move(workers);
    Json memories = Json::array();
    for (RunView::MemoryNode const& m : view_.memories)
      memories.push_back({{"name", m.name}, {"node", m.node}, {"gpu", m.gpu}});
    out["memories"] = std::move(memories);
  }

  static Json breakdown_json(RunView const& run, std::string title, TimeBreakdown const& of) {
    Json parts = Json::array();
    for (TimePart const& p : time_parts(run, of))
      parts.push_back({{"name", p.what.name},
                       {"color", hex_of(p.what.color)},
                       {"seconds", p.seconds},
                       {"wait", p.is_wait}});
    return {{"title", std::move(title)}, {"parts", std::move(parts)}};
  }

  void tables(Json& out) {
    RunSummary const& s = view_.run.summary;
    Json kernels = Json::array();
    for (RunSummary::KernelTimes const& k : s.kernels)
      kernels.push_back({{"kernel", k.kernel},
                         {"resource", k.resource},
                         {"tasks", k.seconds.count},
                         {"mean_s", k.seconds.mean},
                         {"deviation_s", number_or_null(k.seconds.deviation)}});
    out["kernel_times"] = std::move(kernels);
    Json bounds = Json::array(), totals = Json::array(), breakdowns = Json::array();
    for (RunBound const& b : run_bounds(view_))
      bounds.push_back({{"name", b.name}, {"meaning", b.meaning}, {"seconds", number_or_null(b.seconds)}});
    for (RunTotal const& t : run_totals(view_))
      totals.push_back({{"name", t.name}, {"unit", t.unit}, {"value", t.value}});
    if (view_.run.traced) {
      CriticalChain const& chain = view_.run.chain;
      breakdowns.push_back(breakdown_json(
          view_, fmt::format("The chain of {} tasks that the end waited for", chain.tasks.size()),
          chain.breakdown));
      breakdowns.push_back(breakdown_json(view_, "What a worker did, in the mean", view_.run.workers));
    }
    out["bounds"] = std::move(bounds);
    out["totals"] = std::move(totals);
    out["breakdowns"] = std::move(breakdowns);
  }

  /// Curves of the panels of levels: sums with their values, rows as references into the levels.
  Json level_curves() {
    Json out = Json::object();
    for (LevelPanel const& panel : level_panels()) {
      Json sums = Json::array(), rows = Json::array();
      for (LevelCurve const& c : summed_curves(view_, panel))
        sums.push_back({{"curve", c.curve},
                        {"color", hex_of(c.color)},
                        {"zero", c.is_zero()},
                        {"values", array(c.values)}});
      for (LevelCurve const& c : row_curves(view_, panel))
        rows.push_back({{"curve", c.curve},
                        {"color", hex_of(c.color)},
                        {"row", panel.memory_nodes ? c.row : view_.run.summary.nodes[c.node].label()},
                        {"node", c.node},
                        {"level", c.level},
                        {"index", c.index}});
      out[panel.id] = {
          {"sums", std::move(sums)}, {"rows", std::move(rows)}, {"by_row", shows_rows(view_, panel)}};
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
    Json iterations = Json::array();
    for (RunView::Iteration const& i : view_.iterations)
      iterations.push_back({i.k, i.tasks, i.first_end_s, i.median_end_s, i.last_end_s});
    out["iterations"] = std::move(iterations);
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
      for (RunView::Idle const& i : view_.idle) {
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
    Json colors = Json::array();
    for (Color const c : view_.node_colors.color) colors.push_back(hex_of(c));
    return {{"mt", view_.map.mt},
            {"nt", view_.map.nt},
            {"owner", array(owner)},
            {"node_tiles", view_.node_tiles},
            {"colors", std::move(colors)}};
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

  ReportedRun const& run_;
  RunView const& view_;
  std::vector<PageArray>& arrays_;
  bool late_ = false;
};

std::string title_of(std::vector<ReportedRun> const& runs) {
  std::string out;
  for (ReportedRun const& run : runs) out += (out.empty() ? "" : " | ") + run.view.name;
  return out;
}

}  // namespace

void write_run_page(TextFile& out, std::vector<ReportedRun> const& runs, std::string_view generator) {
  std::vector<PageArray> arrays;
  Json list = Json::array();
  for (ReportedRun const& run : runs) list.push_back(RunJson(run, arrays).json());
  Json const content = {{"format", "factosim-report"},
                        {"version", 1},
                        {"panels", panels_json()},
                        {"colors", palette_json()},
                        {"max_level_curves", max_level_curves},
                        {"runs", std::move(list)}};
  write_page_file(out, title_of(runs), generator, content, arrays);
}

}  // namespace factosim
