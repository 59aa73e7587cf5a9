#include "simulator/studies/search/advise_space.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "distributions/factorization_work.hpp"
#include "factosim/error.hpp"
#include "simulator/base/core/content_hash.hpp"
#include "simulator/scenario/placement/distribution.hpp"
#include "simulator/scenario/simulation/place.hpp"
#include "simulator/scenario/simulation/simulate.hpp"
#include "simulator/scenario/simulation/task_plan.hpp"
#include "simulator/tasks/bounds/node_area_bounds.hpp"
#include "simulator/tasks/graph/area_bound.hpp"
#include "simulator/tasks/graph/graph_order.hpp"

namespace factosim {

namespace {

// Single measurements on a busy machine (tests/robustness.md).
constexpr double bytes_per_choice = 2000, seconds_per_set = 2.7e-3, seconds_per_tile = 2.2e-8;

std::vector<std::uint64_t> tasks_of(Factorization factorization, int nt) {
  auto const n = static_cast<std::uint64_t>(nt);
  std::uint64_t const pairs = n * (n - 1) / 2;
  if (factorization == Factorization::lu) return {n, pairs, pairs, n * (n - 1) * (2 * n - 1) / 6};
  return {n, pairs, pairs, n * (n - 1) * (n >= 2 ? n - 2 : 0) / 6};
}

/// The workers of all nodes, and the shortest duration of each kernel on them.
struct Workers {
  std::vector<WorkerClass> classes;
  std::vector<double> fastest;
};
Workers workers_of(TimedApplication const& timed, std::vector<Kernel> const& kernels) {
  Machine const machine = machine_of(timed, kernels);
  Workers out{worker_classes(machine, kernels.size(), nodes_by_type(machine)),
              std::vector<double>(kernels.size(), std::numeric_limits<double>::infinity())};
  for (WorkerClass const& c : out.classes)
    for (std::size_t k = 0; k < kernels.size(); ++k)
      out.fastest[k] = std::min(out.fastest[k], c.durations[k]);
  return out;
}

/// Lower bound of the makespan for any distribution over these nodes: the area bound, or the path of the
/// diagonal tasks on the fastest worker.
double min_makespan(TimedApplication const& timed) {
  auto const [classes, fastest] = workers_of(timed, timed.application.kernels(timed.parameters));
  double const step = timed.parameters.nt - 1;
  Factorization const factorization = timed.application.factorization();
  double const chain = factorization == Factorization::lu
                           ? (step + 1) * fastest[0] + step * (std::min(fastest[1], fastest[2]) + fastest[3])
                           : (step + 1) * fastest[0] + step * (fastest[1] + fastest[2]);
  return std::max(chain, area_bound(tasks_of(factorization, timed.parameters.nt), classes).makespan.value);
}

/// The same for an application whose tasks depend on no map, from its graph. O(tasks + edges).
double min_makespan(TimedApplication const& timed, TaskGraph const& graph) {
  auto const [classes, fastest] = workers_of(timed, graph.kernels);
  std::vector<std::uint64_t> tasks(graph.kernels.size(), 0);
  std::vector<Seconds> durations;
  for (std::uint32_t const kernel : graph.kernel) {
    ++tasks[kernel];
    durations.emplace_back(fastest[kernel]);
  }
  Seconds const area = area_bound(tasks, classes).makespan;
  return std::max(area, critical_path(graph, std::move(durations)).length).value;
}

/// Times of a plain factorization, without its graph.
AdviceCounts count_factorization(PlacedScenario const& s) {
  TimedApplication const timed = timed_application(s);
  auto const costs = costs_of(timed);
  double const side = timed.parameters.nt;
  auto const nodes = static_cast<double>(costs.nodes.size());
  double alone = std::numeric_limits<double>::infinity();
  for (NodeCosts const& node : costs.nodes)
    alone = std::min(alone, node.alone_of(TaskKind::diagonal) + node.alone_of(TaskKind::panel) +
                                node.alone_of(TaskKind::update));
  // Up to some iteration the most loaded node dominates, afterwards the path of tasks.
  double chained = side * alone;
  for (auto const& iterations :
       iteration_loads(s.distribution.map, timed.application.factorization(), costs)) {
    double load = 0;
    for (std::size_t k = 0; k < iterations.size(); ++k) {
      load += iterations[k];
      chained = std::max(chained, load + static_cast<double>(iterations.size() - k - 1) * alone);
    }
  }
  // A tile is sent to its receivers one after the other: on average a receiver waits for half of them,
  // twice per iteration, for a diagonal tile and a panel tile.
  double const sent = static_cast<double>(tiles_sent(placement_of(s, "advise")));
  double const messages = sent == 0 ? 0 : side * (1 + sent / (side * side)) * costs.transfer;
  if (!std::isfinite(chained)) return {};
  return {.times = {chained, side * alone, messages, sent * costs.transfer / nodes}};
}

/// Times and bound of any tasks, from their graph.
AdviceCounts count_tasks(PlacedScenario s) {
  TaskPlan const p = plan_tasks(std::move(s));
  Bounds const b = bounds_of(p);
  return {.times = {b.most_loaded_node().value, b.critical_path.value,
                    (b.critical_path_with_comm - b.critical_path).value},
          .bound_s = b.distribution().value};
}

/// Returns why a node of the scenario cannot run the application's tasks; empty if it can. A few tiles have all kernels.
std::string why_no_task_runs(nlohmann::json scenario, std::string const& file) {
  scenario["application"]["nt"] = std::min(scenario["application"]["nt"].get<int>(), 4);
  scenario["application"].erase("n");
  scenario["distribution"] = {{"type", "block-cyclic"}};
  try {
    (void)plan_tasks(place(scenario_of(scenario, file)));
    return {};
  } catch (InputError const& error) {
    return error.what();
  } catch (InfeasibleError const& error) {
    return error.what();
  }
}

}  // namespace

AdviceSpace::AdviceSpace(nlohmann::json document, std::string file, AdviceOptions options,
                         SizeLimit const& limit)
    : document_(std::move(document)), file_(std::move(file)), options_(std::move(options)) {
  document_.erase("outputs");
  PlacedScenario const whole = place(scenario_of(document_, file_), limit);
  refuse_estimates(whole);
  network_model_ = whole.network.model;
  has_noise_ = whole.noise.on() || whole.noise.perturbs();
  for (std::uint32_t const type : whole.platform.nodes) {
    std::string const& name = whole.platform.types[type].name;
    auto const place = static_cast<std::size_t>(std::ranges::find(types_, name) - types_.begin());
    if (place == types_.size()) {
      types_.push_back(name);
      idle_power_W_.push_back(whole.platform.types[type].power.idle);
    }
    inventory_.resize(types_.size());
    ++inventory_[place];
  }
  if (options_.schedulers.empty()) options_.schedulers = {whole.scheduler.type};
  if (auto const* const graph = std::get_if<GraphApplication>(&whole.application))
    choose_for_graph(*graph);
  else
    choose_for_tiles(tiled_application(whole, "advise"), whole.platform.nodes.size());
  check_subsets(limit);
  for (std::size_t type = 0; application_ != nullptr && type < types_.size(); ++type) {
    std::vector<int> one(types_.size(), 0);
    one[type] = 1;
    for (TileChoice const& tiles : tiles_)
      unrunnable_[{type, tiles.description()}] = why_no_task_runs(with_tiles(with_nodes(one), tiles), file_);
  }
  add_subsets({});
}

void AdviceSpace::choose_for_tiles(TiledApplication const& app, std::size_t nodes) {
  application_ = app.definition;
  order_ = static_cast<int>(matrix_rows(app.parameters));
  tiles_ = tile_choices(options_.tiles, *app.definition, app.parameters, file_);
  if (options_.distributions.empty()) {
    options_.distributions = {"block-cyclic", "1d1d", "1d1d-c", "1d1d-c+s"};
    if (app.definition->lower_only && app.definition->is_plain(app.parameters))
      options_.distributions.emplace_back("sbc");
    if (app.definition->generates_tiles) options_.distributions.emplace_back("lp-multiphase");
    if (nodes > 1 && app.definition->is_plain(app.parameters)) options_.distributions.emplace_back("1d1d-l");
  }
}

void AdviceSpace::choose_for_graph(GraphApplication const& app) {
  if (!options_.tiles.tile_sizes.empty() || !options_.tiles.formats.empty())
    throw InputError(
        file_ + "#/application/type",
        "is \"graph\" (its data have the sizes that its file states). Leave --tiles and --formats out");
  tiles_ = {{.nb = 1}};
  bool const has_coordinates = matrix_tiles(app.program->graph) > 0;
  if (options_.distributions.empty()) {
    if (has_coordinates) options_.distributions = {"block-cyclic", "g-2dbc"};
    options_.distributions.emplace_back(by_earliest_finish);
  }
  if (!has_coordinates)
    dropped_.add("distributions",
                 "the data of the graph have no coordinates: policies and nodes are searched only");
}

void AdviceSpace::check_subsets(SizeLimit const& limit) const {
  double sets = 1, seconds = 0;
  for (int const nodes : inventory_) sets *= nodes + 1;
  for (TileChoice const& tiles : tiles_)
    seconds += sets * (seconds_per_set + seconds_per_tile * std::pow(order_ / tiles.nb, 2));
  sets *= static_cast<double>(tiles_.size());
  double const choices =
      sets * static_cast<double>(options_.distributions.size() * options_.schedulers.size());
  check_work({.count = sets,
              .things = "sets of nodes and tile sizes",
              .memory_bytes = bytes_per_choice * choices,
              .cpu_s = seconds},
             max_preparation_s, limit, file_ + "#/platform/nodes", "Use fewer nodes, types or tile sizes");
}

void AdviceSpace::add_subsets(std::vector<int> counts) {
  std::size_t const type = counts.size();
  if (type == types_.size()) return add_choices(counts);
  counts.push_back(0);
  for (int& n = counts.back(); n <= inventory_[type]; ++n) add_subsets(counts);
}

nlohmann::json AdviceSpace::with_nodes(std::vector<int> const& counts) const {
  nlohmann::json out = document_;
  nlohmann::json nodes = nlohmann::json::array();
  for (std::size_t t = 0; t < counts.size(); ++t)
    if (counts[t] > 0) nodes.push_back({{"type", types_[t]}, {"count", counts[t]}});
  if (out["platform"].is_string()) out["platform"] = {{"file", out["platform"]}};
  out["platform"]["nodes"] = nodes;
  return out;
}

nlohmann::json AdviceSpace::with_tiles(nlohmann::json scenario, TileChoice const& tiles) const {
  if (application_ != nullptr) tiles.apply(scenario, order_);
  return scenario;
}

double AdviceSpace::min_makespan(PlacedScenario const& s, TileChoice const& tiles) {
  TimedApplication const timed = timed_application(s);
  if (application_->is_plain(timed.parameters)) return factosim::min_makespan(timed);
  if (application_->depends_on_map(timed.parameters)) return 0;  // a choice's own tasks bound it: count_tasks
  auto const [place, is_new] = graphs_.try_emplace(tiles.description());
  if (is_new) place->second = application_->graph(timed.parameters, s.distribution.map);
  return factosim::min_makespan(timed, place->second);
}

std::string AdviceSpace::why_unrunnable(std::vector<int> const& counts, TileChoice const& tiles) const {
  for (std::size_t type = 0; type < counts.size(); ++type)
    if (std::string const& why = unrunnable_.at({type, tiles.description()});
        counts[type] > 0 && !why.empty())
      return why;
  return "no node can run some of its tasks";
}

AdviceSpace::NodesOfSubset AdviceSpace::nodes_of(nlohmann::json subset, TileChoice const& tiles) {
  subset["distribution"] = {{"type", "block-cyclic"}};
  try {
    PlacedScenario const s = place(scenario_of(subset, file_));
    double idle = 0;
    for (std::uint32_t const node : s.platform.nodes) idle += s.platform.types[node].power.idle;
    return {.bound_s = min_makespan(s, tiles), .idle_power_W = idle};
  } catch (InfeasibleError const&) {  // a kernel cannot run on these nodes
  }
  return {};
}

void AdviceSpace::add_choices(std::vector<int> const& counts) {
  int const nodes = std::accumulate(counts.begin(), counts.end(), 0);
  if (nodes == 0) return;
  double const idle_power = std::inner_product(counts.begin(), counts.end(), idle_power_W_.begin(), 0.0);
  for (TileChoice const& tiles : tiles_) {
    nlohmann::json subset = with_tiles(with_nodes(counts), tiles);
    int const nt = application_ == nullptr ? 0 : subset["application"]["nt"].get<int>();
    // The bound of a graph is that of its tasks where a choice places them: count_tasks.
    auto const [bound, idle] =
        nt > 0 ? nodes_of(std::move(subset), tiles) : NodesOfSubset{.bound_s = 0, .idle_power_W = idle_power};
    if (!std::isfinite(bound)) {
      dropped_.add("tiles of " + tiles.description(), why_unrunnable(counts, tiles));
      continue;
    }
    if (options_.deadline_s && bound > *options_.deadline_s) {
      least_beyond_ = std::min(least_beyond_, bound);
      dropped_.add("sets of nodes with tiles of " + tiles.description(),
                   fmt::format("their bound is beyond the deadline of {:g} s", *options_.deadline_s));
      continue;
    }
    for (std::string const& name : options_.distributions) {
      if (name == "1d1d-l" && counts != inventory_) continue;  // it leaves out nodes itself
      for (nlohmann::json const& distribution : distribution_choices(name, nodes))
        for (std::string const& scheduler : options_.schedulers)
          choices_.push_back({counts, distribution, scheduler, tiles, nt, bound, idle});
    }
  }
}

std::vector<AdviceCandidate> AdviceSpace::candidates() const {
  std::vector<AdviceCandidate> out;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    AdviceChoice const& c = choices_[i];
    AdviceCandidate candidate{.place = {},
                              .group = fmt::format("{} {} {}", c.distribution["type"].get<std::string>(),
                                                   c.scheduler, c.tiles.description()),
                              .bound = objective_at(i, c.bound_s)};
    for (std::size_t t = 0; t < c.counts.size(); ++t)
      candidate.place.push_back(static_cast<double>(c.counts[t]) / inventory_[t]);
    // aspect ratio 4 counts like a difference of three quarters of the nodes
    if (c.distribution.contains("p"))
      candidate.shape = std::log2(c.distribution["q"].get<double>() / c.distribution["p"].get<double>()) / 8;
    out.push_back(std::move(candidate));
  }
  return out;
}

