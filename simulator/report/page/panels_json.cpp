#include "simulator/report/page/panels_json.hpp"

#include <span>
#include <type_traits>

#include "simulator/analysis/level_panels.hpp"
#include "simulator/report/json/run_summary_json.hpp"
#include "simulator/report/page/packed_array.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

Json colors_json(std::vector<NamedColor> const& colors) {
  Json out = Json::array();
  for (NamedColor const& c : colors) out.push_back({{"name", c.name}, {"color", hex_of(c.color)}});
  return out;
}

Json page_json() {
  Json panels = Json::array();
  for (LevelPanel const& p : level_panels()) {
    Json curves = Json::array();
    for (LevelPanel::Curve const& c : p.curves)
      curves.push_back({{"level", c.level}, {"name", c.name}, {"color", hex_of(curve_colors()[c.color])}});
    panels.push_back({{"id", p.id},
                      {"title", p.title},
                      {"unit", p.unit},
                      {"scale", p.scale},
                      {"curves", std::move(curves)},
                      {"by_row", p.by_row},
                      {"memory_nodes", p.memory_nodes},
                      {"against_workers", p.against_workers}});
  }
  return panels;
}

class RunJson {
 public:
  RunJson(ReportedRun const& run, std::vector<PageArray>& arrays)
      : run_(run), panels_(run.panels), arrays_(arrays) {}

  Json json() {
    RunSummary const& s = panels_.run.summary;
    Json out = {{"name", panels_.name},
                {"source", s.source},
                {"format", s.format},
                {"makespan_s", s.makespan_s},
                {"tasks", s.tasks},
                {"workers_total", s.workers},
                {"abe_s", number_or_null(s.abe_s)},
                {"critical_path_s", number_or_null(s.critical_path_s)},
                {"critical_path_tasks", s.critical_path_tasks},
                {"traced", panels_.run.traced},
                {"result", panels_.result},
                {"scenario_text", panels_.scenario_text},
                {"kernels", colors_json(panels_.kernels)},
                {"states", colors_json(panels_.states)},
                {"own_states", panels_.own_states}};
    machine(out);
    tables(out);
    over_time(out);
    if (panels_.map.mt > 0) out["map"] = map();
    if (run_.tasks) out["detail"] = detail(*run_.tasks);
    return out;
  }

 private:
  template <class Element>
  Json array(std::vector<Element> const& values) {
    arrays_.push_back({packed(std::span<Element const>(values)), late_});
    char const* const type = std::is_same_v<Element, float> ? "f32"
                             : sizeof(Element) == 1         ? "u8"
                             : sizeof(Element) == 2         ? "u16"
                                                            : "u32";
    return {{"array", arrays_.size() - 1}, {"type", type}, {"length", values.size()}};
  }

  void machine(Json& out) {
    Json nodes = Json::array();
    for (RunSummary::Node const& n : panels_.run.summary.nodes) nodes.push_back(summary_node_json(n));
    out["nodes"] = std::move(nodes);
    Json workers = Json::array();
    for (RunPanels::Worker const& w : panels_.workers)
      workers.push_back({{"name", w.name}, {"node", w.node}, {"gpu", w.gpu}, {"busy_s", w.busy_s}});
    out["workers"] = std::move(workers);
    Json memories = Json::array();
    for (RunPanels::MemoryNode const& m : panels_.memories)
      memories.push_back({{"name", m.name}, {"node", m.node}, {"gpu", m.gpu}});
    out["memories"] = std::move(memories);
  }

  static Json account(TimeAccount const& of) {
    Json wait = Json::array();
    for (std::size_t w = 0; w < waits; ++w)
      wait.push_back({{"seconds", of.wait_s[w]}, {"count", of.wait_count[w]}});
    return {{"kernels", account_kernels_json(of)}, {"wait", std::move(wait)}};
  }

