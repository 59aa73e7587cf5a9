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

#include "simulator/base/core/quantity_text.hpp"

namespace factosim {

namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr std::array phases{BalancePhase::initial, BalancePhase::main, BalancePhase::gap,
                            BalancePhase::final};
constexpr std::array classes{"cpu", "gpu", "phi"};

/// Idle time by phase. The time between two blocks belongs to the phase of the earlier one, the time before
/// the first block to the initial phase, the time from the last block to the end of the loop to its phase.
using TimeByPhase = std::array<Seconds, balance_phase_count>;

/// What a processing unit did.
struct UnitSummary {
  std::int64_t chunks = 0;
  std::uint32_t blocks = 0;  // number of blocks that it has computed
  Seconds compute{0}, transfer{0}, first_start{0}, last_end{0};
  Seconds there{0};  // from joining to the end, or to its loss
  TimeByPhase idle{};
  [[nodiscard]] Seconds idle_sum() const { return std::accumulate(idle.begin(), idle.end(), Seconds{0}); }
  [[nodiscard]] Seconds& idle_in(BalancePhase phase) { return idle[static_cast<std::size_t>(phase)]; }
};

/// What happened in a step of the balancer.
struct StepSummary {
  std::uint32_t index = 0;
  BalancePhase phase = BalancePhase::main;  // of its first block
  Seconds start{0}, end{0};                 // of its first and of its last block
  std::vector<std::int64_t> chunks;         // [units] of its blocks that ended
};

using Block = DataParallelOutcome::Block;

/// Writes the result of a loop: JSON, text and trace.
class ResultWriter {
 public:
  ResultWriter(DataParallelScenario const& scenario, DataParallelOutcome outcome, StaticOptimum optimum,
               BalancerNotes notes, Topology const& topology)
      : scenario_(scenario),
        loop_(scenario.loop),
        outcome_(std::move(outcome)),
        optimum_(std::move(optimum)),
        notes_(std::move(notes)),
        topology_(topology),
        units_(loop_.units.size()) {
    add_times();
    add_steps();
  }