nlohmann::json AdviceSpace::scenario(std::size_t choice) const {
  AdviceChoice const& c = choices_[choice];
  nlohmann::json out = with_nodes(c.counts);
  out = with_tiles(std::move(out), c.tiles);
  apply_distribution(out, c.distribution);
  out["scheduler"]["type"] = c.scheduler;
  return out;
}

nlohmann::json AdviceSpace::repetition(std::size_t choice, int number) const {
  nlohmann::json out = scenario(choice);
  out["seed"] = out.value("seed", std::uint64_t{0}) + static_cast<std::uint64_t>(number);
  if (!has_noise_)
    out["noise"] = {{"duration_precision", tie_breaking_precision},
                    {"overhead_precision", stated_overhead_precision}};
  return out;
}

std::string AdviceSpace::description(std::size_t choice) const {
  AdviceChoice const& c = choices_[choice];
  std::string nodes;
  for (std::size_t t = 0; t < c.counts.size(); ++t)
    if (c.counts[t] > 0) nodes += fmt::format("{}{} {}", nodes.empty() ? "" : " + ", c.counts[t], types_[t]);
  if (c.nt == 0) return fmt::format("{}, {}, {}", nodes, distribution_text(c.distribution), c.scheduler);
  return fmt::format("{}, {}, {}, {} x {} tiles of {}", nodes, distribution_text(c.distribution), c.scheduler,
                     c.nt, c.nt, c.tiles.description());
}

