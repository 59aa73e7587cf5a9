#pragma once

#include <array>
#include <cstdint>

#include "simulator/base/core/named_values.hpp"
#include "simulator/tasks/plan/options.hpp"

namespace factosim {

/// A switch of the runtime system with its default in each version of StarPU, in simulation.
struct VersionedSwitch {
  bool RuntimeOptions::*option;
  bool v1_4, v1_5;
};

/// The switches that depend on the version or came with one. Files are those of StarPU.
inline constexpr std::array versioned_switches{
    // STARPU_MPI_MEM_LATE, off in both versions (mpi/src/starpu_mpi_private.c)
    VersionedSwitch{.option = &RuntimeOptions::late_receive_buffers, .v1_4 = false, .v1_5 = false},
    // STARPU_MPI_THREAD_MULTIPLE_SEND. 1.5 has it on with MPICH and Open MPI from 4 on, and off in simulation
    // (mpi/src/starpu_mpi_private.c)
    VersionedSwitch{.option = &RuntimeOptions::parallel_sends, .v1_4 = false, .v1_5 = false},
    // The order of a job's operands in a prefetch (datawizard/coherency.c, _starpu_prefetch_task_input_prio)
    VersionedSwitch{.option = &RuntimeOptions::sorted_prefetches, .v1_4 = false, .v1_5 = true},
};

[[nodiscard]] constexpr NamedValues<RuntimeVersion, 2> names_of(RuntimeVersion /*any*/) {
  return {"version", {{{RuntimeVersion::v1_4, "1.4"}, {RuntimeVersion::v1_5, "1.5"}}}};
}

/// Returns the options with the versioned switches as that version has them by default.
[[nodiscard]] RuntimeOptions with_version(RuntimeOptions options, RuntimeVersion version);

}  // namespace factosim
