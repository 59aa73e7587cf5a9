#include "simulator/report/figures/line_plot.hpp"
#include "simulator/base/core/sample.hpp"
#include "simulator/report/figures/heat_map.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <pugixml.hpp>

using namespace factosim;

namespace {

std::size_t elements(pugi::xml_node const& node, std::string const& name) {
  std::size_t n = node.name() == name ? 1 : 0;
  for (pugi::xml_node const& child : node.children()) n += elements(child, name);
  return n;
}

std::size_t elements(std::string const& svg, std::string const& name) {
  pugi::xml_document document;
  REQUIRE(document.load_string(svg.c_str()));
  return elements(document, name);
}

std::string svg_of(LinePlot const& plot) { return draw_line_plots(std::span(&plot, 1)).svg; }

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("ticks are round and few") {
    CHECK(axis_ticks(0, 10, 8) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(axis_ticks(16, 50, 12) == std::vector<double>{20, 25, 30, 35, 40, 45, 50});
    CHECK(axis_ticks(3, 3, 5) == std::vector<double>{3});
    for (double const last : {1e-9, 0.37, 12., 7e12}) CHECK(axis_ticks(0, last, 8).size() <= 8);
  }

  TEST_CASE("plots of one picture are drawn below each other") {
    LinePlot const plot{
        .title = "t", .x = "n", .y = "s", .curves = {{"one", {{1, 2}, {2, 3}}}}, .bounds = {}};
    std::vector<LinePlot> const three(3, plot);
    pugi::xml_document one, all;
    REQUIRE(one.load_string(svg_of(plot).c_str()));
    REQUIRE(all.load_string(draw_line_plots(three).svg.c_str()));
    CHECK(elements(all, "line") == 3 * elements(one, "line"));
    CHECK(all.child("svg").attribute("width").as_double() == one.child("svg").attribute("width").as_double());
    CHECK(all.child("svg").attribute("height").as_double() ==
          doctest::Approx(3 * one.child("svg").attribute("height").as_double()).epsilon(0.01));
  }

  TEST_CASE("a plot has one mark per point and three lines for each confidence interval") {
    LinePlot plot{.title = "a & b", .x = "n", .y = "s", .curves = {{"one", {{1, 2}, {2, 3}}}}, .bounds = {}};
    std::size_t const lines = elements(svg_of(plot), "line");
    plot.curves[0].points[1].spread = spread_of({2.9, 3.1});
    CHECK(svg_of(plot) == svg_of(plot));
    plot.curves[0].points[1].spread->ci95_high = 3;  // the axis as before
    CHECK(elements(svg_of(plot), "line") == lines + 3);
    CHECK(elements(svg_of(plot), "rect") == 1 + 1 + 2 + 2);  // page, frame, marks, legend
  }

  TEST_CASE("curves have different marks") {
    Curve const curve{"one", {{1, 2}, {2, 3}}};
    LinePlot const plot{.title = "t", .x = "n", .y = "s", .curves = {curve, curve, curve}, .bounds = {}};
    CHECK(elements(svg_of(plot), "polygon") == 2 * 3);  // two points and the legend: diamonds, triangles
  }

  TEST_CASE("a heat map leaves cells without a value empty") {
    HeatMap const map{.title = "t",
                      .x = "n",
                      .y = "d",
                      .value = "s",
                      .columns = {"1", "2"},
                      .rows = {"a", "b"},
                      .cells = {1, 2, std::numeric_limits<double>::quiet_NaN(), 4}};
    CHECK(elements(draw_heat_map(map).svg, "rect") == 1 + 3 + 16);  // page, cells, scale
  }
}
