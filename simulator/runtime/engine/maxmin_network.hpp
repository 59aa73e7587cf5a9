#pragma once

#include <vector>

#include "simulator/runtime/engine/end_dates.hpp"
#include "simulator/runtime/engine/flow_network.hpp"
#include "simulator/runtime/engine/maxmin_rates.hpp"

namespace factosim {

/// Flows with exact weighted max-min fair rates (MaxMinRates). A start or an end costs what it changes: the flows of
/// the links whose levels change, and a heap entry for each flow that becomes faster.
class MaxMinNetwork final : public FlowNetwork {
 public:
  explicit MaxMinNetwork(Topology const& topology);

 private:
  struct Flow {
    double bytes_left = 0;  // at `since`
    Seconds since{0};
    double rate = 0;
    Transfer transfer;
  };

  void begin(Transfer const& transfer, Demand const& demand, Seconds now) override;
  void share_again(Seconds now) override;
  [[nodiscard]] Seconds next_date() override { return ends_.first(); }
  void advance(Seconds tie, std::vector<Transfer>& ended) override;

  MaxMinRates rates_;
  std::vector<Flow> flows_;  // numbered as in rates_
  EndDates ends_;            // of the flows
};

}  // namespace factosim
