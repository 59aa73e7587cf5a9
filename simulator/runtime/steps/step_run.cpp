#include "simulator/runtime/steps/step_run.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "simulator/runtime/engine/event_heap.hpp"
#include "simulator/runtime/steps/central_steps.hpp"
#include "simulator/runtime/steps/panel_messages.hpp"
#include "simulator/runtime/steps/queued_steps.hpp"
#include "simulator/runtime/steps/step_inputs.hpp"
#include "simulator/runtime/steps/step_messages.hpp"
#include "simulator/runtime/steps/step_tiles.hpp"

namespace factosim {

namespace {

/// Returns the scheduler that is most like the policy of the scenario: queues of workers, or one queue for each node.
std::unique_ptr<StepScheduler> make_step_scheduler(StepProblem const& p, StepGroups& groups) {
  if (p.workers_have_queues) return std::make_unique<QueuedSteps>(p, groups);
  return std::make_unique<CentralSteps>(p, groups);
}

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Tiles of one node between two anti-diagonals. They run the same steps together.
struct Cell {
  std::uint32_t first = 0, end = 0;    // the node's tiles that are left, and some that are not
  std::uint32_t begin = 0, width = 0;  // anti-diagonals
  std::uint32_t step = 0;              // the next one; none: no tiles are left
  std::uint32_t next_last = 0;         // the first panel, from `step` on, that one of them is a part of
  StepGroup::Part updates[2];          // in `step`
  bool waits = false;                  // for inputs of its updates
};

class StepRun {
 public:
  explicit StepRun(StepProblem const& p)
      : p_(p),
        tasks_(p),
        nt_(static_cast<std::uint32_t>(p.map.nt)),
        tiles_(p.map, p.machine.node_count(), tasks_.is_symmetric()),
        lines_(p.map, p.machine.node_count(), tasks_.is_symmetric()),
        partition_(nt_, p.resolution),
        inputs_(lines_, partition_, p.machine.node_count()),
        scheduler_(make_step_scheduler(p, groups_)),
        network_(p),
        cells_(p.machine.node_count()),
        free_cells_(p.machine.node_count()),
        panels_(p.machine.node_count()),
        messages_(tasks_, lines_, partition_, p.machine.node_count()) {
    for (std::uint32_t k = 0; k < nt_; ++k) step_begin_.push_back(tasks_.position(StepTasks::tile(k, k), k));
    step_begin_.push_back(p.formulas.task_count());
  }

  StepOutcome run() {
    for (std::size_t node = 0; node < cells_.size(); ++node) {
      auto const size = static_cast<std::uint32_t>(tiles_.of(node).size());
      if (size == 0) continue;
      Cell& all = cells_[node].emplace_back();
      all.end = size;
      all.width = std::bit_ceil(2 * nt_);
      begin_step(node, 0);
    }
    flush_panels();
    while (!heap_.empty()) {
      now_ = heap_.next_date().value;
      handle(heap_.pop());
      flush_panels();
    }
    FACTOSIM_ALWAYS(out_.tasks == p_.formulas.task_count(), "the simulation by groups came to a stop");
    out_.makespan = Seconds{end_};
    return std::move(out_);
  }

 private:
  enum class Kind : std::uint8_t { scheduler, group_ended, submitted, flow, delivered };
  struct Payload {
    Kind kind;
    std::uint32_t a, b;
  };
  void handle(Payload e) {
    switch (e.kind) {
      case Kind::scheduler:
        scheduler_->proceed(e.a, e.b, now_, schedule_);
        follow();
        break;
      case Kind::group_ended:
        ended(StepGroupId{e.a});
        break;
      case Kind::submitted:
        start(StepGroupId{e.a});
        break;
      case Kind::flow: {
        StepMessage sent;
        double latency = 0;
        if (network_.proceed(e.a, e.b, now_, sent, latency))
          push(now_ + latency, {Kind::delivered, sent_.add(sent).value(), 0});
        push_due();
        break;
      }
      case Kind::delivered: {
        StepMessage const sent = sent_[SentId{e.a}];
        sent_.remove(SentId{e.a});
        deliver(sent);
        break;
      }
    }
  }

  void push(double date, Payload payload) { heap_.push(Seconds{date}, payload); }
  void push_due() {
    for (StepNetwork::Due const& due : network_.due()) push(due.date, {Kind::flow, due.flow, due.generation});
    network_.due().clear();
  }

