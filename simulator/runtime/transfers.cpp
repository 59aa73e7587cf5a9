#include "simulator/runtime/transfers.hpp"

#include <algorithm>

namespace factosim {

void Transfers::start_message(MessageId id) {
  Message const& message = messages_[id];
  NodeId const destination = messages_.destination(id);
  FlightId const flight = flights_.add({.carried = id,
                                        .handle = messages_.handle(id),
                                        .from = topology_.ram_of(message.source),
                                        .to = topology_.ram_of(destination),
                                        .start = engine_.now()});
  if (auto const arrival = replay_.message_arrival(message.plan.producer, destination))
    engine_.at(std::max(engine_.now(), *arrival), event(EventKind::transfer_ended, flight.value()));
  else
    start_in_network(flight);
}

void Transfers::start_copy(Copy copy, HandleId handle, std::uint32_t from, std::uint32_t to) {
  std::uint32_t const first = topology_.ram_of(copy.node).value();
  start_in_network(flights_.add({.carried = copy,
                                 .handle = handle,
                                 .from = MemoryNodeId{first + from},
                                 .to = MemoryNodeId{first + to},
                                 .start = engine_.now()}));
}

void Transfers::start_in_network(FlightId id) {
  Flight const& flight = flights_[id];
  engine_.start_transfer(flight.from, flight.to, inputs_.graph.handles[flight.handle.index()].size,
                         id.value());
}

std::variant<MessageId, Copy> Transfers::end(FlightId id) {
  Flight const flight = flights_[id];
  flights_.remove(id);
  TransferRecord record{.handle = flight.handle,
                        .from = flight.from,
                        .to = flight.to,
                        .start = flight.start,
                        .end = engine_.now(),
                        .size = inputs_.graph.handles[flight.handle.index()].size};
  if (auto const* const message = std::get_if<MessageId>(&flight.carried)) {
    PlannedMessage const& plan = messages_[*message].plan;
    record.producer = plan.producer;
    record.consumer = inputs_.graph.successors[plan.first.index()];
    observer_.message_carried(record);
  } else {
    observer_.copy_carried(record);
  }
  return flight.carried;
}

}  // namespace factosim
