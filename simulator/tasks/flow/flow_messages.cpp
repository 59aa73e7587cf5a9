#include "simulator/tasks/flow/flow_messages.hpp"

#include <algorithm>
#include <tuple>

namespace factosim {

std::vector<MessageCount> FlowMessages::by_phase() const {
  std::vector<MessageCount> out = counts_;
  std::ranges::sort(out, {}, [](MessageCount const& c) { return std::tuple(c.from, c.to, c.data); });
  return out;
}

void FlowMessages::send(HandleId handle, PlacedTask const& reader) {
  ++count_;
  Handle const& sent = handles_[handle.index()];
  auto counts = std::ranges::find_if(counts_, [&](MessageCount const& c) {
    return c.from == sent.phase && c.to == reader.phase && c.data == sent.data;
  });
  if (counts == counts_.end())
    counts = counts_.insert(counts, MessageCount{sent.phase, reader.phase, sent.data, 0, Bytes{}});
  ++counts->messages;
  counts->bytes += sent.size;
  loads_.add(copies_.writer(handle), reader.node, sent.size);
}

}  // namespace factosim