double AdviceSpace::objective_at(std::size_t choice, double makespan_s) const {
  AdviceChoice const& c = choices_[choice];
  switch (options_.objective) {
    case AdviceObjective::makespan:
      return makespan_s;
    case AdviceObjective::energy:
      return makespan_s * c.idle_power_W;
    case AdviceObjective::node_hours:
      return makespan_s * std::accumulate(c.counts.begin(), c.counts.end(), 0) / 3600;
  }
  return makespan_s;
}

PlacedScenario AdviceSpace::placed(std::size_t choice) const {
  nlohmann::json document = scenario(choice);
  auto const known = selected_.find(choice);
  if (known != selected_.end()) document["distribution"] = {{"type", "block-cyclic"}};
  PlacedScenario s = place(scenario_of(document, file_));
  if (known != selected_.end()) s.distribution = known->second;
  if (choices_[choice].distribution["type"] == "1d1d-l") selected_.try_emplace(choice, s.distribution);
  return s;
}

AdviceCounts AdviceSpace::count(std::size_t choice) const {
  AdviceChoice const& c = choices_[choice];
  try {
    PlacedScenario s = placed(choice);
    bool const is_plain = application_ != nullptr &&
                          application_->is_plain(std::get<TiledApplication>(s.application).parameters);
    AdviceCounts out =
        is_plain && !s.distribution.map.has_layers() ? count_factorization(s) : count_tasks(std::move(s));
    if (out.times.empty()) out.why_not = why_unrunnable(c.counts, c.tiles);
    return out;
  } catch (InputError const& error) {
    return {.times = {}, .why_not = error.what()};
  } catch (InfeasibleError const& error) {
    return {.times = {}, .why_not = error.what()};
  }
}

std::string AdviceSpace::fingerprint(std::size_t choice) const {
  if (application_ == nullptr) return description(choice);
  PlacedScenario const s = placed(choice);
  TileMap const& map = s.distribution.map;
  std::vector<bool> used(s.platform.nodes.size(), false);
  std::vector<NodeId> owners = map.owner;
  for (auto const& layer : map.layers.owner) owners.insert(owners.end(), layer.begin(), layer.end());
  for (NodeId const owner : owners)
    if (owner.valid()) used[owner.index()] = true;
  std::vector<std::uint32_t> number(used.size(), 0);
  std::string text =
      fmt::format("{} {} {}\n", s.scheduler.type, choices_[choice].tiles.description(), used.size() > 1);
  std::uint32_t count = 0;
  for (std::size_t n = 0; n < used.size(); ++n)
    if (used[n]) {
      number[n] = count++;
      text += s.platform.type_of(NodeId{n}).name + ' ';
    }
  for (NodeId const owner : owners) {
    std::uint32_t const value = owner.valid() ? number[owner.index()] : UINT32_MAX;
    text.append(reinterpret_cast<char const*>(&value), sizeof value);
  }
  return content_hash(text);
}

}  // namespace factosim
