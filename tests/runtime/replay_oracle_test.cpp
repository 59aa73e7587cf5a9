#include "simulator/runtime/node/replay_oracle.hpp"

#include "tests/prelude.hpp"

using namespace factosim;

namespace {

constexpr TaskId replayed{1};  // of two
constexpr bool on_core = false, on_gpu = true;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("without a recording nothing is prescribed") {
    Recording const empty;
    for (Recording const* const recording : {static_cast<Recording const*>(nullptr), &empty}) {
      ReplayOracle oracle(recording, 2);
      oracle.task_ready(replayed, Seconds{1});
      oracle.task_ran(replayed, Seconds{2});
      CHECK(oracle.order() == nullptr);
      CHECK_FALSE(oracle.submission(replayed).has_value());
      CHECK_FALSE(oracle.duration(replayed, on_core).has_value());
      CHECK_FALSE(oracle.message_arrival(replayed, NodeId{1}).has_value());
      CHECK(oracle.pause(replayed, on_core, Seconds{3}, Seconds{4}) == Seconds{0});
    }
  }

  TEST_CASE("durations and pauses are prescribed on the kind of worker that ran the task") {
    Recording recording;
    recording.pause_s = {0, 2};
    recording.duration_s = {5, 6};
    recording.on_gpu = {false, true};
    ReplayOracle oracle(&recording, 2);
    CHECK(oracle.duration(replayed, on_gpu) == Seconds{6});
    CHECK_FALSE(oracle.duration(replayed, on_core).has_value());
    oracle.task_ready(replayed, Seconds{10});
    CHECK(oracle.pause(replayed, on_gpu, Seconds{7}, Seconds{10.5}) ==
          Seconds{1.5});  // counts from the ready date
    CHECK(oracle.pause(replayed, on_gpu, Seconds{11}, Seconds{11}) == Seconds{2});  // from the kernel before
    CHECK(oracle.pause(replayed, on_gpu, Seconds{7}, Seconds{13}) == Seconds{0});   // has passed
    CHECK(oracle.pause(replayed, on_core, Seconds{11}, Seconds{11}) == Seconds{0});
  }

  TEST_CASE("messages arrive their recorded time after the end of their producer") {
    Recording recording;
    recording.messages = {{TaskId{0}, NodeId{1}, 3}, {replayed, NodeId{2}, 4}};
    ReplayOracle oracle(&recording, 2);
    oracle.task_ran(replayed, Seconds{10});
    CHECK(oracle.message_arrival(replayed, NodeId{2}) == Seconds{14});
    CHECK_FALSE(oracle.message_arrival(replayed, NodeId{1}).has_value());
  }
}
