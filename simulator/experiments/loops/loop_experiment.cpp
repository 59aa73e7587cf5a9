#include "simulator/experiments/loops/data_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/base/core/format.hpp"

namespace factosim {

namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr std::array phases{BalancePhase::initial, BalancePhase::main, BalancePhase::gap,
                            BalancePhase::final};
constexpr std::array classes{"cpu", "gpu", "phi"};

/// The distribution of the time and the chunks of a data-parallel loop.
struct BalanceSummary {
  /// Idle time by phase. The time between two blocks belongs to the phase of the earlier one, the time before
  /// the first block to the initial phase, the time from the last block to the end of the loop to its phase.
  using ByPhase = std::array<Seconds, balance_phase_count>;

  struct Unit {
    std::int64_t chunks = 0;
    std::uint32_t blocks = 0;  // number of blocks that it has computed
    Seconds compute{0}, transfer{0}, first_start{0}, last_end{0};
    Seconds there{0};  // from joining to the end, or to its loss
    ByPhase idle{};
    [[nodiscard]] Seconds idle_sum() const { return std::accumulate(idle.begin(), idle.end(), Seconds{0}); }
  };
  struct Step {
    std::uint32_t index = 0;
    BalancePhase phase = BalancePhase::main;  // of its first block
    Seconds start{0}, end{0};                 // of its first and of its last block
    std::vector<std::int64_t> chunks;         // [units] of its blocks that ended
  };

  std::vector<Unit> units;
  std::vector<Step> steps;  // those with a block, in their order
};

using Block = DataParallelOutcome::Block;

Seconds& idle_in(BalanceSummary::Unit& unit, BalancePhase phase) {
  return unit.idle[static_cast<std::size_t>(phase)];
}

/// Adds the units' times; their blocks are in the order of time.
void add_times(BalanceSummary& out, DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  std::vector<BalancePhase> last_phase(loop.units.size(), BalancePhase::initial);
  for (std::size_t w = 0; w < loop.units.size(); ++w) out.units[w].last_end = loop.units[w].joins;
  for (Block const& b : outcome.blocks) {
    BalanceSummary::Unit& unit = out.units[b.worker.index()];
    idle_in(unit, last_phase[b.worker.index()]) += b.start - unit.last_end;
    last_phase[b.worker.index()] = b.phase;
    if (unit.blocks == 0) unit.first_start = b.start;
    unit.last_end = b.end;
    if (b.lost) continue;
    unit.chunks += b.chunks;
    ++unit.blocks;
    unit.compute += b.compute_end - b.compute_start;
    unit.transfer += (b.compute_start - b.start) + (b.end - b.compute_end);
  }
  for (std::size_t w = 0; w < loop.units.size(); ++w) {
    BalanceSummary::Unit& unit = out.units[w];
    Seconds const leaves = std::max(loop.units[w].joins, std::min(outcome.makespan, loop.units[w].lost));
    unit.there = leaves - loop.units[w].joins;
    idle_in(unit, last_phase[w]) += std::max(Seconds{0}, leaves - unit.last_end);
  }
}

void add_steps(BalanceSummary& out, DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  std::vector<std::size_t> place;  // [steps of the balancer] in out.steps
  for (Block const& b : outcome.blocks) {
    if (b.step >= place.size()) place.resize(b.step + 1, SIZE_MAX);
    if (place[b.step] == SIZE_MAX) {
      place[b.step] = out.steps.size();
      out.steps.push_back({.index = b.step,
                           .phase = b.phase,
                           .start = b.start,
                           .end = b.end,
                           .chunks = std::vector<std::int64_t>(loop.units.size(), 0)});
    }
    BalanceSummary::Step& step = out.steps[place[b.step]];
    step.end = std::max(step.end, b.end);
    if (!b.lost) step.chunks[b.worker.index()] += b.chunks;
  }
}

BalanceSummary summarize(DataParallelLoop const& loop, DataParallelOutcome const& outcome) {
  BalanceSummary out;
  out.units.resize(loop.units.size());
  add_times(out, loop, outcome);
  add_steps(out, loop, outcome);
  return out;
}

struct SimulatedLoop {
  DataParallelScenario const& scenario;
  DataParallelOutcome outcome;
  StaticOptimum optimum;
  BalancerNotes notes;
};

/// Writes the result of a loop: JSON, text and trace.
class ResultWriter {
 public:
  ResultWriter(SimulatedLoop loop, Topology const& topology)
      : r_(std::move(loop)),
        loop_(r_.scenario.loop),
        topology_(topology),
        summary_(summarize(loop_, r_.outcome)) {}

