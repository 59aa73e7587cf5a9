#include "simulator/runtime/cluster/network_transfers.hpp"

#include <algorithm>

namespace factosim {

void NetworkTransfers::start_message(MessageId id) {
  Message const& message = messages_[id];
  NodeId const destination = messages_.destination(id);
  FACTOSIM_EXPECT(message.source != destination, "a node sends a message to itself");
  auto const memory = [&](NodeId node, LocalMemory local) {
    return MemoryNodeId{topology_.ram_of(node).value() + local.value()};
  };
  TransferId const transfer = transfers_.add({.carried = id,
                                              .handle = messages_.handle(id),
                                              .from = memory(message.source, message.from),
                                              .to = memory(destination, message.to),
                                              .start = engine_.now()});
  if (auto const arrival = replay_.message_arrival(message.plan.producer, destination))
    engine_.at(std::max(engine_.now(), *arrival), event(EventKind::transfer_ended, transfer.value()));
  else if (inputs_.platform.network.wire == Wire::shared)
    start_in_network(transfer, engine_.now());
  else
    queue(transfer, message);
}

void NetworkTransfers::start_copy(LocalCopy copy, HandleId handle, LocalMemory from, LocalMemory to) {
  std::uint32_t const first = topology_.ram_of(copy.node).value();
  start_in_network(transfers_.add({.carried = copy,
                                   .handle = handle,
                                   .from = MemoryNodeId{first + from.value()},
                                   .to = MemoryNodeId{first + to.value()},
                                   .start = engine_.now()}),
                   engine_.now());
}

void NetworkTransfers::start_in_network(TransferId id, Seconds since) {
  Transfer const& transfer = transfers_[id];
  engine_.start_transfer(since, transfer.from, transfer.to,
                         inputs_.graph.handles[transfer.handle.index()].size, id.value());
}

void NetworkTransfers::queue(TransferId id, Message const& message) {
  std::uint64_t const pair =
      std::uint64_t{message.source.value()} * inputs_.machine.node_count() + message.plan.destination.value();
  Connection& connection = connections_[pair];
  transfers_[id].connection = &connection;
  bool const by_priority =
      inputs_.options.sends_by_priority && inputs_.platform.network.wire == Wire::priority;
  connection.queue.push(by_priority ? message.plan.priority : 0, id);
  start_next(connection);
}

void NetworkTransfers::start_next(Connection& connection) {
  if (!connection.queue.can_start(1)) return;
  TransferId const id = connection.queue.start();
  Transfer const& transfer = transfers_[id];
  Topology::RouteBuffer scratch;
  Seconds const latency = topology_.route(transfer.from, transfer.to, scratch).latency;
  start_in_network(id, std::max(transfer.start, connection.last_arrival - latency));
}

std::variant<MessageId, LocalCopy> NetworkTransfers::end(TransferId id) {
  Transfer const transfer = transfers_[id];
  transfers_.remove(id);
  if (Connection* const connection = transfer.connection) {
    connection->queue.end();
    connection->last_arrival = engine_.now();
    start_next(*connection);
  }
  TransferRecord record{.handle = transfer.handle,
                        .from = transfer.from,
                        .to = transfer.to,
                        .start = transfer.start,
                        .end = engine_.now(),
                        .size = inputs_.graph.handles[transfer.handle.index()].size};
  if (auto const* const message = std::get_if<MessageId>(&transfer.carried)) {
    PlannedMessage const& plan = messages_[*message].plan;
    record.producer = observer_.traced(plan.producer);
    record.consumer = observer_.traced_reader(plan.first_reader);
    observer_.message_carried(record, engine_.path_of(id.value()));
  } else {
    observer_.copy_carried(record);
  }
  return transfer.carried;
}

}  // namespace factosim
