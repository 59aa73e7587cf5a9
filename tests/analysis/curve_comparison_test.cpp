#include "simulator/report/analysis/curves.hpp"

#include "simulator/report/text/progress_bar.hpp"
#include "tests/prelude.hpp"

using namespace factosim;

namespace {

CurveChart chart(std::vector<double> const& a, std::vector<double> const& b) {
  CurveChart out{"", {{"a", {}}, {"b", {}}}};
  for (std::size_t i = 0; i < a.size(); ++i) {
    out.curves[0].points.push_back({static_cast<double>(i + 1), a[i]});
    out.curves[1].points.push_back({static_cast<double>(i + 1), b[i]});
  }
  return out;
}

std::string description(std::vector<double> const& a, std::vector<double> const& b) {
  return compare_curves(chart(a, b), "b", "makespan_s").at(0).description("nodes");
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the description names crossover points") {
    CHECK(description({2, 2, 2}, {1, 1, 1}) == "a never beats b");
    CHECK(description({1, 1, 1}, {1, 1, 1}) == "a never beats b");
    CHECK(description({1, 1, 1}, {2, 2, 2}) == "a beats b at all nodes 1 to 3, by 50.0 %");
    CHECK(description({3, 1, 1, 1}, {2, 2, 2, 2}) == "a beats b at nodes 2 to 4, by 50.0 %");
    CHECK(description({1, 1, 3, 1}, {2, 2, 2, 2}) == "a beats b at nodes 1 to 2, 4, by 50.0 %");
    CHECK(description({3, 1, 3, 3}, {2, 2, 2, 2}) == "a beats b at nodes 2, by 50.0 %");
    CHECK(description({3, 1, 1.8}, {2, 2, 2}) == "a beats b at nodes 2 to 3, by 10.0 to 50.0 %");
  }

  TEST_CASE("differences that single runs cannot tell are said to be indistinct") {
    CurveChart noisy = chart({9.9, 5}, {10, 10});
    for (Curve& curve : noisy.curves)
      for (CurvePoint& p : curve.points) p.spread = spread_of({p.y - 0.1, p.y, p.y + 0.1});
    CurveComparison const c = compare_curves(noisy, "b", "makespan_s").at(0);
    REQUIRE(c.indistinct.size() == 1);
    CHECK(c.indistinct[0].x == 1);
    CHECK(std::abs(c.indistinct[0].difference / 0.01 - 1) < 1e-9);
    // t(0.975) of 4 degrees of freedom is 2.7764; the variance of one run is 0.01 (1 + 1/3).
    double const expected = 2.7764 * std::sqrt(2 * 0.01 * 4 / 3) / 10;
    CHECK(std::abs(c.indistinct[0].within / expected - 1) < 1e-4);
    CHECK(testing::contains(c.description("nodes"),
                            "single runs not distinguishable at 1 of 2 points: at nodes 1 the "
                            "difference of 1.0 % is within 4.5 %"));
  }

  TEST_CASE("more GFlop/s and fewer seconds are better") {
    CHECK(compare_curves(chart({2}, {1}), "b", "gflops").at(0).better.size() == 1);
    CHECK(compare_curves(chart({2}, {1}), "b", "tiles_sent").at(0).better.empty());
  }

  TEST_CASE("charts are split by the parameters that x and the series do not determine") {
    Table const table{.columns = {"n", "side", "who", "note", "t"},
                      .parameters = {"n", "side", "who", "note"},
                      .rows = {{1, 10, "a", "x", 5.0},
                               {2, 20, "a", "x", 4.0},
                               {1, 10, "b", "x", 3.0},
                               {1, 10, "a", "y", 7.0},
                               {2, 20, "a", "x", 6.0},
                               {3, 30, "a", "x", nullptr}}};
    auto const charts = charts_of(table, {"n", "t", "who"});
    REQUIRE(charts.size() == 2);
    CHECK(charts[0].where == "note x");
    REQUIRE(charts[0].curves.size() == 2);
    REQUIRE(charts[0].curves[0].points.size() == 2);
    CHECK(charts[0].curves[0].points[1].y == 5);  // the mean of two replicas
    CHECK(charts[0].curves[0].points[1].spread->values == std::vector<double>{4, 6});
    CHECK(charts[1].where == "note y");
    CHECK_THROWS_AS((void)charts_of(table, {"n", "nothing", ""}), std::out_of_range);
  }

  TEST_CASE("CSV quotes what must be quoted") {
    Table const table{
        .columns = {"a", "b,c"}, .parameters = {}, .rows = {{"say \"hi\"", 0.1}, {nullptr, true}}};
    CHECK(csv_text(table) == "a,\"b,c\"\n\"say \"\"hi\"\"\",0.1\n,true\n");
    CHECK(json_lines(table) == "{\"a\":\"say \\\"hi\\\"\",\"b,c\":0.1}\n{\"b,c\":true}\n");
  }

  TEST_CASE("the bar of a sweep shows points and rate and the time left") {
    CHECK(ProgressBar::text({"points", 50, 200, 3, 0.5}, 10) ==
          "[###############...............]  50 %  50/200 points  5/s  10 s left  3 failed");
  }
}