  [[nodiscard]] ExperimentResult result(bool with_trace) const {
    ExperimentResult out{
        .makespan = r_.outcome.makespan, .estimate = is_estimate(), .tasks = r_.outcome.blocks.size()};
    out.metrics = metrics();
    out.sections["bytes_sent"] = bytes_between_nodes();
    out.sections["nodes"] = nodes();
    out.sections["balance"] = balance();
    out.timings = timings();
    out.summary = text();
    if (with_trace) out.trace = trace();
    return out;
  }

 private:
  [[nodiscard]] bool is_estimate() const {
    return r_.scenario.costs.estimate || r_.scenario.platform.uses_estimates();
  }
  [[nodiscard]] double ratio() const { return r_.outcome.makespan / r_.optimum.makespan; }
  [[nodiscard]] double of_all(std::int64_t chunks) const {
    return static_cast<double>(chunks) / static_cast<double>(loop_.cost.chunks);
  }
  [[nodiscard]] std::int64_t optimal_chunks(std::size_t w) const {
    auto const& blocks = r_.optimum.blocks[w];
    return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t bytes_between_nodes() const {
    std::int64_t sum = 0;
    for (auto const& t : r_.outcome.transfers)
      if (!topology_.same_node(t.from, t.to)) sum += t.size.value;
    return sum;
  }
  /// Returns the share of `idle(unit)` in the time that the units, or those of a class, are there.
  template <class Idle>
  [[nodiscard]] double idle_share(Idle const& idle, std::optional<std::string_view> unit_class = {}) const {
    Seconds sum{0}, there{0};
    for (std::size_t w = 0; w < loop_.units.size(); ++w) {
      if (unit_class && loop_.units[w].unit_class != *unit_class) continue;
      sum += std::invoke(idle, summary_.units[w]);
      there += summary_.units[w].there;
    }
    return there.value > 0 ? sum / there : 0;
  }
  [[nodiscard]] static auto in_phase(BalancePhase phase) {
    return [phase](BalanceSummary::Unit const& unit) { return unit.idle[static_cast<std::size_t>(phase)]; };
  }

  /// Returns how far the loop is from the optimum, if that is known.
  [[nodiscard]] OrderedJson optimum() const {
    if (r_.scenario.has_events()) return OrderedJson::object();
    return {{"optimal_s", r_.optimum.makespan.value}, {"ratio_to_optimal", ratio()}};
  }

  [[nodiscard]] OrderedJson metrics() const {
    OrderedJson out = {{"chunks", loop_.cost.chunks}};
    out.update(optimum());
    out["idle"] = idle_share(&BalanceSummary::Unit::idle_sum);
    for (BalancePhase const phase : phases)
      out[fmt::format("idle_{}", name_of(phase))] = idle_share(in_phase(phase));
    out["steps"] = summary_.steps.size();
    return out;
  }

  [[nodiscard]] OrderedJson nodes() const {
    OrderedJson out = OrderedJson::array();
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n) {
      Seconds busy{0}, first{std::numeric_limits<double>::infinity()}, last{0};
      std::size_t workers = 0;
      for (std::size_t w = 0; w < loop_.units.size(); ++w) {
        if (loop_.units[w].node != NodeId{n}) continue;
        ++workers;
        busy += summary_.units[w].compute;
        if (summary_.units[w].blocks == 0) continue;
        first = std::min(first, summary_.units[w].first_start);
        last = std::max(last, summary_.units[w].last_end);
      }
      out.push_back({{"id", n},
                     {"type", r_.scenario.platform.type_of(NodeId{n}).name},
                     {"workers", workers},
                     {"busy_s", busy.value},
                     {"first_task_s", std::min(first, r_.outcome.makespan).value},
                     {"last_task_s", last.value}});
    }
    return out;
  }

