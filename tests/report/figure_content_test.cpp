#include "distributions/block_cyclic.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/report/analysis/report_colors.hpp"
#include "simulator/report/analysis/run_panels.hpp"
#include "simulator/report/analysis/sweep_view.hpp"
#include "simulator/report/figures/figures.hpp"
#include "simulator/report/text/run_comparison_text.hpp"
#include "tests/cli/program.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

using FigureJson = nlohmann::ordered_json;

RunView random_view(unsigned seed, int tasks) {
  Trace const trace = testing::random_trace(seed, tasks);
  return view_of_trace(trace, compared_run(trace));
}

/// Returns the panels over time that the run has data for.
std::vector<std::string> panels_of(RunView const& run) {
  std::vector<std::string> out = figure_names();
  std::erase_if(out, [&](std::string const& name) { return stands_alone(name) || !has_figure(run, name); });
  return out;
}

/// Half of the nodes are slow, and what they have is of no importance.
MapPicture map_picture_of(TileMap const& map, std::size_t nodes) {
  MapPicture picture{.map = map, .title = "a map", .node_types = {}, .tiles_per_node = {}};
  for (std::size_t n = 0; n < nodes; ++n) {
    picture.node_types.emplace_back(n < nodes / 2 ? "slow" : "fast");
    picture.tiles_per_node.push_back(n);
  }
  return picture;
}

TileMap random_tile_map(int nt, std::uint32_t nodes) {
  TileMap map{.mt = nt, .nt = nt, .owner = {}};
  std::mt19937 draw(1);
  for (int i = 0; i < nt * nt; ++i) map.owner.emplace_back(draw() % nodes);
  return map;
}

