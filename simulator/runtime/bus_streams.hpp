#pragma once

#include <cstdint>
#include <vector>

namespace factosim {

/// The order that the streams of a GPU runtime impose on the copies inside one node. Two copies follow each
/// other when they have the same source and destination, when they are GPU to GPU in opposite directions, or
/// when one is GPU to GPU and the other writes into its source or destination; all others overlap and share
/// the links. Source: StarPU 1.4 `simgrid.c`, transfers_are_sequential.
class BusStreams {
 public:
  /// `rams`: the memory nodes before the first GPU's.
  explicit BusStreams(std::uint32_t rams = 1) : rams_(rams) {}

  struct Copy {
    std::uint32_t request;
    std::uint32_t from, to;   // memory nodes of the node
    std::uint32_t waits = 0;  // earlier copies it must wait for
  };

  /// Returns whether the copy may start at once.
  bool submit(std::uint32_t request, std::uint32_t from, std::uint32_t to);
  /// The copy has ended; appends those that may start now, in the order of submission.
  void end(std::uint32_t request, std::vector<Copy>& startable);

 private:
  [[nodiscard]] bool between_gpus(Copy const& c) const { return c.from >= rams_ && c.to >= rams_; }
  [[nodiscard]] bool sequential(Copy const& a, Copy const& b) const;

  std::uint32_t rams_;
  std::vector<Copy> pending_;  // in the order of submission
};

}  // namespace factosim