  [[nodiscard]] OrderedJson worker(std::size_t w) const {
    ProcessingUnit const& unit = loop_.units[w];
    BalanceSummary::Unit const& done = summary_.units[w];
    OrderedJson idle = OrderedJson::object();
    for (BalancePhase const phase : phases)
      idle[std::string(name_of(phase))] = done.idle[static_cast<std::size_t>(phase)].value;
    OrderedJson out = {{"name", unit.name},
                       {"node", unit.node.value()},
                       {"type", r_.scenario.platform.type_of(unit.node).name},
                       {"class", unit.unit_class},
                       {"chunks", done.chunks},
                       {"share", of_all(done.chunks)}};
    if (!r_.scenario.has_events()) out["optimal_share"] = of_all(optimal_chunks(w));
    out["blocks"] = done.blocks;
    out["compute_s"] = done.compute.value;
    out["transfer_s"] = done.transfer.value;
    out["idle_s"] = done.idle_sum().value;
    out["idle_by_phase_s"] = idle;
    if (!r_.notes.models.empty()) out["fitted_terms"] = r_.notes.models[w];
    return out;
  }

  [[nodiscard]] OrderedJson idle_by_class() const {
    OrderedJson out = OrderedJson::object();
    for (char const* const unit_class : classes) {
      if (std::none_of(loop_.units.begin(), loop_.units.end(),
                       [&](ProcessingUnit const& unit) { return unit.unit_class == unit_class; }))
        continue;
      double sum = 0;
      for (BalancePhase const phase : phases) {
        double const share = idle_share(in_phase(phase), unit_class);
        out[unit_class][std::string(name_of(phase))] = share;
        sum += share;
      }
      out[unit_class]["all"] = sum;
    }
    return out;
  }

  [[nodiscard]] OrderedJson steps() const {
    OrderedJson out = OrderedJson::array();
    for (BalanceSummary::Step const& step : summary_.steps) {
      auto const sum = std::accumulate(step.chunks.begin(), step.chunks.end(), std::int64_t{0});
      OrderedJson shares = OrderedJson::array();
      for (std::int64_t const chunks : step.chunks)
        shares.push_back(sum > 0 ? static_cast<double>(chunks) / static_cast<double>(sum) : 0.0);
      out.push_back({{"step", step.index},
                     {"phase", name_of(step.phase)},
                     {"start_s", step.start.value},
                     {"end_s", step.end.value},
                     {"chunks", sum},
                     {"shares", shares}});
    }
    return out;
  }

  [[nodiscard]] OrderedJson balance() const {
    OrderedJson workers = OrderedJson::array();
    for (std::size_t w = 0; w < loop_.units.size(); ++w) workers.push_back(worker(w));
    OrderedJson out = {{"balancer", r_.scenario.balancer.type}, {"chunks", loop_.cost.chunks}};
    out.update(optimum());
    out["chunks_handed_out_again"] = r_.outcome.chunks_again;
    if (r_.notes.solved_by_ipopt + r_.notes.solved_by_bracketing > 0)
      out["equal_time_systems"] = {{"by_ipopt", r_.notes.solved_by_ipopt},
                                   {"by_bracketing", r_.notes.solved_by_bracketing},
                                   {"largest_residual", r_.notes.largest_residual}};
    out["workers"] = workers;
    out["idle_share_by_class"] = idle_by_class();
    out["steps"] = steps();
    return out;
  }

  [[nodiscard]] OrderedJson timings() const {
    DataParallelScenario const& s = r_.scenario;
    OrderedJson out = OrderedJson::array();
    for (std::size_t t = 0; t < s.platform.types.size(); ++t) {
      if (std::find(s.platform.nodes.begin(), s.platform.nodes.end(), t) == s.platform.nodes.end()) continue;
      NodeType const& type = s.platform.types[t];
      OrderedJson units = OrderedJson::object();
      for (auto const& [place, unit] : s.costs.machines.at(type.name)) units[place] = unit.model;
      out.push_back({{"machine", type.name},
                     {"units", units},
                     {"file", s.costs.file},
                     {"estimate", s.costs.estimate || type.estimate},
                     {"kernels", s.costs.provenance},
                     {"machine_description", type.provenance}});
    }
    return out;
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    auto const row = [&](std::string_view label, std::string const& value) {
      out += fmt::format("{:<14}{}\n", label, value);
    };
    std::string makespan = format_duration(r_.outcome.makespan);
    if (!r_.scenario.has_events())
      makespan += fmt::format("   {:.3f} of the optimum of {}, which knows all curves", ratio(),
                              format_duration(r_.optimum.makespan));
    row("makespan", makespan);
    row("balancer", fmt::format("{}, {} blocks of {} chunks", r_.scenario.balancer.type,
                                r_.outcome.blocks.size(), loop_.cost.chunks));
    if (r_.outcome.chunks_again > 0)
      row("", fmt::format("{} chunks of lost workers handed out again", r_.outcome.chunks_again));
    row("idle", fmt::format("{:.1f} % of all workers' time, {:.1f} % in the initial phase",
                            100 * idle_share(&BalanceSummary::Unit::idle_sum),
                            100 * idle_share(in_phase(BalancePhase::initial))));
    if (topology_.node_count() > 1)
      row("sent", fmt::format("{} between nodes", format_bytes(Bytes{bytes_between_nodes()})));
    out += fmt::format("{:<14}{:<12}{:>8}{:>10}{:>8}{:>11}{:>11}{:>8}\n", "worker", "machine", "share",
                       "optimal", "blocks", "compute", "transfer", "idle");
    for (std::size_t w = 0; w < loop_.units.size(); ++w) {
      BalanceSummary::Unit const& unit = summary_.units[w];
      std::string const best =
          r_.scenario.has_events() ? "-" : fmt::format("{:.2f} %", 100 * of_all(optimal_chunks(w)));
      double const idle = unit.there.value > 0 ? unit.idle_sum() / unit.there : 0;
      out += fmt::format("{:<14}{:<12}{:>6.2f} %{:>10}{:>8}{:>9.2f} s{:>9.2f} s{:>6.1f} %\n",
                         loop_.units[w].name, r_.scenario.platform.type_of(loop_.units[w].node).name,
                         100 * of_all(unit.chunks), best, unit.blocks, unit.compute.value,
                         unit.transfer.value, 100 * idle);
    }
    return out;
  }

