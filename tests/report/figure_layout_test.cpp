#include <doctest/doctest.h>

#include <cmath>
#include <pugixml.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "simulator/report/analysis/column_labels.hpp"
#include "simulator/report/analysis/level_panels.hpp"
#include "simulator/report/figures/figure.hpp"
#include "simulator/report/figures/heat_map.hpp"
#include "simulator/report/figures/line_plot.hpp"
#include "simulator/report/figures/svg_writer.hpp"
#include "simulator/report/text/run_comparison_latex.hpp"
#include "tests/trace/random_trace.hpp"

using namespace factosim;

namespace {

struct TextBox {
  std::string text;
  double left, top, right, bottom;
};

/// Returns the boxes of all texts of a picture, by the widths of a wide font.
std::vector<TextBox> text_boxes(pugi::xml_node const& node) {
  std::vector<TextBox> out;
  for (pugi::xml_node const& child : node.children()) {
    auto const more = text_boxes(child);
    out.insert(out.end(), more.begin(), more.end());
  }
  if (std::string_view(node.name()) != "text") return out;
  double const size = node.attribute("font-size").as_double(), x = node.attribute("x").as_double(),
               middle = node.attribute("y").as_double() - 0.36 * size;
  bool const bold = node.attribute("font-weight");
  double const width = text_width(node.child_value(), {.size = size, .bold = bold});
  std::string_view const anchor = node.attribute("text-anchor").as_string();
  double const from = anchor == "middle" ? -width / 2 : anchor == "end" ? -width : 0;
  if (node.attribute("transform"))  // upwards
    out.push_back(
        {node.child_value(), x - 0.45 * size, middle - from - width, x + 0.45 * size, middle - from});
  else
    out.push_back(
        {node.child_value(), x + from, middle - 0.45 * size, x + from + width, middle + 0.45 * size});
  return out;
}

/// Returns what is wrong with the texts of a picture: one that is cut off, or two that overlap; else "".
std::string text_fault(std::string const& svg) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  double left = 0, top = 0, width = 0, height = 0;
  REQUIRE(std::sscanf(document.child("svg").attribute("viewBox").value(), "%lf %lf %lf %lf", &left, &top,
                      &width, &height) == 4);
  auto const boxes = text_boxes(document);
  for (TextBox const& a : boxes) {
    if (a.left < 0 || a.top < 0 || a.right > width || a.bottom > height) return "cut off: " + a.text;
    for (TextBox const& b : boxes)
      if (&a != &b && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        return a.text + " overlaps " + b.text;
  }
  return "";
}

/// Returns a text that lies on a swatch of a legend (a square of ten units), or ends outside the picture; "".
std::string swatch_fault(std::string const& svg) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  auto const boxes = text_boxes(document);
  for (auto const& found : document.select_nodes("//rect[@width='10' and @height='10']")) {
    double const x = found.node().attribute("x").as_double(), y = found.node().attribute("y").as_double();
    for (TextBox const& t : boxes)
      if (t.left < x + 10 && x < t.right && t.top < y + 10 && y < t.bottom) return "on a swatch: " + t.text;
  }
  return "";
}

std::string random_name(std::mt19937& random) {
  return std::string(1 + random() % 24, static_cast<char>('a' + random() % 26));
}

