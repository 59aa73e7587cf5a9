#include "simulator/runtime/node/ram_usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "factosim/error.hpp"
#include "platforms/fabric.hpp"
#include "simulator/base/core/quantity_text.hpp"
#include "simulator/runtime/node/data_client.hpp"

namespace factosim {

namespace {

/// Returns the maximum size in bytes of the tiles of a node.
std::int64_t ram_limit(NodeType const& type) {
  return type.ram.value > 0 ? type.ram.value : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::string stated_ram(NodeType const& type, RuntimeOptions const& options) {
  return fmt::format("has a RAM of {} ({}", format_bytes(type.ram),
                     options.ram_limit.value > 0 ? "runtime/ram_limit_bytes" : "\"ram_bytes\" of its type");
}

RamUsage::RamUsage(NodeId node, SimulationInputs const& inputs, Engine const& engine, RunObserver& observer)
    : node_(node),
      inputs_(inputs),
      engine_(engine),
      observer_(observer),
      host_memory_(inputs.options, inputs.platform.type_of(node), inputs.machine.node_count(), engine.grid(),
                   receives_on_gpus(inputs.platform.network, inputs.platform.type_of(node))),
      planned_(inputs.plan.replicas_on(node)),
      by_copy_(inputs.platform.type_of(node).out_of_core),
      max_bytes_(by_copy_ ? std::numeric_limits<std::int64_t>::max()
                          : ram_limit(inputs.platform.type_of(node))) {
  for (Replica const& r : planned_) {
    LocalReplica const replica{uses_.size()};
    uses_.push_back({.left = r.uses, .owned = r.owned, .present = r.initial, .in_receive_buffer = false});
    if (r.initial) take_place(replica);
  }
}

Seconds RamUsage::reserve(LocalReplica replica) {
  if (uses_[replica.index()].present) return Seconds{0};
  add(replica);
  return host_memory_.pins_tiles() ? host_memory_.take(size_of(replica), engine_.now()) : Seconds{0};
}

void RamUsage::receive(LocalReplica replica) {
  receive_again(replica);
  add(replica);
}

void RamUsage::receive_again(LocalReplica replica) {
  uses_[replica.index()].in_receive_buffer = host_memory_.pins_receive_buffers();
}

bool RamUsage::release_use(LocalReplica replica) {
  Use& use = uses_[replica.index()];
  FACTOSIM_EXPECT(use.left > 0 || use.owned, "a tile is released more often than it is used");
  return --use.left == 0 && !use.owned;
}

void RamUsage::remove(LocalReplica replica) {
  if (was_added(replica)) unused_.push_back(replica);
  Use& use = uses_[replica.index()];
  if (!use.present) return;
  use.present = false;
  if (!by_copy_) observer_.place_released(node_, first_ram, replica, handle_of(replica), engine_.now());
  Bytes const size = size_of(replica);
  if (use.in_receive_buffer || !host_memory_.pins_receive_buffers())
    host_memory_.give_back(size, engine_.now());
  if (!by_copy_) change_bytes(-size.value);
}

void RamUsage::add(LocalReplica replica) {
  uses_[replica.index()].present = true;
  take_place(replica);
  if (peak_bytes_ > max_bytes_) fail_without_memory();
}

void RamUsage::take_place(LocalReplica replica) {
  if (by_copy_) return;
  observer_.place_taken(node_, first_ram, replica, handle_of(replica), engine_.now());
  change_bytes(size_of(replica).value);
}

void RamUsage::change_bytes(std::int64_t by) {
  bytes_in_use_ += by;
  FACTOSIM_ENSURE(bytes_in_use_ >= 0, "a node holds less than no tiles");
  peak_bytes_ = std::max(peak_bytes_, bytes_in_use_);
  observer_.memory_changed(node_, by, engine_.now());
}

std::int64_t RamUsage::excess_bytes() const {
  return std::max<std::int64_t>(0, peak_bytes_ - ram_limit(inputs_.platform.type_of(node_)));
}

void RamUsage::fail_without_memory() const {
  NodeType const& type = inputs_.platform.type_of(node_);
  throw InfeasibleError(fmt::format(
      "node {} ({}) needs {} at {:.6g} s for its own tiles and those that it received and still needs, and "
      "{}). {}",
      node_.value(), type.name, format_bytes({bytes_in_use_}), engine_.now().value,
      stated_ram(type, inputs_.options), memory_advice));
}

}  // namespace factosim
