#include "simulator/runtime/node/gpu_memory.hpp"

#include <list>

#include "tests/prelude.hpp"
#include "tests/runtime/mebibyte.hpp"

using namespace factosim;
using testing::mebi;

namespace {

using Grant = GpuMemory::Grant;

using Piece = MemoryChunks::Piece;

/// Chunks as StarPU keeps them (malloc.c): each block of a chunk is marked, and segments are found by scanning.
class MarkedChunks {
 public:
  explicit MarkedChunks(int blocks) : blocks_(blocks) {}

  [[nodiscard]] int take(int length) {
    for (auto c = order_.begin(); c != order_.end(); ++c) {
      Chunk& chunk = chunks_[*c];
      if (chunk.known < length) continue;
      int longest = 0;
      for (int begin = 0; begin < blocks_;) {
        int const free = free_from(chunk, begin);
        if (free >= length) {
          int const number = *c;
          if (free >= 2 * length) order_.splice(order_.begin(), order_, c);
          return mark(number, begin, length);
        }
        longest = std::max(longest, free);
        begin += std::max(1, free);
      }
      chunk.known = longest;
    }
    return -1;
  }
  [[nodiscard]] int take_from_new(int length) {
    int number = 0;
    while (chunks_.contains(number)) ++number;
    chunks_[number] = {.used = std::vector<bool>(static_cast<std::size_t>(blocks_)), .known = blocks_};
    order_.push_front(number);
    return mark(number, 0, length);
  }
  bool give_back(int place, int length) {
    int const number = place / blocks_;
    int const begin = place % blocks_;
    Chunk& chunk = chunks_[number];
    bool const follows = begin > 0 && !chunk.used[static_cast<std::size_t>(begin - 1)];
    for (int b = begin; b < begin + length; ++b) chunk.used[static_cast<std::size_t>(b)] = false;
    bool const precedes = begin + length < blocks_ && !chunk.used[static_cast<std::size_t>(begin + length)];
    int first = begin;
    while (first > 0 && !chunk.used[static_cast<std::size_t>(first - 1)]) --first;
    if (follows || precedes) chunk.known = std::max(chunk.known, free_from(chunk, first));
    if (!std::ranges::all_of(chunk.used, [](bool used) { return !used; })) {
      order_.splice(order_.begin(), order_, std::ranges::find(order_, number));
      return false;
    }
    auto const empty = std::ranges::count_if(chunks_, [](auto const& c) {
      return std::ranges::all_of(c.second.used, [](bool used) { return !used; });
    });
    if (empty <= 4) return false;
    order_.remove(number);
    chunks_.erase(number);
    return true;
  }

 private:
  struct Chunk {
    std::vector<bool> used;
    int known = 0;  // no free segment is known to be longer
  };
  [[nodiscard]] int free_from(Chunk const& chunk, int begin) const {
    int length = 0;
    while (begin + length < blocks_ && !chunk.used[static_cast<std::size_t>(begin + length)]) ++length;
    return length;
  }
  int mark(int number, int begin, int length) {
    for (int b = begin; b < begin + length; ++b) chunks_[number].used[static_cast<std::size_t>(b)] = true;
    return number * blocks_ + begin;
  }

  int blocks_;
  std::map<int, Chunk> chunks_;
  std::list<int> order_;
};

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

  TEST_CASE("a chunk that holds too much counts as the tiles in it") {
    GpuMemory::Piece small, kept, large;
    GpuMemory memory(mebi * 33);
    CHECK(memory.take(mebi, small) == Grant::allocated);
    CHECK(memory.take(mebi * 2, kept) == Grant::cached);
    memory.give_back(mebi * 2, kept);
    CHECK(memory.take(mebi * 32, large) == Grant::refused);
    CHECK(memory.spare_chunks());
    CHECK_FALSE(memory.spare_chunks());
    CHECK(memory.allocated() == mebi);
    CHECK(memory.take(mebi * 32, large) == Grant::allocated);
    CHECK(memory.free(mebi, small));
    CHECK(memory.allocated() == mebi * 32);
    CHECK(memory.take(mebi, small) == Grant::allocated);
  }

  TEST_CASE("chunks of memory give and take as a second implementation by marked blocks") {
    std::mt19937 random(5);
    std::size_t removed = 0;
    for (int run = 0; run < 20; ++run) {
      int const blocks = 64;
      MemoryChunks chunks(blocks);
      MarkedChunks marked(blocks);
      struct Taken {
        Piece piece;
        int place, length;
      };
      std::vector<Taken> taken;
      std::map<int, int> names;  // of the second implementation's chunks
      for (int step = 0; step < 600; ++step) {
        bool const fills = step / 100 % 2 == 0;
        if (taken.empty() || random() % 10 < (fills ? 7U : 3U)) {
          int const length = 1 + static_cast<int>(random() % (run < 10 ? 7 : 40));
          int place = marked.take(length);
          auto piece = chunks.take(length);
          REQUIRE(piece.has_value() == (place >= 0));
          if (!piece) {
            piece = chunks.take_from_new(length);
            place = marked.take_from_new(length);
            names[place / blocks] = piece->chunk;
          }
          REQUIRE(names[place / blocks] == piece->chunk);
          REQUIRE(place % blocks == piece->block);
          taken.push_back({*piece, place, length});
        } else {
          std::size_t const i = random() % taken.size();
          Taken const back = taken[i];
          taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(i));
          bool const gone = chunks.give_back(back.piece, back.length);
          REQUIRE(gone == marked.give_back(back.place, back.length));
          removed += gone ? 1 : 0;
        }
      }
    }
    CHECK(removed > 0);
  }
}
