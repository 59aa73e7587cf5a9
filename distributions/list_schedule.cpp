#include "distributions/list_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "distributions/list_tasks.hpp"
#include "distributions/node_workers.hpp"
#include "distributions/tile_flows.hpp"
#include "factosim/error.hpp"

namespace factosim {

namespace {

/// Returns whether messages from one node to another follow each other. Of idle workers on a FIFO wire they do not: on 12 maps
/// at 10 Gb/s these schedules were 3 % too long with shared cards (standard deviation 3 %) and 10 % too short otherwise (6 %),
/// compared with simulations with noise; these are 7 % longer than those without, which a list schedule knows nothing of.
bool messages_follow(Wire wire, WorkerChoice choice) {
  return wire == Wire::priority || (wire == Wire::fifo && choice == WorkerChoice::earliest_end);
}

class ListScheduler {
 public:
  ListScheduler(TileMap const& map, Factorization factorization, FactorizationCosts const& costs,
                WorkerChoice choice)
      : nodes_(static_cast<std::uint32_t>(costs.nodes.size())),
        tasks_(map, factorization, nodes_),
        workers_of_(map.owner.size()),
        arrived_(tasks_.data() * nodes_, false),
        places_(map.owner.size()),
        first_queue_(flows_.add_queues(nodes_, costs.sends_at_once)),
        routes_(std::size_t{nodes_} * nodes_) {
    std::vector<double> messages;
    for (NodeCosts const& node : costs.nodes) messages.push_back(node.message);
    first_out_ = flows_.add_links(messages);
    first_in_ = flows_.add_links(messages);
    if (messages_follow(costs.wire, choice))
      first_connection_ = flows_.add_connections(routes_.size(), costs.wire == Wire::priority);
    workers_.reserve(nodes_);
    for (std::uint32_t node = 0; node < nodes_; ++node)
      workers_.emplace_back(node, costs.nodes[node], choice, tasks_, places_, flows_);
  }

  double run() {
    push(0);
    double end = 0;
    while (true) {
      double const task_end = events_.empty() ? std::numeric_limits<double>::infinity() : events_.top().date;
      if (flows_.next() < task_end) {
        now_ = flows_.next();
        if (auto const cargo = flows_.advance()) arrive(*cargo);
        continue;
      }
      if (events_.empty()) return end;
      end = now_ = task_end;
      std::uint32_t const tile = events_.top().tile;
      events_.pop();
      finish_task(tile);
    }
  }

 private:
  struct TaskEnd {
    double date;
    std::uint32_t tile;
    bool operator<(TaskEnd const& other) const {
      return std::pair(date, tile) > std::pair(other.date, other.tile);
    }
  };
  using Kind = TileFlows::Cargo::Kind;

  [[nodiscard]] PanelLines const& lines() const { return tasks_.lines(); }
  [[nodiscard]] std::uint32_t owner(std::size_t tile) const { return tasks_.owner(tile); }
  [[nodiscard]] std::vector<bool>::reference arrived(std::uint32_t datum, std::uint32_t node) {
    return arrived_[std::size_t{datum} * nodes_ + node];
  }
  [[nodiscard]] bool has_operands(std::size_t tile) {
    ListTask const task = tasks_.next(tile);
    return std::ranges::all_of(task.operands(),
                               [&](std::uint32_t d) -> bool { return arrived(d, owner(tile)); });
  }

  /// The next task on the tile is ready.
  void push(std::size_t tile) {
    if (auto const worker = workers_[owner(tile)].push(tile, now_)) start(owner(tile), *worker);
  }

  void start(std::uint32_t node, std::size_t worker) {
    while (auto const task = workers_[node].start(worker, now_)) {
      workers_of_[task->tile] = worker;
      events_.push({task->end, task->tile});
    }
  }

  void finish_task(std::uint32_t tile) {
    std::uint32_t const node = owner(tile);
    std::size_t const worker = workers_of_[tile];
    workers_[node].finish(worker, now_);
    int const k = tasks_.end_one(tile);
    if (tasks_.row(tile) == k || tasks_.column(tile) == k)
      finish_panel_tile(tile, k);
    else if (has_operands(tile))
      push(tile);
    start(node, worker);
  }

  /// The tile is on its node from now on, and is sent when it is in the RAM.
  void finish_panel_tile(std::uint32_t tile, int k) {
    std::uint32_t const node = owner(tile);
    int const line = tasks_.line_of(tile);
    std::uint32_t const datum = tasks_.datum(line, k);
    workers_[node].put(datum, places_[tile].memory);
    arrive(line, k, node);
    if (workers_[node].in_ram(datum))
      announce(line, k, node);
    else if (has_readers(line, k, node))
      workers_[node].bring_to_ram(datum, k + tasks_.row(tile) + tasks_.column(tile), now_);
  }

