#include "simulator/runtime/engine/engine.hpp"

#include "factosim/error.hpp"

namespace factosim {

void Engine::start_transfer(Seconds since, MemoryNodeId from, MemoryNodeId to, Bytes size,
                            TransferToken token) {
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
}

}  // namespace factosim
