#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

// What a trace does not record and its other records tell.

namespace factosim {

/// Completes the sizes of data and messages from each other. In the trace, sizes of handles are what the
/// records of the data tell, and 0 of a tile means that it is not known; sizes of messages are what the
/// messages tell, and 0 or less means that it is not known. A datum without a size has the size of its
/// messages; else that of data of the same shape, or in the same place of tasks with the same kernel and
/// footprint (StarPU's hash of the sizes of all data of a task), if these have one size only. A message
/// without a size has that of its datum. Sizes that remain unknown are negative. Adds findings about sizes
/// that contradict each other, are derived, or are unknown. Throws InputError if the sizes add up to more
/// than 2^62 bytes. O(accesses + messages) for each round of derivation; few are needed.
void complete_sizes(Trace& trace);

/// Finds the tasks at both ends of messages whose source does not record them. Producer: the last task that
/// wrote the handle on the sender before the message left. Consumers: the tasks that read it on the receiver
/// after it arrived and before the next message with it. Appends (reader, writer) to `edges`. Needs the tasks
/// and accesses of the trace. O((accesses + messages) log).
void find_message_ends(Trace& trace, std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace factosim
