#include "platforms/processor_graph_json.hpp"
#include "platforms/random_processor_graph.hpp"

namespace factosim {

namespace {

ObjectKeys const& processor_table() {
  auto const speed = [](char const* name, char const* unit, char const* meaning) {
    return Key{
        .name = name, .value = {rule::non_negative(unit)}, .meaning = meaning, .default_text = "a router"};
  };
  static ObjectKeys const table{
      .title = "processor",
      .meaning = "A processor, or without a speed a router.",
      .keys = {{.name = "name", .value = {rule::text()}, .meaning = "name in links", .required = true},
               speed("speed_per_s", "1/s", "units of work per second"),
               speed("cycle_time_s", "s", "time of a unit of work, instead of `speed_per_s`")}};
  return table;
}

ObjectKeys const& graph_link_table() {
  auto const end = [](char const* name) {
    return Key{.name = name, .value = {rule::text()}, .meaning = "name of a processor", .required = true};
  };
  static ObjectKeys const table{
      .title = "link of a graph",
      .meaning = "A link between two processors; there may be several.",
      .keys = {{.name = "name", .value = {rule::text()}, .meaning = "name in results", .required = true},
               end("from"),
               end("to"),
               {.name = "bandwidth_Bps",
                .value = {rule::positive("B/s")},
                .meaning = "bandwidth",
                .required = true},
               {.name = "direction",
                .value = {rule::word({"half-duplex", "full-duplex", "one-way"})},
                .meaning =
                    "`half-duplex`: both directions share the bandwidth; `full-duplex`: two links, NAME and "
                    "NAME:back; `one-way`",
                .default_value = "half-duplex"},
               {.name = "shared",
                .value = {rule::boolean()},
                .meaning = "`false`: a backbone, each path over it may use all of the bandwidth",
                .default_value = true},
               {.name = "latency_s",
                .value = {rule::non_negative("s")},
                .meaning = "latency",
                .default_value = 0}}};
  return table;
}

}  // namespace

ObjectKeys const& graph_table() {
  static ObjectKeys const table{.title = "graph",
                                .meaning = "A connected graph of processors.",
                                .keys = {{.name = "processors",
                                          .value = {rule::array({rule::object(processor_table)}, 1)},
                                          .meaning = "processors and routers",
                                          .required = true},
                                         {.name = "links",
                                          .value = {rule::array({rule::object(graph_link_table)})},
                                          .meaning = "links between them",
                                          .required = true},
                                         {.name = "estimate",
                                          .value = {rule::boolean()},
                                          .meaning = "values are assumed, not measured",
                                          .default_value = GraphPlatform{}.estimate},
                                         {.name = "provenance",
                                          .value = {rule::text()},
                                          .meaning = "where the values come from",
                                          .default_value = ""}}};
  return table;
}

ObjectKeys const& random_graph_table() {
  auto const range = [](char const* name, char const* unit, double least, double most, char const* meaning) {
    return Key{.name = name,
               .value = {rule::array({rule::positive(unit)}, 2, 2)},
               .meaning = meaning,
               .default_value = {least, most}};
  };
  static RandomGraphOptions const defaults;
  static ObjectKeys const table{
      .title = "random graph",
      .meaning = "A connected graph that is drawn: a random tree and further links.",
      .keys = {
          {.name = "processors",
           .value = {rule::integer(1, 1000, "processors")},
           .meaning = "processors that compute",
           .required = true},
          {.name = "routers",
           .value = {rule::integer(0, 1000, "routers")},
           .meaning = "vertices that do not compute",
           .default_value = defaults.routers},
          {.name = "extra_links",
           .value = {rule::integer(0, 10'000, "links")},
           .meaning = "links in addition to the tree; may be parallel",
           .default_value = defaults.extra_links},
          range("speed_per_s", "1/s", defaults.min_speed, defaults.max_speed, "minimum and maximum speed"),
          range("bandwidth_Bps", "B/s", defaults.min_bandwidth, defaults.max_bandwidth,
                "minimum and maximum bandwidth"),
          {.name = "seed",
           .value = {rule::integer(0, INT64_MAX)},
           .meaning = "seed of the drawing",
           .default_text = "the scenario's"}}};
  return table;
}

}  // namespace factosim
