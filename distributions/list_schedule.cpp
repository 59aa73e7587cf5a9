#include "distributions/list_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "distributions/node_workers.hpp"
#include "distributions/panel_lines.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t sends_at_once = 10;

class ListScheduler {
 public:
  ListScheduler(TileMap const& map, Factorization factorization, FactorizationCosts const& costs,
                WorkerChoice choice)
      : map_(map),
        factorization_(factorization),
        costs_(costs),
        nodes_(costs.nodes.size()),
        lines_(map, factorization, nodes_),
        done_(map.owner.size(), 0),
        places_(map.owner.size()),
        arrived_((lines_.count() + 1) * static_cast<std::size_t>(map.nt) * nodes_, false),
        memories_(map.owner.size(), 0),
        waiting_(nodes_),
        sent_(nodes_),
        received_(nodes_) {
    for (NodeCosts const& node : costs.nodes)
      workers_.emplace_back(node, (lines_.count() + 1) * static_cast<std::size_t>(map.nt), choice, memories_);
  }

  double run() {
    push(0);
    double end = 0;
    while (!events_.empty()) {
      Event const event = events_.top();
      events_.pop();
      if (event.type == Event::message) {
        finish_message(event);
        continue;
      }
      now_ = event.date;
      if (event.type == Event::fetched) {
        finish_fetch(event.index);
        continue;
      }
      end = now_;
      if (event.type == Event::task)
        finish_task(event.index);
      else
        send(event.index);
    }
    return end;
  }

 private:
  struct Event {
    double date;
    enum Type : std::uint8_t {
      task,
      sending,
      message,
      fetched
    } type;  // the end of a task or message, its tile is in the RAM, or its worker has its operands
    std::size_t index;  // of the tile or the message
    bool operator<(Event const& other) const {
      return std::tuple(date, type, index) > std::tuple(other.date, other.type, other.index);
    }
  };
  struct Message {
    int order;
    std::uint64_t number = 0;
    int line, k;  // line lines_.count(): the diagonal tile
    std::size_t from, to;
    double left = 1, rate = 0, since = 0, end = std::numeric_limits<double>::infinity();
    bool operator<(Message const& other) const {
      return std::pair(order, number) > std::pair(other.order, other.number);
    }
  };

  [[nodiscard]] int diagonal_line() const { return static_cast<int>(lines_.count()); }
  [[nodiscard]] int row(std::size_t tile) const { return static_cast<int>(tile) / map_.nt; }
  [[nodiscard]] int column(std::size_t tile) const { return static_cast<int>(tile) % map_.nt; }
  [[nodiscard]] int order(std::size_t tile) const { return done_[tile] + row(tile) + column(tile); }
  [[nodiscard]] std::size_t kind(std::size_t tile) const {
    return static_cast<std::size_t>(task_kind(factorization_, done_[tile], row(tile), column(tile)));
  }
  /// Number of the tile of panel k that is sent along the line, among all of them.
  [[nodiscard]] std::size_t datum(int line, int k) const {
    return static_cast<std::size_t>(line) * static_cast<std::size_t>(map_.nt) + static_cast<std::size_t>(k);
  }
  [[nodiscard]] std::vector<bool>::reference arrived(std::size_t datum, std::size_t node) {
    return arrived_[datum * nodes_ + node];
  }
  /// Returns the line of the last task on a tile of the panel.
  [[nodiscard]] int line_of(std::size_t tile) const {
    return row(tile) == column(tile) ? diagonal_line() : lines_.of_panel(row(tile), column(tile));
  }

  /// Returns the data that the next task on the tile reads, its own tile apart.
  [[nodiscard]] NodeWorkers::Operands operands(std::size_t tile) const {
    int const k = done_[tile], m = row(tile), n = column(tile);
    if (m == k && n == k) return {};
    if (m == k || n == k) return {{datum(diagonal_line(), k)}, 1};
    auto const [a, b] = lines_.of_update(m, n);
    return {{datum(a, k), datum(b, k)}, a == b ? 1U : 2U};
  }
  [[nodiscard]] bool has_operands(std::size_t tile) {
    std::size_t const node = map_.owner[tile].index();
    NodeWorkers::Operands const needed = operands(tile);
    return std::ranges::all_of(needed.data(), [&](std::size_t d) -> bool { return arrived(d, node); });
  }

