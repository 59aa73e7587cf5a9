#include "simulator/plan/options.hpp"

namespace factosim {

RuntimeOptions on_grid(RuntimeOptions options, TimeGrid const& grid) {
  for (Seconds RuntimeOptions::*const cost :
       {&RuntimeOptions::submission_cost, &RuntimeOptions::push_cost, &RuntimeOptions::fetch_cost,
        &RuntimeOptions::progress_cost, &RuntimeOptions::wont_use_cost, &RuntimeOptions::gpu_queue_cost,
        &RuntimeOptions::gpu_malloc_cost, &RuntimeOptions::gpu_free_cost})
    options.*cost = grid.duration(options.*cost);
  return options;
}

}  // namespace factosim