  [[nodiscard]] bool has_readers(int line, int k, std::uint32_t owner) const {
    auto const reads = [&](int of_panel) {
      for (std::uint32_t to = 0; to < nodes_; ++to)
        if (to != owner && !lines().after(of_panel, k, to).empty()) return true;
      return false;
    };
    return line != tasks_.diagonal_line() ? reads(line) : std::ranges::any_of(lines().of_diagonal(k), reads);
  }

  void arrive(TileFlows::Cargo const& cargo) {
    auto const [line, k] = tasks_.place_of(cargo.number);
    if (cargo.kind == Kind::message) {
      workers_[cargo.node].receive(cargo.number, uses(line, k, cargo.node));
      return arrive(line, k, cargo.node);
    }
    startable_.clear();
    workers_[cargo.node].copied(cargo, now_, startable_);
    for (std::size_t const worker : startable_) start(cargo.node, worker);
    if (cargo.kind == Kind::operand && cargo.memory == 0 && owner(tasks_.tile_of(cargo.number)) == cargo.node)
      announce(line, k, cargo.node);
  }

  [[nodiscard]] std::size_t uses(int line, int k, std::uint32_t node) const {
    if (line != tasks_.diagonal_line()) return lines().after(line, k, node).size();
    std::size_t sum = 0;
    for (int const of_panel : lines().of_diagonal(k)) sum += lines().after(of_panel, k, node).size();
    return sum;
  }

  /// Sends a tile of a panel that is in the RAM.
  void announce(int line, int k, std::uint32_t from) {
    if (line != tasks_.diagonal_line()) return announce_panel(line, k, from);
    for (std::uint32_t to = 0; to < nodes_; ++to) {
      int first = std::numeric_limits<int>::max();
      for (int const of_panel : lines().of_diagonal(k))
        if (auto const readers = lines().after(of_panel, k, to); !readers.empty())
          first = std::min(first, readers[0]);
      if (first != std::numeric_limits<int>::max()) send(2 * k + first, line, k, from, to);
    }
  }

  void announce_panel(int line, int k, std::uint32_t from) {
    for (std::uint32_t to = 0; to < nodes_; ++to)
      if (auto const readers = lines().after(line, k, to); !readers.empty())
        send(k + lines().number(line) + readers[0], line, k, from, to);
  }

  void send(int order, int line, int k, std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    std::uint32_t const pair = from * nodes_ + to;
    auto& route = routes_[pair];
    if (!route)
      route = std::make_unique<TileFlows::Route>(TileFlows::Route{
          .links = {first_out_ + from, first_in_ + to},
          .connection = first_connection_ ? *first_connection_ + pair : TileFlows::no_connection});
    flows_.send(first_queue_ + from, *route,
                {.kind = Kind::message, .node = to, .number = tasks_.datum(line, k), .order = order}, now_);
  }

  /// The tile of panel k that is sent along the line, or its diagonal tile, is on the node.
  void arrive(int line, int k, std::uint32_t node) {
    arrived(tasks_.datum(line, k), node) = true;
    if (line == tasks_.diagonal_line()) {
      for (int const of_panel : lines().of_diagonal(k)) push_ready(of_panel, k, node);
      return;
    }
    push_ready(line, k, node);
  }

  void push_ready(int line, int k, std::uint32_t node) {
    for (int const place : lines().after(line, k, node)) {
      std::size_t const tile = lines().tile(line, place);
      if (tasks_.done(tile) == k && has_operands(tile)) push(tile);
    }
  }

  std::uint32_t nodes_;
  ListTasks tasks_;
  TileFlows flows_;
  std::vector<std::size_t> workers_of_;  // [tiles] of the running task
  std::vector<bool> arrived_;            // [data][nodes]
  std::vector<TilePlace> places_;        // [tiles]
  std::uint32_t first_queue_, first_out_ = 0, first_in_ = 0;
  std::optional<std::uint32_t> first_connection_;          // of each node to each other
  std::vector<std::unique_ptr<TileFlows::Route>> routes_;  // [nodes][nodes] of messages
  std::vector<NodeWorkers> workers_;                       // [nodes]
  std::vector<std::size_t> startable_;
  std::priority_queue<TaskEnd> events_;
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