LinePlot random_plot(std::mt19937& random) {
  LinePlot plot{.title = random_name(random), .x = random_name(random), .y = random_name(random)};
  if (random() % 2 == 0) plot.legend = random_name(random);
  double const scale = std::pow(10, static_cast<int>(random() % 16) - 8),
               step = random() % 2 == 0 ? 1 : scale;
  std::size_t const curves = 1 + random() % 12, points = 1 + random() % 30;
  for (std::size_t c = 0; c < curves; ++c) {
    Curve curve{.name = random_name(random)};
    for (std::size_t i = 0; i < points; ++i)
      curve.points.push_back({static_cast<double>(i * (1 + random() % 3) + 1) * step,
                              scale * static_cast<double>(1 + random() % 1000)});
    std::ranges::sort(curve.points, {}, &CurvePoint::x);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

FigureOptions random_options(std::mt19937& random) {
  FigureOptions options;
  if (random() % 3 > 0) options.style.width_mm = 60 + static_cast<double>(random() % 120);
  if (random() % 3 > 0) options.style.height_mm = 40 + static_cast<double>(random() % 120);
  if (random() % 3 > 0) options.style.font_pt = 5 + static_cast<double>(random() % 8);
  if (random() % 3 == 0) options.title = "";
  options.x.logarithmic = random() % 3 == 0;
  options.y.logarithmic = random() % 3 == 0;
  return options;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("texts of plots are neither cut off nor on one another, whatever their size, values and names") {
    std::mt19937 random(1);
    for (int n = 0; n < 400; ++n) {
      std::vector<LinePlot> plots{random_plot(random)};
      if (random() % 4 == 0) plots.push_back(random_plot(random));
      FigureOptions const options = random_options(random);
      CAPTURE(n);
      CHECK(text_fault(draw_line_plots(plots, options).svg) == "");
    }
  }

  TEST_CASE("texts of heat maps are neither cut off nor on one another") {
    std::mt19937 random(1);
    for (int n = 0; n < 100; ++n) {
      HeatMap map{.title = random_name(random),
                  .x = random_name(random),
                  .y = random_name(random),
                  .value = random_name(random),
                  .columns = {},
                  .rows = {},
                  .cells = {}};
      for (std::size_t c = 0; c < 1 + random() % 12; ++c) map.columns.push_back(random_name(random));
      for (std::size_t r = 0; r < 1 + random() % 12; ++r) map.rows.push_back(random_name(random));
      for (std::size_t i = 0; i < map.columns.size() * map.rows.size(); ++i)
        map.cells.push_back(std::pow(10, static_cast<int>(random() % 9) - 4) *
                            static_cast<double>(random() % 9999));
      CAPTURE(n);
      CHECK(text_fault(draw_heat_map(map).svg) == "");
    }
  }

  TEST_CASE("texts of panels of runs are neither cut off nor on one another, whatever their names") {
    std::mt19937 random(5);
    for (unsigned n = 0; n < 60; ++n) {
      std::vector<RunView> runs;
      for (std::size_t r = 1 + random() % 3; r > 0; --r) {
        Trace trace = testing::random_trace(n + 100 * static_cast<unsigned>(r), 60);
        RunView& run = runs.emplace_back(view_of_trace(trace, compared_run(trace)));
        run.name = random_name(random) + " " + random_name(random) + " " + random_name(random);
        for (NamedColor& kernel : run.kernels) kernel.name = random_name(random);
        for (RunSummary::Node& node : run.run.summary.nodes) node.type = random_name(random);
      }
      FigureOptions options;
      if (random() % 2 == 0) options.style.width_mm = 90 + static_cast<double>(random() % 120);
      std::vector<std::string> panels = figure_names();
      std::erase_if(panels, [&](std::string const& name) {
        bool const alone = name == "map" || name == "bounds" || name == "lost";
        return alone || std::ranges::any_of(runs, [&](RunView const& r) { return !has_figure(r, name); });
      });
      CAPTURE(n);
      std::string const svg = draw_figure(runs, panels, options).svg;
      CHECK(text_fault(svg) == "");
      CHECK(swatch_fault(svg) == "");
      for (std::string const alone : {"bounds", "lost"})
        CHECK(text_fault(draw_figure(runs, {alone}, options).svg) == "");
    }
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

  TEST_CASE("widths of texts are those of DejaVu Sans") {
    CHECK(text_width("gemm", {.size = 10}) == doctest::Approx(31.98));  // 635 + 615 + 2 * 974 thousandths
    CHECK(text_width("iiii", {.size = 10}) < text_width("mm", {.size = 10}));
    CHECK(shortened_to("abc", 100, {.size = 10}) == "abc");
    CHECK(shortened_to("\u00e9\u00e9\u00e9", 21, {.size = 10}) == "\u00e9\u2026");
  }

  TEST_CASE("twelve curves differ in mark and dash, without their colours") {
    std::mt19937 random(2);
    LinePlot plot = random_plot(random);
    plot.curves.assign(12, Curve{"", {{1, 1}, {2, 2}}});
    FigureOptions options;
    options.style.palette = Palette::grey;
    pugi::xml_document document;
    REQUIRE(document.load_string(draw_line_plots(std::span(&plot, 1), options).svg.c_str()));
    std::set<std::string> looks;
    int curves = 0;
    for (auto const& found : document.select_nodes("//polyline")) {
      pugi::xml_node const line = found.node(), mark = line.next_sibling();
      int corners = 0;
      for (char const c : std::string_view(mark.attribute("points").as_string())) corners += c == ',' ? 1 : 0;
      bool const points_down = corners == 3 && [&] {
        double x = 0, y = 0, x2 = 0, y2 = 0;
        std::sscanf(mark.attribute("points").as_string(), "%lf,%lf %lf,%lf", &x, &y, &x2, &y2);
        return y > y2;
      }();
      looks.insert(std::string(mark.name()) + std::to_string(corners) + (points_down ? "v" : "") +
                   line.attribute("stroke-dasharray").as_string());
      ++curves;
    }
    CHECK(curves == 12);
    CHECK(looks.size() == 12);
  }

  TEST_CASE("ticks of a logarithmic axis are round and within it") {
    CHECK(logarithmic_ticks(1, 1000, 8) == std::vector<double>{1, 3, 10, 30, 100, 300, 1000});
    for (double const ratio : {1.5, 7., 1e3, 1e9, 1e30}) {
      auto const ticks = logarithmic_ticks(0.03, 0.03 * ratio, 8);
      CHECK(ticks.size() >= 2);
      CHECK(ticks.size() <= 8);
      CHECK(ticks.front() >= 0.0299);
      CHECK(ticks.back() <= 0.0301 * ratio);
    }
    CHECK(tick_label(20000) == "20000");
    CHECK(tick_label(200000) == "200\u2009000");
  }

  TEST_CASE("a figure has the width that is asked for, and letters of that size") {
    LinePlot const plot{
        .title = "t", .x = "Nodes", .y = "Makespan (s)", .curves = {{"one", {{1, 2}, {2, 3}}}}, .bounds = {}};
    FigureOptions options;
    options.style.width_mm = 88;
    options.style.height_mm = 60;
    options.style.font_pt = 8;
    pugi::xml_document document;
    REQUIRE(document.load_string(draw_line_plots(std::span(&plot, 1), options).svg.c_str()));
    CHECK(std::string_view(document.child("svg").attribute("width").value()) == "88mm");
    CHECK(document.child("svg").attribute("height").as_double() == doctest::Approx(60).epsilon(0.01));
    double left = 0, top = 0, width = 0, height = 0;
    REQUIRE(std::sscanf(document.child("svg").attribute("viewBox").value(), "%lf %lf %lf %lf", &left, &top,
                        &width, &height) == 4);
    CHECK(13 * 88 / width / 25.4 * 72 == doctest::Approx(8).epsilon(0.001));  // labels are 13 units high
  }

  TEST_CASE("names in LaTeX tables are text") {
    CHECK(latex_escaped("a_b & 50% $x$ #1 {y} ~^\\\n") ==
          "a\\_b \\& 50\\% \\$x\\$ \\#1 \\{y\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} ");
  }

  TEST_CASE("columns of sweeps have labels with units") {
    CHECK(column_label("makespan_s") == "Makespan (s)");
    CHECK(column_label("nodes_chetemi") == "Nodes of type chetemi");
    CHECK(column_label("nodes") == "Nodes");
    CHECK(column_label("scheduler/type") == "Scheduler");
    CHECK(column_label("network/nic/bandwidth_Bps") == "Bandwidth (B/s)");
    CHECK(column_label("mean_wait_s") == "Mean wait (s)");
  }
}
