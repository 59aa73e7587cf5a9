#include "distributions/list_schedule.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "distributions/panel_lines.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

constexpr std::size_t sends_at_once = 10;

class ListScheduler {
 public:
  ListScheduler(TileMap const& map, Factorization factorization, FactorizationCosts const& costs)
      : map_(map),
        factorization_(factorization),
        costs_(costs),
        nodes_(costs.nodes.size()),
        lines_(map, factorization, nodes_),
        done_(map.owner.size(), 0),
        places_(map.owner.size()),
        arrived_((lines_.count() + 1) * static_cast<std::size_t>(map.nt) * nodes_, false),
        waiting_(nodes_),
        sent_(nodes_),
        received_(nodes_) {
    for (NodeCosts const& node : costs.nodes) {
      auto& workers = workers_.emplace_back();
      for (std::size_t kind = 0; kind < node.workers.size(); ++kind)
        for (int w = 0; w < node.workers[kind].count; ++w) workers.emplace_back().costs = &node.workers[kind];
    }
  }

  double run() {
    push(0);
    double end = 0;
    while (!events_.empty()) {
      Event const event = events_.top();
      events_.pop();
      if (event.is_message) {
        finish_message(event);
        continue;
      }
      now_ = end = event.date;
      finish_task(event.index);
    }
    return end;
  }

 private:
  struct Event {
    double date;
    bool is_message;
    std::size_t index;  // of the tile or the message
    bool operator<(Event const& other) const {
      return std::tuple(date, is_message, index) > std::tuple(other.date, other.is_message, other.index);
    }
  };
  struct Task {
    int order;
    std::size_t tile;
    bool operator<(Task const& other) const {
      return std::pair(order, tile) > std::pair(other.order, other.tile);
    }
  };
  struct Worker {
    EqualWorkers const* costs = nullptr;
    double end_of_all = 0, end_of_held = 0;  // dates
    int held = 0;
    std::priority_queue<Task> queue{};
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
  [[nodiscard]] std::vector<bool>::reference arrived(int line, int k, std::size_t node) {
    return arrived_[(static_cast<std::size_t>(line) * static_cast<std::size_t>(map_.nt) +
                     static_cast<std::size_t>(k)) *
                        nodes_ +
                    node];
  }

  /// Whether the operands of the next task on the tile are there, its own tile apart.
  [[nodiscard]] bool has_operands(std::size_t tile) {
    int const k = done_[tile], m = row(tile), n = column(tile);
    std::size_t const node = map_.owner[tile].index();
    if (m == k && n == k) return true;
    if (m == k || n == k) return arrived(diagonal_line(), k, node);
    auto const [a, b] = lines_.of_update(m, n);
    return arrived(a, k, node) && arrived(b, k, node);
  }

  /// Gives the next task on the tile to a worker.
  void push(std::size_t tile) {
    std::size_t const kind = this->kind(tile);
    Worker* best = nullptr;
    double earliest = std::numeric_limits<double>::infinity();
    for (Worker& worker : workers_[map_.owner[tile].index()]) {
      double const end = std::max(now_, worker.end_of_all) + worker.costs->seconds[kind];
      if (end >= earliest) continue;
      earliest = end;
      best = &worker;
    }
    FACTOSIM_EXPECT(best != nullptr, "a node that cannot run its tasks");
    best->end_of_all = earliest;
    best->queue.push({order(tile), tile});
    start(*best);
  }

  void start(Worker& worker) {
    while (worker.held < worker.costs->held && !worker.queue.empty()) {
      std::size_t const tile = worker.queue.top().tile;
      worker.queue.pop();
      ++worker.held;
      worker.end_of_held = std::max(now_, worker.end_of_held) + worker.costs->seconds[kind(tile)];
      places_[tile] = &worker;
      events_.push({worker.end_of_held, false, tile});
    }
  }

  void finish_task(std::size_t tile) {
    Worker& worker = *places_[tile];
    --worker.held;
    int const k = done_[tile]++;
    int const m = row(tile), n = column(tile);
    if (m == k && n == k)
      send_diagonal(k);
    else if (m == k || n == k)
      send(lines_.of_panel(m, n), k, map_.owner[tile].index());
    else if (has_operands(tile))
      push(tile);
    start(worker);
  }

  void send_diagonal(int k) {
    std::size_t const from = map_.at(k, k).index();
    for (std::size_t to = 0; to < nodes_; ++to) {
      int first = std::numeric_limits<int>::max();
      for (int const line : lines_.of_diagonal(k))
        if (auto const readers = lines_.after(line, k, to); !readers.empty())
          first = std::min(first, readers[0]);
      if (first == std::numeric_limits<int>::max()) continue;
      announce({.order = 2 * k + first, .line = diagonal_line(), .k = k, .from = from, .to = to});
    }
    send_waiting(from);
    arrive(diagonal_line(), k, from);
  }

  void send(int line, int k, std::size_t from) {
    for (std::size_t to = 0; to < nodes_; ++to)
      if (auto const readers = lines_.after(line, k, to); !readers.empty())
        announce(
            {.order = k + lines_.number(line) + readers[0], .line = line, .k = k, .from = from, .to = to});
    send_waiting(from);
    arrive(line, k, from);
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
    events_.push({end, true, index});
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
      events_.push({m.end, true, event.index});
      return;
    }
    m.end = -1;
    Message const ended = m;
    std::erase(sent_[ended.from], event.index);
    std::erase(received_[ended.to], event.index);
    free_.push_back(event.index);
    share(ended.from, ended.to);
    send_waiting(ended.from);
    arrive(ended.line, ended.k, ended.to);
  }

  /// The tile of panel k that is sent along the line, or its diagonal tile, is on the node.
  void arrive(int line, int k, std::size_t node) {
    arrived(line, k, node) = true;
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
  std::vector<std::vector<Worker>> workers_;               // [nodes]
  std::vector<int> done_;                                  // [tiles] tasks of the tile that have ended
  std::vector<Worker*> places_;                            // [tiles] worker of the running task
  std::vector<bool> arrived_;                              // [lines and diagonal][nt][nodes]
  std::vector<std::priority_queue<Message>> waiting_;      // [nodes] to be sent
  std::vector<std::vector<std::size_t>> sent_, received_;  // [nodes] messages in flight
  std::vector<Message> messages_;
  std::vector<std::size_t> free_;  // into messages_
  std::uint64_t announced_ = 0;
  std::priority_queue<Event> events_;
  double now_ = 0;
};

}  // namespace

double list_schedule(TileMap const& map, Factorization factorization, FactorizationCosts const& costs) {
  FACTOSIM_EXPECT(map.mt == map.nt && map.nt > 0, "a map that is not square");
  return ListScheduler(map, factorization, costs).run();
}

}  // namespace factosim