FigureJson line_content(LinePlot const& plot, FigureOptions const& options = {}) {
  return line_figure(std::span(&plot, 1), options).content;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("each value over time lies within the run and belongs to a row of its panel") {
    for (unsigned seed = 0; seed < 20; ++seed) {
      RunView const view = random_view(seed, 200);
      FigureJson const content = figure_of_runs({&view, 1}, panels_of(view)).content;
      std::set<std::pair<FigureJson, FigureJson>> rows;
      for (std::size_t i = 0; i < content["rows"]["row"].size(); ++i)
        rows.emplace(content["rows"]["panel"][i], content["rows"]["row"][i]);
      FigureJson const& columns = content["columns"];
      std::map<std::string, FigureJson> forms;
      for (FigureJson const& panel : content["panels"]) forms[panel["name"]] = panel["form"];
      for (std::size_t i = 0; i < columns["row"].size(); ++i) {
        if (columns["from_s"][i].is_null()) continue;  // dates of iterations
        bool const level = forms[columns["panel"][i]] == "curves" || forms[columns["panel"][i]] == "shades";
        CHECK(rows.contains({columns["panel"][i], columns[level ? "curve" : "row"][i]}));
        CHECK(columns["from_s"][i].get<double>() < columns["to_s"][i].get<double>());
        CHECK(columns["to_s"][i].get<double>() <= view.makespan_s() * (1 + 1e-12));
        CHECK(columns["value"][i].get<double>() >= 0);
      }
    }
  }

  TEST_CASE("what is drawn of a run is at most as many rows and values as a figure can show") {
    RunView const view = random_view(7, 4000);
    Figure const figure = figure_of_runs({&view, 1}, {"workers", "nodes", "ready"});
    CHECK(figure.content["columns"]["row"].size() <= figure.numbers.rows.size());
    std::map<std::string, std::size_t> rows;
    for (FigureJson const& panel : figure.content["rows"]["panel"]) ++rows[panel];
    CHECK(rows["workers"] <= 150);
    CHECK(figure_of_runs({&view, 1}, {"workers", "nodes", "ready"}).content == figure.content);
  }

  TEST_CASE("kernels have one colour in all panels and states their own") {
    RunView const view = random_view(3, 100);
    FigureJson const content = figure_of_runs({&view, 1}, {"workers", "nodes", "states"}).content;
    CHECK(content["panels"][0]["colors"] == content["panels"][1]["colors"]);
    for (NamedColor const& kernel : view.kernels)
      CHECK(content["panels"][0]["colors"][kernel.name] == hex_of(kernel.color));
    CHECK(content["panels"][2]["colors"] != content["panels"][1]["colors"]);
  }

  TEST_CASE("runs beside each other are named by letters and by their paths where names are alike") {
    std::vector<RunView> runs{random_view(1, 50), random_view(2, 50)};
    runs[0].name = "one", runs[1].name = "two";
    auto const headings = [&] {
      FigureJson const content = figure_of_runs(runs, {"bounds"}).content;
      return std::pair(content["runs"][0]["name"].get<std::string>(),
                       content["runs"][1]["name"].get<std::string>());
    };
    CHECK(headings() == std::pair<std::string, std::string>("A: one", "B: two"));
    runs[1].name = "one";
    runs[0].run.summary.source = "a/result.json", runs[1].run.summary.source = "b/result.json";
    CHECK(headings() == std::pair<std::string, std::string>("A: a/result.json", "B: b/result.json"));
  }

  TEST_CASE("values are shown in a unit of which they are 1 to 1000") {
    for (double most = 1e-3; most < 1e12; most *= 7) {
      auto const [unit, factor] = shown_unit("MB/s", most);
      CHECK(most * factor < (unit == "TB/s" ? 1e7 : 1000));
      CHECK((unit == "MB/s" || most * factor >= 1));
      CHECK(factor == doctest::Approx(unit == "MB/s" ? 1 : unit == "GB/s" ? 1e-3 : 1e-6));
    }
    CHECK(shown_unit("tasks", 1e9) == std::pair<std::string, double>("tasks", 1));
  }

  TEST_CASE("a plot has the points of its curves and then those of its bounds") {
    LinePlot plot{.title = "t",
                  .x = "n",
                  .y = "s",
                  .curves = {{"one", {{1, 2}, {2, 3}}}, {"two", {{1, 4}}}},
                  .bounds = {{"bound", {{1, 1}}}}};
    plot.curves[0].points[1].spread = spread_of({2.9, 3.1});
    std::vector<LinePlot> const both{plot, plot};
    Figure const figure = line_figure(both, {});
    CHECK(figure.content["plots"][1]["first_row"] == 4);
    CHECK(figure.content["plots"][1]["end_row"] == 8);
    CHECK(figure.content["plots"][0]["curves"] == FigureJson{"one", "two"});
    CHECK(figure.content["columns"]["value"] == FigureJson{2, 3, 4, 1, 2, 3, 4, 1});
    CHECK(figure.content["columns"]["ci95_low"][0].is_null());
    CHECK(figure.content["columns"]["ci95_high"][1] == spread_of({2.9, 3.1}).ci95_high);
    CHECK(figure.numbers.columns.front() == "plot");
    FigureOptions options;
    options.title = "";
    options.x.label = "nodes";
    CHECK(line_content(plot, options)["plots"][0]["title"] == "");
    CHECK(line_content(plot, options)["plots"][0]["x"] == "nodes");
    options.y.logarithmic = true;
    plot.curves[1].points[0].y = 0;
    CHECK_THROWS_WITH_AS((void)line_content(plot, options),
                         "--log#: the value 0 has no logarithm. Leave the logarithmic axis out", InputError);
  }

  TEST_CASE("cells of a heat map without a value are empty") {
    HeatMap const map{.title = "t",
                      .x = "n",
                      .y = "d",
                      .value = "s",
                      .columns = {"1", "2"},
                      .rows = {"a", "b"},
                      .cells = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4}};
    Figure const figure = heat_map_figure(map);
    CHECK(figure.content["cells"] == FigureJson{{1, 2}, {nullptr, 4}});
    CHECK(figure.numbers.rows.size() == 3);
  }

  TEST_CASE("each tile of a map has its owner and each node its own colour") {
    TileMap const map = block_cyclic(30, 20, {.p = 2, .q = 3});
    Figure const figure = map_figure(map_picture_of(map, 6));
    for (int m = 0; m < 30; ++m)
      for (int n = 0; n < 20; ++n)
        CHECK(figure.content["cells"][static_cast<std::size_t>(m)][static_cast<std::size_t>(n)] ==
              map.at(m, n).value());
    std::set<std::string> colors;
    for (FigureJson const& color : figure.content["nodes"]["color"]) colors.insert(color);
    CHECK(colors.size() == 6);
    CHECK(figure.numbers.rows.size() == 600);
  }

  TEST_CASE("tiles that are not stored have no owner in a map") {
    TileMap map = block_cyclic(12, 12, {.p = 2, .q = 3});
    MapPicture picture = map_picture_of(map, 6);
    picture.lower_only = true;
    map.owner[5 * 12 + 2] = {};
    FigureJson const cells = map_figure(picture).content["cells"];
    for (std::size_t m = 0; m < 12; ++m)
      for (std::size_t n = 0; n < 12; ++n) CHECK((cells[m][n] != -1) == (n <= m && !(m == 5 && n == 2)));
  }

  TEST_CASE("a cell for several tiles has the owner of most of them") {
    TileMap map{.mt = 3, .nt = 3, .owner = std::vector<NodeId>(9, NodeId{1})};
    map.owner[0] = map.owner[1] = map.owner[2] = NodeId{2};
    // 2 2 2 | 1 1 1 | 1 1 1: node 2 comes first in the upper cells, where both have as many; the last are
    // narrower.
    CHECK(coarse(map, 2).owner == std::vector<NodeId>{NodeId{2}, NodeId{2}, NodeId{1}, NodeId{1}});
    CHECK(coarse(map, 3).owner == std::vector<NodeId>{NodeId{1}});
    map.owner = std::vector<NodeId>(9);
    CHECK_FALSE(coarse(map, 2).at(0, 0).valid());
    FigureJson const large = map_figure(map_picture_of(random_tile_map(1000, 50), 50)).content;
    CHECK(large["tiles_per_cell"] == 4);
    CHECK(large["cells"].size() == 250);
  }

  TEST_CASE("neighbouring nodes of one type have shades of high contrast") {
    TileMap const map = block_cyclic(20, 20, {.p = 2, .q = 7});
    NodeColors const colors = node_colors(map, std::vector<std::string>(14, "slow"));
    CHECK(std::set<std::uint32_t>(colors.shade.begin(), colors.shade.end()).size() == 14);
    for (int m = 0; m < 20; ++m)
      for (int n = 1; n < 20; ++n)
        CHECK(std::abs(static_cast<int>(colors.shade[map.at(m, n).index()]) -
                       static_cast<int>(colors.shade[map.at(m, n - 1).index()])) >= 3);
  }

  TEST_CASE("names in LaTeX tables are text") {
    CHECK(latex_escaped("a_b & 50% $x$ #1 {y} ~^\\\n") ==
          "a\\_b \\& 50\\% \\$x\\$ \\#1 \\{y\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} ");
  }

  TEST_CASE("columns of sweeps have labels with units") {
    CHECK(column_label("makespan_s") == "Makespan (s)");
    CHECK(column_label("nodes_chetemi") == "Nodes of type chetemi");
    CHECK(column_label("nodes") == "Nodes");
    CHECK(column_label("scheduler/type") == "Policy");
    CHECK(column_label("network/nic/bandwidth_Bps") == "Bandwidth (B/s)");
    CHECK(column_label("mean_wait_s") == "Mean wait (s)");
  }
}

