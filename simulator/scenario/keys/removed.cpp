#include "simulator/scenario/keys/removed.hpp"

#include <fmt/format.h>

#include <array>

#include "factosim/error.hpp"

namespace factosim {

namespace {

/// A name, or one of the words of a key, that existed until a version, or that StarPU has.
struct Removed {
  RemovedFrom where;
  char const* name;  // of a key: its JSON pointer
  char const* word;  // of a key; empty: whatever it says
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

// Policies of StarPU that no version had.
constexpr char const* of_components =
    "StarPU builds it of components, and factosim has no policy of its rules";
constexpr char const* use_dmdas = "Use \"dmdas\", the nearest by what it weighs, and expect other makespans";
constexpr char const* use_eager = "Use \"eager\", the nearest";

constexpr std::array removed{
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-dmdas", of_components, use_dmdas},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-heft", of_components, use_dmdas},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-heft2", of_components, use_dmdas},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-heft-prio", of_components, use_dmdas},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-heteroprio", of_components,
            "Use \"heteroprio\", StarPU's other policy of that name"},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-eager", of_components, use_eager},
    Removed{RemovedFrom::keys, "/scheduler/type", "modular-eager-prefetching", of_components, use_eager},
    Removed{RemovedFrom::keys, "/scheduler/type", "peager",
            "StarPU's eager for parallel tasks, which factosim has not", use_eager},
    Removed{RemovedFrom::keys, "/application/type", "hpl", hpl_removed,
            "Use the application \"lu\", which has no pivoting"},
    Removed{RemovedFrom::keys, "/outputs/csv", "", csv_removed, use_write_csv},
    Removed{RemovedFrom::keys, "/outputs/starvz", "", starvz_removed, use_write_starvz},
    Removed{RemovedFrom::keys, "/detail/type", "steps",
            "estimates by groups of tasks were removed in version 0.3",
            "Use \"sampled\", or \"tasks\" with application/task_graph \"formulas\", which stores no tasks"},
    Removed{RemovedFrom::keys, "/application/recursive", "",
            "splitting tasks during the run was removed in version 0.3, and so was its key",
            "Use application/nested, which splits them before the run: {\"tile\": ROWS}"},
    Removed{RemovedFrom::keys, "/scheduler/type", "hp", "this policy was removed in version 0.3",
            "Use \"heteroprio\", whose queues by kernel it has, or \"dmdas\""},
    Removed{RemovedFrom::keys, "/scheduler/type", "hp-lookahead", "this policy was removed in version 0.3",
            "Use \"heteroprio\", \"dmdas\", or \"heft\", which plans ahead"},
    Removed{RemovedFrom::keys, "/network/model", "independent_links",
            "this approximation was removed in version 0.3", "Use \"maxmin\", which is exact"},
    Removed{RemovedFrom::keys, "/network/optim", "",
            "SimGrid's lazy update was removed in version 0.3: its rates are wrong at times",
            "Leave it out, or use the model \"maxmin\", which is exact and faster"},
    Removed{RemovedFrom::keys, "/distribution/schedules", "", judged_by_simulations,
            "Use \"simulations\", their number", "1d1d-l"},
    Removed{RemovedFrom::keys, "/distribution/workers", "", judged_by_simulations, "Leave it out", "1d1d-l"},
    Removed{RemovedFrom::keys, "/distribution/without", "", judged_by_simulations,
            "Leave it out, or use \"1d1d-c\", \"1d1d-c+s\" or \"1d1d\"", "1d1d-l"},
    Removed{RemovedFrom::keys, "/runtime/min_free_gpu_memory", "", evicts_ahead, use_fraction},
    Removed{RemovedFrom::keys, "/runtime/target_free_gpu_memory", "", evicts_ahead, use_fraction},
    Removed{RemovedFrom::commands, "duel", "", "the search for bad cases was removed in version 0.3",
            "Use \"sweep\" over the scenarios in question, with a list of policies"},
    Removed{RemovedFrom::file_formats, "factosim-family", "",
            "\"duel\", its only user, was removed in version 0.3", "Use a sweep, \"factosim-sweep\""},
    Removed{RemovedFrom::file_formats, "factosim-hpl-costs", "", hpl_removed,
            "Use a kernel model, \"factosim-kernels\""},
    Removed{RemovedFrom::file_endings, ".tex", "", "the LaTeX tables of sweeps were removed in version 0.3",
            "Use pandas.read_csv(\"sweep.csv\") and DataFrame.to_latex, or a figure: .svg, .pdf or .png"},
    Removed{RemovedFrom::trace_formats, "csv", "", csv_removed, use_write_csv},
    Removed{RemovedFrom::trace_formats, "starvz", "", starvz_removed, use_write_starvz},
};

}  // namespace

std::string why_removed(RemovedFrom where, std::string_view name) {
  for (Removed const& r : removed)
    if (r.where == where && r.name == name) return fmt::format("({}). {}", r.why, r.instead);
  return {};
}

void refuse_removed(JsonReader const& scenario) {
  for (Removed const& r : removed) {
    if (r.where != RemovedFrom::keys) continue;
    nlohmann::json::json_pointer const pointer(r.name);
    if (!scenario.value().is_object() || !scenario.value().contains(pointer)) continue;
    nlohmann::json const& object = scenario.value().at(pointer.parent_pointer());
    if (std::string const type = r.type; !type.empty() && object.value("type", nlohmann::json()) != type)
      continue;
    nlohmann::json const& value = scenario.value().at(pointer);
    std::string const word = r.word;
    if (!word.empty() && value != word) continue;
    throw InputError(fmt::format("{}#{}", scenario.file(), r.name),
                     word.empty() ? fmt::format("is no key any more ({}). {}", r.why, r.instead)
                                  : fmt::format("is \"{}\" ({}). {}", word, r.why, r.instead));
  }
}

}  // namespace factosim
