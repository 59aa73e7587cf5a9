#pragma once

#include "factosim/quantity.hpp"
#include "simulator/plan/broadcast.hpp"
#include "simulator/plan/unrolling.hpp"

namespace factosim {

/// What the runtime system does and what it costs. The defaults are those of StarPU 1.4 in simulation; every
/// cost can be switched off by 0. Sources are StarPU's files.
struct RuntimeOptions {
  // Time the runtime itself takes.
  Seconds submission_cost{1e-6};    // a task, one after the other (core/task.c)
  Seconds push_cost{1e-6};          // a ready task, in the worker that made it ready (core/sched_policy.c)
  Seconds fetch_cost{1e-6};         // an operand, in the worker (datawizard/coherency.c)
  Seconds progress_cost{1e-6};      // a round of data management in a GPU's driver (datawizard.c)
  Seconds wont_use_cost{3e-6};      // a write-back hint, in the worker that finished
  Seconds gpu_queue_cost{10e-6};    // a kernel or a transfer, in the GPU's driver (simgrid.c)
  Seconds gpu_malloc_cost{175e-6};  // an allocation, one GPU at a time (driver_cuda.c)
  Seconds gpu_free_cost{750e-6};    // giving memory back, likewise
  Seconds pinning_cost{650e-6};     // a MiB of page-locked RAM for received tiles (malloc.c)

  // How it works.
  int gpu_pipeline =
      2;  // tasks a GPU holds at once: one runs while the next one's inputs arrive; 0: none ahead
  bool prefetch = true;         // inputs travel as soon as the worker is chosen
  bool wont_use = true;         // follow the application's write-back hints
  int fetch_limit = 5;          // requests under way per (driver, peer, direction): urgent ones
  int prefetch_limit = 2;       // ... prefetches
  int idle_limit = 1;           // ... idle copies
  int max_gpus = 1000;          // of each node; the others stay unused
  int cores_per_gpu = 1;        // cores taken by each GPU's driver
  int reserved_cores = 0;       // cores of each node that run no task
  int max_submitted_tasks = 0;  // more of a node, not yet done, and its submission waits; 0: no limit
  Unrolling unrolling = Unrolling::whole;  // what a node goes through, at the submission cost
  int min_submitted_tasks = 0;             // it goes on when no more than these are left (core/task.c)
  double gpu_memory_fraction = 0.9;        // of the GPU's memory that tiles may use

  /// Cores that are taken but have a worker more, for kernels that may run there (an application's thread).
  int oversubscribed_workers = 0;

  // RAM that GPUs may reach, on nodes with GPUs: pinning it takes long (malloc.c). See HostMemory.
  Seconds host_alloc_cost{0};           // a MiB that is not kept from before
  bool allocate_at_submission = false;  // by the thread that submits; else by whoever needs it
  bool chunk_cache = true;              // what is given back is kept for the next one
  double preallocated_ram = 0;          // fraction of the RAM that is pinned before the start
  bool gpus_wait_for_pinning = false;   // a GPU's driver that starts a transfer waits for pinning under way

  bool out_of_core = false;  // tiles may exceed a node's RAM: counted, not charged

  // Between nodes.
  int communication_cores = 1;    // cores of each node that handle messages, where there are several nodes
  int max_sends_per_node = 10;    // messages a node sends at once (ndetached_send)
  int max_sends = 0;              // messages under way at once between all nodes; 0: no limit
  bool sends_by_priority = true;  // the most urgent first; else first in, first out
  Broadcast broadcast = Broadcast::point_to_point;
  bool rendezvous = true;  // a large message asks its receiver first and waits for the answer
};

}  // namespace factosim