  void tables(Json& out) {
    RunSummary const& s = panels_.run.summary;
    Json kernels = Json::array();
    for (RunSummary::KernelTimes const& k : s.kernels)
      kernels.push_back({{"kernel", k.kernel},
                         {"resource", k.resource},
                         {"tasks", k.seconds.count},
                         {"mean_s", k.seconds.mean},
                         {"deviation_s", number_or_null(k.seconds.deviation)}});
    out["kernel_times"] = std::move(kernels);
    auto const links = [](std::vector<RunSummary::Link> const& of) {
      Json list = Json::array();
      for (RunSummary::Link const& l : of)
        list.push_back(
            {{"name", l.name}, {"transfers", l.transfers}, {"bytes", l.bytes}, {"in_use_s", l.in_use_s}});
      return list;
    };
    out["messages"] = links(s.messages);
    out["copies"] = links(s.copies);
    if (!panels_.run.traced) return;
    out["wait_names"] = colors_json(wait_colors());
    out["chain"] = account(panels_.run.chain.account);
    out["chain"]["tasks"] = panels_.run.chain.tasks.size();
    out["per_worker"] = account(panels_.run.workers);
  }

  void over_time(Json& out) {
    out["interval_s"] = panels_.interval_s;
    out["intervals"] = panels_.intervals();
    Json levels = Json::object();
    for (LevelRows const& l : panels_.levels) {
      std::vector<float> all;
      for (auto const& row : l.rows) all.insert(all.end(), row.begin(), row.end());
      levels[l.id] = {{"rows", l.rows.size()}, {"values", array(all)}};
    }
    out["levels"] = std::move(levels);
    Json iterations = Json::array();
    for (RunPanels::Iteration const& i : panels_.iterations)
      iterations.push_back({i.k, i.tasks, i.first_end_s, i.median_end_s, i.last_end_s});
    out["iterations"] = std::move(iterations);
    Json occupation = Json::array();
    std::vector<std::uint8_t> shares;  // of 255
    for (RunPanels::Occupation const& o : panels_.occupation) {
      occupation.push_back({{"node", o.node}, {"gpu", o.gpu}, {"workers", o.workers}});
      for (auto const& kernel : o.share)
        for (float const share : kernel)
          shares.push_back(static_cast<std::uint8_t>(std::lround(255 * std::min(1.0F, share))));
    }
    out["occupation"] = std::move(occupation);
    out["occupation_shares"] = array(shares);
    out["worker_cells"] = cells(panels_.worker_cells);
    out["iteration_cells"] = cells(panels_.iteration_cells);
    out["state_cells"] = cells(panels_.state_cells);
    idle(out);
  }

  Json cells(CellRows const& c) {
    return {{"rows", c.rows}, {"columns", c.columns}, {"color", array(c.color)}, {"share", array(c.share)}};
  }

  void idle(Json& out) {
    std::vector<std::uint16_t> worker;
    std::vector<std::uint8_t> state;
    std::vector<float> from, length;
    if (panels_.idle.size() <= max_detailed_tasks)
      for (RunPanels::Idle const& i : panels_.idle) {
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
    for (NodeId const id : panels_.map.owner)
      owner.push_back(id.valid() ? static_cast<std::uint16_t>(id.value()) : std::uint16_t{65535});
    Json colors = Json::array();
    for (Color const c : panels_.node_colors.color) colors.push_back(hex_of(c));
    return {{"mt", panels_.map.mt},
            {"nt", panels_.map.nt},
            {"owner", array(owner)},
            {"node_tiles", panels_.node_tiles},
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
  RunPanels const& panels_;
  std::vector<PageArray>& arrays_;
  bool late_ = false;
};

}  // namespace

nlohmann::ordered_json panels_json(std::vector<ReportedRun> const& runs, std::vector<PageArray>& arrays) {
  Json out = {{"format", "factosim-report"}, {"version", 1}, {"panels", page_json()}};
  Json list = Json::array();
  for (ReportedRun const& run : runs) list.push_back(RunJson(run, arrays).json());
  out["runs"] = std::move(list);
  return out;
}

}  // namespace factosim
