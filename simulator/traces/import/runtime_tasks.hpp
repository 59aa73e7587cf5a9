#pragma once

#include <string_view>

namespace factosim {

/// Returns whether StarPU gives this name to tasks of its own, which no application submits: functions
/// executed on every worker, initialisation and end of libraries, page-locking of memory, synchronisation.
/// Source: StarPU 1.4.12 and master of August 2026, src/util/execute_on_all.c, src/drivers,
/// src/datawizard, src/core. Tasks that work on the application's data, such as reductions and conversions,
/// are not among them.
[[nodiscard]] bool is_runtime_task(std::string_view name);

}  // namespace factosim
