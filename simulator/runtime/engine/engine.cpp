#include "simulator/runtime/engine/engine.hpp"

namespace factosim {

void Engine::start_transfer(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size,
                            TransferToken token) {
  FACTOSIM_EXPECT(since <= now_, "the latency of a transfer counts from a date that has not come");
  FACTOSIM_EXPECT(size.value >= 0, "a transfer has less than no bytes");
  transfer_started_ = true;
  network_->start(since, from, to, size, token);
}

Seconds Engine::next_date() const { return heap_.empty() ? never : heap_.next_date(); }

void Engine::advance(Seconds horizon) {
  transfer_started_ = false;
  while (!heap_.empty() && heap_.next_date() <= horizon && !transfer_started_) {
    Seconds const date = heap_.next_date();
    FACTOSIM_EXPECT(date >= now_, "an event was scheduled in the past");
    now_ = date;
    ++events_handled_;
    handler_->handle(heap_.pop());
  }
}

void Engine::run(EventHandler& handler) {
  handler_ = &handler;
  network_->run(*this, handler);
  FACTOSIM_ENSURE(heap_.empty(), "a run ends before its last event");
}

}  // namespace factosim