TEST_SUITE("scenario") {
  TEST_CASE("without matplotlib a picture is refused with what to install and its numbers are written") {
    testing::TemporaryFolder const folder;
    auto const shown = [&](std::string const& variable, std::string const& name) {
      return testing::run_script(variable + " \"$1\" platform show mirage --force -o '" +
                                 (folder / name).string() + "'\n");
    };
    for (auto const& [variable, message] :
         {std::pair("FACTOSIM_PYTHON=/bin/false", "pictures need matplotlib, which /bin/false does not have"),
          std::pair("FACTOSIM_PYTHON=/nowhere",
                    "there is no python3, and figures need it with matplotlib")}) {
      testing::ProgramRun const refused = shown(variable, "m.svg");
      CHECK(refused.code == 2);
      CHECK_MESSAGE(testing::contains(refused.err, message), refused.err);
      CHECK_MESSAGE(testing::contains(refused.err, "Debian: python3-matplotlib"), refused.err);
      CHECK_FALSE(std::filesystem::exists(folder / "m.svg"));
      CHECK(shown(variable, "m.csv").code == 0);
      CHECK(shown(variable, "m.json").code == 0);
      CHECK(FigureJson::parse(testing::text_of(folder / "m.json")).at("kind") == "machines");
    }
    CHECK(testing::text_of(folder / "m.csv").starts_with("machine,nodes,from,to,"));
  }

  TEST_CASE("a file of the working folder cannot replace the painter of figures") {
    testing::TemporaryFolder const folder;
    for (char const* module : {"matplotlib.py", "json.py", "factosim.py", "numpy.py", "page.py"})
      folder.write(module, "raise SystemExit('taken over')\n");
    testing::ProgramRun const drawn = testing::run_script(
        "cd '" + folder.path().string() + "' && FACTOSIM_PATH=. \"$1\" platform show mirage -o m.svg\n");
    CHECK_MESSAGE(drawn.code == 0, drawn.err);
    CHECK(testing::contains(testing::text_of(folder / "m.svg"), "Tesla M2070"));
  }
}