  /// The next task on the tile is ready.
  void push(std::size_t tile) {
    std::size_t const node = map_.owner[tile].index();
    auto const worker = workers_[node].push(
        {.order = order(tile), .tile = tile, .kind = kind(tile), .read = operands(tile)}, now_);
    if (worker) start(node, *worker);
  }

  void start(std::size_t node, std::size_t worker) {
    while (auto const task = workers_[node].start(worker, now_)) {
      places_[task->tile] = worker;
      events_.push({task->end, Event::task, task->tile});
      if (task->fetches) events_.push({task->ready, Event::fetched, task->tile});
    }
  }

  /// The worker of the task on the tile has its operands, and looks for another task.
  void finish_fetch(std::size_t tile) {
    std::size_t const node = map_.owner[tile].index();
    workers_[node].fetched(places_[tile]);
    start(node, places_[tile]);
  }

  void finish_task(std::size_t tile) {
    std::size_t const node = map_.owner[tile].index(), worker = places_[tile];
    workers_[node].finish(worker);
    int const k = done_[tile]++;
    if (row(tile) == k || column(tile) == k)
      finish_panel_tile(tile, k);
    else if (has_operands(tile))
      push(tile);
    start(node, worker);
  }

  /// The tile is on its node from now on, and is sent when it is in the RAM.
  void finish_panel_tile(std::size_t tile, int k) {
    std::size_t const node = map_.owner[tile].index();
    workers_[node].put(datum(line_of(tile), k), memories_[tile]);
    arrive(line_of(tile), k, node);
    if (memories_[tile] == 0)
      send(tile);
    else if (has_readers(tile, k))
      events_.push({workers_[node].fetch_to_ram(memories_[tile], now_), Event::sending, tile});
  }

  [[nodiscard]] bool has_readers(std::size_t tile, int k) const {
    std::size_t const owner = map_.owner[tile].index();
    auto const reads = [&](int line) {
      for (std::size_t to = 0; to < nodes_; ++to)
        if (to != owner && !lines_.after(line, k, to).empty()) return true;
      return false;
    };
    return line_of(tile) != diagonal_line() ? reads(line_of(tile))
                                            : std::ranges::any_of(lines_.of_diagonal(k), reads);
  }

  /// Sends a tile of a panel that is in the RAM.
  void send(std::size_t tile) {
    std::size_t const from = map_.owner[tile].index();
    int const k = done_[tile] - 1;
    workers_[from].put(datum(line_of(tile), k), 0);
    if (row(tile) == column(tile))
      announce_diagonal(k, from);
    else
      announce_panel(line_of(tile), k, from);
    send_waiting(from);
  }

  void announce_diagonal(int k, std::size_t from) {
    for (std::size_t to = 0; to < nodes_; ++to) {
      int first = std::numeric_limits<int>::max();
      for (int const line : lines_.of_diagonal(k))
        if (auto const readers = lines_.after(line, k, to); !readers.empty())
          first = std::min(first, readers[0]);
      if (first == std::numeric_limits<int>::max()) continue;
      announce({.order = 2 * k + first, .line = diagonal_line(), .k = k, .from = from, .to = to});
    }
  }

  void announce_panel(int line, int k, std::size_t from) {
    for (std::size_t to = 0; to < nodes_; ++to)
      if (auto const readers = lines_.after(line, k, to); !readers.empty())
        announce(
            {.order = k + lines_.number(line) + readers[0], .line = line, .k = k, .from = from, .to = to});
  }

  void announce(Message message) {
    if (message.from == message.to) return;
    message.number = announced_++;
    waiting_[message.from].push(message);
  }

  void send_waiting(std::size_t node) {
    while (sent_[node].size() < sends_at_once && !waiting_[node].empty()) {
      std::size_t index = messages_.size();
      if (free_.empty()) {
        messages_.push_back(waiting_[node].top());
      } else {
        index = free_.back();
        free_.pop_back();
        messages_[index] = waiting_[node].top();
      }
      waiting_[node].pop();
      messages_[index].since = now_;
      sent_[node].push_back(index);
      received_[messages_[index].to].push_back(index);
      share(node, messages_[index].to);
    }
  }

