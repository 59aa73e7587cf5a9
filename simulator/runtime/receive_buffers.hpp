#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "factosim/quantity.hpp"

namespace factosim {

/// RAM for the tiles that a node with GPUs receives. It is page-locked, which takes time that some worker of
/// the node spends: whoever makes transfers progress takes wishes and serves them. Tiles up to 4 MiB come
/// from 32 MiB chunks; the allocator of those serves one worker at a time, first come first served. What is
/// given back is kept for tiles of the same size. Source: StarPU 1.4 `data_request.c`, `memalloc.c`,
/// `malloc.c`.
class ReceiveBuffers {
 public:
  struct Wish {
    std::int32_t priority = 0;
    std::uint32_t id = 0;  // what it is for
    bool early = false;    // for a message that nothing waits for yet
    Bytes size;
    std::uint32_t ticket = 0;  // first in first out among equals
  };
  /// A worker that goes on, and after how long.
  struct Resumed {
    std::uint32_t worker;
    Seconds after;
  };

  explicit ReceiveBuffers(Seconds cost_per_MiB) : cost_per_MiB_(cost_per_MiB) {}

  void want(Wish wish);
  /// Takes up to `count` wishes, the most urgent first.
  [[nodiscard]] std::vector<Wish> take(std::size_t count);
  void put_back(Wish const& wish) { push(wish); }
  [[nodiscard]] bool wanted() const { return !wishes_.empty(); }

  /// The worker asks for memory. How long that takes, or nothing where it must wait for others: `finish` will
  /// name it.
  [[nodiscard]] std::optional<Seconds> allocate(std::uint32_t worker, Bytes size);
  /// The time that `allocate` or `finish` told has passed: the worker has its memory. Others may go on.
  [[nodiscard]] std::vector<Resumed> finish(std::uint32_t worker);
  void give_back(Bytes size) { ++pool_of(size).kept; }

 private:
  struct Pool {
    Bytes size;
    std::uint64_t kept = 0;    // given back
    std::uint64_t pieces = 0;  // of chunks, never used
  };
  struct Waiting {
    std::uint32_t worker;
    Bytes size;
  };
  static constexpr std::uint32_t nobody = 0xffffffffU;

  void push(Wish const& wish);
  [[nodiscard]] Pool& pool_of(Bytes size);
  [[nodiscard]] Seconds cost(Bytes size) const;
  [[nodiscard]] Seconds serve(Waiting waiting);

  Seconds cost_per_MiB_;
  std::vector<Wish> wishes_;  // heap
  std::uint32_t next_ticket_ = 0;
  std::vector<Pool> pools_;
  Waiting holder_{nobody, {}};   // allocates a chunk
  std::deque<Waiting> waiting_;  // for the holder
};

}  // namespace factosim
