#include "distributions/tile_flows.hpp"

#include <algorithm>

namespace factosim {

std::uint32_t TileFlows::add_links(std::span<double const> seconds) {
  auto const first = static_cast<std::uint32_t>(links_.size());
  for (double const of_one : seconds) links_.push_back({.seconds = of_one});
  return first;
}

std::uint32_t TileFlows::add_queues(std::size_t count, std::size_t limit) {
  auto const first = static_cast<std::uint32_t>(queues_.size());
  for (std::size_t i = 0; i < count; ++i) queues_.emplace_back().limit = limit;
  return first;
}

std::uint32_t TileFlows::add_connections(std::size_t count, bool urgent_first) {
  auto const first = static_cast<std::uint32_t>(connections_.size());
  for (std::size_t i = 0; i < count; ++i) connections_.emplace_back().urgent_first = urgent_first;
  return first;
}

void TileFlows::send(std::uint32_t queue, Route const& route, Cargo const& cargo, double now) {
  queues_[queue].waiting.push({cargo.order, sent_++, &route, cargo, queue});
  start_waiting(queue, now);
}

void TileFlows::start_waiting(std::uint32_t number, double now) {
  Queue& queue = queues_[number];
  while (queue.in_flight < queue.limit && !queue.waiting.empty()) {
    Sent const tile = queue.waiting.top();
    queue.waiting.pop();
    ++queue.in_flight;
    post(tile, now);
  }
}

void TileFlows::post(Sent const& tile, double now) {
  if (tile.route->connection == no_connection) return cross(tile, now);
  Connection& connection = connections_[tile.route->connection];
  if (!connection.busy) {
    connection.busy = true;
    return cross(tile, now);
  }
  Sent waits = tile;
  waits.order = connection.urgent_first ? tile.cargo.order : 0;
  waits.number = posted_++;
  connection.waiting.push(waits);
}

void TileFlows::cross(Sent const& tile, double now) {
  Flow const flow{.route = tile.route, .cargo = tile.cargo, .queue = tile.queue, .since = now};
  auto index = static_cast<std::uint32_t>(flows_.size());
  if (free_.empty()) {
    flows_.push_back(flow);
  } else {
    index = free_.back();
    free_.pop_back();
    flows_[index] = flow;
  }
  for (std::uint32_t const link : flow.route->links) links_[link].crossing.push_back(index);
  share(*flow.route, now);
}

void TileFlows::share(Route const& route, double now) {
  for (std::uint32_t const link : route.links)
    for (std::uint32_t const flow : links_[link].crossing) change_rate(flow, now);
}

void TileFlows::change_rate(std::uint32_t index, double now) {
  Flow& flow = flows_[index];
  double seconds = flow.route->alone;
  for (std::uint32_t const link : flow.route->links)
    seconds = std::max(seconds, static_cast<double>(links_[link].crossing.size()) * links_[link].seconds);
  flow.left = std::max(0.0, flow.left - (now - flow.since) * flow.rate);
  flow.since = now;
  flow.rate = 1 / seconds;
  double const end = now + flow.left * seconds;
  if (end >= flow.end) return;  // its event comes earlier, and will see that something is left
  flow.end = end;
  events_.emplace(end, index);
}

std::optional<TileFlows::Cargo> TileFlows::advance() {
  constexpr double nothing = 1e-9;  // of a tile
  auto const [now, index] = events_.top();
  events_.pop();
  Flow& flow = flows_[index];
  if (flow.end != now) return std::nullopt;
  double const left = flow.left - (now - flow.since) * flow.rate;
  double const end = now + left / flow.rate;
  if (left > nothing && end > now) {  // not so little that the date stays the same
    flow.end = end;
    events_.emplace(end, index);
    return std::nullopt;
  }
  flow.end = -1;
  Flow const ended = flow;
  --queues_[ended.queue].in_flight;
  for (std::uint32_t const link : ended.route->links) std::erase(links_[link].crossing, index);
  free_.push_back(index);
  share(*ended.route, now);
  if (ended.route->connection != no_connection) {
    Connection& connection = connections_[ended.route->connection];
    connection.busy = !connection.waiting.empty();
    if (connection.busy) {
      Sent const next = connection.waiting.top();
      connection.waiting.pop();
      cross(next, now);
    }
  }
  start_waiting(ended.queue, now);
  return ended.cargo;
}

}  // namespace factosim
