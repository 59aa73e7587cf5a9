#include "simulator/scenario/keys/cluster_keys.hpp"

namespace factosim {

Object<NoiseOptions> const& object_of(NoiseOptions const* /*any*/) {
  using O = NoiseOptions;
  auto const calibrated = [](O const& o) { return o.distribution == NoiseDistribution::calibrated; };
  // Of executions: calibrated noise has its own.
  FieldRules<O> const own{
      .applies = [=](O const& o) { return !calibrated(o); },
      .check =
          [=](JsonReader const& json, O const& o) {
            if (calibrated(o))
              json.fail("stands beside calibrated noise (the kernel file has its own). Remove it");
          }};
  // Came later: listed only where it has an effect, so that the options of older runs stay what they were.
  FieldRules<O> of_run = own;
  of_run.applies = [=](O const& o) { return !calibrated(o) && o.run_speed_deviation > 0; };
  static Object<O> const object(
      {.title = "noise",
       .meaning = "How durations of kernels differ from their means. Instead of the object, the name of a "
                  "distribution may be given.",
       .fields =
           {field<&O::distribution>(
                {.name = "distribution",
                 .meaning = "of single executions: `normal` (within 10 and 190 % of the mean) or "
                            "`lognormal`, with the timing's deviation; `empirical`, from its `samples_s`; "
                            "`calibrated`, all that `factosim calibrate` wrote into the kernel file"}),
            field<O>({.name = "type",
                      .value = usual_rules<NoiseDistribution>(),
                      .meaning = "the same as `distribution`; one of them may be given"},
                     {.read = [](JsonReader const& json, O& o) { read_value(json, o.distribution); }}),
            field<&O::scale>({.name = "scale",
                              .value = {rule::number(0, 1000)},
                              .meaning = "multiplies the deviation, or an empirical draw's distance from the "
                                         "mean; with `calibrated`, all deviations"}),
            field<&O::first_execution_factor>(
                {.name = "first_execution_factor",
                 .value = {rule::number(1, 1e6)},
                 .meaning = "factor of the first execution of each kernel on each worker"},
                own),
            field<&O::worker_speed_deviation>({.name = "worker_speed_deviation",
                                               .value = {rule::number(0, 1000)},
                                               .meaning = "relative deviation of a lognormal factor of mean "
                                                          "1, drawn once for each worker in each run"},
                                              own),
            field<&O::run_speed_deviation>(
                {.name = "run_speed_deviation",
                 .value = {rule::number(0, 1000)},
                 .meaning = "the same of a factor common to all workers, drawn once for each run"},
                of_run),
            field<&O::duration_precision>(
                {.name = "duration_precision",
                 .value = {rule::number(0, 0.5)},
                 .meaning = "relative precision of durations: each execution is multiplied by a number of "
                            "its own, uniform within 1 ± the precision; 1e-6 breaks ties and changes nothing "
                            "else. With every distribution"},
                {.echo = Echo::if_changed}),
            field<&O::overhead_precision>(
                {.name = "overhead_precision",
                 .value = {rule::number(0, 1)},
                 .meaning = "relative precision of the costs in `runtime`: one such factor for each cost in "
                            "each run. With every distribution"},
                {.echo = Echo::if_changed})},
       .short_form = "distribution"});
  return object;
}

NoiseOptions read_noise(JsonReader const& given) {
  JsonReader const json = given.by(rules_of<NoiseOptions>);
  if (json.is_object() && json.find("distribution"))
    if (auto const type = json.find("type"))
      type->fail("stands beside \"distribution\" (both name it). Give one of them");
  return read_object<NoiseOptions>(json);
}

}  // namespace factosim
