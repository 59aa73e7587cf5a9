#include "simulator/experiments/loops/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "factosim/error.hpp"
#include "simulator/runtime/engine/engine.hpp"

namespace factosim {

namespace {

using Block = DataParallelOutcome::Block;

/// Returns the memories on the path of a block's data, from the master's to the worker's.
std::vector<MemoryNodeId> path_to(ProcessingUnit const& unit, NodeId master, Topology const& topology) {
  std::vector<MemoryNodeId> path{topology.ram_of(master)};
  for (MemoryNodeId const memory : {topology.ram_of(unit.node), unit.memory})
    if (memory != path.back()) path.push_back(memory);
  return path;
}

Bytes bytes_of(std::int64_t chunks, double each) {
  return {static_cast<std::int64_t>(std::llround(static_cast<double>(chunks) * each))};
}

/// Returns the end of a computation of so many undisturbed `seconds`.
Seconds disturbed_end(ProcessingUnit const& unit, Seconds start, double seconds) {
  double now = start.value;
  while (true) {
    double speed = 1, change = std::numeric_limits<double>::infinity();
    for (CompetingLoad const& load : unit.loads) {
      if (load.from.value <= now && now < load.until.value) {
        speed *= 1 - load.share;
        change = std::min(change, load.until.value);
      } else if (load.from.value > now) {
        change = std::min(change, load.from.value);
      }
    }
    if (now + seconds / speed <= change) return {now + seconds / speed};
    seconds -= (change - now) * speed;
    now = change;
  }
}

class LoopRun final : public EventHandler {
 public:
  LoopRun(DataParallelLoop const& loop, Balancer& balancer, Topology const& topology,
          std::unique_ptr<Network> network, TimeGrid const& grid)
      : loop_(loop),
        balancer_(balancer),
        engine_(std::move(network), grid),
        states_(loop.units.size()),
        awaited_(loop.units.size()),
        queue_(static_cast<std::size_t>(loop.cost.chunks)),
        times_done_(queue_.size(), 0) {
    std::iota(queue_.begin(), queue_.end(), std::uint32_t{0});
    for (ProcessingUnit const& unit : loop.units) paths_.push_back(path_to(unit, loop.master, topology));
    draw_worker_factors();
  }

  DataParallelOutcome run() && {
    for (std::uint32_t w = 0; w < states_.size(); ++w) {
      engine_.at(loop_.units[w].joins, {joins, w});
      if (std::isfinite(loop_.units[w].lost.value)) engine_.at(loop_.units[w].lost, {leaves, w});
    }
    engine_.run(*this);
    if (done_ < loop_.cost.chunks)
      throw InfeasibleError(
          fmt::format("all workers are lost after {} of {} chunks (nobody is left for the others). Keep one, "
                      "or let one join",
                      done_, loop_.cost.chunks));
    FACTOSIM_ALWAYS(std::all_of(times_done_.begin(), times_done_.end(), [](auto n) { return n == 1; }),
                    "each chunk is done exactly once");
    return std::move(out_);
  }

 private:
  enum Kind : std::uint32_t { joins, leaves, offers, computed };
  static constexpr std::uint32_t no_block = UINT32_MAX;
  static constexpr std::uint32_t last_rank = 3;  // offers come last among the events of a date

  struct State {  // of a worker
    bool present = false;
    std::uint32_t block = no_block;
    std::uint32_t blocks = 0;  // number of blocks that it has started
    double factor = 1;
  };
  struct Progress {         // of a block
    std::size_t first = 0;  // of its chunks in the queue
    std::size_t hop = 0;    // of its path, in or out
    bool computed = false;
  };

  void handle(Event event) override {
    switch (event.kind) {
      case joins:
        return join(event.subject);
      case leaves:
        return lose(event.subject);
      case offers:
        offer_pending_ = false;
        return offer();
      default:
        return compute_ended(event.subject);
    }
  }

  /// Offers work to idle workers once all events of the date are known.
  void offer_soon() {
    if (std::exchange(offer_pending_, true)) return;
    engine_.after({0}, {offers, 0}, last_rank);
  }

  [[nodiscard]] std::int64_t left() const { return static_cast<std::int64_t>(queue_.size() - head_); }
  [[nodiscard]] bool finished() const { return left() == 0 && under_way_ == 0; }

  void join(std::uint32_t w) {
    --awaited_;
    if (finished()) return;
    states_[w].present = true;
    balancer_.worker_joined(WorkerId{w}, engine_.now());
    offer_soon();
  }

