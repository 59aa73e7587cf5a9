#include "platforms/processor_graph_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "simulator/base/core/fields.hpp"

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

/// Returns the field of the minimum and maximum that a value is drawn between.
template <auto least, auto most>
Field<RandomGraphOptions> range_field(char const* name, char const* unit, char const* meaning) {
  using O = RandomGraphOptions;
  return field<O>(
      {.name = name, .value = {rule::array({rule::positive(unit)}, 2, 2)}, .meaning = meaning},
      {.read =
           [](JsonReader const& json, O& o) {
             auto const ends = json.elements();
             if (ends.size() != 2)
               json.fail("is no range (a least and a most are drawn between). Write [least, most]");
             o.*least = ends[0].quantity();
             o.*most = ends[1].quantity();
             if (o.*most < o.*least) json.fail("is a range that ends before it starts. Write [least, most]");
           },
       .write =
           [](O const& o) {
             return nlohmann::ordered_json{o.*least, o.*most};
           }});
}

Object<RandomGraphOptions> const& random_graph() {
  using O = RandomGraphOptions;
  static Object<O> const object(
      {.title = "random graph",
       .meaning = "A connected graph that is drawn: a random tree and further links.",
       .fields = {
           field<&O::processors>({.name = "processors",
                                  .value = {rule::integer(1, 1000, "processors")},
                                  .meaning = "processors that compute",
                                  .required = true,
                                  .missing = "how many compute"}),
           field<&O::routers>({.name = "routers",
                               .value = {rule::integer(0, 1000, "routers")},
                               .meaning = "vertices that do not compute"}),
           field<&O::extra_links>({.name = "extra_links",
                                   .value = {rule::integer(0, 10'000, "links")},
                                   .meaning = "links in addition to the tree; may be parallel"}),
           range_field<&O::min_speed, &O::max_speed>("speed_per_s", "1/s", "minimum and maximum speed"),
           range_field<&O::min_bandwidth, &O::max_bandwidth>("bandwidth_Bps", "B/s",
                                                             "minimum and maximum bandwidth"),
           field<O>({.name = "seed",
                     .value = {rule::integer(0, INT64_MAX)},
                     .meaning = "seed of the drawing",
                     .default_text = "the scenario's"})}});
  return object;
}

ValueRules random_graph_rules() { return {rule::object(random_graph_table)}; }

}  // namespace

ObjectKeys const& random_graph_table() { return random_graph().keys; }

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
  read_object(json, random_graph(), &o);
  if (auto const own = json.find("seed")) seed = static_cast<std::uint64_t>(own->integer());
  return {.source = fmt::format("random, seed {}", seed),
          .graph = random_processor_graph(o, seed),
          .estimate = true,
          .provenance = "drawn at random"};
}

}  // namespace factosim