  [[nodiscard]] Trace trace() const {
    Trace t;
    t.source = "data-parallel";
    t.format = "factosim";
    for (std::uint32_t n = 0; n < topology_.node_count(); ++n) {
      NodeType const& type = r_.scenario.platform.type_of(NodeId{n});
      t.nodes.push_back({std::to_string(n), type.name});
      for (std::size_t m = 0; m < type.memory_node_count(); ++m)
        t.memory_nodes.push_back({memory_node_name(type, m), NodeId{n}});
    }
    for (ProcessingUnit const& unit : loop_.units)
      t.workers.push_back({unit.name.substr(unit.name.find(':') + 1), unit.node, unit.memory,
                           unit.unit_class == "cpu" ? Trace::Device::cpu : Trace::Device::gpu});
    for (BalancePhase const phase : phases)
      t.kernels.push_back({.name = std::string(name_of(phase)), .flops = {}});
    add_blocks(t);
    add_transfers(t);
    return t;
  }

  void add_blocks(Trace& t) const {
    for (auto const& block : r_.outcome.blocks) {
      bool const computed = !block.lost;
      t.kernel.push_back(static_cast<std::uint16_t>(block.phase));
      t.worker.push_back(computed ? block.worker : WorkerId{});
      t.submit_s.push_back(block.start.value);
      t.start_s.push_back(computed ? block.compute_start.value : unknown);
      t.end_s.push_back(computed ? block.compute_end.value : unknown);
      t.priority.push_back(0);
      t.flops.push_back(static_cast<double>(block.chunks) * loop_.cost.work);
    }
  }

  void add_transfers(Trace& t) const {
    for (auto const& transfer : r_.outcome.transfers) {
      if (transfer.end < transfer.start) continue;
      if (topology_.same_node(transfer.from, transfer.to))
        t.copies.push_back(
            {transfer.from, transfer.to, transfer.start.value, transfer.end.value, transfer.size, {}});
      else
        t.messages.push_back({topology_.node_of(transfer.from),
                              topology_.node_of(transfer.to),
                              transfer.start.value,
                              transfer.end.value,
                              transfer.size,
                              {},
                              {},
                              {}});
    }
  }

  SimulatedLoop r_;
  DataParallelLoop const& loop_;
  Topology const& topology_;
  BalanceSummary summary_;
};

}  // namespace

ExperimentResult simulate_data_parallel(DataParallelScenario const& s, bool with_trace) {
  Topology const topology(s.platform);
  StaticOptimum optimum = static_optimum(undisturbed_times(s.loop, topology), s.loop.cost.chunks);
  auto const balancer = make_balancer(s.balancer, s.loop.units.size(), s.loop.cost.chunks, optimum);
  DataParallelOutcome outcome = simulate_loop(s.loop, *balancer, topology, make_network(s.network, topology),
                                              TimeGrid::for_makespan(optimum.makespan));
  return ResultWriter({s, std::move(outcome), std::move(optimum), balancer->notes()}, topology)
      .result(with_trace);
}

}  // namespace factosim
