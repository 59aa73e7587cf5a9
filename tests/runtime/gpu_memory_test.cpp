#include "simulator/runtime/node/gpu_memory.hpp"

#include "tests/prelude.hpp"
#include "tests/runtime/mebibyte.hpp"

using namespace factosim;
using testing::mebi;

namespace {

using Grant = GpuMemory::Grant;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("nine single precision tiles of 960 share one chunk of 32 MiB") {
    GpuMemory::Piece piece;
    GpuMemory memory(mebi * 1000);
    Bytes const tile{960 * 960 * 4};
    CHECK(memory.take(tile, piece) == Grant::allocated);
    for (int i = 1; i < 9; ++i) CHECK(memory.take(tile, piece) == Grant::cached);
    CHECK(memory.allocated() == mebi * 32);
    CHECK(memory.take(tile, piece) == Grant::allocated);
    CHECK(memory.allocated() == mebi * 64);
  }

  TEST_CASE("larger tiles are allocated one by one and kept when given back") {
    GpuMemory::Piece piece;
    GpuMemory memory(mebi * 20);
    Bytes const tile{960 * 960 * 8};
    CHECK(memory.take(tile, piece) == Grant::allocated);
    CHECK(memory.take(tile, piece) == Grant::allocated);
    CHECK(memory.take(tile, piece) == Grant::refused);
    memory.give_back(tile, piece);
    CHECK(memory.take(tile, piece) == Grant::cached);
    CHECK(memory.allocated() == tile * 2);
  }

  TEST_CASE("kept memory of one size makes room for a tile of another") {
    GpuMemory::Piece piece;
    GpuMemory memory(mebi * 20);
    CHECK(memory.take(mebi * 6, piece) == Grant::allocated);
    CHECK(memory.take(mebi * 6, piece) == Grant::allocated);
    memory.give_back(mebi * 6, piece);
    CHECK(memory.take(mebi * 10, piece) == Grant::allocated);
    CHECK(memory.allocated() == mebi * 16);
    CHECK(memory.take(mebi * 6, piece) == Grant::refused);
  }

  TEST_CASE("a chunk that does not fit is refused though one tile would") {
    GpuMemory::Piece piece;
    GpuMemory memory(mebi * 31);
    CHECK(memory.take(mebi, piece) == Grant::refused);
  }
}
