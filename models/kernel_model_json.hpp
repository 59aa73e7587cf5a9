#pragma once

#include <climits>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "factosim/kernel_model.hpp"
#include "simulator/base/core/fields.hpp"
#include "simulator/base/core/named_values.hpp"
#include "simulator/base/core/value_rules.hpp"

namespace factosim {

/// Returns the whole number from `least` on that a text writes in decimal digits; nullopt if it is none.
[[nodiscard]] std::optional<int> whole_number(std::string_view text, int least);

/// Returns the rank of a worker's name in kernel files: of "cpu" -1, of "cuda3" 3; nullopt for other names.
[[nodiscard]] std::optional<int> worker_rank(std::string_view worker);

/// Throws InputError, by `fail` of the value, if it is not the name of a worker.
void check_worker(JsonReader const& json, std::string_view worker);

/// The key `worker` of a timing or a history.
template <class O>
Field<O> worker_field() {
  return field<&O::worker>("worker", {rule::text("^(cpu|cuda(0|[1-9][0-9]{0,8}))$")},
                           "`cpu`, a core, or `cuda0`, `cuda1`, ..., a GPU",
                           {.missing = "cpu, cuda0, ...", .check = [](JsonReader const& json, O const& o) {
                              check_worker(json, o.worker);
                            }});
}

/// The keys of a measured duration: its mean and deviation in seconds, and how many executions they are of.
template <class O>
Fields<O> statistics_fields() {
  return {field<&O::mean>("mean_s", {rule::positive("s")}, "mean duration",
                          {.missing = "mean duration in seconds"}),
          field<&O::deviation>("deviation_s", "standard deviation of one execution"),
          field<&O::samples>("samples", {rule::integer(0, LONG_MAX, "executions")},
                             "executions that were measured")};
}

/// Returns the names of precisions in files; the value does not matter.
[[nodiscard]] constexpr NamedValues<Precision, precisions.size()> names_of(Precision /*any*/) {
  NamedValues<Precision, precisions.size()> out{"precision", {}};
  for (std::size_t p = 0; p < precisions.size(); ++p)
    out.values[p] = {precisions[p].precision, precisions[p].name};
  return out;
}

/// The keys of a `factosim-kernels` file.
[[nodiscard]] ObjectKeys const& kernels_table();

/// Reads a `factosim-kernels` file strictly: unknown keys, duplicate timings, and rates in a file that is not
/// an estimate are errors.
KernelModel read_kernel_model(std::filesystem::path const& file);

/// Returns a model as `factosim-kernels` text, one timing per line, in a fixed order. Reading it back gives
/// the same timings; the same timings give the same bytes.
std::string kernel_model_json(KernelModel const& model);

}  // namespace factosim