  void lose(std::uint32_t w) {
    if (finished() || !states_[w].present) return;
    State& state = states_[w];
    state.present = false;
    std::int64_t returned = 0;
    if (state.block != no_block) {
      Block& block = out_.blocks[state.block];
      block.lost = true;
      block.end = engine_.now();
      returned = block.chunks;
      // A copy first, since the queue grows.
      std::vector<std::uint32_t> const chunks(chunk_begin(state.block), chunk_begin(state.block) + returned);
      queue_.insert(queue_.end(), chunks.begin(), chunks.end());
      out_.chunks_again += returned;
      --under_way_;
      state.block = no_block;
    }
    balancer_.worker_lost(WorkerId{w}, returned, engine_.now());
    offer_soon();
  }

  void offer() {
    bool anybody = false;
    for (std::uint32_t w = 0; w < states_.size(); ++w) {
      anybody = anybody || states_[w].present;
      if (!states_[w].present || states_[w].block != no_block || left() == 0) continue;
      BlockOrder const order =
          balancer_.next_block(WorkerId{w}, {.now = engine_.now(), .left = left(), .in_flight = under_way_});
      FACTOSIM_ALWAYS(order.chunks >= 0 && order.chunks <= left(), "a block of chunks that are there");
      if (order.chunks > 0) start(w, order);
    }
    FACTOSIM_ALWAYS(!anybody || left() == 0 || under_way_ > 0 || awaited_ > 0,
                    "somebody works while there is work, or will join");
  }

  void start(std::uint32_t w, BlockOrder const& order) {
    auto const b = static_cast<std::uint32_t>(out_.blocks.size());
    out_.blocks.push_back({.worker = WorkerId{w},
                           .chunks = order.chunks,
                           .start = engine_.now(),
                           .phase = order.phase,
                           .step = order.step});
    progress_.push_back({.first = head_});
    head_ += static_cast<std::size_t>(order.chunks);
    states_[w].block = b;
    ++under_way_;
    go_on(b);
  }

  /// Starts the next hop of a block's data or results, or the step after the last hop.
  void go_on(std::uint32_t b) {
    Block& block = out_.blocks[b];
    Progress& progress = progress_[b];
    auto const& path = paths_[block.worker.index()];
    Bytes const size = bytes_of(block.chunks, progress.computed ? loop_.cost.bytes_out : loop_.cost.bytes_in);
    if (progress.hop + 1 < path.size() && size.value > 0) {
      std::size_t const from = progress.computed ? path.size() - 1 - progress.hop : progress.hop;
      std::size_t const to = progress.computed ? from - 1 : from + 1;
      ++progress.hop;
      auto const token = static_cast<TransferToken>(out_.transfers.size());
      out_.transfers.push_back({path[from], path[to], size, engine_.now(), {-1}, b});
      engine_.start_transfer(path[from], path[to], size, token);
      return;
    }
    progress.hop = 0;
    if (progress.computed) return end(b);
    block.compute_start = engine_.now();
    block.compute_end = disturbed_end(loop_.units[block.worker.index()], engine_.now(), drawn_seconds(block));
    engine_.at(block.compute_end, {computed, b});
  }

  void transfer_ended(TransferToken token) override {
    DataParallelOutcome::Transfer& transfer = out_.transfers[token];
    if (out_.blocks[transfer.block].lost) return;
    transfer.end = engine_.now();
    go_on(transfer.block);
  }

  void compute_ended(std::uint32_t b) {
    if (out_.blocks[b].lost) return;
    out_.blocks[b].compute_end = engine_.now();  // rounded like all dates
    progress_[b].computed = true;
    go_on(b);
  }

  void end(std::uint32_t b) {
    Block& block = out_.blocks[b];
    block.end = engine_.now();
    out_.makespan = engine_.now();
    for (auto chunk = chunk_begin(b); chunk != chunk_begin(b) + block.chunks; ++chunk) ++times_done_[*chunk];
    done_ += block.chunks;
    states_[block.worker.index()].block = no_block;
    --under_way_;
    Seconds const compute = block.compute_end - block.compute_start;
    balancer_.block_done({.worker = block.worker,
                          .chunks = block.chunks,
                          .transfer = (block.compute_start - block.start) + (block.end - block.compute_end),
                          .compute = compute,
                          .now = engine_.now()});
    offer_soon();
  }

