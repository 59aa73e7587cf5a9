#include "simulator/scenario/keys/detail_keys.hpp"

#include <fmt/format.h>

#include <string>

namespace factosim {

Object<DetailOptions> const& object_of(DetailOptions const* /*any*/) {
  using O = DetailOptions;
  static Object<O> const object(
      {.title = "detail",
       .meaning = "How much of a run is simulated. `sampled` estimates its makespan: see "
                  "`scenarios/guide/estimates.md`.",
       .fields = {field<&O::type>({.name = "type",
                                   .meaning = "`tasks`: every task; `sampled`: windows of iterations, from "
                                              "which the makespan of all is extrapolated"})},
       .variants = {
           {.selector = "type",
            .word = "sampled",
            .fields = {field<&O::tolerance>(
                {.name = "tolerance",
                 .value = {rule::number(1e-4, 0.5)},
                 .meaning = "relative error of the makespan at which no more windows are simulated"})}},
           {.selector = "", .word = "", .fields = {}}}});
  return object;
}

void check_estimate(JsonReader const& scenario, DetailOptions const& options, Application const* application,
                    ApplicationParameters const& parameters) {
  if (options.type == Detail::tasks) return;
  std::string why;
  if (application == nullptr || !application->has_iterations)
    why = "the application has no iterations that are alike";
  else if (parameters.is_nested())
    why = "tasks are split (application/nested)";
  else if (parameters.formats)
    why = "tiles have several formats (application/tile_formats)";
  else if (nlohmann::json::json_pointer const type("/distribution/type");
           scenario.value().contains(type) && scenario.value().at(type) == "layers")
    why = "iterations on layers differ (distribution/type)";
  else
    return;
  scenario.at("detail").at("type").fail(
      fmt::format("is \"{}\", and every task is needed ({}). Use \"tasks\"", name_of(options.type), why));
}

}  // namespace factosim
