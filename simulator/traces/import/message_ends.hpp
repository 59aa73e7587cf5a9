#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "simulator/traces/trace/trace.hpp"

namespace factosim {

/// Finds the tasks at both ends of messages whose source does not record them. Producer: the last task that
/// wrote the handle on the sender before the message left. Consumers: the tasks that read it on the receiver
/// after it arrived and before the next message with it. Appends (reader, writer) to `edges`. Needs the tasks
/// and accesses of the trace. O((accesses + messages) log).
void find_message_ends(Trace const& trace, std::span<Trace::Worker const> workers,
                       std::vector<Trace::Message>& messages,
                       std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace factosim
