#include "simulator/cluster/network_transfers.hpp"

#include <algorithm>

namespace factosim {

void NetworkTransfers::start_message(MessageId id) {
  Message const& message = messages_[id];
  NodeId const destination = messages_.destination(id);
  TransferId const transfer = transfers_.add({.carried = id,
                                              .handle = messages_.handle(id),
                                              .from = topology_.ram_of(message.source),
                                              .to = topology_.ram_of(destination),
                                              .start = engine_.now()});
  if (auto const arrival = replay_.message_arrival(message.plan.producer, destination))
    engine_.at(std::max(engine_.now(), *arrival), event(EventKind::transfer_ended, transfer.value()));
  else
    start_in_network(transfer);
}

void NetworkTransfers::start_copy(LocalCopy copy, HandleId handle, LocalMemory from, LocalMemory to) {
  std::uint32_t const first = topology_.ram_of(copy.node).value();
  start_in_network(transfers_.add({.carried = copy,
                                   .handle = handle,
                                   .from = MemoryNodeId{first + from.value()},
                                   .to = MemoryNodeId{first + to.value()},
                                   .start = engine_.now()}));
}

void NetworkTransfers::start_in_network(TransferId id) {
  Transfer const& transfer = transfers_[id];
  engine_.start_transfer(transfer.from, transfer.to, inputs_.graph.handles[transfer.handle.index()].size,
                         id.value());
}

std::variant<MessageId, LocalCopy> NetworkTransfers::end(TransferId id) {
  Transfer const transfer = transfers_[id];
  transfers_.remove(id);
  TransferRecord record{.handle = transfer.handle,
                        .from = transfer.from,
                        .to = transfer.to,
                        .start = transfer.start,
                        .end = engine_.now(),
                        .size = inputs_.graph.handles[transfer.handle.index()].size};
  if (auto const* const message = std::get_if<MessageId>(&transfer.carried)) {
    PlannedMessage const& plan = messages_[*message].plan;
    record.producer = plan.producer;
    record.consumer = inputs_.graph.successors[plan.first.index()];
    observer_.message_carried(record);
  } else {
    observer_.copy_carried(record);
  }
  return transfer.carried;
}

}  // namespace factosim
