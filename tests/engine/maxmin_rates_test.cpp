// Incremental max-min rates against a solver that fills all links anew after each change.

#include "simulator/runtime/engine/maxmin_rates.hpp"

#include "tests/engine/random_plan.hpp"

using namespace factosim;
using namespace factosim::testing;

namespace {

struct FlowSpec {
  std::vector<MaxMinRates::Crossed> links;
  double weight = 1;
  double bound = MaxMinRates::unlimited;
};
using Flows = std::map<std::uint32_t, FlowSpec>;  // by number

/// Progressive filling by its definition, in extended precision: raises the level of all flows until a link is
/// full or a flow is at its bound, fixes these flows, and goes on with the rest.
std::map<std::uint32_t, double> filled(std::vector<double> const& capacities, Flows const& flows) {
  std::map<std::uint32_t, double> rates;
  while (rates.size() < flows.size()) {
    std::vector<long double> left(capacities.begin(), capacities.end()), weight(capacities.size(), 0);
    long double level = std::numeric_limits<long double>::infinity();
    for (auto const& [id, flow] : flows) {
      auto const rate = rates.find(id);
      for (auto const& [link, share] : flow.links)
        if (rate != rates.end())
          left[link] -= static_cast<long double>(rate->second) * share;
        else
          weight[link] += static_cast<long double>(flow.weight) * share;
      if (rate == rates.end()) level = std::min(level, static_cast<long double>(flow.bound) / flow.weight);
    }
    for (std::size_t l = 0; l < left.size(); ++l)
      if (weight[l] > 0) level = std::min(level, left[l] / weight[l]);
    auto const full = [&](MaxMinRates::Crossed const& crossed) {
      std::uint32_t const link = crossed.link;
      return weight[link] > 0 && left[link] / weight[link] <= level * (1 + 1e-15L);
    };
    for (auto const& [id, flow] : flows)
      if (!rates.contains(id) && (flow.bound <= level * (1 + 1e-15L) * flow.weight ||
                                  std::any_of(flow.links.begin(), flow.links.end(), full)))
        rates[id] = static_cast<double>(level * flow.weight);
  }
  return rates;
}

enum class Shape { star, backbone, fat_tree, any };

/// Links of a network in which routes of a shape can be drawn.
class Links {
 public:
  Links(Dice& dice, Shape shape) : shape_(shape), nodes_(dice.between(2, 24)) {
    bool const equal = dice.chance(50);
    int const count = 2 * nodes_ + (shape == Shape::fat_tree ? 2 * nodes_ : 1);
    for (int l = 0; l < count; ++l) capacities_.push_back(equal ? 1.25e9 : dice.magnitude(1e8, 1e10));
    if (shape == Shape::backbone) capacities_.back() *= dice.magnitude(0.2, nodes_);
  }
  [[nodiscard]] std::vector<double> const& capacities() const { return capacities_; }
  FlowSpec draw(Dice& dice) const {
    auto const node = [&] { return static_cast<std::uint32_t>(dice.between(0, nodes_ - 1)); };
    auto const nodes = static_cast<std::uint32_t>(nodes_);
    std::uint32_t const from = node(), to = node();
    constexpr double way_back = crosstraffic_share;
    switch (shape_) {
      case Shape::star:
        return {{{from}, {nodes + to}, {to, way_back}, {nodes + from, way_back}}};
      case Shape::backbone:
        return {{{from}, {2 * nodes}, {nodes + to}}};
      case Shape::fat_tree:
        if (from / 4 == to / 4) return {{{from}, {nodes + to}}};
        return {
            {{from}, {2 * nodes + from / 4 * 2 + to % 2}, {3 * nodes + to / 4 * 2 + to % 2}, {nodes + to}}};
      case Shape::any:
        break;
    }
    FlowSpec flow{.links = {}, .weight = dice.magnitude(1e3, 1e7)};
    auto const last = static_cast<int>(capacities_.size()) - 1;
    for (int crossings = dice.between(1, 6); crossings > 0; --crossings)
      flow.links.push_back(
          {static_cast<std::uint32_t>(dice.between(0, last)), dice.chance(25) ? way_back : 1});
    if (dice.chance(30)) flow.bound = dice.magnitude(1e6, 1e10);
    if (dice.chance(5)) flow = {.links = {}, .bound = dice.magnitude(1e6, 1e10)};  // no shared link
    return flow;
  }

 private:
  Shape shape_;
  int nodes_;
  std::vector<double> capacities_;
};

/// Adds and removes flows and compares the rates after each update. Returns the largest relative difference.
double largest_difference(Dice& dice, Shape shape) {
  Links const links(dice, shape);
  MaxMinRates rates(links.capacities(), 6);
  Flows flows;
  std::map<std::uint32_t, double> before;
  int const most = dice.between(1, 120);
  double largest = 0;
  for (int step = 0; step < 40; ++step) {
    for (int changes = dice.chance(70) ? 1 : dice.between(2, 30); changes > 0; --changes) {
      if (!before.empty() && (static_cast<int>(flows.size()) >= most || dice.chance(45))) {
        auto const last = static_cast<int>(before.size()) - 1;
        auto const leaves = std::next(before.begin(), dice.between(0, last))->first;
        rates.remove(leaves);
        flows.erase(leaves);
        before.erase(leaves);
      } else {
        FlowSpec const flow = links.draw(dice);
        std::uint32_t const id = rates.add(flow.links, flow.weight, flow.bound);
        CHECK(flows.emplace(id, flow).second);
      }
    }
    auto const span = rates.update();
    std::vector<std::uint32_t> const changed(span.begin(), span.end());
    auto const expected = filled(links.capacities(), flows);
    for (auto const& [id, rate] : expected) {
      largest = std::max(largest, std::abs(rates.rate(id) - rate) / rate);
      bool const reported = std::find(changed.begin(), changed.end(), id) != changed.end();
      auto const old = before.find(id);
      CHECK(reported == (old == before.end() || old->second != rates.rate(id)));
    }
    before.clear();
    for (auto const& [id, rate] : expected) before[id] = rates.rate(id);
  }
  return largest;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("max-min rates that are kept up to date equal those that are filled anew") {
    for (int seed = 1; seed <= 60; ++seed)
      for (Shape const shape : {Shape::star, Shape::backbone, Shape::fat_tree, Shape::any}) {
        CAPTURE_ALL(seed, static_cast<int>(shape));
        Dice dice(static_cast<std::uint64_t>(seed));
        CHECK(largest_difference(dice, shape) < 1e-9);
      }
  }

  TEST_CASE("the first end is the smallest date that was set") {
    for (int seed = 1; seed <= 50; ++seed) {
      CAPTURE(seed);
      Dice dice(static_cast<std::uint64_t>(seed));
      EndDates ends;
      std::map<std::uint32_t, double> dates;
      for (int step = 0; step < 400; ++step) {
        if (!dates.empty() && dice.chance(30)) {
          std::uint32_t const first = ends.pop();
          for (auto const& [flow, date] : dates) CHECK(dates.at(first) <= date);
          dates.erase(first);
        } else {
          auto const flow = static_cast<std::uint32_t>(dice.between(0, 60));
          double const date = dice.real(0, 100);
          ends.set(flow, Seconds{date});
          dates[flow] = date;
        }
        double smallest = EventSource::never.value;
        for (auto const& [flow, date] : dates) smallest = std::min(smallest, date);
        CHECK(ends.first().value == smallest);
      }
    }
  }
}