  [[nodiscard]] std::vector<std::uint32_t>::const_iterator chunk_begin(std::uint32_t b) const {
    return queue_.cbegin() + static_cast<std::ptrdiff_t>(progress_[b].first);
  }

  /// Returns the undisturbed seconds of a block that starts now, with its noise.
  [[nodiscard]] double drawn_seconds(Block const& block) {
    State& state = states_[block.worker.index()];
    double const mean = loop_.units[block.worker.index()]
                            .curve.duration(static_cast<double>(block.chunks) * loop_.cost.work)
                            .value;
    std::uint64_t const id = std::uint64_t{block.worker.value()} << 32U | state.blocks;
    double const first = state.blocks++ == 0 ? loop_.noise.first_execution_factor : 1.0;
    double const deviation = loop_.noise.scale * loop_.deviation;
    double const u = uniform(loop_.noise.seed, RandomStream::block, id);
    double luck = 1;
    if (deviation > 0 && loop_.noise.distribution == NoiseDistribution::normal)
      luck = normal_factor(deviation, u);
    if (deviation > 0 && loop_.noise.distribution == NoiseDistribution::lognormal)
      luck = lognormal_factor(deviation, u);
    return mean * luck * state.factor * first;
  }

  void draw_worker_factors() {
    for (State& state : states_) state.factor = run_factor(loop_.noise.run_speed_deviation, loop_.noise.seed);
    if (loop_.noise.worker_speed_deviation == 0) return;
    for (std::size_t w = 0; w < states_.size(); ++w)
      states_[w].factor *= lognormal_factor(loop_.noise.worker_speed_deviation,
                                            uniform(loop_.noise.seed, RandomStream::worker, w));
  }

  DataParallelLoop const& loop_;
  Balancer& balancer_;
  Engine engine_;
  std::vector<State> states_;                     // [units]
  std::size_t awaited_;                           // units that have not joined
  std::vector<std::vector<MemoryNodeId>> paths_;  // [units]
  std::vector<std::uint32_t> queue_;              // chunks in the order of their distribution
  std::size_t head_ = 0;                          // first chunk of the queue that was not distributed yet
  std::vector<std::uint8_t> times_done_;          // [chunks]
  std::vector<Progress> progress_;                // [blocks]
  std::size_t under_way_ = 0;
  std::int64_t done_ = 0;
  bool offer_pending_ = false;
  DataParallelOutcome out_;
};

/// Returns latency and seconds per byte of a path without other messages.
struct PathCost {
  double latency = 0, per_byte = 0;
};

PathCost cost_of(std::vector<MemoryNodeId> const& path, bool back, Topology const& topology) {
  PathCost cost;
  Topology::RouteBuffer scratch;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    Topology::Route const route =
        back ? topology.route(path[i + 1], path[i], scratch) : topology.route(path[i], path[i + 1], scratch);
    double slowest = 0;
    for (std::uint32_t const link : route.links) {
      auto const crossed = static_cast<double>(std::count(route.links.begin(), route.links.end(), link));
      slowest = std::max(slowest, crossed / topology.links()[link].rate.bandwidth.value);
    }
    cost.latency += route.latency.value;
    cost.per_byte += slowest;
  }
  return cost;
}

}  // namespace

DataParallelOutcome simulate_loop(DataParallelLoop const& loop, Balancer& balancer, Topology const& topology,
                                  std::unique_ptr<Network> network, TimeGrid const& grid) {
  FACTOSIM_EXPECT(loop.cost.chunks > 0 && !loop.units.empty(), "there is work and somebody to do it");
  return LoopRun(loop, balancer, topology, std::move(network), grid).run();
}

std::vector<TrueBlockTime> undisturbed_times(DataParallelLoop const& loop, Topology const& topology) {
  std::vector<TrueBlockTime> times;
  for (ProcessingUnit const& unit : loop.units) {
    auto const path = path_to(unit, loop.master, topology);
    PathCost const in = cost_of(path, false, topology), out = cost_of(path, true, topology);
    times.push_back([curve = unit.curve, cost = loop.cost, in, out](std::int64_t chunks) {
      auto const n = static_cast<double>(chunks);
      double seconds = curve.duration(n * cost.work).value;
      if (cost.bytes_in > 0) seconds += in.latency + n * cost.bytes_in * in.per_byte;
      if (cost.bytes_out > 0) seconds += out.latency + n * cost.bytes_out * out.per_byte;
      return seconds;
    });
  }
  return times;
}

}  // namespace factosim
