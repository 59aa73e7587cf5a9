#include "simulator/scenario/replay/trace_application.hpp"

#include <algorithm>

namespace factosim {

double recorded_makespan(Trace const& trace) {
  return *std::max_element(trace.end_s.begin(), trace.end_s.end()) -
         *std::min_element(trace.start_s.begin(), trace.start_s.end());
}

int matrix_tiles(Trace const& trace) {
  std::int32_t maximum = -1;
  for (Trace::Handle const& h : trace.handles) maximum = std::max({maximum, h.m, h.n});
  return maximum + 1;
}

}  // namespace factosim
