#include "simulator/scenario/keys/removed.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// A key, or one of its words, that scenarios had until a version.
struct Removed {
  char const* pointer;
  char const* word;  // empty: whatever the key says
  char const* why;
  char const* instead;
  char const* type = "";  // of the object that has the key; empty: any
};

constexpr char const* evicts_ahead =
    "eviction ahead of need was removed in version 0.3: copies leave a GPU when their memory is needed";
constexpr char const* use_fraction =
    "Leave it out, or give gpu_memory_fraction, the share that tiles may use";

constexpr char const* judged_by_simulations =
    "list schedules were removed in version 0.3: 1d1d-l simulates its candidates under the scenario's policy";

constexpr char const* hpl_removed = "High-Performance Linpack was removed in version 0.3";
constexpr char const* csv_removed =
    "this writer was removed in version 0.3: Python writes the table of tasks";
constexpr char const* use_write_csv = "Use factosim.write_csv(RUN, FILE) of the Python package";
constexpr char const* starvz_removed =
    "this writer was removed in version 0.3: Python writes the folder of StarVZ";
constexpr char const* use_write_starvz = "Use factosim.write_starvz(RUN, FOLDER) of the Python package";

constexpr std::array removed{
    Removed{"/application/type", "hpl", hpl_removed, "Use the application \"lu\", which has no pivoting"},
    Removed{"/outputs/csv", "", csv_removed, use_write_csv},
    Removed{"/outputs/starvz", "", starvz_removed, use_write_starvz},
    Removed{"/detail/type", "steps", "estimates by groups of tasks were removed in version 0.3",
            "Use \"sampled\", or \"tasks\" with application/task_graph \"formulas\", which stores no tasks"},
    Removed{"/application/recursive", "",
            "splitting tasks during the run was removed in version 0.3, and so was its key",
            "Use application/nested, which splits them before the run: {\"tile\": ROWS}"},
    Removed{"/scheduler/type", "hp", "this policy was removed in version 0.3",
            "Use \"heteroprio\", whose queues by kernel it has, or \"dmdas\""},
    Removed{"/scheduler/type", "hp-lookahead", "this policy was removed in version 0.3",
            "Use \"heteroprio\", \"dmdas\", or \"heft\", which plans ahead"},
    Removed{"/network/model", "independent_links", "this approximation was removed in version 0.3",
            "Use \"maxmin\", which is exact"},
    Removed{"/distribution/schedules", "", judged_by_simulations, "Use \"simulations\", their number",
            "1d1d-l"},
    Removed{"/distribution/workers", "", judged_by_simulations, "Leave it out", "1d1d-l"},
    Removed{"/distribution/without", "", judged_by_simulations,
            "Leave it out, or use \"1d1d-c\", \"1d1d-c+s\" or \"1d1d\"", "1d1d-l"},
    Removed{"/runtime/min_free_gpu_memory", "", evicts_ahead, use_fraction},
    Removed{"/runtime/target_free_gpu_memory", "", evicts_ahead, use_fraction},
};

/// A name that stood elsewhere.
struct RemovedName {
  RemovedFrom where;
  std::string_view name;
  char const* why;
  char const* instead;
};

constexpr std::array removed_names{
    RemovedName{RemovedFrom::commands, "duel", "the search for bad cases was removed in version 0.3",
                "Use \"sweep\" over the scenarios in question, with a list of policies"},
    RemovedName{RemovedFrom::file_formats, "factosim-family",
                "\"duel\", its only user, was removed in version 0.3", "Use a sweep, \"factosim-sweep\""},
    RemovedName{RemovedFrom::file_formats, "factosim-hpl-costs", hpl_removed,
                "Use a kernel model, \"factosim-kernels\""},
    RemovedName{RemovedFrom::file_endings, ".tex", "the LaTeX tables of sweeps were removed in version 0.3",
                "Use pandas.read_csv(\"sweep.csv\") and DataFrame.to_latex, or a figure: .svg, .pdf or .png"},
    RemovedName{RemovedFrom::trace_formats, "csv", csv_removed, use_write_csv},
    RemovedName{RemovedFrom::trace_formats, "starvz", starvz_removed, use_write_starvz},
};

}  // namespace

std::string why_removed(RemovedFrom where, std::string_view name) {
  for (RemovedName const& r : removed_names)
    if (r.where == where && r.name == name) return fmt::format("({}). {}", r.why, r.instead);
  return {};
}

void refuse_removed(JsonReader const& scenario) {
  for (Removed const& r : removed) {
    nlohmann::json::json_pointer const pointer(r.pointer);
    if (!scenario.value().is_object() || !scenario.value().contains(pointer)) continue;
    nlohmann::json const& object = scenario.value().at(pointer.parent_pointer());
    if (std::string const type = r.type; !type.empty() && object.value("type", nlohmann::json()) != type)
      continue;
    nlohmann::json const& value = scenario.value().at(pointer);
    std::string const word = r.word;
    if (!word.empty() && value != word) continue;
    throw InputError(fmt::format("{}#{}", scenario.file(), r.pointer),
                     word.empty() ? fmt::format("is no key any more ({}). {}", r.why, r.instead)
                                  : fmt::format("is \"{}\" ({}). {}", word, r.why, r.instead));
  }
}

}  // namespace factosim
