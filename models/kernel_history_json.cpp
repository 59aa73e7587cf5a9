#include "models/kernel_history_json.hpp"

#include <climits>
#include <cstdint>

namespace factosim {

Object<KernelHistory> const& object_of(KernelHistory const* /*any*/) {
  using O = KernelHistory;
  FieldRules<O> const if_changed{.echo = Echo::if_changed};
  static Object<O> const object(
      {.title = "history",
       .meaning =
           "The duration of tasks of a StarPU performance model whose data have the same shapes. Recorded "
           "programs find their durations here first.",
       .fields = {
           field<&O::symbol>({.name = "symbol",
                              .meaning = "name of the performance model",
                              .required = true,
                              .missing = "the name of the performance model"}),
           field<&O::footprint>({.name = "footprint",
                                 .value = {rule::text("^[0-9a-f]{8}$")},
                                 .meaning = "StarPU's hash of the shapes of the data",
                                 .required = true,
                                 .missing = "8 hexadecimal digits"}),
           field<&O::worker>({.name = "worker",
                              .value = {rule::text(worker_pattern)},
                              .meaning = "`cpu`, a core, or `cuda0`, `cuda1`, ..., a GPU",
                              .required = true,
                              .missing = "cpu, cuda0, ..."}),
           field<&O::mean>({.name = "mean_s",
                            .value = {rule::positive("s")},
                            .meaning = "mean duration",
                            .required = true,
                            .missing = "mean duration in seconds"}),
           field<&O::deviation>({.name = "deviation_s", .meaning = "standard deviation of one execution"}),
           field<&O::samples>({.name = "samples",
                               .value = {rule::integer(0, LONG_MAX, "executions")},
                               .meaning = "executions that were measured"}),
           field<&O::size>({.name = "size",
                            .value = {rule::integer(0, std::int64_t{1} << 50, "bytes")},
                            .meaning = "bytes of the data of a task; 0: not known"},
                           if_changed),
           field<&O::flops>({.name = "flops",
                             .value = {rule::non_negative("flop")},
                             .meaning = "operations of a task; 0: not known"},
                            if_changed)}});
  return object;
}

}  // namespace factosim
