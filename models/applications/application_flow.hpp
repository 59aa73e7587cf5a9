#pragma once

#include <utility>

#include "factosim/flow_sink.hpp"
#include "factosim/sequential_task_flow.hpp"

namespace factosim {

/// The tasks of an application in the order of their submission. They come in rounds, the iterations of its outermost
/// loop, and any round can be submitted again, so that what is computed from them needs to store one round at most.
class ApplicationFlow {
 public:
  ApplicationFlow() = default;
  ApplicationFlow(ApplicationFlow const&) = delete;
  ApplicationFlow& operator=(ApplicationFlow const&) = delete;
  virtual ~ApplicationFlow() = default;

  /// Adds the kernels, and the handles that exist before the first round, with the same numbers each time. Called before
  /// the first round is submitted.
  virtual void begin(FlowSink& sink) = 0;
  [[nodiscard]] virtual int rounds() const = 0;
  /// Submits the tasks of a round. A handle that the round adds follows those of the rounds before.
  virtual void submit_round(FlowSink& sink, int round) = 0;

  /// Submits all rounds.
  void submit(FlowSink& sink) {
    begin(sink);
    for (int round = 0; round < rounds(); ++round) submit_round(sink, round);
  }
};

/// Stores the tasks of all rounds.
[[nodiscard]] inline TaskGraph graph_of(ApplicationFlow& flow) {
  SequentialTaskFlow out;
  flow.submit(out);
  return std::move(out).finish();
}

}  // namespace factosim