  [[nodiscard]] ExperimentResult result(bool with_trace) const {
    ExperimentResult out{
        .makespan = outcome_.makespan, .estimate = is_estimate(), .tasks = outcome_.blocks.size()};
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
  /// Adds the units' times; their blocks are in the order of time.
  void add_times() {
    std::vector<BalancePhase> last_phase(loop_.units.size(), BalancePhase::initial);
    for (std::size_t w = 0; w < loop_.units.size(); ++w) units_[w].last_end = loop_.units[w].joins;
    for (Block const& b : outcome_.blocks) {
      UnitSummary& unit = units_[b.worker.index()];
      unit.idle_in(last_phase[b.worker.index()]) += b.start - unit.last_end;
      last_phase[b.worker.index()] = b.phase;
      if (unit.blocks == 0) unit.first_start = b.start;
      unit.last_end = b.end;
      if (b.lost) continue;
      unit.chunks += b.chunks;
      ++unit.blocks;
      unit.compute += b.compute_end - b.compute_start;
      unit.transfer += (b.compute_start - b.start) + (b.end - b.compute_end);
    }
    for (std::size_t w = 0; w < loop_.units.size(); ++w) {
      UnitSummary& unit = units_[w];
      Seconds const leaves = std::max(loop_.units[w].joins, std::min(outcome_.makespan, loop_.units[w].lost));
      unit.there = leaves - loop_.units[w].joins;
      unit.idle_in(last_phase[w]) += std::max(Seconds{0}, leaves - unit.last_end);
    }
  }

  void add_steps() {
    std::vector<std::size_t> place;  // [steps of the balancer] in steps_
    for (Block const& b : outcome_.blocks) {
      if (b.step >= place.size()) place.resize(b.step + 1, SIZE_MAX);
      if (place[b.step] == SIZE_MAX) {
        place[b.step] = steps_.size();
        steps_.push_back({.index = b.step,
                          .phase = b.phase,
                          .start = b.start,
                          .end = b.end,
                          .chunks = std::vector<std::int64_t>(loop_.units.size(), 0)});
      }
      StepSummary& step = steps_[place[b.step]];
      step.end = std::max(step.end, b.end);
      if (!b.lost) step.chunks[b.worker.index()] += b.chunks;
    }
  }

  [[nodiscard]] bool is_estimate() const {
    return scenario_.costs.estimate || scenario_.platform.uses_estimates();
  }
  [[nodiscard]] double ratio() const { return outcome_.makespan / optimum_.makespan; }
  [[nodiscard]] double of_all(std::int64_t chunks) const {
    return static_cast<double>(chunks) / static_cast<double>(loop_.cost.chunks);
  }
  [[nodiscard]] std::int64_t optimal_chunks(std::size_t w) const {
    auto const& blocks = optimum_.blocks[w];
    return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t bytes_between_nodes() const {
    std::int64_t sum = 0;
    for (auto const& t : outcome_.transfers)
      if (!topology_.same_node(t.from, t.to)) sum += t.size.value;
    return sum;
  }
  /// Returns the share of `idle(unit)` in the time that the units, or those of a class, are there.
  template <class Idle>
  [[nodiscard]] double idle_share(Idle const& idle, std::optional<std::string_view> unit_class = {}) const {
    Seconds sum{0}, there{0};
    for (std::size_t w = 0; w < loop_.units.size(); ++w) {
      if (unit_class && loop_.units[w].unit_class != *unit_class) continue;
      sum += std::invoke(idle, units_[w]);
      there += units_[w].there;
    }
    return there.value > 0 ? sum / there : 0;
  }
  [[nodiscard]] static auto in_phase(BalancePhase phase) {
    return [phase](UnitSummary const& unit) { return unit.idle[static_cast<std::size_t>(phase)]; };
  }

  /// Returns how far the loop is from the optimum, if that is known.
  [[nodiscard]] OrderedJson optimum() const {
    if (scenario_.has_events()) return OrderedJson::object();
    return {{"optimal_s", optimum_.makespan.value}, {"ratio_to_optimal", ratio()}};
  }

  [[nodiscard]] OrderedJson metrics() const {
    OrderedJson out = {{"chunks", loop_.cost.chunks}};
    out.update(optimum());
    out["idle"] = idle_share(&UnitSummary::idle_sum);
    for (BalancePhase const phase : phases)
      out[fmt::format("idle_{}", name_of(phase))] = idle_share(in_phase(phase));
    out["steps"] = steps_.size();
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
        busy += units_[w].compute;
        if (units_[w].blocks == 0) continue;
        first = std::min(first, units_[w].first_start);
        last = std::max(last, units_[w].last_end);
      }
      out.push_back({{"id", n},
                     {"type", scenario_.platform.type_of(NodeId{n}).name},
                     {"workers", workers},
                     {"busy_s", busy.value},
                     {"first_task_s", std::min(first, outcome_.makespan).value},
                     {"last_task_s", last.value}});
    }
    return out;
  }