  void follow() {
    for (auto const& due : schedule_.due) push(due.date, {Kind::scheduler, due.place, due.generation});
    for (auto const& end : schedule_.ends) push(end.date, {Kind::group_ended, end.group.value(), 0});
    schedule_.due.clear();
    schedule_.ends.clear();
  }

  // ---- cells ----

  /// The cell's tiles have run all steps before its step.
  void begin_step(std::size_t node, std::uint32_t number) {
    while (true) {
      Cell& cell = cells_[node][number];
      if (!partition_.is_narrow(cell.begin, cell.width, cell.step)) {
        split(node, number);
        continue;
      }
      break;
    }
    enter_step(node, number);
  }

  void split(std::size_t node, std::uint32_t number) {
    Cell& cell = cells_[node][number];
    auto const tiles = tiles_.of(node);
    Cell upper = cell;
    cell.width /= 2;
    upper.width = cell.width;
    upper.begin += cell.width;
    auto const cut = std::partition_point(tiles.begin() + cell.first, tiles.begin() + cell.end,
                                          [&](StepTile t) { return t.diagonal() < upper.begin; });
    cell.end = upper.first = static_cast<std::uint32_t>(cut - tiles.begin());
    cell.next_last = upper.next_last = 0;
    if (upper.first == upper.end) return;
    if (cell.first == cell.end) {
      cell = upper;
      return;
    }
    std::uint32_t other = static_cast<std::uint32_t>(cells_[node].size());
    if (free_cells_[node].empty()) {
      cells_[node].push_back(upper);
    } else {
      other = free_cells_[node].back();
      free_cells_[node].pop_back();
      cells_[node][other] = upper;
    }
    begin_step(node, other);
  }

  void enter_step(std::size_t node, std::uint32_t number) {
    Cell& cell = cells_[node][number];
    auto const tiles = tiles_.of(node);
    std::uint32_t const k = cell.step;
    if (cell.next_last <= k) {
      cell.updates[0] = {tasks_.update_kernel(false), 0};
      cell.updates[1] = {tasks_.update_kernel(true), 0};
      while (cell.first < cell.end && tiles[cell.first].last_step() < k) ++cell.first;
      cell.next_last = none;
      StepGroup panel{.node = static_cast<std::uint32_t>(node), .step = k, .cell = none};
      for (std::uint32_t i = cell.first; i < cell.end; ++i) {
        StepTile const t = tiles[i];
        std::uint32_t const last = t.last_step();
        if (last < k) continue;
        if (last > k) {
          ++cell.updates[t.m == t.n ? 1 : 0].tasks;
          cell.next_last = std::min(cell.next_last, last);
        } else if (t.m == t.n) {
          StepGroup diagonal{.node = static_cast<std::uint32_t>(node), .step = k, .cell = none};
          add_panel_tile(diagonal, t);
          diagonals_.push_back(groups_.add(std::move(diagonal)));
        } else {
          add_panel_tile(panel, t);
        }
      }
      if (!panel.panel.empty()) {
        StepGroupId const id = groups_.add(std::move(panel));
        if (inputs_.has_diagonal(node, k))
          diagonals_.push_back(id);
        else
          panels_[node].push_back(id);
      }
    }
    if (cell.next_last == none) {
      cell.step = none;
      cell.waits = false;
      free_cells_[node].push_back(number);
      return;
    }
    cell.waits = true;
    if (has_inputs(node, cell)) update(node, number);
  }

  void add_panel_tile(StepGroup& group, StepTile t) {
    if (group.panel.empty()) group.priority = tasks_.priority(t, group.step);
    group.add(tasks_.panel_kernel(t));
    group.panel.push_back(t);
  }

  [[nodiscard]] bool has_inputs(std::size_t node, Cell const& cell) {
    return inputs_.complete_before(node, cell.step) > partition_.group_of(cell.begin, cell.step);
  }

  void update(std::size_t node, std::uint32_t number) {
    Cell& cell = cells_[node][number];
    cell.waits = false;
    auto const tiles = tiles_.of(node);
    std::uint32_t first = cell.first;
    while (tiles[first].last_step() <= cell.step) ++first;
    updates_.push_back(groups_.add({.node = static_cast<std::uint32_t>(node),
                                    .step = cell.step,
                                    .cell = number,
                                    .priority = tasks_.priority(tiles[first], cell.step),
                                    .parts = {cell.updates[0], cell.updates[1]}}));
  }

