#include "simulator/trace/import/handle_names.hpp"

#include <algorithm>

#include "factosim/error.hpp"

namespace factosim {

namespace {
constexpr std::size_t max_handles = std::size_t{1} << 30U;  // DataAccess stores handles in 30 bits
}

HandleNames::HandleNames(StarpuRun const& run) {
  for (StarpuRun::Handle const& h : run.handles) add(h);
  for (StarpuRun::Message const& m : run.messages) {
    HandleId const sent = known(m.from, m.send_address), received = known(m.to, m.receive_address);
    if (m.send_address == 0 || m.receive_address == 0 || sent.valid() == received.valid()) continue;
    if (sent.valid())
      by_name_.emplace(Name{m.to, m.receive_address}, sent);
    else
      by_name_.emplace(Name{m.from, m.send_address}, received);
  }
}

void HandleNames::add(StarpuRun::Handle const& h) {
  HandleId const same = h.tag >= 0 ? tagged(h.tag) : known(h.node, h.address);
  if (!same.valid()) {
    HandleId const id = of(h.node, h.address, h.size);
    if (h.tag >= 0) by_tag_.emplace(h.tag, id);
  } else {
    by_name_.emplace(Name{h.node, h.address}, same);
  }
  Trace::Handle& out = handles_[known(h.node, h.address).index()];
  out.size = std::max(out.size, Bytes{h.size});
  if (h.m >= 0) out.m = h.m;
  if (h.n >= 0) out.n = h.n;
  if (h.tag >= 0) out.tag = h.tag;
  if (!h.shape.empty()) out.shape = h.shape;
  if (h.owner >= 0) out.owner = NodeId{h.owner};
  if (!out.owner.valid()) out.owner = NodeId{h.node};
  if (out.owner == NodeId{h.node}) out.address = h.address;
}

HandleId HandleNames::of(std::uint32_t node, std::uint64_t address, std::int64_t size) {
  auto const [place, is_new] = by_name_.try_emplace(Name{node, address}, HandleId{handles_.size()});
  if (is_new) {
    if (handles_.size() >= max_handles)
      throw InputError("trace#", "has more than 2^30 pieces of data (more than this program can number)");
    handles_.push_back({.size = Bytes{size}, .owner = NodeId{node}, .address = address, .shape = {}});
  }
  return place->second;
}

HandleId HandleNames::known(std::uint32_t node, std::uint64_t address) const {
  auto const found = by_name_.find({node, address});
  return found == by_name_.end() ? HandleId{} : found->second;
}

HandleId HandleNames::tagged(std::int64_t tag) const {
  auto const found = by_tag_.find(tag);
  return found == by_tag_.end() ? HandleId{} : found->second;
}

}  // namespace factosim