  /// Divides the network cards anew after a change of the messages between these nodes.
  void share(std::size_t from, std::size_t to) {
    for (std::size_t const index : sent_[from]) change_rate(index);
    for (std::size_t const index : received_[to])
      if (messages_[index].from != from) change_rate(index);
  }

  void change_rate(std::size_t index) {
    Message& m = messages_[index];
    m.left = std::max(0.0, m.left - (now_ - m.since) * m.rate);
    m.since = now_;
    m.rate = 1 / std::max(static_cast<double>(sent_[m.from].size()) * costs_.nodes[m.from].message,
                          static_cast<double>(received_[m.to].size()) * costs_.nodes[m.to].message);
    double const end = now_ + m.left / m.rate;
    if (end >= m.end) return;  // its event comes earlier, and will see that something is left
    m.end = end;
    events_.push({end, Event::message, index});
  }

  void finish_message(Event const& event) {
    constexpr double nothing = 1e-9;  // of a tile
    Message& m = messages_[event.index];
    if (m.end != event.date) return;
    now_ = event.date;
    double const left = m.left - (now_ - m.since) * m.rate;
    double const end = now_ + left / m.rate;
    if (left > nothing && end > now_) {  // not so little that the date stays the same
      m.end = end;
      events_.push({m.end, Event::message, event.index});
      return;
    }
    m.end = -1;
    Message const ended = m;
    std::erase(sent_[ended.from], event.index);
    std::erase(received_[ended.to], event.index);
    free_.push_back(event.index);
    share(ended.from, ended.to);
    send_waiting(ended.from);
    workers_[ended.to].put(datum(ended.line, ended.k), 0);
    arrive(ended.line, ended.k, ended.to);
  }

  /// The tile of panel k that is sent along the line, or its diagonal tile, is on the node.
  void arrive(int line, int k, std::size_t node) {
    arrived(datum(line, k), node) = true;
    if (line == diagonal_line()) {
      for (int const of_panel : lines_.of_diagonal(k)) push_ready(of_panel, k, node);
      return;
    }
    push_ready(line, k, node);
  }

  void push_ready(int line, int k, std::size_t node) {
    for (int const place : lines_.after(line, k, node)) {
      std::size_t const tile = lines_.tile(line, place);
      if (done_[tile] == k && has_operands(tile)) push(tile);
    }
  }

  TileMap const& map_;
  Factorization factorization_;
  FactorizationCosts const& costs_;
  std::size_t nodes_;
  PanelLines lines_;
  std::vector<NodeWorkers> workers_;                       // [nodes]
  std::vector<int> done_;                                  // [tiles] tasks of the tile that have ended
  std::vector<std::size_t> places_;                        // [tiles] worker of the running task
  std::vector<bool> arrived_;                              // [data][nodes]
  std::vector<std::size_t> memories_;                      // [tiles] of the owner, where the tile is
  std::vector<std::priority_queue<Message>> waiting_;      // [nodes] to be sent
  std::vector<std::vector<std::size_t>> sent_, received_;  // [nodes] messages in flight
  std::vector<Message> messages_;
  std::vector<std::size_t> free_;  // into messages_
  std::uint64_t announced_ = 0;
  std::priority_queue<Event> events_;
  double now_ = 0;
};

}  // namespace

double list_schedule(TileMap const& map, Factorization factorization, FactorizationCosts const& costs,
                     WorkerChoice choice) {
  FACTOSIM_EXPECT(map.mt == map.nt && map.nt > 0, "a map that is not square");
  auto const makespan = [&](WorkerChoice of_all) {
    return ListScheduler(map, factorization, costs, of_all).run();
  };
  if (choice != WorkerChoice::any_idle) return makespan(choice);
  return std::sqrt(makespan(WorkerChoice::core_first) * makespan(WorkerChoice::gpu_first));
}

}  // namespace factosim
