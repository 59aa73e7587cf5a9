#include "simulator/base/core/gone.hpp"

#include <fmt/format.h>

#include <array>

#include "factosim/error.hpp"

namespace factosim {

namespace {

struct GoneName {
  Gone kind;
  std::string_view name;
  std::string_view reason;  // with what to use instead
};

constexpr std::array gone_names{
    GoneName{Gone::application, "hpl",
             "(High-Performance Linpack went in factosim 0.3.0). Use the application \"lu\", which has no "
             "pivoting"},
    GoneName{Gone::command, "duel",
             "(the search for bad cases went in factosim 0.3.0). Use \"sweep\" over the scenarios in "
             "question, with a list of policies"},
    GoneName{Gone::file_format, "factosim-family",
             "(\"duel\", its only user, went in factosim 0.3.0). Use a sweep, \"factosim-sweep\""},
    GoneName{Gone::file_format, "factosim-hpl-costs",
             "(High-Performance Linpack went in factosim 0.3.0). Use a kernel model, \"factosim-kernels\""},
    GoneName{Gone::file_ending, ".tex",
             "(the LaTeX tables of sweeps went in factosim 0.3.0). Use pandas.read_csv(\"sweep.csv\") and "
             "DataFrame.to_latex, or a figure: .svg, .pdf or .png"},
    GoneName{Gone::trace_output, "csv",
             "(Python writes the table of tasks since factosim 0.3.0). Use factosim.write_csv(RUN, FILE) of "
             "the Python package"},
    GoneName{Gone::trace_output, "starvz",
             "(Python writes the folder of StarVZ since factosim 0.3.0). Use factosim.write_starvz(RUN, "
             "FOLDER) of the Python package"},
};

}  // namespace

std::string_view reason_if_gone(Gone kind, std::string_view name) {
  for (GoneName const& gone : gone_names)
    if (gone.kind == kind && gone.name == name) return gone.reason;
  return {};
}

void refuse_if_gone(JsonReader const& key, Gone kind) {
  if (!key.is_string()) return;
  std::string const name = key.string();
  if (std::string_view const reason = reason_if_gone(kind, name); !reason.empty())
    key.fail(fmt::format("is \"{}\" {}", name, reason));
}

void refuse_gone_keys(JsonReader const& object, Gone kind) {
  if (!object.is_object()) return;
  for (GoneName const& gone : gone_names)
    if (gone.kind == kind && object.value().contains(gone.name))
      throw InputError(fmt::format("{}/{}", object.where(), gone.name),
                       fmt::format("is gone {}", gone.reason));
}

}  // namespace factosim
