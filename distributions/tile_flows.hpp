#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace factosim {

/// Tiles on their way in a list schedule: messages between nodes and copies between the memories of a node. Tiles that
/// cross the same link share it equally. Each tile waits in a queue, which lets the most urgent ones go first and
/// limits how many are in flight. On a connection, one tile in flight crosses the links at a time.
class TileFlows {
 public:
  /// What arrives where.
  struct Cargo {
    enum class Kind : std::uint8_t { message, operand, own_tile } kind = Kind::message;
    bool allocation = false;   // only the memory for the copy is there
    std::uint8_t from = 0;     // memory
    std::uint8_t memory = 0;   // of the destination
    std::uint32_t node = 0;    // of the destination
    std::uint32_t number = 0;  // of the datum, or of the tile
    int order = 0;             // lower ones are more urgent
  };
  static constexpr std::uint32_t no_connection = UINT32_MAX;
  /// Links that a tile crosses, and its time if it is alone, in seconds.
  struct Route {
    std::vector<std::uint32_t> links;
    double alone = 0;
    std::uint32_t connection = no_connection;
  };

  /// Returns the number of the first of these links; a tile alone takes `seconds` on each.
  std::uint32_t add_links(std::span<double const> seconds);
  /// Returns the number of the first of `count` queues, each with at most `limit` tiles in flight.
  std::uint32_t add_queues(std::size_t count, std::size_t limit);
  /// Returns the number of the first of `count` connections, on which tiles follow each other: the most urgent first, or in
  /// the order in which they left their queue.
  std::uint32_t add_connections(std::size_t count, bool urgent_first);

  /// A tile waits in a queue; those of lower order go first, then those that waited first. The route must live on.
  void send(std::uint32_t queue, Route const& route, Cargo const& cargo, double now);

  /// The date of the next event, or infinity.
  [[nodiscard]] double next() const {
    return events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().first;
  }
  /// Handles the next event. Returns what arrives then, if anything does.
  std::optional<Cargo> advance();

 private:
  /// A tile in a queue, or in flight and on its connection or before it.
  struct Sent {
    int order;             // where it waits
    std::uint64_t number;  // of those of the same order, lower ones go first
    Route const* route;
    Cargo cargo;
    std::uint32_t queue;
    bool operator<(Sent const& other) const {
      return std::pair(order, number) > std::pair(other.order, other.number);
    }
  };
  struct Queue {
    std::priority_queue<Sent> waiting{};
    std::size_t in_flight = 0, limit = 1;
  };
  struct Connection {
    std::priority_queue<Sent> waiting{};
    bool urgent_first = false, busy = false;
  };
  struct Flow {
    Route const* route;
    Cargo cargo;
    std::uint32_t queue;
    double left = 1, rate = 0, since = 0, end = std::numeric_limits<double>::infinity();
  };
  struct Link {
    double seconds;                         // of a tile that is alone
    std::vector<std::uint32_t> crossing{};  // flows
  };

  void start_waiting(std::uint32_t queue, double now);
  /// The tile is in flight: it crosses its links, or waits for its connection.
  void post(Sent const& tile, double now);
  void cross(Sent const& tile, double now);
  /// Divides the links of the route anew.
  void share(Route const& route, double now);
  void change_rate(std::uint32_t flow, double now);

  std::vector<Link> links_;
  std::vector<Queue> queues_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;  // into flows_
  std::vector<Connection> connections_;
  std::uint64_t sent_ = 0, posted_ = 0;
  using Event = std::pair<double, std::uint32_t>;  // date when the flow may end
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace factosim
