#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "factosim/platform.hpp"
#include "factosim/quantity.hpp"

namespace factosim {

/// Chunks of a GPU's memory, cut into pieces for tiles: where in which chunk each piece lies, in blocks. As in StarPU, a
/// chunk's largest free segment is only noted when neighbouring free segments are merged: a piece that is given back
/// between two used ones cannot be taken before that. Source: StarPU 1.4 and 1.5 `malloc.c`
/// (starpu_malloc_on_node_flags, starpu_free_on_node_flags).
class MemoryChunks {
 public:
  struct Piece {
    std::uint16_t chunk = 0;
    std::uint16_t block = 0;
  };

  explicit MemoryChunks(int blocks_per_chunk) : blocks_(blocks_per_chunk) {}

  /// Takes a piece of so many blocks from the chunks that are there; nothing if none of them is known to have room.
  [[nodiscard]] std::optional<Piece> take(int blocks);
  /// Adds a chunk and takes a piece from it.
  [[nodiscard]] Piece take_from_new(int blocks);
  /// Gives a piece back. Returns whether its chunk was removed: it is empty, as are several others.
  bool give_back(Piece piece, int blocks);
  [[nodiscard]] std::size_t count() const { return order_.size(); }

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
  static constexpr int empty_kept = 4;             // chunks at most
  int empty_ = 0;                                  // chunks
  int refused_ = std::numeric_limits<int>::max();  // pieces of so many blocks or more are not found
};

/// The memory of one GPU as StarPU allocates it (`malloc.c`, `memalloc.c`): tiles of up to 4 MiB come from
/// chunks of 32 MiB, cut into pieces of whole 16 KiB blocks; larger tiles are allocated one by one. Memory
/// that is given back is kept for tiles of the same size until a tile finds no memory; memory that is freed returns to
/// its chunk or to the GPU's allocator. RAM and disks (`Kind::plain`) are allocated tile by tile, and nothing is kept.
class GpuMemory {
 public:
  enum class Kind { gpu, plain };
  explicit GpuMemory(Bytes capacity, Kind kind = Kind::gpu);
  /// The fraction of the GPU's memory that tiles may use.
  GpuMemory(GpuSpec const& gpu, double fraction)
      : GpuMemory(Bytes{static_cast<std::int64_t>(static_cast<double>(gpu.memory.value) * fraction)}) {}

  /// Where a tile lies that was cut from a chunk.
  using Piece = MemoryChunks::Piece;

  enum class Grant {
    cached,     // kept memory or a piece of an open chunk, at no cost
    allocated,  // the GPU's allocator was called
    refused     // no memory is left: a copy must be evicted first
  };
  /// Takes memory for a tile; `piece` is set if it is cut from a chunk.
  [[nodiscard]] Grant take(Bytes size, Piece& piece);
  /// Allocates plain memory even above the capacity.
  void take_beyond_capacity(Bytes size) { allocated_ += size; }
  /// Keeps the memory of a tile for another one of the same size.
  void give_back(Bytes size, Piece piece);
  /// Frees the memory of a tile. Returns whether the GPU's allocator was called, which takes time.
  bool free(Bytes size, Piece piece);
  /// From now on all tiles are allocated one by one; those that lie in chunks count as if they had been. So memory that
  /// holds the data of a task holds them beside each other, whatever their sizes. Returns whether that is new.
  bool spare_chunks();
  [[nodiscard]] static bool cut_from_chunks(Bytes size);
  [[nodiscard]] static Bytes chunk_size();
  [[nodiscard]] static std::uint64_t pieces_per_chunk(Bytes size);

  [[nodiscard]] Bytes allocated() const { return allocated_; }

 private:
  struct Pool {
    Bytes size;
    std::vector<Piece> kept;  // of tiles of that size
  };
  Pool& pool_of(Bytes size);
  [[nodiscard]] Grant allocate(Bytes size, Piece& piece);
  /// Frees kept memory until so much is freed. Returns whether any was.
  bool free_kept(Bytes wanted);

  Kind kind_ = Kind::gpu;
  Bytes capacity_;
  Bytes allocated_{0};
  Bytes in_pieces_{0};  // of tiles that were cut from chunks, used or kept
  bool spares_chunks_ = false;
  MemoryChunks chunks_;
  std::vector<Pool> pools_;
};

}  // namespace factosim
