#include <climits>

#include "models/kernel_model_json.hpp"
#include "simulator/base/core/named_values.hpp"

namespace factosim {

namespace {

constexpr double max_deviation = 1000;  // relative; as of a scenario's noise

ObjectKeys const& variability_table() {
  static ObjectKeys const table{
      .title = "variability",
      .meaning =
          "Relative standard deviations of factors that all executions of a worker, or of a run, have in "
          "common. "
          "`factosim calibrate` writes it.",
      .keys = {{.name = "worker_deviation",
                .value = {rule::number(0, max_deviation)},
                .meaning = "of a factor per worker and run",
                .required = true},
               {.name = "runs",
                .value = {rule::integer(1, 1'000'000, "runs")},
                .meaning = "real runs that a mean is from",
                .required = true}},
      .variants = {{.selector = "run_deviation",
                    .word = "",
                    .keys = {{.name = "run_deviation",
                              .value = {rule::number(0, max_deviation)},
                              .meaning = "of a factor per run",
                              .required = true},
                             {.name = "degrees_of_freedom",
                              .value = {rule::integer(1, 1'000'000)},
                              .meaning = "degrees of freedom of `run_deviation`",
                              .required = true}},
                    .meaning = "From several runs."},
                   {.selector = "", .word = "", .keys = {}, .meaning = "From one run."}}};
  return table;
}

ObjectKeys const& timing_table() {
  ValueRule const durations = rule::array({rule::positive("s")}, 1);
  static ObjectKeys const table{
      .title = "timing",
      .meaning = "The duration of a kernel on a worker.",
      .keys = {{.name = "application",
                .value = {rule::text()},
                .meaning =
                    "application in which it was measured and only counts; it wins over a timing without",
                .default_value = ""},
               {.name = "precision",
                .value = {rule::word(names_of(precisions))},
                .meaning = "of the elements and of the arithmetic; `tf32` has elements of 4 bytes",
                .required = true},
               {.name = "worker",
                .value = {rule::text("^(cpu|cuda(0|[1-9][0-9]{0,8}))$")},
                .meaning = "`cpu`, a core, or `cuda0`, `cuda1`, ..., a GPU",
                .required = true},
               {.name = "slowdown",
                .value = {rule::map({rule::positive()}, "^[1-9][0-9]{0,8}$", 1)},
                .meaning =
                    "on cores: factor of the duration by the number of cores of the socket that run kernels, "
                    "linear between them",
                .default_text = "none"},
               {.name = "findings",
                .value = {rule::array({rule::integer(0, INT_MAX)})},
                .meaning = "indices of the file's `findings` about this timing",
                .default_text = "none"}},
      .variants = {
          {.selector = "flops_per_second",
           .word = "",
           .keys = {{.name = "flops_per_second",
                     .value = {rule::positive("flop/s")},
                     .meaning = "asymptotic rate; only in estimates",
                     .required = true},
                    {.name = "launch_s",
                     .value = {rule::non_negative("s")},
                     .meaning = "time of a launch; needs `min_nb` and `max_nb`",
                     .default_value = KernelRate{}.launch.value},
                    {.name = "per_column_s",
                     .value = {rule::non_negative("s")},
                     .meaning = "latency per column of the tile, of its sequential part; needs `min_nb` and "
                                "`max_nb`",
                     .default_value = KernelRate{}.per_column.value},
                    {.name = "per_element_s",
                     .value = {rule::non_negative("s")},
                     .meaning = "time per element of the tile, for memory traffic and for compute units that "
                                "small tiles leave idle; needs `min_nb` and `max_nb`",
                     .default_value = KernelRate{}.per_element.value},
                    {.name = "min_nb",
                     .value = {rule::integer(1, KernelRate{}.max_nb, "rows")},
                     .meaning = "least rows of the tiles that the rate is for",
                     .default_value = KernelRate{}.min_nb},
                    {.name = "max_nb",
                     .value = {rule::integer(1, KernelRate{}.max_nb, "rows")},
                     .meaning = "most rows of these tiles",
                     .default_value = KernelRate{}.max_nb}},
           .meaning =
               "A rate: a kernel of w operations on tiles of `nb` lasts `launch_s` + `per_column_s` x `nb` + "
               "`per_element_s` x `nb`² + w / `flops_per_second`."},
          {.selector = "",
           .word = "",
           .keys = {{.name = "nb",
                     .value = {rule::integer(1, 1'000'000, "rows")},
                     .meaning = "rows of the tile",
                     .required = true},
                    {.name = "mean_s",
                     .value = {rule::positive("s")},
                     .meaning = "mean duration",
                     .required = true},
                    {.name = "deviation_s",
                     .value = {rule::non_negative("s")},
                     .meaning = "standard deviation of one execution",
                     .default_value = KernelTiming{}.deviation.value},
                    {.name = "samples",
                     .value = {rule::integer(0, LONG_MAX, "executions")},
                     .meaning = "executions that were measured",
                     .default_value = KernelTiming{}.samples},
                    {.name = "samples_s",
                     .value = {durations},
                     .meaning = "durations of single executions, for empirical noise",
                     .default_text = "none"},
                    {.name = "first_samples_s",
                     .value = {durations},
                     .meaning = "durations of first executions on a worker",
                     .default_text = "none"}},
           .meaning = "A measured tile size."}}};
  return table;
}

}  // namespace

ObjectKeys const& kernels_table() {
  static ObjectKeys const table{
      .title = "kernels",
      .meaning = "Durations of kernels on one kind of machine. `factosim-kernels`, version 1.",
      .keys = joined(
          file_keys("factosim-kernels"),
          {{.name = "machine", .value = {rule::text()}, .meaning = "name of the machine", .required = true},
           {.name = "provenance", .value = {rule::text()}, .meaning = "who measured what", .required = true},
           {.name = "estimate",
            .value = {rule::boolean()},
            .meaning = "values are assumed, not measured",
            .required = true},
           {.name = "findings",
            .value = {rule::array({rule::text()})},
            .meaning = "doubts about the timings, repeated in every result",
            .default_text = "none"},
           {.name = "variability",
            .value = {rule::object(variability_table)},
            .meaning = "deviations of workers and of runs, for calibrated noise",
            .default_text = "none"},
           {.name = "kernels",
            .value = {rule::map({rule::array({rule::object(timing_table)})})},
            .meaning = "timings by kernel",
            .required = true}})};
  return table;
}

}  // namespace factosim
