#include "simulator/flow/flow_messages.hpp"

#include <algorithm>

namespace factosim {

void FlowMessages::flush_inputs(PlacedTask const& task) {
  for (DataAccess const access : task.accesses) {
    Handle const& handle = handles_[access.handle().index()];
    if (writes(access.mode()) || !handle.copies.valid()) continue;
    copies_[handle.copies.index() * words_ + task.node.index() / 64] &=
        ~(std::uint64_t{1} << (task.node.value() % 64));
  }
}

void FlowMessages::flush_cache() {
  for (Handle& handle : handles_) release(handle);
}

std::vector<MessageCount> FlowMessages::by_phase() const {
  std::vector<MessageCount> out = counts_;
  std::ranges::sort(out, {}, [](MessageCount const& c) { return std::tuple(c.from, c.to, c.data); });
  return out;
}

void FlowMessages::release(Handle& handle) {
  if (!handle.copies.valid()) return;
  std::fill_n(copies_.begin() + static_cast<std::ptrdiff_t>(handle.copies.index() * words_), words_, 0);
  free_.push_back(handle.copies);
  handle.copies = {};
}

FlowMessages::Copies FlowMessages::new_set() {
  if (free_.empty()) {
    free_.emplace_back(copies_.size() / words_);
    copies_.resize(copies_.size() + words_, 0);
  }
  Copies const set = free_.back();
  free_.pop_back();
  return set;
}

void FlowMessages::send(Handle const& handle, Bytes size, PlacedTask const& reader) {
  ++count_;
  auto const counts = std::ranges::find_if(counts_, [&](MessageCount const& c) {
    return c.from == handle.phase && c.to == reader.phase && c.data == handle.data;
  });
  MessageCount& count =
      counts != counts_.end()
          ? *counts
          : counts_.emplace_back(MessageCount{handle.phase, reader.phase, handle.data, 0, Bytes{}});
  ++count.messages;
  count.bytes += size;
  if (loads_ != nullptr) loads_->add(handle.writer, reader.node, size);
}

}  // namespace factosim
