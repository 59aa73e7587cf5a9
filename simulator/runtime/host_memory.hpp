#pragma once

#include <cstdint>

#include "factosim/quantity.hpp"
#include "simulator/plan/options.hpp"

namespace factosim {

/// What RAM for tiles costs on one node. Pieces are pinned one at a time; what is given back is kept where
/// there is a cache of chunks. Without a cost per MiB, or on a node without GPUs, all is free.
class HostMemory {
 public:
  HostMemory(RuntimeOptions const& options, Bytes ram, bool has_gpus)
      : options_(options), on_(has_gpus && options.host_alloc_cost.value > 0) {
    kept_.value = static_cast<std::int64_t>(options.preallocated_ram * static_cast<double>(ram.value));
  }

  /// Whether whoever needs RAM has to ask (else the submission has seen to it, or it is free).
  [[nodiscard]] bool on_demand() const { return on_ && !options_.allocate_at_submission; }
  [[nodiscard]] bool at_submission() const { return on_ && options_.allocate_at_submission; }

  /// How long it takes to pin that much, beginning now with nothing kept.
  [[nodiscard]] Seconds pinning(Bytes size) const {
    return on_ ? options_.host_alloc_cost * (static_cast<double>(size.value) / (1 << 20)) : Seconds{0};
  }
  /// Takes that much; returns how long the caller waits from `now` on: for those before it, and its own.
  Seconds take(Bytes size, Seconds now) {
    if (kept_ >= size) {
      kept_ -= size;
      return Seconds{0};
    }
    if (free_at_ < now) free_at_ = now;
    free_at_ += pinning(size);
    return free_at_ - now;
  }
  void give_back(Bytes size) {
    if (options_.chunk_cache) kept_ += size;
  }

  /// The thread that submits pins until then; pieces of `piece` one after the other.
  void pins_until(Seconds end, Bytes piece) {
    submission_pins_until_ = end;
    submission_piece_ = pinning(piece);
  }
  /// How long a GPU's driver waits for pinning under way: half a piece of the submission's, on average.
  [[nodiscard]] Seconds driver_waits(Seconds now) const {
    if (!options_.gpus_wait_for_pinning || !on_) return Seconds{0};
    if (now < submission_pins_until_) return submission_piece_ / 2;
    return now < free_at_ ? free_at_ - now : Seconds{0};
  }

 private:
  RuntimeOptions const& options_;
  bool on_;
  Bytes kept_{0};
  Seconds free_at_{0};
  Seconds submission_pins_until_{0}, submission_piece_{0};
};

}  // namespace factosim
