#include "models/kernel_history_json.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "models/measurement_fields.hpp"

namespace factosim {

namespace {

void check_footprint(JsonReader const& json, KernelHistory const& history) {
  std::string const& text = history.footprint;
  if (text.size() != 8 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    json.fail(fmt::format("\"{}\" is no footprint. Give 8 hexadecimal digits", text));
}

}  // namespace

Object<KernelHistory> const& object_of(KernelHistory const* /*any*/) {
  using O = KernelHistory;
  FieldRules<O> const if_changed{.echo = Echo::if_changed};
  Fields<O> const shapes{field<&O::symbol>({.name = "symbol",
                                            .meaning = "name of the performance model",
                                            .missing = "the name of the performance model"}),
                         field<&O::footprint>({.name = "footprint",
                                               .value = {rule::text("^[0-9a-f]{8}$")},
                                               .meaning = "StarPU's hash of the shapes of the data",
                                               .missing = "8 hexadecimal digits"},
                                              {.check = check_footprint}),
                         worker_field<O>()};
  Fields<O> const work{field<&O::size>({.name = "size",
                                        .value = {rule::integer(0, std::int64_t{1} << 50, "B")},
                                        .meaning = "bytes of the data of a task; 0: not known"},
                                       if_changed),
                       field<&O::flops>({.name = "flops",
                                         .value = {rule::non_negative("flop")},
                                         .meaning = "operations of a task; 0: not known"},
                                        if_changed)};
  static Object<O> const object(
      {.title = "history",
       .meaning =
           "The duration of tasks of a StarPU performance model whose data have the same shapes. Recorded "
           "programs find their durations here first.",
       .fields = shapes + statistics_fields<O>() + work});
  return object;
}

}  // namespace factosim