  /// Submits the groups that have become ready; at the end of each event.
  void flush_panels() {
    while (!diagonals_.empty() || !updates_.empty()) {
      ready_.clear();
      std::swap(ready_, diagonals_);
      ready_.insert(ready_.end(), updates_.begin(), updates_.end());
      updates_.clear();
      for (StepGroupId const id : ready_) submit(id);
    }
  }

  void submit(StepGroupId id) {
    StepGroup const& group = groups_[id];
    double const cost = p_.options.unrolling == Unrolling::whole ? p_.options.submission_cost.value : 0;
    if (static_cast<double>(step_begin_[group.step + 1]) * cost > now_) {
      double const date = static_cast<double>(last_position(group) + 1) * cost;
      if (date > now_) {
        push(date, {Kind::submitted, id.value(), 0});
        return;
      }
    }
    start(id);
  }

  [[nodiscard]] std::uint64_t last_position(StepGroup const& group) const {
    std::uint64_t last = 0;
    if (group.cell == none) {
      for (StepTile const t : group.panel) last = std::max(last, tasks_.position(t, group.step));
      return last;
    }
    Cell const& cell = cells_[group.node][group.cell];
    for (StepTile const t : tiles_.of(group.node).subspan(cell.first, cell.end - cell.first))
      if (t.last_step() > group.step) last = std::max(last, tasks_.position(t, group.step));
    return last;
  }

  void start(StepGroupId id) {
    ++out_.groups;
    out_.tasks += groups_[id].tasks();
    scheduler_->ready(id, now_, schedule_);
    follow();
  }

  // ---- ends ----

  void ended(StepGroupId id) {
    StepGroup const group = std::move(groups_[id]);
    groups_.remove(id);
    end_ = std::max(end_, now_);
    if (group.cell != none) {
      ++cells_[group.node][group.cell].step;
      begin_step(group.node, group.cell);
    } else if (group.panel.front().m == group.panel.front().n) {
      pass(messages_.of_diagonal(group.node, group.step));
    } else {
      pass(messages_.of_panel(group.node, group.step, group.panel));
    }
  }

  void pass(std::span<StepMessage const> messages) {
    for (StepMessage const& message : messages) pass(message);
    push_due();
  }
  void pass(StepMessage const& message) {
    if (message.destination == message.source) {
      deliver(message);
      return;
    }
    out_.tiles_sent += message.tiles;
    network_.send(message, now_);
  }

  void deliver(StepMessage const& message) {
    std::uint32_t const node = message.destination, k = message.step;
    if (message.diagonal) {
      inputs_.diagonal_arrived(node, k);
      std::erase_if(panels_[node], [&](StepGroupId id) {
        if (groups_[id].step != k) return false;
        diagonals_.push_back(id);
        return true;
      });
      return;
    }
    if (!inputs_.arrived(node, k, message.distance, message.tiles)) return;
    std::uint16_t const before = inputs_.complete_before(node, k);
    for (std::uint32_t number = 0; number < cells_[node].size(); ++number) {
      Cell const& cell = cells_[node][number];
      if (cell.waits && cell.step == k && partition_.group_of(cell.begin, k) < before) update(node, number);
    }
  }

  StepProblem const& p_;
  StepTasks tasks_;
  std::uint32_t nt_;
  StepTiles tiles_;
  StepLines lines_;
  StepPartition partition_;
  StepInputs inputs_;
  StepGroups groups_;
  std::unique_ptr<StepScheduler> scheduler_;
  StepSchedule schedule_;
  StepNetwork network_;
  using SentId = Id<struct SentTag>;
  IdPool<SentId, StepMessage> sent_;
  std::vector<std::vector<Cell>> cells_;                // [nodes]
  std::vector<std::vector<std::uint32_t>> free_cells_;  // [nodes]
  std::vector<std::vector<StepGroupId>> panels_;        // [nodes] that wait for the diagonal tile
  std::vector<std::uint64_t> step_begin_;  // [steps + 1] tasks before it, in the order of submission
  std::vector<StepGroupId> diagonals_, updates_, ready_;
  PanelMessages messages_;
  EventHeap<Payload> heap_;
  double now_ = 0, end_ = 0;
  StepOutcome out_;
};

}  // namespace

StepOutcome run_steps(StepProblem const& problem) { return StepRun(problem).run(); }

}  // namespace factosim