  [[nodiscard]] OrderedJson worker(std::size_t w) const {
    ProcessingUnit const& unit = loop_.units[w];
    UnitSummary const& done = units_[w];
    OrderedJson idle = OrderedJson::object();
    for (BalancePhase const phase : phases)
      idle[std::string(name_of(phase))] = done.idle[static_cast<std::size_t>(phase)].value;
    OrderedJson out = {{"name", unit.name},
                       {"node", unit.node.value()},
                       {"type", scenario_.platform.type_of(unit.node).name},
                       {"class", unit.unit_class},
                       {"chunks", done.chunks},
                       {"share", of_all(done.chunks)}};
    if (!scenario_.has_events()) out["optimal_share"] = of_all(optimal_chunks(w));
    out["blocks"] = done.blocks;
    out["compute_s"] = done.compute.value;
    out["transfer_s"] = done.transfer.value;
    out["idle_s"] = done.idle_sum().value;
    out["idle_by_phase_s"] = idle;
    if (!notes_.models.empty()) out["fitted_terms"] = notes_.models[w];
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
    for (StepSummary const& step : steps_) {
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
    OrderedJson out = {{"balancer", scenario_.balancer.type}, {"chunks", loop_.cost.chunks}};
    out.update(optimum());
    out["chunks_handed_out_again"] = outcome_.chunks_again;
    if (notes_.solved_by_ipopt + notes_.solved_by_bracketing > 0)
      out["equal_time_systems"] = {{"by_ipopt", notes_.solved_by_ipopt},
                                   {"by_bracketing", notes_.solved_by_bracketing},
                                   {"largest_residual", notes_.largest_residual}};
    out["workers"] = workers;
    out["idle_share_by_class"] = idle_by_class();
    out["steps"] = steps();
    return out;
  }

  [[nodiscard]] OrderedJson timings() const {
    DataParallelScenario const& s = scenario_;
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
    std::string makespan = format_duration(outcome_.makespan);
    if (!scenario_.has_events())
      makespan += fmt::format("   {:.3f} of the optimum of {}, which knows all curves", ratio(),
                              format_duration(optimum_.makespan));
    row("makespan", makespan);
    row("balancer", fmt::format("{}, {} blocks of {} chunks", scenario_.balancer.type, outcome_.blocks.size(),
                                loop_.cost.chunks));
    if (outcome_.chunks_again > 0)
      row("", fmt::format("{} chunks of lost workers handed out again", outcome_.chunks_again));
    row("idle", fmt::format("{:.1f} % of all workers' time, {:.1f} % in the initial phase",
                            100 * idle_share(&UnitSummary::idle_sum),
                            100 * idle_share(in_phase(BalancePhase::initial))));
    if (topology_.node_count() > 1)
      row("sent", fmt::format("{} between nodes", format_bytes(Bytes{bytes_between_nodes()})));
    out += fmt::format("{:<14}{:<12}{:>8}{:>10}{:>8}{:>11}{:>11}{:>8}\n", "worker", "machine", "share",
                       "optimal", "blocks", "compute", "transfer", "idle");
    for (std::size_t w = 0; w < loop_.units.size(); ++w) {
      UnitSummary const& unit = units_[w];
      std::string const best =
          scenario_.has_events() ? "-" : fmt::format("{:.2f} %", 100 * of_all(optimal_chunks(w)));
      double const idle = unit.there.value > 0 ? unit.idle_sum() / unit.there : 0;
      out += fmt::format("{:<14}{:<12}{:>6.2f} %{:>10}{:>8}{:>9.2f} s{:>9.2f} s{:>6.1f} %\n",
                         loop_.units[w].name, scenario_.platform.type_of(loop_.units[w].node).name,
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
      NodeType const& type = scenario_.platform.type_of(NodeId{n});
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
    for (auto const& block : outcome_.blocks) {
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
    for (auto const& transfer : outcome_.transfers) {
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

  DataParallelScenario const& scenario_;
  DataParallelLoop const& loop_;
  DataParallelOutcome outcome_;
  StaticOptimum optimum_;
  BalancerNotes notes_;
  Topology const& topology_;
  std::vector<UnitSummary> units_;
  std::vector<StepSummary> steps_;  // those with a block, in their order
};

}  // namespace

ExperimentResult simulate_data_parallel(DataParallelScenario const& s, bool with_trace) {
  Topology const topology(s.platform);
  StaticOptimum optimum = static_optimum(undisturbed_times(s.loop, topology), s.loop.cost.chunks);
  auto const balancer = make_balancer(s.balancer, s.loop.units.size(), s.loop.cost.chunks, optimum);
  DataParallelOutcome outcome = simulate_loop(s.loop, *balancer, topology, make_network(s.network, topology),
                                              TimeGrid::for_makespan(optimum.makespan));
  return ResultWriter(s, std::move(outcome), std::move(optimum), balancer->notes(), topology)
      .result(with_trace);
}

}  // namespace factosim
