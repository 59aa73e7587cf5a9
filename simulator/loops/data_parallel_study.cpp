#include "simulator/loops/data_parallel_study.hpp"

#include <algorithm>
#include <utility>

namespace factosim {

namespace {

class DataParallelStudy final : public Study {
 public:
  explicit DataParallelStudy(DataParallelScenario scenario) : s_(std::move(scenario)) {}

  [[nodiscard]] StudyOutcome simulate(bool with_trace) const override {
    Topology const topology(s_.platform);
    StaticOptimum optimum = static_optimum(undisturbed_times(s_.loop, topology), s_.loop.cost.chunks);
    auto const balancer = make_balancer(s_.balancer, s_.loop.units.size(), s_.loop.cost.chunks, optimum);
    DataParallelOutcome outcome =
        simulate_loop(s_.loop, *balancer, topology, make_network(s_.network, topology));
    return study_outcome({s_, std::move(outcome), std::move(optimum), balancer->notes()}, topology,
                         with_trace);
  }

  [[nodiscard]] nlohmann::ordered_json effective_options() const override { return s_.effective_options; }

  [[nodiscard]] nlohmann::ordered_json timings() const override {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (std::size_t t = 0; t < s_.platform.types.size(); ++t) {
      if (std::find(s_.platform.nodes.begin(), s_.platform.nodes.end(), t) == s_.platform.nodes.end())
        continue;
      NodeType const& type = s_.platform.types[t];
      nlohmann::ordered_json units = nlohmann::ordered_json::object();
      for (auto const& [place, unit] : s_.costs.machines.at(type.name)) units[place] = unit.model;
      out.push_back({{"machine", type.name},
                     {"units", units},
                     {"file", s_.costs.file},
                     {"estimate", s_.costs.estimate || type.estimate},
                     {"kernels", s_.costs.provenance},
                     {"machine_description", type.provenance}});
    }
    return out;
  }

 private:
  DataParallelScenario s_;
};

}  // namespace

std::unique_ptr<Study const> read_data_parallel_study(JsonReader const& scenario, std::uint64_t seed) {
  return std::make_unique<DataParallelStudy>(read_data_parallel(scenario, seed));
}

}  // namespace factosim
