#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace factosim {

/// Chunks of a GPU's memory, cut into pieces for tiles: where in which chunk each piece lies, in blocks. As in StarPU, a
/// chunk's largest free segment is only noted when neighbouring free segments are merged: a piece that is given back
/// between two used ones cannot be taken before that. Source: StarPU 1.4 and 1.5 `malloc.c`
/// (starpu_malloc_on_node_flags, starpu_free_on_node_flags).
class MemoryChunks {
 public:
  struct Piece {
    static constexpr std::uint16_t no_chunk = std::numeric_limits<std::uint16_t>::max();
    std::uint16_t chunk = 0;  // `no_chunk`: allocated for itself
    std::uint16_t block = 0;
  };

  explicit MemoryChunks(int blocks_per_chunk) : blocks_(blocks_per_chunk) {}

  /// Takes a piece of so many blocks from the chunks that are there; nothing if none of them is known to have room.
  [[nodiscard]] std::optional<Piece> take(int blocks);
  /// Adds a chunk and takes a piece from it.
  [[nodiscard]] Piece take_from_new(int blocks);
  /// Gives a piece back. Returns whether its chunk was removed: it is empty, as are several others.
  bool give_back(Piece piece, int blocks);
  /// Removes all empty chunks, and from now on each as soon as it is empty. Returns how many are removed.
  int keep_none();

 private:
  struct Segment {
    int begin, length;
  };
  struct Chunk {
    std::vector<Segment> free;  // by begin
    int largest = 0;            // no free segment is known to be longer
    int available = 0;
  };

  [[nodiscard]] Piece cut(std::uint16_t chunk, std::size_t segment, int blocks);
  void move_to_front(std::uint16_t chunk);

  int blocks_;
  std::vector<Chunk> chunks_;
  std::vector<std::uint16_t> unused_;              // of `chunks_`
  std::vector<std::uint16_t> order_;               // of search, the first one at the end
  int empty_ = 0;                                  // chunks
  int empty_kept_ = 4;                             // chunks at most
  int refused_ = std::numeric_limits<int>::max();  // pieces of so many blocks or more are not found
};

}  // namespace factosim
