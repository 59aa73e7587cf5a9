#include "platforms/random_processor_graph.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "platforms/processor_graph_json.hpp"

namespace factosim {

namespace {

/// Own distributions: those of the standard library differ between implementations, its engine does not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
  bool chance(int percent) { return below(100) < static_cast<std::uint32_t>(percent); }
  /// Rounds to three digits, so that a graph can be written exactly.
  double logarithmic(double minimum, double maximum) {
    double const x = minimum * std::pow(maximum / minimum, below(1001) / 1000.0);
    double const unit = std::pow(10.0, std::floor(std::log10(x)) - 2);
    return std::round(x / unit) * unit;
  }

 private:
  std::mt19937_64 engine_;
};

std::pair<double, double> read_range(JsonReader const& json) {
  auto const ends = json.elements();
  if (ends.size() != 2) json.fail("is no range (a least and a most are drawn between). Write [least, most]");
  std::pair<double, double> const range{ends[0].quantity(), ends[1].quantity()};
  if (range.second < range.first) json.fail("is a range that ends before it starts. Write [least, most]");
  return range;
}

ValueRules random_graph_rules() { return {rule::object(random_graph_table)}; }

}  // namespace

ProcessorGraph random_processor_graph(RandomGraphOptions const& o, std::uint64_t seed) {
  Draw draw(seed);
  ProcessorGraph graph;
  auto const vertices = static_cast<std::uint32_t>(o.processors + o.routers);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    bool const computes = v < static_cast<std::uint32_t>(o.processors);
    graph.vertices.push_back({.name = fmt::format("{}{}", computes ? "P" : "R", v),
                              .speed = computes ? draw.logarithmic(o.min_speed, o.max_speed) : 0});
  }
  auto const join = [&](std::uint32_t a, std::uint32_t b) {
    ProcessorGraph::Link link{.name = fmt::format("l{}", graph.links.size()),
                              .from = a,
                              .to = b,
                              .bandwidth = {draw.logarithmic(o.min_bandwidth, o.max_bandwidth)},
                              .either_way = !draw.chance(o.one_way_percent),
                              .shared = !draw.chance(o.backbone_percent),
                              .latency = {0}};
    graph.links.push_back(link);
    if (link.either_way) return;
    std::swap(link.from, link.to);
    link.name += ":back";
    graph.links.push_back(link);
  };
  std::vector<std::uint32_t> order(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) order[v] = v;
  for (std::uint32_t i = vertices; i-- > 1;) std::swap(order[i], order[draw.below(i + 1)]);
  for (std::uint32_t i = 1; i < vertices; ++i) join(order[i], order[draw.below(i)]);
  for (int e = 0; e < o.extra_links && vertices > 1; ++e) {
    std::uint32_t const a = draw.below(vertices), b = draw.below(vertices - 1);
    join(a, b < a ? b : b + 1);
  }
  return graph;
}

GraphPlatform draw_processor_graph(JsonReader const& given, std::uint64_t seed) {
  JsonReader const json = given.by(random_graph_rules);
  RandomGraphOptions o;
  o.processors = static_cast<int>(json.at("processors", "how many compute").integer());
  if (auto const routers = json.find("routers")) o.routers = static_cast<int>(routers->integer());
  if (auto const extra = json.find("extra_links")) o.extra_links = static_cast<int>(extra->integer());
  if (auto const speeds = json.find("speed_per_s")) std::tie(o.min_speed, o.max_speed) = read_range(*speeds);
  if (auto const widths = json.find("bandwidth_Bps"))
    std::tie(o.min_bandwidth, o.max_bandwidth) = read_range(*widths);
  if (auto const own = json.find("seed")) seed = static_cast<std::uint64_t>(own->integer());
  json.finish();
  return {.source = fmt::format("random, seed {}", seed),
          .graph = random_processor_graph(o, seed),
          .estimate = true,
          .provenance = "drawn at random"};
}

}  // namespace factosim
