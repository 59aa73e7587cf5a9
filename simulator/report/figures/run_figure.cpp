#include "simulator/report/figures/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/report/analysis/run_panels.hpp"
#include "simulator/report/figures/figure_panels.hpp"

namespace factosim {

namespace {

using Json = nlohmann::ordered_json;

/// Returns names and colours, once each.
Json colors_json(std::vector<NamedColor> const& colors) {
  Json out = Json::object();
  for (NamedColor const& c : colors) out.emplace(c.name, c.color);
  return out;
}

void add_names(std::vector<NamedColor>& to, std::vector<NamedColor> const& more) {
  for (NamedColor const& c : more)
    if (std::ranges::find(to, c.name, &NamedColor::name) == to.end()) to.push_back(c);
}

/// Returns the states that occur.
std::vector<NamedColor> seen_states(RunView const& run) {
  std::vector<NamedColor> out;
  for (std::size_t s = 0; s < run.states.size(); ++s)
    if (std::ranges::find(run.state_cells.color, static_cast<std::uint8_t>(s)) != run.state_cells.color.end())
      out.push_back(run.states[s]);
  return out;
}

/// Returns the names and colours of the legend of a panel of levels.
std::vector<NamedColor> legend_of(RunView const& run, LevelPanel const& panel, bool shaded) {
  std::vector<NamedColor> out;
  if (shaded) {
    for (LevelPanel::Curve const& c : panel.curves)
      if (run.find(c.level) != nullptr) out.push_back({c.name, curve_colors()[c.color]});
    return out;
  }
  for (LevelCurve const& c : curves_of(run, panel)) out.push_back({c.curve, c.color});
  return out;
}

/// Returns a panel of levels: "curves", or "shades" if there are many; its values times "factor" are in "unit".
Json level_panel_json(std::span<RunView const> runs, LevelPanel const& panel) {
  float most = 0;
  bool shaded = false;
  std::vector<NamedColor> legend;
  for (RunView const& run : runs) {
    auto const curves = curves_of(run, panel);
    shaded = shaded || as_shaded_rows(panel, curves);
    for (LevelCurve const& c : curves) most = std::max(most, std::ranges::max(c.values));
  }
  for (RunView const& run : runs) add_names(legend, legend_of(run, panel, shaded));
  if (!shaded && legend.size() == 1 && panel.curves.size() == 1) legend.clear();  // the title names it
  auto const [unit, factor] = shown_unit(panel.unit, static_cast<double>(most));
  return {{"name", panel.id},
          {"form", shaded ? "shades" : "curves"},
          {"title", panel.title},
          {"unit", unit},
          {"factor", factor},
          {"against_workers", panel.against_workers},
          {"colors", colors_json(legend)}};
}

Json panel_json(std::span<RunView const> runs, std::string const& name) {
  if (LevelPanel const* const levels = find_level_panel(name)) return level_panel_json(runs, *levels);
  CellPanel const& panel = *find_cell_panel(name);
  std::vector<NamedColor> legend;
  for (RunView const& run : runs) add_names(legend, name == "states" ? seen_states(run) : run.kernels);
  return {{"name", name}, {"form", panel.form}, {"title", panel.title}, {"colors", colors_json(legend)}};
}

/// Returns in how many equal intervals a run's panels over time have values.
Json intervals_json(RunView const& run) {
  auto const columns = [](CellRows const& cells) {
    return coarse_size(cells, max_drawn_rows, max_drawn_columns).columns;
  };
  return {{"workers", columns(run.worker_cells)},
          {"states", columns(run.state_cells)},
          {"iterations", columns(run.iteration_cells)},
          {"levels", run.intervals()}};
}

Json runs_json(std::span<RunView const> runs) {
  auto const headings = run_headings(runs);
  Json out = Json::array();
  for (std::size_t r = 0; r < runs.size(); ++r)
    out.push_back({{"name", headings[r]},
                   {"makespan_s", runs[r].makespan_s()},
                   {"nodes", runs[r].run.summary.nodes.size()},
                   {"workers", runs[r].run.summary.workers},
                   {"area_bound_s", runs[r].run.summary.abe_s},
                   {"intervals", intervals_json(runs[r])}});
  return out;
}

/// Returns the title of a figure of runs whose parts have headings if there are several.
std::string title_of(std::span<RunView const> runs, FigureOptions const& options) {
  return options.title.value_or(runs.size() == 1 ? runs.front().name : "");
}

Figure panels_over_time(std::span<RunView const> runs, std::vector<std::string> const& names,
                        FigureOptions const& options) {
  Json content = figure_content("time", options.title.value_or(""), options);
  content["runs"] = runs_json(runs);
  for (std::string const& name : names) content["panels"].push_back(panel_json(runs, name));
  PanelTables const drawn = panel_tables(runs, names, Resolution::drawn);
  content["rows"] = columns_json(drawn.rows);
  content["columns"] = columns_json(drawn.numbers);
  return {std::move(content), panel_tables(runs, names, Resolution::full).numbers};
}

Figure bounds_figure(std::span<RunView const> runs, FigureOptions const& options) {
  Table numbers{.columns = {"run", "bound", "seconds"}};
  Json labels = Json::object();
  auto const headings = run_headings(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (RunBound const& bound : run_bounds(runs[r])) {
      numbers.rows.push_back({headings[r], bound.name, bound.seconds});
      labels[bound.name] = bound.short_name;
    }
  Json content = figure_content("bounds", title_of(runs, options), options);
  content["runs"] = runs_json(runs);
  content["labels"] = std::move(labels);
  content["columns"] = columns_json(numbers);
  return {std::move(content), std::move(numbers)};
}

Figure lost_figure(std::span<RunView const> runs, FigureOptions const& options) {
  Table numbers{.columns = {"run", "account", "part", "seconds"}};
  std::vector<NamedColor> colors, waits;
  auto const headings = run_headings(runs);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    RunView const& run = runs[r];
    std::pair<char const*, TimeBreakdown const*> const accounts[] = {
        {"The chain of tasks that the end waited for", &run.run.chain.breakdown},
        {"What a worker did on average", &run.run.workers}};
    for (auto const& [title, breakdown] : accounts)
      for (TimePart const& part : time_parts(run, *breakdown)) {
        numbers.rows.push_back({headings[r], title, part.what.name, part.seconds});
        add_names(colors, {part.what});
        if (part.is_wait) add_names(waits, {part.what});
      }
  }
  Json content = figure_content("lost", title_of(runs, options), options);
  content["runs"] = runs_json(runs);
  content["colors"] = colors_json(colors);
  content["waits"] = Json::array();
  for (NamedColor const& wait : waits) content["waits"].push_back(wait.name);
  content["columns"] = columns_json(numbers);
  return {std::move(content), std::move(numbers)};
}

Figure map_of_run(std::span<RunView const> runs, FigureOptions const& options) {
  RunView const& run = runs.front();
  std::vector<std::string> types;
  for (RunSummary::Node const& n : run.run.summary.nodes) types.push_back(n.type);
  return map_figure({.map = run.map,
                     .title = options.title.value_or(run.name),
                     .node_types = std::move(types),
                     .tiles_per_node = run.node_tiles},
                    options);
}

/// A figure that must be drawn alone.
struct AloneFigure {
  char const* name;
  bool (*has)(RunView const&);
  Figure (*draw)(std::span<RunView const>, FigureOptions const&);
};
constexpr AloneFigure alone_figures[] = {
    {"map", [](RunView const& run) { return run.map.mt > 0; }, map_of_run},
    {"bounds", [](RunView const& /*run*/) { return true; }, bounds_figure},
    {"lost", [](RunView const& run) { return run.run.traced; }, lost_figure},
};

/// Returns the element of a list with this name; null: there is none.
template <class Things, class Name>
auto const* find_named(Things const& things, std::string_view name, Name const& name_of) {
  auto const found = std::ranges::find(things, name, name_of);
  return found == std::ranges::end(things) ? nullptr : &*found;
}

AloneFigure const* find_alone(std::string_view name) {
  return find_named(alone_figures, name, &AloneFigure::name);
}

}  // namespace

bool stands_alone(std::string_view name) { return find_alone(name) != nullptr; }

std::vector<std::string> figure_names() {
  std::vector<std::string> out;
  for (CellPanel const& p : cell_panels) out.emplace_back(p.name);
  for (LevelPanel const& p : level_panels()) out.push_back(p.id);
  for (AloneFigure const& figure : alone_figures) out.emplace_back(figure.name);
  return out;
}

bool has_figure(RunView const& run, std::string_view name) {
  if (name == "iterations") return run.run.summary.iterations.size() > 1;
  if (name == "nodes") return !run.occupation.empty();
  if (CellPanel const* const cells = find_cell_panel(name)) return (run.*cells->cells).rows > 0;
  if (AloneFigure const* const alone = find_alone(name)) return alone->has(run);
  LevelPanel const* const panel = find_level_panel(name);
  return panel != nullptr && !curves_of(run, *panel).empty();
}

CellPanel const* find_cell_panel(std::string_view name) {
  return find_named(cell_panels, name, &CellPanel::name);
}

LevelPanel const* find_level_panel(std::string_view name) {
  return find_named(level_panels(), name, &LevelPanel::id);
}

bool as_shaded_rows(LevelPanel const& panel, std::vector<LevelCurve> const& curves) {
  return panel.by_row && curves.size() > max_level_curves;
}

std::vector<LevelCurve> curves_of(RunView const& run, LevelPanel const& panel) {
  bool const by_row = shows_rows(run, panel);
  std::vector<LevelCurve> out = by_row ? row_curves(run, panel) : summed_curves(run, panel);
  std::erase_if(out, std::mem_fn(&LevelCurve::is_zero));
  for (std::size_t i = 0; by_row && i < out.size(); ++i) {
    out[i].curve = panel.curves.size() > 1 ? out[i].row + ", " + out[i].curve : out[i].row;
    if (out.size() <= max_level_curves) out[i].color = curve_colors()[i % curve_colors().size()];
  }
  return out;
}

std::vector<std::string> run_headings(std::span<RunView const> runs) {
  if (runs.size() == 1) return {runs.front().name};
  bool alike = false;
  for (RunView const& a : runs)
    for (RunView const& b : runs) alike = alike || (&a != &b && a.name == b.name);
  std::vector<std::string> out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    out.push_back(fmt::format("{}: {}", "ABCD"[r],
                              alike || runs[r].name.empty() ? runs[r].run.summary.source : runs[r].name));
  return out;
}

Figure figure_of_runs(std::span<RunView const> runs, std::vector<std::string> const& names,
                      FigureOptions const& options) {
  FACTOSIM_EXPECT(!runs.empty() && !names.empty(), "something to draw");
  FACTOSIM_EXPECT(names.size() == 1 || std::ranges::none_of(names, stands_alone),
                  "panels over time are stacked, others stand alone");
  if (AloneFigure const* const alone = find_alone(names.front())) return alone->draw(runs, options);
  return panels_over_time(runs, names, options);
}

}  // namespace factosim
