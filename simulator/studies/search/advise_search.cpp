#include "simulator/studies/search/advise_search.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace factosim {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t batch = 4;  // simulations per round; independent of the machine
constexpr std::size_t max_at_start = 16;
constexpr std::size_t counted_ahead = 64;  // candidates evaluated beyond the relevant ones
constexpr double reach = 0.1;  // distance over which simulations are correlated, in shares of the inventory
constexpr double other_group_weight = 0.2;  // weight of a simulation of another group
constexpr double pull_to_one = 1e-3;
constexpr double prior_deviation = 0.25, prior_weight = 0.15;

class Search {
 public:
  Search(std::vector<AdviceCandidate> const& candidates, AdviceOracle const& oracle)
      : candidates_(candidates),
        oracle_(oracle),
        counts_(candidates.size()),
        done_(candidates.size(), false) {
    for (AdviceCandidate const& c : candidates) {
      order_.push_back(order_.size());
      bounds_.push_back(c.bound);
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return candidates_[i].bound; });
  }

  AdviceSearchResult run() {
    std::vector<std::size_t> next = first_of_groups();
    while (!next.empty() && oracle_.budget() > 0) {
      next.resize(std::min(next.size(), oracle_.budget()));
      simulate(next);
      fit();
      next = choose();
    }
    finish();
    return std::move(out_);
  }

  AdviceSearchResult simulate_all() {
    simulate(order_);
    out_.min_bound = infinity;
    return std::move(out_);
  }

 private:
  /// Predicts the objective from the model and the fitted weights; infinity if it cannot be run.
  double count(std::size_t i) {
    if (!counts_[i]) {
      counts_[i] = oracle_.count(i);
      if (counts_[i]->bound_s > 0)
        bounds_[i] = std::max(bounds_[i], oracle_.objective(i, counts_[i]->bound_s));
    }
    return counted(i);
  }
  [[nodiscard]] double counted(std::size_t i) const {
    auto const& times = counts_[i]->times;
    if (times.empty()) return infinity;
    double const makespan = weights_.empty()
                                ? *std::max_element(times.begin(), times.end())
                                : std::inner_product(times.begin(), times.end(), weights_.begin(), 0.0);
    return std::max(oracle_.objective(i, makespan), bounds_[i]);
  }

  [[nodiscard]] double best() const { return out_.best == SIZE_MAX ? infinity : out_.best_objective; }
  [[nodiscard]] bool pruned(std::size_t i) const { return bounds_[i] >= best(); }

  /// Size class of the share of the inventory used: all, half, a quarter, less (0 to 3).
  [[nodiscard]] static int part_of_inventory(AdviceCandidate const& c) {
    double sum = 0;
    for (double const share : c.place) sum += share;
    return std::clamp(static_cast<int>(-std::log2(sum / static_cast<double>(c.place.size()))), 0, 3);
  }

  /// Returns the candidate with the best prediction of each group and size, among those with the lowest
  /// bounds: the prediction is less reliable the more nodes wait for each other.
  std::vector<std::size_t> first_of_groups() {
    std::map<std::pair<int, std::string>, std::pair<std::size_t, std::size_t>>
        firsts;  // candidate, number of evaluated ones
    for (std::size_t const i : order_) {
      AdviceCandidate const& c = candidates_[i];
      auto const [place, is_new] = firsts.try_emplace({part_of_inventory(c), c.group}, i, 0);
      if (++place->second.second > counted_ahead) continue;
      if (count(i) < count(place->second.first)) place->second.first = i;
    }
    std::vector<std::size_t> out;
    for (auto const& [kind, first] : firsts)
      if (count(first.first) < infinity) out.push_back(first.first);
    std::ranges::stable_sort(out, {}, [&](std::size_t i) { return count(i); });
    if (out.size() > max_at_start) out.resize(max_at_start);  // the others only if they look better
    return out;
  }

  void simulate(std::vector<std::size_t> const& list) {
    auto const outcomes = oracle_.simulate(list);
    for (std::size_t n = 0; n < list.size(); ++n) {
      std::size_t const i = list[n];
      AdviceOutcome const& o = outcomes[n];
      if (o.objective < infinity) {
        if (!weights_.empty())
          prediction_errors_.push_back(std::log(o.objective / count(i)) - expectation(i).mean);
        outcomes_.emplace_back(i, o);
      }
      done_[i] = true;
      out_.simulated.emplace_back(i, o);
      if (o.allowed && o.objective < best()) {
        out_.best = i;
        out_.best_objective = o.objective;
      }
    }
  }

  /// Fits the weights of the model's times to the simulated makespans: least squares of relative errors,
  /// regularised towards 1, non-negative. Then computes the residuals.
  void fit() {
    if (outcomes_.empty()) return;
    auto const parts = static_cast<Eigen::Index>(counts_[outcomes_.front().first]->times.size());
    Eigen::MatrixXd normal = pull_to_one * Eigen::MatrixXd::Identity(parts, parts);
    Eigen::VectorXd right = pull_to_one * Eigen::VectorXd::Ones(parts);
    for (auto const& [i, outcome] : outcomes_) {
      Eigen::VectorXd const x =
          Eigen::Map<Eigen::VectorXd const>(counts_[i]->times.data(), parts) / outcome.makespan_s;
      normal += x * x.transpose();
      right += x;
    }
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(parts);
    for (int round = 0; round < 50; ++round)  // coordinate descent for non-negative least squares
      for (Eigen::Index k = 0; k < parts; ++k)
        weights[k] = std::max(0.0, weights[k] + (right[k] - normal.row(k).dot(weights)) / normal(k, k));
    weights_.assign(weights.begin(), weights.end());
    residuals_.clear();
    for (auto const& [i, outcome] : outcomes_)
      residuals_.emplace_back(i, std::log(outcome.objective / counted(i)));
  }

  struct Expectation {
    double mean, deviation;  // of the logarithm of simulated over predicted
  };
  [[nodiscard]] Expectation expectation(std::size_t i) const {
    AdviceCandidate const& c = candidates_[i];
    double all = 0;
    for (auto const& [candidate, ratio] : residuals_) all += ratio;
    double const prior = residuals_.empty() ? 0 : all / static_cast<double>(residuals_.size());
    double weights = prior_weight, mean = prior_weight * prior, square = 0;
    for (auto const& [candidate, ratio] : residuals_) {
      double const w = weight(c, candidates_[candidate]);
      weights += w;
      mean += w * ratio;
      square += w * ratio * ratio;
    }
    mean /= weights;
    double const around = std::max(0.0, (square + prior_weight * prior * prior) / weights - mean * mean);
    double const unknown = prior_deviation * prior_deviation * prior_weight / weights;
    return {mean, std::sqrt(around + unknown)};
  }
  [[nodiscard]] static double weight(AdviceCandidate const& a, AdviceCandidate const& b) {
    double squares = (a.shape - b.shape) * (a.shape - b.shape);
    for (std::size_t t = 0; t < a.place.size(); ++t)
      squares += (a.place[t] - b.place[t]) * (a.place[t] - b.place[t]);
    return std::exp(-squares / (2 * reach * reach)) * (a.group == b.group ? 1 : other_group_weight);
  }

  /// Chooses the next candidates: half with the best predictions, half that may be the best.
  std::vector<std::size_t> choose() {
    struct Scored {
      std::size_t candidate;
      double expected, optimistic;
    };
    std::vector<Scored> open;
    std::size_t uncounted = 0;
    out_.expected_end = true;
    for (std::size_t const i : order_) {
      if (done_[i] || pruned(i)) continue;
      Expectation const e = expectation(i);
      // in order of bounds: the others later
      if (!counts_[i] && ++uncounted <= counted_ahead) (void)count(i);
      if (!counts_[i] || counted(i) == infinity) continue;
      double const optimistic = counted(i) * std::exp(e.mean - e.deviation);
      out_.expected_end = out_.expected_end && optimistic * std::exp(-e.deviation) >= best();
      open.push_back({i, counted(i) * std::exp(e.mean), std::max(optimistic, bounds_[i])});
    }
    std::vector<std::size_t> out;
    auto const take = [&](double Scored::*value, std::size_t maximum) {
      std::ranges::stable_sort(open, {}, value);
      for (Scored const& s : open)
        if (out.size() < maximum && std::ranges::find(out, s.candidate) == out.end())
          out.push_back(s.candidate);
    };
    take(&Scored::expected, batch / 2);
    take(&Scored::optimistic, batch);
    return out;
  }

  void finish() {
    out_.min_bound = infinity;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (done_[i] || (counts_[i] && counts_[i]->times.empty())) continue;
      out_.min_bound = std::min(out_.min_bound, bounds_[i]);
      ++(pruned(i) ? out_.pruned : out_.open);
    }
    double squares = 0;
    for (double const s : prediction_errors_) squares += s * s;
    if (!prediction_errors_.empty())
      out_.deviation = std::sqrt(squares / static_cast<double>(prediction_errors_.size()));
  }

  std::vector<AdviceCandidate> const& candidates_;
  AdviceOracle const& oracle_;
  std::vector<std::size_t> order_;  // by the bounds of the candidates
  std::vector<double> bounds_;      // of the objective, raised by what a count knows
  std::vector<std::optional<AdviceCounts>> counts_;
  std::vector<double> weights_;  // of the model's times; empty: not fitted yet
  std::vector<bool> done_;
  std::vector<std::pair<std::size_t, AdviceOutcome>> outcomes_;  // of the candidates that can be run
  std::vector<std::pair<std::size_t, double>>
      residuals_;                          // log(simulated / predicted) of these, with the weights
  std::vector<double> prediction_errors_;  // logarithm of simulated over predicted
  AdviceSearchResult out_;
};

}  // namespace

AdviceSearchResult search_advice(std::vector<AdviceCandidate> const& candidates, AdviceOracle const& oracle) {
  return Search(candidates, oracle).run();
}

AdviceSearchResult exhaustive_advice(std::size_t candidates, AdviceOracle const& oracle) {
  std::vector<AdviceCandidate> const all(candidates);
  return Search(all, oracle).simulate_all();
}

}  // namespace factosim
