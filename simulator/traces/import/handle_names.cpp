#include "simulator/traces/import/handle_names.hpp"

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t max_handles = std::size_t{1} << 30U;  // DataAccess stores handles in 30 bits

void check_count(std::size_t handles) {
  if (handles >= max_handles)
    throw InputError("trace#", "has more than 2^30 pieces of data (more than this program can number)");
}

}  // namespace

HandleNames::HandleNames(StarpuRun const& run) : identity_(run) {
  check_count(identity_.size());
  handles_.resize(identity_.size());
  for (std::size_t r = 0; r < run.handles.size(); ++r) describe(run.handles[r], identity_.renamed()[r]);
}

void HandleNames::describe(StarpuRun::Handle const& record, bool renamed) {
  HandleId const handle = known(record.node, record.address);
  Trace::Handle& out = handles_[handle.index()];
  out.size = std::max(out.size, Bytes{record.size});
  if (!record.shape.empty()) out.shape = record.shape;
  if (renamed) return;
  if (record.m >= 0) out.m = record.m;
  if (record.n >= 0) out.n = record.n;
  if (identity_.tagged(record.tag) == handle && record.tag <= std::numeric_limits<std::int32_t>::max())
    out.tag = static_cast<std::int32_t>(record.tag);
  if (record.owner >= 0) out.owner = NodeId{record.owner};
  if (!out.owner.valid()) out.owner = NodeId{record.node};
  if (out.owner == NodeId{record.node} || out.address == 0) out.address = record.address;
}

HandleId HandleNames::of(std::uint32_t node, std::uint64_t address) {
  if (HandleId const found = identity_.named({node, address}); found.valid()) return found;
  auto const [place, is_new] =
      without_record_.try_emplace(DataName{node, address}, HandleId{handles_.size()});
  if (is_new) {
    check_count(handles_.size());
    handles_.push_back({.owner = NodeId{node}, .address = address, .shape = {}});
  }
  return place->second;
}

HandleId HandleNames::known(std::uint32_t node, std::uint64_t address) const {
  if (HandleId const found = identity_.named({node, address}); found.valid()) return found;
  auto const found = without_record_.find({node, address});
  return found == without_record_.end() ? HandleId{} : found->second;
}

HandleId HandleNames::of_message(StarpuRun::Message const& m) const {
  for (DataName const name : {DataName{m.from, m.send_address}, DataName{m.to, m.receive_address}})
    if (name.address != 0 && !identity_.misleads(name))
      if (HandleId const found = known(name.node, name.address); found.valid()) return found;
  return identity_.tagged(m.tag);
}

}  // namespace factosim
